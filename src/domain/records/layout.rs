//! The path of each record in the store (specification, "The store"). The only place that knows.
//!
//! Whatever grows with time is sharded by time: a date directory, and below it the hour. The figures behind the hour
//! are in `benches/RESULTS.md`.

use super::message::AlertKind;
pub use super::rule_status::RULES;
use super::rule_status::{ProposalStatus, RuleState};
use crate::intake::feedback::BETWEEN;
use crate::source::entry_time;
use crate::text::ids::{Gate, safe_name, short_hash};
use jiff::{Timestamp, tz::TimeZone};

/// The version of this layout; derived state from another version is rebuilt.
pub const VERSION: u32 = 1;
/// The directory that contains everything the daemon writes.
pub const ROOT: &str = "feedback";
/// The roster.
pub const ROSTER: &str = "reviewers.yaml";
/// What was purged from the history.
pub const PURGES: &str = "purges.yaml";
/// The store's identity.
pub const STORE: &str = "store.yaml";
/// When roster changes started to need approvals.
pub const ROSTERS: &str = "rosters.yaml";
/// When signatures became required.
pub const SIGNATURES: &str = "signatures.yaml";
/// Concerns that the store adds to the shipped catalogue, or that replace shipped ones.
pub const CATALOGUE: &str = "catalogue/";
/// The file in it that is built from what people taught.
pub const LEARNED: &str = "catalogue/learned.yaml";
/// Decision records.
pub const DECISIONS: &str = "feedback/decisions/";
/// Diffs.
pub const CORRECTIONS: &str = "feedback/corrections/";
/// The number of clusters.
pub const CLUSTERS: &str = "feedback/clusters/";
/// Proposals that await review.
pub const PROPOSED: &str = "feedback/rules/proposed/";
/// Rules in force.
pub const ACTIVE: &str = "feedback/rules/active/";
/// Which rules are stopped.
pub const STOPPED: &str = "feedback/rules/stopped.yaml";
/// Rules in force elsewhere.
pub const IMPORTED: &str = "feedback/rules/imported/";
/// Reviews by people of what was learned.
pub const REVIEWS: &str = "feedback/reviews/";
/// Those that count, about roster changes.
pub const ROSTER_REVIEWS: &str = "feedback/reviews/roster/";
/// Which rules entered which prompt.
pub const INJECTIONS: &str = "feedback/injections/";
/// Statements about earlier reviews.
pub const FOLLOW_UPS: &str = "feedback/follow_ups/";
/// Questions to a language model, and its answers.
pub const ADVICE: &str = "feedback/advice/";
/// A language model's readings of comments.
pub const READINGS: &str = "feedback/readings/";
/// What needs people's attention.
pub const ALERTS: &str = "feedback/alerts/";
/// Decided contradictions.
pub const RESOLVED: &str = "feedback/ambiguous/resolved/";
/// Reports.
pub const REPORTS: &str = "feedback/reports/";
/// One-offs.
pub const EDGE_CASES: &str = "feedback/edge_cases/";
/// Open contradictions.
pub const AMBIGUOUS: &str = "feedback/ambiguous/";
/// Conversation turns, a directory each.
pub const TURNS: &str = "feedback/turns/";
/// Refined prompts.
pub const REFINEMENTS: &str = "feedback/refinements/";
/// Results of actions, and the answers.
pub const ACTIONS: &str = "feedback/actions/";
/// Review documents.
pub const ITERATIONS: &str = "feedback/iterations/";
/// Entries that could not be processed.
pub const DEAD_LETTERS: &str = "feedback/alerts/dead_letters/";

/// The length of a name's trailing digest: `-h` and twelve hexadecimal digits.
const DIGEST: usize = 14;
/// The extensions of record files.
const ENDS: [&str; 3] = ["yaml", "json", "diff"];

/// `feedback/decisions/<gate>/<yyyy>/<mm>/<dd>/<hh>/<decision_id>.yaml`, all in UTC.
pub fn decision(gate: Gate, at: Timestamp, decision_id: &str) -> String {
    format!("{DECISIONS}{gate}/{}/{}.yaml", hour(at), file_name(decision_id))
}

/// `feedback/corrections/<yyyy>/<mm>/<dd>/<task_id|no-task>/<decision_id>.diff`, in UTC.
///
/// The date precedes the task: a directory with every task ever seen would be rewritten by each commit.
pub fn correction(at: Timestamp, task_id: Option<&str>, decision_id: &str) -> String {
    let task = task_id.map_or_else(|| "no-task".to_owned(), file_name);
    format!("{CORRECTIONS}{}/{task}/{}.diff", day(at), file_name(decision_id))
}

/// `feedback/clusters/CLUSTER-<id>.yaml`
pub fn cluster(cluster_id: &str) -> String {
    format!("{CLUSTERS}{cluster_id}.yaml")
}

/// `feedback/rules/proposed/RULE-<year>-<nnnn>.yaml`
pub fn proposal(proposal_id: &str) -> String {
    format!("{PROPOSED}{proposal_id}.yaml")
}

/// `feedback/rules/<directory>/RULE-<year>-<nnnn>.yaml`: the directory shows the rule's status.
pub fn rule(proposal_id: &str, status: ProposalStatus) -> String {
    format!("{RULES}{}/{proposal_id}.yaml", status.state().as_str())
}

/// Returns every path that a rule's file can have in its life.
pub fn rule_paths(proposal_id: &str) -> Vec<String> {
    [RuleState::Proposed, RuleState::Active, RuleState::Rejected, RuleState::Retired]
        .map(|state| format!("{RULES}{}/{proposal_id}.yaml", state.as_str()))
        .into()
}

/// `feedback/rules/imported/<name>.yaml`
pub fn import(name: &str) -> String {
    format!("{IMPORTED}{}.yaml", file_name(name))
}

/// `feedback/reviews/<yyyy>/<mm>/<dd>/<review_id>.yaml`, by the review's own time.
pub fn review(at: Timestamp, review_id: &str) -> String {
    format!("{REVIEWS}{}/{}.yaml", day(at), file_name(review_id))
}

/// `feedback/reviews/roster/<review_id>.yaml`, all in one directory: each counts whatever happens to its file, so the
/// history of the directory is read.
pub fn roster_review(review_id: &str) -> String {
    format!("{ROSTER_REVIEWS}{}.yaml", file_name(review_id))
}

/// `feedback/injections/<yyyy>/<mm>/<dd>/<hh>/<injection_id>.yaml`
pub fn injection(at: Timestamp, injection_id: &str) -> String {
    format!("{INJECTIONS}{}/{}.yaml", hour(at), file_name(injection_id))
}

/// `feedback/follow_ups/<yyyy>/<mm>/<dd>/<follow_up_id>.yaml`, by the day it was reported.
pub fn follow_up(at: Timestamp, follow_up_id: &str) -> String {
    format!("{FOLLOW_UPS}{}/{}.yaml", day(at), file_name(follow_up_id))
}

/// `feedback/advice/<yyyy>/<mm>/<dd>/<hash>.yaml`, by the day it was asked.
pub fn advice(at: Timestamp, question_hash: &str) -> String {
    format!("{ADVICE}{}/{}.yaml", day(at), file_name(question_hash))
}

/// `feedback/readings/<yyyy>/<mm>/<dd>/<hh>/<feedback_id>.yaml`, by the decision's own time.
pub fn reading(at: Timestamp, feedback_id: &str) -> String {
    format!("{READINGS}{}/{}.yaml", hour(at), file_name(feedback_id))
}

/// `feedback/alerts/<kind>/<yyyy>/<mm>/<alert_id>.yaml`
pub fn alert(kind: AlertKind, at: Timestamp, alert_id: &str) -> String {
    let z = at.to_zoned(TimeZone::UTC);
    format!("{ALERTS}{}/{:04}/{:02}/{}.yaml", kind.as_str(), z.year(), z.month(), file_name(alert_id))
}

/// `feedback/reports/<yyyy>/<yyyy>-W<ww>.md`, by the ISO week.
pub fn weekly_report(year: i16, week: i8) -> String {
    format!("{REPORTS}{year:04}/{year:04}-W{week:02}.md")
}

/// `feedback/edge_cases/<year>/<nn>00/EDGE-<year>-<nnnn>.yaml`: a hundred per directory.
pub fn edge_case(year: i16, number: u32) -> String {
    format!("{EDGE_CASES}{year}/{:02}00/{}.yaml", number / 100, crate::text::ids::numbered("EDGE", year, number))
}

/// `feedback/ambiguous/<feedback_id>.yaml`
pub fn ambiguous(feedback_id: &str) -> String {
    format!("{AMBIGUOUS}{}.yaml", file_name(feedback_id))
}

/// `feedback/ambiguous/resolved/<feedback_id>.yaml`
pub fn resolved(feedback_id: &str) -> String {
    format!("{RESOLVED}{}.yaml", file_name(feedback_id))
}

/// `feedback/alerts/dead_letters/<yyyy>/<mm>/<dd>/<hh>/<stream>-<entry id>.yaml`; the time is the entry's own, from its
/// id.
pub fn dead_letter(stream: &str, entry_id: &str) -> String {
    format!(
        "{DEAD_LETTERS}{}/{}.yaml",
        hour(entry_time(entry_id)),
        file_name(&format!("{}-{entry_id}", stream.replace(':', "_")))
    )
}

/// `feedback/turns/<session_id>/<turn_id>/<name>`: `turn.json`, `metadata.json` or `feedback.json`.
pub fn turn(session_id: &str, turn_id: &str, name: &str) -> String {
    format!("{TURNS}{}/{}/{name}", file_name(session_id), file_name(turn_id))
}

/// `feedback/refinements/<yyyy>/<mm>/<dd>/<id>.yaml`
pub fn refinement(at: Timestamp, refinement_id: &str) -> String {
    format!("{REFINEMENTS}{}/{}.yaml", day(at), file_name(refinement_id))
}

/// `feedback/actions/<yyyy>/<mm>/<dd>/<id>.json`
pub fn action(at: Timestamp, action_id: &str) -> String {
    format!("{ACTIONS}{}/{}.json", day(at), file_name(action_id))
}

/// `feedback/iterations/<target>/<id>.yaml`
pub fn iteration(target: &str, id: &str) -> String {
    format!("{ITERATIONS}{}/{}.yaml", file_name(target), file_name(id))
}

/// Returns the path of a comment in a decision record: the record's path, `#` and the comment's name. No file has such
/// a path, since `#` is in no [`safe_name`].
pub fn of_comment(path: &str, name: &str) -> String {
    format!("{path}{BETWEEN}{name}")
}

/// Splits a record's path into its file and the comment's name, if any.
pub fn file_and_comment(path: &str) -> (&str, Option<&str>) {
    match path.split_once(BETWEEN) {
        Some((file, name)) => (file, Some(name)),
        None => (path, None),
    }
}

/// Reports whether a path is a file anywhere below a directory.
pub fn is_below(root: &str, path: &str, end: &str) -> bool {
    path.starts_with(root) && path.ends_with(end)
}

/// Reports whether a path is a file directly in a directory.
pub fn is_in(root: &str, path: &str, end: &str) -> bool {
    path.strip_prefix(root).is_some_and(|rest| !rest.contains('/') && rest.ends_with(end))
}

/// Reports whether a path is a turn's file with this name.
pub fn is_of_turn(path: &str, name: &str) -> bool {
    let Some(rest) = path.strip_prefix(TURNS) else { return false };
    let parts: Vec<&str> = rest.split('/').collect();
    parts.len() == 3 && parts[2] == name
}

/// Returns the year of a time, in UTC.
pub fn year(at: Timestamp) -> i16 {
    at.to_zoned(TimeZone::UTC).year()
}

/// Returns the path component for an id. Some file systems ignore case, so an id with a capital letter gets a digest of
/// itself, unless it already ends with one.
fn file_name(id: &str) -> String {
    let name = safe_name(id);
    let has_capital = name.bytes().any(|byte| byte.is_ascii_uppercase());
    if has_capital && !ends_with_digest(&name) { with_digest(&name) } else { name }
}

fn with_digest(name: &str) -> String {
    format!("{name}-h{}", short_hash(&[name]))
}

fn ends_with_digest(name: &str) -> bool {
    let digest = name.len().checked_sub(DIGEST).and_then(|at| name.get(at..)).and_then(|end| end.strip_prefix("-h"));
    digest.is_some_and(|digest| digest.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f')))
}

/// Returns the id of a path component, as far as the name shows it: without the digest for its capital letters.
pub fn id_of_name(name: &str) -> &str {
    let id = name.len().checked_sub(DIGEST).and_then(|at| name.get(..at));
    id.filter(|id| with_digest(id) == name).unwrap_or(name)
}

/// Returns the path of a file in a store written by an earlier version, if different: there, names ignored case.
pub fn earlier(path: &str) -> Option<String> {
    let part = |part: &str| {
        let (name, end) = part.rsplit_once('.').filter(|(_, end)| ENDS.contains(end)).unwrap_or((part, ""));
        let dot = if end.is_empty() { "" } else { "." };
        format!("{}{dot}{end}", id_of_name(name))
    };
    let earlier = path.split('/').map(part).collect::<Vec<_>>().join("/");
    (earlier != path).then_some(earlier)
}

fn day(at: Timestamp) -> String {
    let z = at.to_zoned(TimeZone::UTC);
    format!("{:04}/{:02}/{:02}", z.year(), z.month(), z.day())
}

fn hour(at: Timestamp) -> String {
    let z = at.to_zoned(TimeZone::UTC);
    format!("{:04}/{:02}/{:02}/{:02}", z.year(), z.month(), z.day(), z.hour())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_found_by_gate_and_date() {
        let at: Timestamp = "2026-01-12T12:24:00+02:00".parse().unwrap();
        let gate = Gate::new(3).unwrap();
        assert_eq!(decision(gate, at, "vdec-3"), "feedback/decisions/HITL-3/2026/01/12/10/vdec-3.yaml");
        assert_eq!(correction(at, None, "vdec-3"), "feedback/corrections/2026/01/12/no-task/vdec-3.diff");
        assert_eq!(edge_case(2026, 123), "feedback/edge_cases/2026/0100/EDGE-2026-0123.yaml");
        assert!(!decision(gate, at, "../../x").contains(".."));
    }

    #[test]
    fn names_differ_in_more_than_the_case_of_letters() {
        let at: Timestamp = "2026-01-12T12:24:00+02:00".parse().unwrap();
        let gate = Gate::new(3).unwrap();
        let paths = ["Dec-a1", "dec-A1", "dec-a1", "DEC.a1", "Dec.a1"].map(|id| decision(gate, at, id));
        let folded: std::collections::BTreeSet<String> = paths.iter().map(|path| path.to_lowercase()).collect();
        assert_eq!(folded.len(), paths.len(), "{paths:?}");
        assert_eq!(earlier(&paths[0]).as_deref(), Some("feedback/decisions/HITL-3/2026/01/12/10/Dec-a1.yaml"));
        assert_eq!(earlier(&paths[2]), None);
        assert_eq!(earlier(&paths[3]).as_deref(), Some("feedback/decisions/HITL-3/2026/01/12/10/DEC.a1.yaml"));
        assert_eq!(earlier(&turn("S1", "t1", "turn.json")).as_deref(), Some("feedback/turns/S1/t1/turn.json"));
        let digested = decision(gate, at, "octo/Shop#1");
        assert_eq!(earlier(&digested), None, "a name that has a digest anyway gets no other: {digested}");
        assert_eq!(id_of_name(&file_name("Dec-a1")), "Dec-a1");
        assert_eq!(id_of_name("x-h0123456789ab"), "x-h0123456789ab");
    }
}
