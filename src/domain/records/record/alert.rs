//! Something people should check that no other record covers.

use super::stored_record::{Before, IndexRow, StoredRecord};
use crate::records::layout;
use crate::records::message::{Alert, AlertKind, GapFigures, Outgoing, alert};
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Something people should check: `alerts/<kind>/<yyyy>/<mm>/<alert_id>.yaml`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AlertRecord {
    /// `feedbackd.alert_record/1`
    pub schema: String,
    /// Its id, derived from its subject.
    pub alert_id: String,
    /// The tenant, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tenant_id: Option<String>,
    /// `capability_gap`, `action_escalated` or `repeated_issue`
    #[schemars(with = "String")]
    pub kind: AlertKind,
    /// The agent; may be empty if unknown.
    pub agent: String,
    /// What to check, in words and figures.
    pub message: String,
    /// The figures behind a capability gap.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub figures: Option<GapFigures>,
    /// Its subject: an action, or what was reviewed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub about: Option<String>,
    /// Details, one per line.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub details: Vec<String>,
    /// When it was made.
    pub raised_at: Timestamp,
}

impl StoredRecord for AlertRecord {
    const SCHEMA: &'static str = "feedbackd.alert_record/1";

    /// Dead letters are stored below the alerts, but are records of their own.
    fn is_place(path: &str) -> bool {
        layout::is_below(layout::ALERTS, path, ".yaml") && !path.starts_with(layout::DEAD_LETTERS)
    }

    fn path(&self) -> String {
        layout::alert(self.kind, self.raised_at, &self.alert_id)
    }

    fn row(&self, _path: &str) -> IndexRow<'_> {
        IndexRow::at(&self.alert_id, self.raised_at)
    }

    fn messages(&self, path: &str, before: &Before<'_, Self>) -> Vec<Outgoing> {
        if !before.is_nothing() {
            return Vec::new();
        }
        let (agent, message, record) = (self.agent.clone(), self.message.clone(), path.to_owned());
        let about = || self.about.clone().unwrap_or_default();
        let data = match (self.kind, &self.figures) {
            (AlertKind::CapabilityGap, Some(figures)) => {
                Alert::CapabilityGap { agent, message, figures: figures.clone(), record }
            }
            (AlertKind::ActionEscalated, _) => {
                Alert::ActionEscalated { action_id: about(), agent, message, details: self.details.clone(), record }
            }
            (AlertKind::RepeatedIssue, _) => Alert::RepeatedIssue { target: about(), message, record },
            (AlertKind::CapabilityGap, None) => return Vec::new(),
        };
        vec![alert(&self.alert_id, self.tenant_id.as_deref(), self.raised_at, &data)]
    }
}
