//! Which rules entered one prompt.

use super::stored_record::{IndexRow, StoredRecord};
use crate::intake::submission::{InjectedRule, Injection};
use crate::records::layout;
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Which rules entered one prompt: `injections/<yyyy>/<mm>/<dd>/<hh>/<injection_id>.yaml`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct InjectionRecord {
    /// `feedbackd.injection/1`
    pub schema: String,
    /// The line's id.
    pub injection_id: String,
    /// The tenant, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tenant_id: Option<String>,
    /// The agent.
    pub agent: String,
    /// The agent's session, if known: decisions of the same session are compared by it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_id: Option<String>,
    /// When it was made.
    pub timestamp: Timestamp,
    /// The rules, in prompt order.
    pub rules: Vec<InjectedRule>,
    /// Rules left out to compare prompts with and without them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub held_out: Vec<String>,
    /// BLAKE3 of the base prompt.
    pub base_hash: String,
    /// BLAKE3 of the finished prompt.
    pub prompt_hash: String,
}

impl InjectionRecord {
    /// Builds the record of an injection, in this daemon's tenant.
    pub fn of(notice: &Injection, tenant_id: Option<String>) -> InjectionRecord {
        InjectionRecord {
            schema: Self::SCHEMA.to_owned(),
            injection_id: notice.injection_id.clone(),
            tenant_id,
            agent: notice.agent.clone(),
            session_id: notice.session_id.clone(),
            timestamp: notice.timestamp,
            rules: notice.rules.clone(),
            held_out: notice.held_out.clone(),
            base_hash: notice.base_hash.clone(),
            prompt_hash: notice.prompt_hash.clone(),
        }
    }
}

impl StoredRecord for InjectionRecord {
    const SCHEMA: &'static str = "feedbackd.injection/1";

    fn is_place(path: &str) -> bool {
        layout::is_below(layout::INJECTIONS, path, ".yaml")
    }

    fn path(&self) -> String {
        layout::injection(self.timestamp, &self.injection_id)
    }

    /// Open means that a rule was held out, for comparison.
    fn row(&self, _path: &str) -> IndexRow<'_> {
        IndexRow::at(&self.injection_id, self.timestamp).open(!self.held_out.is_empty())
    }
}
