//! Which rules are stopped: in force, and out of every prompt until somebody resumes them.

use super::stored_record::{IndexRow, StoredRecord};
use crate::domain::records::layout;
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Which rules are stopped: `rules/stopped.yaml`. People may write it themselves and push it; all that it must name is
/// what is stopped.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(extend("required" = ["schema"]))]
pub struct StopsRecord {
    /// `feedbackd.stops/1`
    #[serde(default)]
    pub schema: String,
    /// The tenant, where there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tenant_id: Option<String>,
    /// Every rule is stopped, those that come into force later too.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub all: Option<Stopped>,
    /// The rules that are stopped, by id.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub rules: BTreeMap<String, Stopped>,
}

/// Who stopped something, when and why, as far as that was told.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Stopped {
    /// Who.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub by: String,
    /// When.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<Timestamp>,
    /// Why.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub reason: String,
}

impl StopsRecord {
    /// Reads the file. One that cannot be read stops every rule: whoever wrote it wanted a stop.
    pub fn parse(text: &str) -> StopsRecord {
        let says = |line: &str| !line.trim().is_empty() && !line.trim_start().starts_with('#');
        if !text.lines().any(says) {
            return StopsRecord::default();
        }
        crate::domain::yaml::parse(text).unwrap_or_else(|error: String| {
            let reason = format!("{} cannot be read ({error}); mend or remove it", layout::STOPPED);
            StopsRecord { all: Some(Stopped { reason, ..Stopped::default() }), ..StopsRecord::default() }
        })
    }

    /// Why a rule is in no prompt; `None` where it is not stopped.
    pub fn of(&self, rule_id: &str) -> Option<&Stopped> {
        self.rules.get(rule_id).or(self.all.as_ref())
    }
}

impl StoredRecord for StopsRecord {
    const SCHEMA: &'static str = "feedbackd.stops/1";

    fn is_place(path: &str) -> bool {
        path == layout::STOPPED
    }

    fn path(&self) -> String {
        layout::STOPPED.to_owned()
    }

    fn row(&self, _path: &str) -> IndexRow<'_> {
        let times = self.all.iter().chain(self.rules.values()).filter_map(|stopped| stopped.at);
        IndexRow::at("stopped", times.max().unwrap_or_default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_people_write_stops_what_it_names_and_a_slip_stops_all() {
        let stops = StopsRecord::parse("rules:\n  RULE-2026-0001: {}\n");
        assert!(stops.of("RULE-2026-0001").is_some() && stops.of("RULE-2026-0002").is_none());
        for text in [
            "all: {}",
            "all: {by: ana, reason: leak}",
            "rule: {RULE-2026-0001: {}}",
            "rules: [RULE-2026-0001]",
            "all: [",
        ] {
            assert!(StopsRecord::parse(text).of("RULE-2026-0002").is_some(), "{text}");
        }
        for text in ["", "# nothing\n", "schema: feedbackd.stops/1"] {
            assert_eq!(StopsRecord::parse(text).of("RULE-2026-0001"), None, "{text}");
        }
    }
}
