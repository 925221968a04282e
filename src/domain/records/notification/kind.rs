//! The kinds of notice, which whoever is told chooses from.

use serde::{Deserialize, Serialize};
use strum::{EnumString, IntoStaticStr, VariantNames};

/// A kind of notice.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, EnumString, IntoStaticStr, VariantNames,
)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum NoticeKind {
    /// A proposal or a contradiction waits for people.
    Waiting,
    /// A proposal waits for long.
    Overdue,
    /// Something was decided: a review that counts, a rule that came into force or left it, a proposal turned down.
    Decided,
    /// A review was refused.
    Refused,
    /// A rule does not help, was stopped, resumed, or set aside.
    Rules,
    /// What else people should look at.
    Alerts,
    /// A notice by which somebody tries whether notices arrive.
    Test,
}

impl NoticeKind {
    /// As it is written in the configuration and in notices.
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}
