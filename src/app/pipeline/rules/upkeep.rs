//! The effects of time and of people's edits in Git on rules: edits become versions, proposals age, rules waiting for
//! room get it.

use super::commands::{activate, command, keep_target, put_rule};
use crate::domain::records::layout;
use crate::domain::records::record::ProposalRecord;
use crate::domain::rules::draft::proposal::{hash_holds, hash_of};
use crate::domain::rules::in_force::prompt;
use crate::domain::rules::lifecycle::rule;
use crate::domain::rules::lifecycle::rule::Command;
use crate::pipeline::batch::draft::Draft;
use crate::pipeline::error::PipelineError;
use crate::pipeline::error::RejectionExt;
use crate::ports::StoreReader;
use crate::text::ids::CommitId;
use crate::text::yaml;

/// How far back to search for an earlier text of a rule, in commits that changed its file: nearly always it is among
/// the first few.
const LOOK_BACK: [usize; 2] = [8, 500];

/// Applies people's edits in Git. Runs before any review: an approval is of the text that was in the file, and must not
/// bring another into force.
pub(crate) fn take_up_edits(draft: &mut Draft<'_>) -> Result<(), PipelineError> {
    for id in std::mem::take(&mut draft.memory.edited) {
        let Some(entry) = draft.memory.rule(&id) else { continue };
        if !entry.was_edited() {
            if command(draft, &id, &Command::Rehash, draft.now).unless_refused()?.is_some() {
                draft.counts.rule_events.push(format!("hash {id} anew"));
            }
            continue;
        }
        let (by, earlier) = edit_of(draft, &id)?;
        let edit = Command::Edit { by, earlier };
        if let Some(done) = command(draft, &id, &edit, draft.now).unless_refused()? {
            let mut record = done.after;
            let line = prompt::line_of(&record);
            if let Some(card) = &mut record.card {
                card.prompt_text = line;
                put_rule(draft, record)?;
            }
            draft.counts.rule_events.push(format!("apply the edit of {id}: {}", done.effect));
        }
    }
    Ok(())
}

/// Applies the effects of time on rules: proposals age, rules waiting for room get it.
pub(crate) fn keep_rules(draft: &mut Draft<'_>) -> Result<(), PipelineError> {
    let open: Vec<String> = draft
        .memory
        .rules()
        .filter(|r| r.path.starts_with(layout::PROPOSED) && r.record.status.is_open())
        .map(|r| r.record.proposal_id.clone())
        .collect();
    for id in open {
        // Checked first: a command reads the rule's file, and mostly nothing is due.
        let due = draft.memory.rule(&id).and_then(|r| rule::due(&r.record, &draft.settings.terms, draft.now));
        let Some(due) = due else {
            activate(draft, &id, false, draft.now)?;
            continue;
        };
        let Some(done) = command(draft, &id, &due, draft.now).unless_refused()? else { continue };
        if due == Command::Expire {
            draft.counts.rule_events.push(format!("expire {id}"));
            tracing::info!(rule = id, effect = done.effect, "a proposal expired");
            keep_target(draft, &id, "no one decided about", draft.now)?;
        } else {
            draft.counts.rule_events.push(format!("remind of {id}"));
        }
    }
    Ok(())
}

/// Returns the author of the current text in a rule's file, and the daemon's previous text. Only commits that changed
/// the file are examined.
fn edit_of(draft: &Draft<'_>, id: &str) -> Result<(String, Option<String>), PipelineError> {
    let nobody_known = || String::from("someone");
    let Some(head) = &draft.memory.head else { return Ok((nobody_known(), None)) };
    let store: &dyn StoreReader = draft.outside.store.as_ref();
    let wanted = draft.memory.rule(id).map(|r| r.record.content_hash.clone()).unwrap_or_default();
    let paths = layout::rule_paths(id);
    let (mut by, mut seen) = (None, 0);
    for most in LOOK_BACK {
        let commits = store.history(head, &paths, most)?;
        for commit in commits.iter().skip(seen) {
            let before = match &commit.parent {
                Some(parent) => read_rule(store, parent, &paths)?,
                None => None,
            };
            if by.is_none() {
                let after = read_rule(store, &commit.id, &paths)?;
                // Changing something else in the file is not an edit of the rule.
                by = (after.as_ref().map(hash_of) != before.as_ref().map(hash_of)).then(|| commit.author.clone());
            }
            if let Some(before) = before.filter(|before| before.content_hash == wanted && hash_holds(before)) {
                return Ok((by.unwrap_or_else(nobody_known), Some(before.rule_content)));
            }
        }
        if commits.len() < most {
            break;
        }
        seen = commits.len();
    }
    Ok((by.unwrap_or_else(nobody_known), None))
}

fn read_rule(
    store: &dyn StoreReader,
    at: &CommitId,
    paths: &[String],
) -> Result<Option<ProposalRecord>, PipelineError> {
    for path in paths {
        if let Some(bytes) = store.read(at, path)? {
            return Ok(std::str::from_utf8(&bytes).ok().and_then(|text| yaml::parse(text).ok()));
        }
    }
    Ok(None)
}
