//! Resolves an id, or a line copied out of a prompt.

use super::answer::{ANYTHING, FoundBy, Kind, RULE_TEXT};
use crate::domain::records::record::{
    ClusterRecord, EdgeCaseRecord, ProposalRecord, Registered, ReviewRecord, StoredKind,
};
use crate::ports::IndexedFeedback;
use crate::queries::{Queries, QueryError, nearest, not_found};
use crate::text::ids::{parse_numbered, safe_name};
use std::collections::BTreeSet;

/// Share of common words from which a line is taken for a rule.
const SHARED: f64 = 0.5;
/// Share from which a rule is suggested as a hint.
const HINT: f64 = 0.2;

/// The subject of a query, and how it was found.
pub struct LineageSubject {
    pub thing: RecordFile,
    pub by: FoundBy,
    pub note: String,
}

/// A record with its file.
pub enum RecordFile {
    Rule(String, Box<ProposalRecord>),
    Cluster(String),
    Feedback(Box<IndexedFeedback>),
    EdgeCase(String, Box<EdgeCaseRecord>),
    Review(String, Box<ReviewRecord>),
}

impl RecordFile {
    pub fn kind(&self) -> Kind {
        match self {
            RecordFile::Rule(..) => Kind::Rule,
            RecordFile::Cluster(_) => Kind::Cluster,
            RecordFile::Feedback(_) => Kind::Feedback,
            RecordFile::EdgeCase(..) => Kind::EdgeCase,
            RecordFile::Review(..) => Kind::Review,
        }
    }

    pub fn id(&self) -> String {
        match self {
            RecordFile::Rule(_, r) => r.proposal_id.clone(),
            RecordFile::Cluster(id) => id.clone(),
            RecordFile::Feedback(f) => f.id.clone(),
            RecordFile::EdgeCase(_, r) => r.edge_case_id.clone(),
            RecordFile::Review(_, r) => r.review_id.clone(),
        }
    }
}

/// Finds the subject: by an id at the end of a line, an id, a rule's text, or a similar text.
pub fn find(queries: &Queries<'_>, asked: &str) -> Result<LineageSubject, QueryError> {
    let asked = asked.trim();
    if let Some((text, id)) = marked(asked)
        && let Some((path, record)) = record::<ProposalRecord>(queries, id)?
    {
        let note = format!("The line names {}.{}", record.proposal_id, which_version(&record, text));
        return Ok(LineageSubject { thing: RecordFile::Rule(path, Box::new(record)), by: FoundBy::LineEnd, note });
    }
    if let Some(thing) = by_id(queries, asked)? {
        return Ok(LineageSubject { thing, by: FoundBy::Id, note: String::new() });
    }
    let text = marked(asked).map_or(asked, |(text, _)| text);
    if text.split_whitespace().nth(1).is_some() {
        return by_text(queries.index.proposals()?, asked, text);
    }
    Err(unknown(queries, asked)?)
}

/// Returns the text and the id of a line that ends with a rule's id in brackets.
fn marked(line: &str) -> Option<(&str, &str)> {
    let (text, id) = line.strip_suffix(')')?.rsplit_once('(')?;
    let id = id.trim();
    parse_numbered("RULE", &id.to_ascii_uppercase()).map(|_| (text, id))
}

/// Returns the record with this id, ignoring case.
fn record<R: Registered>(queries: &Queries<'_>, id: &str) -> Result<Option<(String, R)>, QueryError> {
    let known = queries.index.record_ids(R::KIND)?.into_iter().find(|known| known.eq_ignore_ascii_case(id));
    Ok(known.map(|id| queries.index.record(&id)).transpose()?.flatten())
}

fn by_id(queries: &Queries<'_>, id: &str) -> Result<Option<RecordFile>, QueryError> {
    if let Some((path, record)) = record::<ProposalRecord>(queries, id)? {
        return Ok(Some(RecordFile::Rule(path, Box::new(record))));
    }
    for known in [id, &safe_name(id)] {
        if let Some(f) = queries.index.feedback(known)? {
            return Ok(Some(RecordFile::Feedback(Box::new(f))));
        }
    }
    if let Some((_, c)) = record::<ClusterRecord>(queries, id)? {
        return Ok(Some(RecordFile::Cluster(c.cluster_id)));
    }
    if let Some((path, r)) = record::<EdgeCaseRecord>(queries, id)? {
        return Ok(Some(RecordFile::EdgeCase(path, Box::new(r))));
    }
    Ok(queries.index.record::<ReviewRecord>(id)?.map(|(path, r)| RecordFile::Review(path, Box::new(r))))
}

/// Returns the rule that has or had this text, or shares most of its words.
fn by_text(rules: Vec<(String, ProposalRecord)>, asked: &str, text: &str) -> Result<LineageSubject, QueryError> {
    let wanted = normal(text);
    let share = |r: &ProposalRecord| {
        let of = |(_, other): (u32, &str)| shared(&wanted, &normal(other));
        versions(r).map(of).fold(0.0, f64::max)
    };
    let mut near: Vec<(f64, (String, ProposalRecord))> =
        rules.into_iter().map(|rule| (share(&rule.1), rule)).filter(|(s, _)| *s >= HINT).collect();
    near.sort_by(|(a, (_, x)), (b, (_, y))| {
        let in_force = y.status.in_force().cmp(&x.status.in_force());
        b.total_cmp(a)
            .then(in_force)
            .then(y.created_at.cmp(&x.created_at))
            .then_with(|| x.proposal_id.cmp(&y.proposal_id))
    });
    let same = |r: &ProposalRecord| versions(r).any(|(_, other)| normal(other) == wanted);
    if let Some(at) = near.iter().position(|(_, (_, r))| same(r)) {
        let (path, record) = near.swap_remove(at).1;
        let note = format!("The line is a text of {}.{}", record.proposal_id, which_version(&record, text));
        return Ok(LineageSubject { thing: RecordFile::Rule(path, Box::new(record)), by: FoundBy::SameText, note });
    }
    if near.first().is_some_and(|(share, _)| *share >= SHARED) {
        let (share, (path, record)) = near.swap_remove(0);
        let note = format!(
            "No rule has this text. {} shares {:.0} % of the words; it may not be the one you mean.",
            record.proposal_id,
            share * 100.0
        );
        return Ok(LineageSubject { thing: RecordFile::Rule(path, Box::new(record)), by: FoundBy::SimilarText, note });
    }
    let nearest = near.into_iter().take(3).map(|(_, (_, r))| r.proposal_id).collect();
    Err(QueryError::NotFound { what: RULE_TEXT, id: asked.to_owned(), nearest })
}

fn unknown(queries: &Queries<'_>, id: &str) -> Result<QueryError, QueryError> {
    let mut ids = Vec::new();
    for kind in [StoredKind::Rule, StoredKind::Cluster, StoredKind::EdgeCase, StoredKind::Review] {
        ids.extend(queries.index.record_ids(kind)?);
    }
    queries.index.each_feedback(&mut |f| {
        if nearest::worth_a_look(id, &f.id) {
            ids.push(f.id);
        }
    })?;
    Ok(not_found(ANYTHING, id, ids.iter().map(String::as_str)))
}

/// Returns every text a rule has or had, with its version.
fn versions(r: &ProposalRecord) -> impl Iterator<Item = (u32, &str)> {
    let present = [Some(r.rule_content.as_str()), r.card.as_ref().map(|c| c.prompt_text.as_str())];
    let present = present.into_iter().flatten().filter(|text| !text.is_empty()).map(|text| (r.version, text));
    present.chain(r.earlier_versions.iter().rev().map(|v| (v.version, v.rule_content.as_str())))
}

/// Returns which version of a rule has a text.
fn which_version(r: &ProposalRecord, text: &str) -> String {
    let wanted = normal(text);
    match versions(r).find(|(_, other)| normal(other) == wanted) {
        Some((version, _)) if version == r.version => String::new(),
        Some((version, _)) => format!(" It is version {version}; the current one is version {}.", r.version),
        None if wanted.is_empty() => String::new(),
        None => " No version of it has exactly this text.".to_owned(),
    }
}

/// Normalizes to lowercase words without bullets, quotes and full stops.
fn normal(text: &str) -> String {
    let words = text.split(|c: char| !c.is_alphanumeric()).filter(|w| !w.is_empty());
    words.map(str::to_lowercase).collect::<Vec<_>>().join(" ")
}

/// Share of all words in both.
fn shared(a: &str, b: &str) -> f64 {
    let [a, b]: [BTreeSet<&str>; 2] = [a, b].map(|t| t.split(' ').collect());
    let all = a.union(&b).count();
    if all == 0 { 0.0 } else { a.intersection(&b).count() as f64 / all as f64 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_says_which_rule_it_is() {
        assert_eq!(marked("- State it. (RULE-2026-0003)"), Some(("- State it. ", "RULE-2026-0003")));
        assert_eq!(marked("(rule-2026-3)"), Some(("", "rule-2026-3")));
        for line in ["State it (twice)", "RULE-2026-0003", "(RULE-2026-0003) State it", "", ")"] {
            assert_eq!(marked(line), None, "{line}");
        }
    }

    #[test]
    fn a_bullet_is_the_same_text() {
        assert_eq!(normal("  * State “criteria”, always."), normal("state criteria always"));
        assert_eq!(shared("a b c", "b c d"), 0.5);
        assert_eq!(shared("a", "b"), 0.0);
    }
}
