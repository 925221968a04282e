//! Importing rules that are in force elsewhere, and withdrawing the import.

use super::known_people::known_person;
use crate::domain::intake::submission::{Import, Review};
use crate::domain::records::layout;
use crate::domain::records::record::{ImportRecord, RefusalCode, StoredRecord, Withdrawn};
use crate::pipeline::batch::draft::Draft;
use crate::pipeline::batch::outcome::EntryOutcome;
use crate::pipeline::error::{PipelineError, ReviewResult, refuse};
use crate::text::prose::count;
use jiff::Timestamp;

/// Records an import; it replaces rules imported under the same name.
pub(crate) fn record_import(draft: &mut Draft<'_>, import: &Import) -> Result<EntryOutcome, PipelineError> {
    // Imported rules are no longer proposed, so only people on the roster may import.
    if let Err(refusal) = known_person(draft, &import.imported_by) {
        tracing::warn!(import = import.name, by = import.imported_by, refusal = refusal.message, "import refused");
        return Ok(EntryOutcome::Refused { id: import.name.clone(), refusal });
    }
    let record = ImportRecord::of(import, draft.settings.capture.tenant_id());
    let path = draft.place_of(record.path())?;
    let known = draft.open::<ImportRecord>(&path)?;
    let same = |known: &ImportRecord| known.file_hash == record.file_hash && known.agents == record.agents;
    if known.is_some_and(|known| known.withdrawn.is_none() && same(known)) {
        return Ok(EntryOutcome::Duplicate(import.name.clone()));
    }
    draft.counts.rule_events.push(format!("import {} rules of {}", import.rules.len(), import.name));
    draft.memory.note_import(&record, draft.outside.understanding.as_ref())?;
    draft.staging.put_at(path, record);
    let effect = format!("{} rules are known as in force elsewhere", import.rules.len());
    Ok(EntryOutcome::Submitted { id: import.name.clone(), effect })
}

/// Withdraws an import. Clusters that were not proposed because of it alone are re-evaluated; people's decisions
/// remain.
pub(crate) fn withdraw_import(draft: &mut Draft<'_>, review: &Review, name: &str, at: Timestamp) -> ReviewResult {
    known_person(draft, &review.reviewer_id)?;
    let path = draft.place_of(layout::import(name))?;
    let Some(mut record) = draft.open::<ImportRecord>(&path)?.cloned() else {
        let message = format!("there is no import `{name}`; `feedbackd rules import --list` lists them");
        return refuse(RefusalCode::UnknownId, message);
    };
    if let Some(earlier) = &record.withdrawn {
        return refuse(RefusalCode::AlreadyDecided, format!("{} already withdrew the import `{name}`", earlier.by));
    }
    record.withdrawn = Some(Withdrawn { by: review.reviewer_id.clone(), at, reason: review.reason.clone() });
    draft.memory.note_import(&record, draft.outside.understanding.as_ref())?;
    let groups = &mut draft.memory.remarks.groups;
    let held = |why: &str| record.rules.iter().any(|rule| names(why, &format!("{}, line {}", record.name, rule.line)));
    let freed: Vec<_> = groups.clusters().filter(|(_, c)| c.not_proposed.as_deref().is_some_and(held)).collect();
    let freed: Vec<_> = freed.into_iter().map(|(key, _)| key).collect();
    for key in &freed {
        groups.cluster_mut(*key).not_proposed = None;
        draft.marks.touched.insert(*key);
    }
    draft.counts.rule_events.push(format!("withdraw the import {name}"));
    let rules = count(record.rules.len() as u64, "rule");
    let looked = match freed.len() as u64 {
        0 => "it held back no cluster".to_owned(),
        n => format!("{} that it held back can be proposed now", count(n, "cluster")),
    };
    draft.staging.put_at(path, record);
    Ok(format!(
        "{rules} of the import `{name}` withdrawn: no longer known as in force elsewhere; {looked}. Proposals and \
         rules that people have decided on since then stay unchanged"
    ))
}

/// Reports whether a sentence names this line, rather than one whose number merely starts with the same digits.
fn names(why: &str, line: &str) -> bool {
    why.match_indices(line).any(|(at, _)| !why[at + line.len()..].starts_with(|c: char| c.is_ascii_digit()))
}
