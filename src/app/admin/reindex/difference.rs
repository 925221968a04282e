//! Comparison of an index with one freshly built from the store, by id and field.
//!
//! Pure except for reading the two. It fixes nothing.

use super::catch_up::{ReindexError, advance};
use crate::comments::analyzer::Analyzer;
use crate::domain::records::layout;
use crate::domain::records::layout::file_and_comment;
use crate::domain::records::record::{Stored, StoredKind};
use crate::ports::{Index, IndexError, IndexedFeedback, Order, StoreReader};
use crate::text::ids::CommitId;
use serde::Serialize;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

/// Differences between an index and the store.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Difference {
    /// The commit at which both were compared: the index's own, or the store's head if it has none.
    pub commit: Option<CommitId>,
    /// Records only in the store, as `<kind> <id>`.
    pub missing: Vec<String>,
    /// Records only in the index.
    pub extra: Vec<String>,
    /// Fields that differ.
    pub different: Vec<Field>,
}

/// A field that differs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Field {
    /// `<kind> <id>`.
    pub id: String,
    /// The field.
    pub field: String,
    /// The value in the index.
    pub index: String,
    /// The value in the store.
    pub store: String,
}

impl Difference {
    /// Reports whether the two are equal.
    pub fn is_empty(&self) -> bool {
        self.missing.is_empty() && self.extra.is_empty() && self.different.is_empty()
    }
}

/// One line each: `-` missing, `+` extra, `~` different; empty if the two are equal.
impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.missing.iter().try_for_each(|id| writeln!(f, "- {id}: in the store, not in the index"))?;
        self.extra.iter().try_for_each(|id| writeln!(f, "+ {id}: in the index, not in the store"))?;
        self.different
            .iter()
            .try_for_each(|d| writeln!(f, "~ {} {}: index {}, store {}", d.id, d.field, d.index, d.store))
    }
}

/// Compares an index with the store at the index's commit (at `head` if it has none). `fresh` is an empty index to
/// build the comparison in. The index's lag behind the head does not count as a difference, nor does what it keeps of a
/// file that can no longer be read.
///
/// # Errors
/// As [`super::catch_up()`]. [`IndexError::Stale`] if the index is damaged or the store lacks its commit.
pub fn check(
    store: &dyn StoreReader,
    index: &dyn Index,
    fresh: &mut dyn Index,
    understanding: &Analyzer,
    head: &CommitId,
) -> Result<Difference, ReindexError> {
    if let Some(staged) = index.staged()? {
        let on_the_way = format!("it was interrupted on the way to the commit {}", staged.short());
        return Err(IndexError::Stale(on_the_way).into());
    }
    let at = index.commit()?.unwrap_or_else(|| head.clone());
    if store.read(&at, layout::ROSTER).is_err() && at != *head {
        let foreign = format!("it reflects the commit {}, which the store does not have", at.short());
        return Err(IndexError::Stale(foreign).into());
    }
    advance(store, fresh, Some(understanding), &at)?;
    let mut difference = Difference { commit: Some(at), ..Difference::default() };
    feedback(index, fresh, &mut difference)?;
    let kept: BTreeSet<String> = index.unreadable()?.into_iter().map(|(path, _)| path).collect();
    for kind in StoredKind::ALL.iter().filter(|kind| **kind != StoredKind::Decision) {
        records(*kind, index, fresh, &kept, &mut difference)?;
    }
    counts(index, fresh, &mut difference)?;
    Ok(difference)
}

/// Holds only digests of one side at a time: vectors of a million records would not fit.
fn feedback(index: &dyn Index, fresh: &dyn Index, difference: &mut Difference) -> Result<(), IndexError> {
    let mut present: BTreeMap<String, blake3::Hash> = BTreeMap::new();
    index.each_feedback(&mut |f| {
        present.insert(f.id.clone(), digest(&f));
    })?;
    let (mut missing, mut changed) = (vec![], vec![]);
    fresh.each_feedback(&mut |f| match present.remove(&f.id) {
        None => missing.push(f.id),
        Some(was) if was != digest(&f) => changed.push(f.id),
        Some(_) => {}
    })?;
    missing.sort();
    changed.sort();
    difference.missing.extend(missing.iter().map(|id| format!("feedback {id}")));
    let kept: BTreeSet<String> = index.unreadable()?.into_iter().map(|(path, _)| path).collect();
    for id in present.keys() {
        // The file at its path cannot be read, so the index keeps its entry.
        if !index.feedback(id)?.is_some_and(|f| kept.contains(file_and_comment(&f.path).0)) {
            difference.extra.push(format!("feedback {id}"));
        }
    }
    for id in changed {
        if let (Some(a), Some(b)) = (index.feedback(&id)?, fresh.feedback(&id)?) {
            fields(&format!("feedback {id}"), &shown(&a), &shown(&b), difference);
        }
    }
    Ok(())
}

/// Holds only digests of one side at a time, and the differing records.
fn records(
    kind: StoredKind,
    index: &dyn Index,
    fresh: &dyn Index,
    kept: &BTreeSet<String>,
    difference: &mut Difference,
) -> Result<(), IndexError> {
    let mut present: BTreeMap<String, blake3::Hash> = BTreeMap::new();
    index.each_record(kind, Order::LeastFirst, &mut |path, record| {
        present.insert(path, blake3::hash(&value(&record).to_string().into_bytes()));
    })?;
    let mut changed: BTreeMap<String, Value> = BTreeMap::new();
    let mut missing = BTreeSet::new();
    fresh.each_record(kind, Order::LeastFirst, &mut |path, record| {
        let record = value(&record);
        match present.remove(&path) {
            None => drop(missing.insert(path)),
            Some(was) if was != blake3::hash(&record.to_string().into_bytes()) => drop(changed.insert(path, record)),
            Some(_) => {}
        }
    })?;
    let name = kind.name();
    difference.missing.extend(missing.into_iter().map(|path| format!("{name} {path}")));
    // The file at such a path cannot be read, so the index keeps its entry.
    difference
        .extra
        .extend(present.into_keys().filter(|path| !kept.contains(path)).map(|path| format!("{name} {path}")));
    if !changed.is_empty() {
        let mut were: BTreeMap<String, Value> = BTreeMap::new();
        index.each_record(kind, Order::LeastFirst, &mut |path, record| {
            if changed.contains_key(&path) {
                were.insert(path, value(&record));
            }
        })?;
        for (path, was) in were {
            fields(&format!("{name} {path}"), &was, &changed[&path], difference);
        }
    }
    Ok(())
}

/// Compares the unreadable files.
fn counts(index: &dyn Index, fresh: &dyn Index, difference: &mut Difference) -> Result<(), IndexError> {
    let listed = |index: &dyn Index| -> Result<Value, IndexError> {
        Ok(index.unreadable()?.into_iter().map(|(path, why)| (path, Value::from(why))).collect())
    };
    fields("count of files", &listed(index)?, &listed(fresh)?, difference);
    Ok(())
}

fn value(record: &Stored) -> Value {
    record.json().ok().and_then(|json| serde_json::from_str(&json).ok()).unwrap_or_default()
}

fn fields(id: &str, index: &Value, store: &Value, difference: &mut Difference) {
    let (Value::Object(a), Value::Object(b)) = (index, store) else { return };
    let names: BTreeSet<&String> = a.keys().chain(b.keys()).collect();
    for name in names {
        let side = |v: Option<&Value>| v.map_or("absent".to_owned(), Value::to_string);
        if a.get(name) != b.get(name) {
            let (index, store) = (side(a.get(name)), side(b.get(name)));
            difference.different.push(Field { id: id.to_owned(), field: name.clone(), index, store });
        }
    }
}

fn digest(f: &IndexedFeedback) -> blake3::Hash {
    blake3::hash(format!("{f:?}").as_bytes())
}

/// Shows a vector by its digest.
fn shown(f: &IndexedFeedback) -> Value {
    serde_json::json!({
        "decision_id": f.decision_id,
        "path": f.path,
        "tenant": f.tenant,
        "agent": f.agent,
        "gate": f.gate,
        "reviewer": f.reviewer,
        "verdict": f.verdict,
        "timestamp": f.timestamp.to_string(),
        "text": f.text,
        "demand": f.demand,
        "direction": f.direction,
        "concern": f.voiced.as_ref().map(|v| format!("{} {} {}", v.concern, v.probability, v.waived)),
        "classification": f.classification,
        "confidence": f.confidence,
        "cluster": f.cluster,
        "edge_case": f.edge_case,
        "revision": f.revision,
        "retracted": f.retracted,
        "session": f.session,
        "vector": f.vector.as_ref().map(|v| blake3::hash(&v.to_bytes()).to_hex()[..12].to_string()),
    })
}
