//! Turns a decision and its correction into feedback: cleaned, redacted, with its agent, its summary and its stance.
//!
//! A faulty correction never stops the decision; a note states why it is missing. If the correction comes from a file,
//! the caller has read it.

use super::comment::{Comment, demands};
use super::diff::{read_diff, summarise};
use super::event::HitlDecision;
use super::feedback::{BETWEEN, CommentSaid, Correction, Feedback, Summary};
use super::place::{of_comment, places, remarks, suggested};
use crate::text::ids::{Gate, safe_name, short_hash};
use crate::text::language::stance::read_stance;
use crate::text::redact::{Personal, clean_text, redact, redact_json, removed};
use crate::text::verdict::Verdict;
use std::collections::{BTreeMap, BTreeSet};

/// Settings common to all decisions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CaptureContext {
    /// The agent for each gate, for events that name none.
    pub gate_agents: BTreeMap<Gate, String>,
    /// Maximum size of a stored diff, in bytes.
    pub max_diff_bytes: usize,
    /// The tenant for events that name none; empty for the default tenant.
    pub tenant: String,
    /// How personal data in corrections is handled.
    pub personal: Personal,
}

impl Default for CaptureContext {
    fn default() -> Self {
        CaptureContext {
            gate_agents: default_gate_agents(),
            max_diff_bytes: 256 * 1024,
            tenant: String::new(),
            personal: Personal::default(),
        }
    }
}

impl CaptureContext {
    /// Returns the daemon's own tenant, as named in records.
    pub fn tenant_id(&self) -> Option<String> {
        Some(self.tenant.clone()).filter(|tenant| !tenant.is_empty())
    }
}

/// The agent for a gate that is not in the map.
pub const UNKNOWN_AGENT: &str = "unknown-agent";

/// Returns the default agent for each gate (specification, "Decisions").
pub fn default_gate_agents() -> BTreeMap<Gate, String> {
    let names = ["prd-agent", "design-agent", "planner-agent", "coding-agent", "test-agent", "release-agent"];
    (1..).zip(names).filter_map(|(number, name)| Some((Gate::new(number)?, name.to_owned()))).collect()
}

/// The result of reading the file that `correction_diff_path` names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CorrectionInput {
    /// None was announced, or it was not read.
    None,
    /// Its content.
    Read(String),
    /// Why it could not be read, as the end of a sentence: "was not found below the configured directory".
    Unavailable(String),
}

/// Returns the feedback's id for a decision's id; the same for every arrival of the same decision.
pub fn feedback_id(decision_id: &str) -> String {
    safe_name(&presentable_id(decision_id))
}

/// Creates the feedback. An inline diff takes precedence over a file and moves from the decision to the correction.
pub fn capture(mut decision: HitlDecision, correction: CorrectionInput, context: &CaptureContext) -> Feedback {
    let mut scrubber = Scrubber::default();
    scrubber.decision(&mut decision);
    // Removals from a comment are reported with that comment.
    let mut of_comments = Scrubber::default();
    decision.comments.iter_mut().for_each(|comment| of_comments.comment(comment));

    let announced = match (decision.correction_diff.take(), correction) {
        (Some(inline), _) => Some(Ok(inline)),
        (None, CorrectionInput::Read(text)) => Some(Ok(scrubber.text(&context.personal.clean(&text)))),
        (None, CorrectionInput::Unavailable(reason)) => Some(Err(format!(
            "The diff at {} {}.",
            shown_path(decision.correction_diff_path.as_deref()),
            scrubber.text(&reason).trim().trim_end_matches('.')
        ))),
        (None, CorrectionInput::None) => {
            let path = decision.correction_diff_path.as_deref();
            path.map(|path| Err(format!("The diff at {} was not read.", shown_path(Some(path)))))
        }
    };
    let (correction, derived, correction_note) = match announced {
        None => match suggested(remarks(&decision.extra).iter().chain(&decision.comments))
            .map(|diff| correction_of(diff, context.max_diff_bytes))
        {
            Some((Some(correction), derived, _)) => (Some(Correction { suggested: true, ..correction }), derived, None),
            _ => (None, None, None),
        },
        Some(Err(note)) => (None, None, Some(note)),
        Some(Ok(text)) => correction_of(text, context.max_diff_bytes),
    };

    let given = decision.correction_summary.as_deref().filter(|s| !s.trim().is_empty());
    let stance = read_stance(decision.verdict, decision.reviewer_comment.as_deref(), given);
    let summary = match given {
        Some(text) => Some(Summary { text: text.to_owned(), derived: false }),
        None => derived.map(|text| Summary { text, derived: true }),
    };
    let agent = decision.agent.clone().filter(|a| !a.trim().is_empty());
    let places = places(&decision.extra);
    let agent = agent.or_else(|| context.gate_agents.get(&decision.gate).cloned());
    Feedback {
        id: safe_name(&decision.decision_id),
        tenant: decision.tenant_id.clone().unwrap_or_else(|| context.tenant.clone()),
        agent: agent.unwrap_or_else(|| UNKNOWN_AGENT.to_owned()),
        decision,
        summary,
        correction,
        correction_note,
        places,
        comment: None,
        comments: 0,
        stance,
        concern: None,
        reading: None,
        marked: None,
        redacted: scrubber.removed(),
    }
}

/// Returns the feedback of a decision's comments, each with the decision that it is part of; one for each demand if a
/// comment is a list of demands. `whole` is the decision's own feedback from [`capture`]; its comments are moved out of
/// it.
pub fn capture_comments(whole: &mut Feedback) -> Vec<Feedback> {
    let comments = std::mem::take(&mut whole.decision.comments);
    let mut used = BTreeSet::new();
    let mut captured = Vec::with_capacity(comments.len());
    for comment in comments {
        let redacted = marks(&comment);
        let mut fragment = safe_name(&comment.comment_id);
        // Two ids that differ only in a secret.
        while !used.insert(fragment.clone()) {
            fragment.push('_');
        }
        let parts = demands(&comment.body);
        let texts: Vec<Option<String>> =
            if parts.is_empty() { vec![None] } else { parts.into_iter().map(Some).collect() };
        for (at, demand) in texts.into_iter().enumerate() {
            let name = if at == 0 { fragment.clone() } else { format!("{fragment}.{}", at + 1) };
            if at > 0 && !used.insert(name.clone()) {
                continue;
            }
            let said = CommentSaid { name, at: captured.len(), part: at + 1, comment: comment.clone(), demand };
            captured.push(of_said(whole, said, redacted.clone()));
        }
    }
    whole.comments = captured.len();
    captured
}

/// Returns the kinds of secrets with marks in a comment, each once.
fn marks(comment: &Comment) -> Vec<String> {
    let texts = [Some(&comment.body), comment.diff_hunk.as_ref(), comment.suggestion.as_ref(), comment.path.as_ref()];
    let marks = texts.into_iter().flatten().flat_map(|text| text.split("[REDACTED:").skip(1));
    let kinds: BTreeSet<&str> = marks.filter_map(|rest| rest.split_once(']')).map(|(kind, _)| kind).collect();
    kinds.into_iter().map(str::to_owned).collect()
}

/// Returns the feedback for one demand of a comment.
fn of_said(whole: &Feedback, said: CommentSaid, redacted: Vec<String>) -> Feedback {
    let decided = &whole.decision;
    let text = said.text().to_owned();
    // An approver's comment on a place is a request unless it is praise, as in a decision that requests changes.
    let verdict = if decided.verdict == Verdict::Approved { Verdict::ApprovedWithChanges } else { decided.verdict };
    let stance = read_stance(verdict, Some(&text), None);
    Feedback {
        id: format!("{}{BETWEEN}{}", whole.id, said.name),
        tenant: whole.tenant.clone(),
        agent: whole.agent.clone(),
        decision: HitlDecision {
            reviewer_comment: Some(text).filter(|text| !text.trim().is_empty()),
            comments: Vec::new(),
            correction_summary: None,
            correction_diff: None,
            correction_diff_path: None,
            extra: BTreeMap::new(),
            ..decided.clone()
        },
        summary: None,
        correction: None,
        correction_note: None,
        places: of_comment(&said.comment).into_iter().collect(),
        comment: Some(said),
        comments: 0,
        stance,
        concern: None,
        reading: None,
        marked: None,
        redacted,
    }
}

/// Returns the correction in a text, the summary derived from it, and a note about it.
fn correction_of(text: String, max_bytes: usize) -> (Option<Correction>, Option<String>, Option<String>) {
    if text.len() > max_bytes {
        let note = format!("The correction has {} bytes and was not stored; the limit is {max_bytes}.", text.len());
        return (None, None, Some(note));
    }
    if text.trim().is_empty() {
        return (None, None, Some("The correction is empty.".to_owned()));
    }
    match read_diff(&text) {
        Some(stat) => {
            let summary = summarise(&stat);
            let correction = Correction {
                diff: text,
                files: stat.files,
                added: stat.added,
                removed: stat.removed,
                suggested: false,
            };
            (Some(correction), Some(summary), None)
        }
        None => {
            let note = "The correction is not a unified diff; it is stored unchanged.".to_owned();
            (
                Some(Correction { diff: text, files: Vec::new(), added: 0, removed: 0, suggested: false }),
                None,
                Some(note),
            )
        }
    }
}

fn shown_path(path: Option<&str>) -> String {
    let path = path.unwrap_or("an unnamed path");
    match path.char_indices().nth(200) {
        Some((end, _)) => format!("{}…", &path[..end]),
        None => path.to_owned(),
    }
    .replace(['\n', '\t'], " ")
}

/// Returns an id without hidden characters and secrets. If any were removed, it is replaced so that it stays unique.
pub(super) fn presentable_id(id: &str) -> String {
    let clean = one_line(id);
    if !kinds_in(id).is_empty() {
        return format!("redacted-{}", short_hash(&[id]));
    }
    if clean == id { clean } else { safe_name(id) }
}

/// Returns a name or non-record id on one line. One that holds a secret is replaced like an id: the same name by the
/// same words.
pub(super) fn presentable_name(name: &str) -> String {
    let clean = one_line(name);
    if kinds_in(name).is_empty() { clean } else { format!("redacted-{}", short_hash(&[name])) }
}

/// Returns the kinds of secrets in an id or a name: as received, since one may span lines, and on one line.
fn kinds_in(name: &str) -> Vec<&'static str> {
    let lines = redact(&clean_text(name)).kinds;
    if lines.is_empty() { redact(&one_line(name)).kinds } else { lines }
}

/// Returns a text on one line without hidden characters. Secrets are kept.
pub(super) fn one_line(text: &str) -> String {
    clean_text(text).replace(['\n', '\t'], " ").trim().to_owned()
}

/// Cleans texts and records what it found.
#[derive(Default)]
struct Scrubber {
    kinds: BTreeSet<&'static str>,
    /// Invisible characters, as `U+202E`.
    hidden: BTreeSet<String>,
}

impl Scrubber {
    /// Returns what was removed: kinds of secrets, then hidden characters.
    fn removed(self) -> Vec<String> {
        self.kinds.into_iter().map(str::to_owned).chain(self.hidden).collect()
    }

    fn decision(&mut self, decision: &mut HitlDecision) {
        let id = presentable_id(&decision.decision_id);
        if id != decision.decision_id {
            self.kinds.extend(kinds_in(&decision.decision_id));
            decision.decision_id = id;
        }
        self.name(&mut decision.gate_id);
        self.id(&mut decision.reviewer_id);
        let names = [
            &mut decision.epic_id,
            &mut decision.task_id,
            &mut decision.session_id,
            &mut decision.agent_output_sha,
            &mut decision.approved_output_sha,
            &mut decision.agent,
            &mut decision.tenant_id,
        ];
        for name in names.into_iter().flatten() {
            self.id(name);
        }
        if let Some(path) = &mut decision.correction_diff_path {
            self.name(path);
        }
        let texts = [&mut decision.reviewer_comment, &mut decision.correction_summary, &mut decision.correction_diff];
        for text in texts.into_iter().flatten() {
            *text = self.text(text);
        }
        for tag in &mut decision.tags {
            self.name(tag);
        }
        self.extra(&mut decision.extra);
        self.name(&mut decision.source.stream);
        self.name(&mut decision.source.entry_id);
    }

    fn extra(&mut self, extra: &mut BTreeMap<String, serde_json::Value>) {
        for (name, mut value) in std::mem::take(extra) {
            self.kinds.extend(redact_json(&name, &mut value));
            let mut name = self.text(&name).replace(['\n', '\t'], " ");
            while extra.contains_key(&name) {
                name.push('_');
            }
            extra.insert(name, value);
        }
    }

    fn comment(&mut self, comment: &mut Comment) {
        let id = presentable_id(&comment.comment_id);
        if id != comment.comment_id {
            self.kinds.extend(kinds_in(&comment.comment_id));
            comment.comment_id = id;
        }
        comment.body = self.text(&comment.body);
        for text in [&mut comment.diff_hunk, &mut comment.suggestion].into_iter().flatten() {
            *text = self.text(text);
        }
        for name in [&mut comment.path, &mut comment.url].into_iter().flatten() {
            self.name(name);
        }
        for id in [&mut comment.thread_id, &mut comment.in_reply_to].into_iter().flatten() {
            *id = presentable_id(id);
        }
        self.extra(&mut comment.extra);
    }

    /// Cleans an id or an identifying name.
    fn id(&mut self, id: &mut String) {
        self.kinds.extend(kinds_in(id));
        *id = presentable_name(id);
    }

    /// Cleans a text of one line.
    fn name(&mut self, name: &mut String) {
        let clean = self.text(name);
        *name = self.text(&one_line(&clean));
    }

    fn text(&mut self, text: &str) -> String {
        self.hidden.extend(removed(text));
        // Clean first: a zero-width space inside a secret would hide it.
        let redacted = redact(&clean_text(text));
        self.kinds.extend(redacted.kinds);
        // It was removed when the entry was read.
        self.kinds.extend(Personal::marked(&redacted.text));
        redacted.text
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::intake::decode::Decoded;
    use crate::intake::decode::{DecodeLimits, decode, from_json_line};
    use serde_json::json;

    fn decision(extra: serde_json::Value) -> HitlDecision {
        let mut event = json!({"decision_id": "d-1", "gate_id": "hitl_4_code", "decision": "REJECTED",
            "reviewer_id": "ann", "timestamp": "2026-01-12T10:00:00Z"});
        for (name, value) in extra.as_object().unwrap() {
            event[name] = value.clone();
        }
        let limits = DecodeLimits::default();
        match decode(&from_json_line(&event.to_string(), 1, &limits), &limits, jiff::Timestamp::MAX) {
            Decoded::Decision(decision) => *decision,
            other => panic!("{other:?}"),
        }
    }

    fn captured(extra: serde_json::Value, input: CorrectionInput) -> Feedback {
        capture(decision(extra), input, &CaptureContext::default())
    }

    const DIFF: &str = "--- a/src/api.py\n+++ b/src/api.py\n@@ -1 +1,2 @@\n+except TimeoutError:\n-pass\n+    raise\n";

    #[test]
    fn the_agent_comes_from_the_event_or_from_the_gate() {
        assert_eq!(captured(json!({"agent": "coder"}), CorrectionInput::None).agent, "coder");
        assert_eq!(captured(json!({}), CorrectionInput::None).agent, "coding-agent");
        assert_eq!(captured(json!({"gate_id": "HITL-9"}), CorrectionInput::None).agent, UNKNOWN_AGENT);
    }

    #[test]
    fn the_inline_diff_wins_and_gives_the_summary() {
        let feedback = captured(
            json!({"correction_diff": DIFF, "correction_diff_path": "a.patch"}),
            CorrectionInput::Read("something else".into()),
        );
        let correction = feedback.correction.unwrap();
        assert_eq!((correction.files, correction.added, correction.removed), (vec!["src/api.py".into()], 2, 1));
        assert_eq!(feedback.correction_note, None);
        let summary = feedback.summary.unwrap();
        assert!(summary.derived);
        insta::assert_snapshot!(summary.text, @r#"Changed src/api.py (+2 -1): added "except TimeoutError:""#);
    }

    #[test]
    fn a_given_summary_stays() {
        let feedback =
            captured(json!({"correction_summary": "Handled the timeout"}), CorrectionInput::Read(DIFF.into()));
        assert_eq!(feedback.summary, Some(Summary { text: "Handled the timeout".into(), derived: false }));
        assert_eq!(feedback.correction.unwrap().diff, DIFF);
    }

    #[test]
    fn what_cannot_be_read_is_noted() {
        let note = |extra, input| captured(extra, input).correction_note.unwrap_or_default();
        let path = json!({"correction_diff_path": "diffs/a.patch"});
        let gone = CorrectionInput::Unavailable("was not found below the configured directory".into());
        insta::assert_snapshot!(note(path.clone(), gone), @"The diff at diffs/a.patch was not found below the configured directory.");
        insta::assert_snapshot!(note(path, CorrectionInput::None), @"The diff at diffs/a.patch was not read.");
        insta::assert_snapshot!(note(json!({}), CorrectionInput::Read("not a diff".into())), @"The correction is not a unified diff; it is stored \
                                                             unchanged.");
        insta::assert_snapshot!(note(json!({}), CorrectionInput::Read("x".repeat(300_000))), @"The correction has 300000 bytes and was not stored; the limit is 262144.");
        assert_eq!(note(json!({}), CorrectionInput::None), "");
    }

    #[test]
    fn no_secret_and_no_hidden_character_is_left_anywhere() {
        let secret = "ghp_FAKEspd0qy1qn3hw5efykh5tbd01srnjns22";
        let hidden = "ghp_FAKEspd0qy1qn3\u{200b}hw5efykh5tbd01srnjns22";
        let feedback = captured(
            json!({"reviewer_comment": format!("used {hidden} \u{202e}\u{7}to reproduce"), "correction_summary": secret,
                "correction_diff": format!("{DIFF}+{secret}"), "tags": [secret, "style"], "task_id": secret,
                "mine": {"password": "hunter", "list": [secret]}, "api_key": "FAKE0f1e2d3c4b5a6978",
                "reviewer_id": "an\u{200b}n", "correction_diff_path": secret}),
            CorrectionInput::None,
        );
        let all = format!("{feedback:?}");
        for text in ["FAKEspd", "FAKE0f1e", "hunter", "\\u{200b}", "\\u{202e}", "\\u{7}"] {
            assert!(!all.contains(text), "{text} in {all}");
        }
        assert_eq!(feedback.decision.reviewer_id, "ann");
        let removed = ["api-key", "github-token", "password", "U+0007", "U+200B", "U+202E"];
        assert_eq!(feedback.redacted, removed);
        assert_eq!(feedback.decision.tags, ["[REDACTED:github-token]", "style"]);
    }

    #[test]
    fn ids_stay_unique_when_they_are_cleaned() {
        let id = |id: &str| captured(json!({"decision_id": id}), CorrectionInput::None).id;
        assert_eq!(id("d-1"), "d-1");
        assert_ne!(id("d\u{200b}-1"), "d-1");
        let secrets = ["ghp_FAKEspd0qy1qn3hw5efykh5tbd01srnjns22", "ghp_FAKEspd0qy1qn3hw5efykh5tbd01srnjns23"];
        assert_ne!(id(secrets[0]), id(secrets[1]));
        for raw in ["d-1", "../x", "d\u{202e}", "a b", secrets[0]] {
            let feedback = captured(json!({"decision_id": raw}), CorrectionInput::None);
            assert_eq!(feedback.id, feedback_id(raw));
            assert_eq!(feedback.id, feedback_id(&feedback.decision.decision_id), "the record's id leads back");
        }
    }

    #[test]
    fn the_tenant_is_the_events_or_the_daemons() {
        let context = CaptureContext { tenant: "acme".into(), ..CaptureContext::default() };
        assert_eq!(capture(decision(json!({})), CorrectionInput::None, &context).tenant, "acme");
        assert_eq!(capture(decision(json!({"tenant_id": "b"})), CorrectionInput::None, &context).tenant, "b");
    }
}
