//! Notification formats.

use strum::{EnumString, IntoStaticStr, VariantNames};

/// An endpoint's format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, EnumString, IntoStaticStr, VariantNames)]
#[strum(serialize_all = "snake_case")]
pub enum Style {
    /// Standard Webhooks.
    Standard,
    /// CloudEvents.
    Cloudevents,
    /// Slack.
    Slack,
    /// Mattermost, which accepts Slack's format.
    Mattermost,
    /// Teams, through a workflow.
    Teams,
    /// ntfy.
    Ntfy,
    /// Mail.
    Mail,
}
