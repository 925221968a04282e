//! Drafts a cluster's rule for any caller: its concern's sentence, or the words of a suitable comment.
//!
//! It reads the working set and the corrections it is given; what to do with the rule is up to the caller.

use crate::comments::analyzer::Analyzer;
use crate::domain::clusters::evaluation::ActionType;
use crate::domain::clusters::{ClusterKey, Clusters, Member};
use crate::domain::records::record::ProposalRecord;
use crate::domain::rules::draft::kind;
use crate::domain::rules::draft::proposal;
use crate::domain::rules::draft::proposal::{Draft, KnownRule, TextSource};
use crate::ports::EmbedError;
use crate::text::verdict::Verdict;
use std::collections::{BTreeMap, BTreeSet};

/// How many comments are tried as a source of the text, and how many are searched for names.
const EXAMPLES: usize = 5;
const NAMING: usize = 32;
/// How many members are checked for corrections, and how many corrections are read.
const ASKED: usize = 12;
const READ: usize = 5;

/// A rule that a cluster asks for.
pub(crate) struct RuleDraft {
    pub(crate) draft: Draft,
    pub(crate) action_type: ActionType,
    /// Why it is of that kind.
    pub(crate) kind: String,
    /// The form in which other rules are compared with it; it has no id yet.
    pub(crate) known: KnownRule,
}

/// Why no rule was drafted.
#[derive(Debug)]
pub(crate) enum DraftError {
    /// None of the comments yields a rule, for this reason.
    Unfit(String),
    /// The embedder failed.
    Failed(EmbedError),
}

impl From<EmbedError> for DraftError {
    fn from(error: EmbedError) -> DraftError {
        DraftError::Failed(error)
    }
}

/// Drafts the rule that a cluster asks for. `diff_of` reads the correction that came with a comment.
///
/// # Errors
/// If there is none, or the embedder fails.
pub(crate) fn draft(
    memory: &Clusters,
    key: ClusterKey,
    understanding: &Analyzer,
    diff_of: &dyn Fn(&Member) -> Option<String>,
) -> Result<RuleDraft, DraftError> {
    let shown = memory.representatives(key, NAMING);
    let texts: Vec<&str> = shown.iter().take(EXAMPLES).map(|m| m.text.as_str()).collect();
    let said: Vec<&str> = shown.iter().filter(|m| m.tied).map(|m| m.text.as_str()).collect();
    let corrected = shown.iter().filter(|m| m.tied && m.verdict != Verdict::Approved).take(ASKED);
    let diffs: Vec<(&str, String)> =
        corrected.filter_map(|m| diff_of(m).map(|diff| (m.id.as_str(), diff))).take(READ).collect();
    let example = proposal::example(diffs.iter().map(|(id, diff)| (*id, diff.as_str())));
    let catalogue = understanding.catalogue();
    let worded = memory.concern(key, catalogue).and_then(|concern| {
        let tied: Vec<&Member> = shown.iter().copied().filter(|m| m.tied).collect();
        let remarks: Vec<&str> = tied.iter().map(|m| m.text.as_str()).collect();
        let people: BTreeSet<&str> = tied.iter().map(|m| m.reviewer.as_str()).collect();
        let spread = |word: &str| catalogue.spread(word);
        proposal::worded(TextSource {
            concern,
            language: most(tied.iter().filter_map(|m| m.language)),
            remarks: &remarks,
            people: &people,
            spread: &spread,
            example: example.clone(),
        })
    });
    let draft = match worded {
        Some(draft) => draft,
        None => proposal::draft_best(&texts, &said, memory.cluster(key).pointing.direction, example.as_ref())
            .map_err(DraftError::Unfit)?,
    };
    Ok(classified(&texts, understanding, draft)?)
}

/// Returns the most common value if more than half of all values equal it.
fn most<'t>(things: impl Iterator<Item = &'t str>) -> Option<&'t str> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    things.for_each(|thing| *counts.entry(thing).or_default() += 1);
    let all: usize = counts.values().sum();
    counts.into_iter().find(|(_, count)| 2 * count > all).map(|(thing, _)| thing)
}

/// Builds the rule that a cluster asks for, from wording supplied by the caller.
pub(crate) fn worded(
    memory: &Clusters,
    key: ClusterKey,
    understanding: &Analyzer,
    draft: Draft,
) -> Result<RuleDraft, EmbedError> {
    let texts: Vec<&str> = memory.representatives(key, EXAMPLES).iter().map(|m| m.text.as_str()).collect();
    classified(&texts, understanding, draft)
}

fn classified(texts: &[&str], understanding: &Analyzer, draft: Draft) -> Result<RuleDraft, EmbedError> {
    let (action_type, kind) = kind::kind_of(texts, &draft);
    let known = understanding.known_text(&draft.content, draft.concern.as_deref())?;
    Ok(RuleDraft { draft, action_type, kind, known })
}

impl RuleDraft {
    /// Sets the kind of a proposal for it.
    pub(crate) fn classify(&self, record: &mut ProposalRecord) {
        record.action_type = self.action_type;
        if self.action_type != ActionType::CreateRule {
            record.evidence_summary = format!("{} {}", record.evidence_summary, self.kind);
        }
    }
}
