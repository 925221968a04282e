//! The stopped rules: in force, but out of every prompt until resumed.

use super::stored_record::{Before, IndexRow, StoredRecord};
use crate::records::layout;
use crate::records::message::{Outgoing, RuleStop, RuleStopKind, Topic, json};
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The stopped rules: `rules/stopped.yaml`. People may write and push it themselves; only what is stopped is mandatory.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(extend("required" = ["schema"]))]
pub struct StopsRecord {
    /// `feedbackd.stops/1`
    #[serde(default)]
    pub schema: String,
    /// The tenant, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tenant_id: Option<String>,
    /// Set if every rule is stopped, including later ones.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub all: Option<Stopped>,
    /// The stopped rules, by id.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub rules: BTreeMap<String, Stopped>,
    /// Who resumed a rule last, when and why.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resumed: Option<Stopped>,
}

/// Who stopped something, when and why, as far as given.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Stopped {
    /// Who.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub by: String,
    /// When it was made.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<Timestamp>,
    /// The reason.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub reason: String,
}

impl StopsRecord {
    /// Parses the file. An unreadable one stops every rule: its author wanted a stop.
    pub fn parse(text: &str) -> StopsRecord {
        let says = |line: &str| !line.trim().is_empty() && !line.trim_start().starts_with('#');
        if !text.lines().any(says) {
            return StopsRecord::default();
        }
        crate::text::yaml::parse(text).unwrap_or_else(|error: String| {
            let reason = format!("{} cannot be read ({error}); fix or remove it", layout::STOPPED);
            StopsRecord { all: Some(Stopped { reason, ..Stopped::default() }), ..StopsRecord::default() }
        })
    }

    /// Returns why a rule is in no prompt; `None` if it is not stopped.
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

    /// Returns what is newly stopped and what no longer is. Nothing is published for an unreadable or removed file.
    fn messages(&self, path: &str, before: &Before<'_, Self>) -> Vec<Outgoing> {
        // An unreadable file stopped everything.
        let all = matches!(before, Before::Unreadable).then(Stopped::default);
        let otherwise = StopsRecord { all, ..StopsRecord::default() };
        let before = before.record().unwrap_or(&otherwise);
        let mut messages = Vec::new();
        let mut tell = |event, rule: Option<&String>, how: &Stopped| messages.push(told(self, path, event, rule, how));
        let resumed = self.resumed.clone().unwrap_or_default();
        match (&before.all, &self.all) {
            (None, Some(how)) => tell(RuleStopKind::RuleStopped, None, how),
            (Some(_), None) => tell(RuleStopKind::RuleResumed, None, &resumed),
            _ => {}
        }
        for (rule, how) in self.rules.iter().filter(|(rule, _)| !before.rules.contains_key(*rule)) {
            tell(RuleStopKind::RuleStopped, Some(rule), how);
        }
        for rule in before.rules.keys().filter(|rule| !self.rules.contains_key(*rule)) {
            tell(RuleStopKind::RuleResumed, Some(rule), &resumed);
        }
        messages
    }
}

/// Builds one message. The time is 1970 if none was given.
fn told(stops: &StopsRecord, path: &str, event: RuleStopKind, rule: Option<&String>, how: &Stopped) -> Outgoing {
    let at = how.at.map_or_else(String::new, |at| at.to_string());
    let data = RuleStop {
        event,
        rule_id: rule.cloned(),
        by: how.by.clone(),
        at: how.at,
        reason: how.reason.clone(),
        record: path.to_owned(),
    };
    Outgoing {
        topic: Topic::Rules,
        schema: "feedbackd.rule_stop/1",
        idempotency_key: format!("{}:{}:{at}", event.as_str(), rule.map_or("all", String::as_str)),
        tenant_id: stops.tenant_id.clone().unwrap_or_default(),
        timestamp: how.at.unwrap_or_default(),
        trace: None,
        data: json(&data),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_stopped_and_resumed_is_published_once() {
        let stops = |text: &str| StopsRecord::parse(text);
        let said = |before: &StopsRecord, after: &StopsRecord| {
            let messages = after.messages(layout::STOPPED, &Before::Record(before)).into_iter();
            messages.map(|m| m.idempotency_key).collect::<Vec<_>>()
        };
        let nothing = StopsRecord::default();
        let one = stops("rules:\n  RULE-2026-0001: {by: ana, at: 2026-01-20T09:30:00Z}\n");
        let all = StopsRecord { all: Some(Stopped::default()), ..one.clone() };
        assert_eq!(said(&nothing, &one), ["rule_stopped:RULE-2026-0001:2026-01-20T09:30:00Z"]);
        assert_eq!(said(&one, &all), ["rule_stopped:all:"]);
        assert_eq!(said(&all, &all), Vec::<String>::new());
        let resumed = stops("resumed: {by: ben, at: 2026-01-21T09:30:00Z, reason: mended}");
        assert_eq!(
            said(&all, &resumed),
            ["rule_resumed:all:2026-01-21T09:30:00Z", "rule_resumed:RULE-2026-0001:2026-01-21T09:30:00Z"]
        );
        let message = resumed.messages(layout::STOPPED, &Before::Record(&one)).remove(0);
        insta::assert_snapshot!(message.data, @r#"{"event":"rule_resumed","rule_id":"RULE-2026-0001","by":"ben","at":"2026-01-21T09:30:00Z","reason":"mended","record":"feedback/rules/stopped.yaml"}"#);
    }

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
