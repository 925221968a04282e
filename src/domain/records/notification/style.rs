//! How somebody is told.

use strum::{EnumString, IntoStaticStr, VariantNames};

/// How an endpoint is spoken to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, EnumString, IntoStaticStr, VariantNames)]
#[strum(serialize_all = "snake_case")]
pub enum Style {
    /// Standard Webhooks.
    Standard,
    /// CloudEvents.
    Cloudevents,
    /// Slack.
    Slack,
    /// Mattermost, which takes Slack's shape.
    Mattermost,
    /// Teams, by a workflow.
    Teams,
    /// ntfy.
    Ntfy,
    /// Mail.
    Mail,
}
