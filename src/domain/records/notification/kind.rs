//! The kinds of notification, which recipients choose from.

use serde::{Deserialize, Serialize};
use strum::{EnumString, IntoStaticStr, VariantNames};

/// A kind of notification.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, EnumString, IntoStaticStr, VariantNames,
)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum NotificationKind {
    /// A proposal or a contradiction is pending.
    Waiting,
    /// A proposal has been pending for long.
    Overdue,
    /// Something was decided: a review that counts, a rule that came into force or left it, a rejected proposal.
    Decided,
    /// A review was rejected.
    Refused,
    /// A rule does not help, was stopped, resumed, or set aside.
    Rules,
    /// Anything else people should check.
    Alerts,
    /// A notification for testing delivery.
    Test,
}

impl NotificationKind {
    /// Returns the spelling used in the configuration and in notifications.
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}
