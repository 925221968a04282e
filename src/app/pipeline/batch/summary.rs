//! A batch in words: its commit's subject, body and trailers (specification, "The store").

use super::outcome::BatchCounts;
use crate::domain::clusters::evaluation::Classification;
use crate::domain::intake::event::RawEntry;
use crate::text::prose;
use crate::text::prose::capitalise;
use std::collections::BTreeMap;

/// Returns subject and body. `proposed` are the new proposals by agent.
pub fn message(
    counts: &BatchCounts,
    proposed: &BTreeMap<String, Vec<String>>,
    dead_letters: usize,
) -> (String, String) {
    let recorded = counts.by_class.iter().sum::<u64>() - counts.comments;
    let mut parts = Vec::new();
    match (recorded, counts.comments) {
        (0, 0) => {}
        (decisions, 0) => parts.push(format!("record {}", prose::count(decisions, "decision"))),
        (0, comments) => parts.push(format!("record {}", prose::count(comments, "comment"))),
        (decisions, comments) => {
            let (decisions, comments) = (prose::count(decisions, "decision"), prose::count(comments, "comment"));
            parts.push(format!("record {decisions} with {comments}"));
        }
    }
    for (count, what) in counts.heard.iter().zip(["turn", "refinement", "action", "review document"]) {
        if *count > 0 {
            parts.push(format!("record {}", prose::count(*count, what)));
        }
    }
    if counts.judged > 0 {
        parts.push(format!("judge {}", prose::count(counts.judged, "turn")));
    }
    if counts.reevaluated > 0 {
        parts.push(format!("re-evaluate {}", counts.reevaluated));
    }
    for (agent, ids) in proposed {
        match ids.as_slice() {
            [id] => parts.push(format!("propose {id} for {agent}")),
            ids => parts.push(format!("propose {} rules for {agent}", ids.len())),
        }
    }
    if dead_letters > 0 {
        parts.push(format!("set aside {}", prose::count(dead_letters as u64, "dead letter")));
    }
    parts.extend(counts.rule_events.iter().cloned());
    if parts.is_empty() {
        parts.push("complete earlier records".to_owned());
    }
    let body: Vec<String> = Classification::ALL
        .iter()
        .zip(counts.by_class)
        .filter(|(_, n)| *n > 0)
        .map(|(class, n)| format!("- {}: {n}", class.as_str()))
        .chain(counts.rule_events.iter().map(|event| format!("- {event}")))
        .chain(proposed.iter().map(|(agent, ids)| format!("- proposed for {agent}: {}", ids.join(", "))))
        .collect();
    (capitalise(&shorten(&parts)), body.join("\n"))
}

/// Returns the source stream and the last entry id of each stream in the batch.
pub fn trailers(entries: &[RawEntry]) -> Vec<(String, String)> {
    last_entries(entries).into_iter().map(|(stream, id)| ("Source".to_owned(), format!("{stream} {id}"))).collect()
}

/// Returns the last entry of each stream in a batch, for the commit's trailers.
fn last_entries(entries: &[RawEntry]) -> BTreeMap<&str, &str> {
    entries.iter().map(|e| (e.stream.as_str(), e.id.as_str())).collect()
}

/// Builds a subject that stays readable in a list: parts that do not fit are counted.
fn shorten(parts: &[String]) -> String {
    const WIDE: usize = 100;
    let mut subject = String::new();
    for (place, part) in parts.iter().enumerate() {
        if place > 0 && subject.len() + part.len() > WIDE {
            return format!("{subject}; {} more", parts.len() - place);
        }
        if place > 0 {
            subject.push_str("; ");
        }
        subject.push_str(part);
    }
    subject
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn subjects_say_what_happened() {
        let counts = BatchCounts { by_class: [2, 0, 3, 0, 7], reevaluated: 1, ..BatchCounts::default() };
        let proposed = BTreeMap::from([("prd-agent".to_owned(), vec!["RULE-2026-0003".to_owned()])]);
        let (subject, body) = message(&counts, &proposed, 0);
        assert_eq!(subject, "Record 12 decisions; re-evaluate 1; propose RULE-2026-0003 for prd-agent");
        assert_eq!(
            body,
            "- GENERALIZABLE_HIGH: 2\n- EDGE_CASE: 3\n- POSITIVE: 7\n- proposed for prd-agent: RULE-2026-0003"
        );
        assert_eq!(message(&BatchCounts::default(), &BTreeMap::new(), 1).0, "Set aside 1 dead letter");
    }
}
