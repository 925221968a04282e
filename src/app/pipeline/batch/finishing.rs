//! The end of a batch: files, the index's updates and messages, all from the same records.

use super::Batch;
use crate::app::parallel;
use crate::app::pipeline::recent::{Known, Written};
use crate::app::pipeline::{BatchCounts, PipelineError, class_index, summary};
use crate::domain::intake::event::RawEntry;
use crate::domain::records::message;
use crate::ports::{ChangeSet, FileWrite, IndexUpdate};
use std::collections::BTreeMap;

/// What a batch comes to.
pub(in crate::app::pipeline) struct Finished {
    pub change: ChangeSet,
    pub updates: Vec<IndexUpdate>,
    pub messages: Vec<message::Outgoing>,
    pub counts: BatchCounts,
    /// To be remembered once it is durable.
    pub written: Written,
    /// Whether the memory must be loaded anew once it is durable.
    pub reload: bool,
}

impl Batch<'_> {
    /// The commit, the index's updates and the messages.
    pub fn finish(mut self, entries: &[RawEntry]) -> Result<Finished, PipelineError> {
        for edit in self.decisions.values() {
            match &edit.before {
                None => self.counts.by_class[class_index(edit.after.evaluation.classification)] += 1,
                Some(Known { record: before, .. }) if before.evaluation.revision != edit.after.evaluation.revision => {
                    self.counts.reevaluated += 1;
                }
                Some(_) => {}
            }
        }
        let (subject, body) = summary::message(&self.counts, &self.decisions_agents(), self.dead_letters.len());
        let mut change = ChangeSet { subject, body, trailers: summary::trailers(entries), ..ChangeSet::default() };
        let mut messages: Vec<(String, message::Outgoing)> = Vec::new();
        let mut updates = Vec::new();
        for (path, content) in std::mem::take(&mut self.texts) {
            change.writes.push(FileWrite { path, content: content.into_bytes() });
        }
        let mut written = Written::default();
        let decisions: Vec<_> = self.decisions.into_iter().collect();
        for (path, previous, known) in parallel::map(decisions, |(path, edit)| {
            let previous = edit.before.as_ref().map(|b| b.record.evaluation.revision);
            (path, previous, edit.known())
        }) {
            let Known { text, record, .. } = known?;
            change.writes.push(file(&path, &text));
            messages.extend(message::evaluated(&path, &record, previous).map(|m| (path.clone(), m)));
            // Completed, not evaluated: the index keeps the vector of what the record says.
            let vector = self.vectors.remove(&record.feedback.feedback_id);
            let vector = match vector {
                Some(vector) => Some(vector),
                None => self.outside.understanding.record(&record)?,
            };
            updates.push(IndexUpdate::Decision { path, record: Box::new(record), vector });
        }
        for (path, edit) in self.clusters {
            let known = edit.known()?;
            change.writes.push(file(&path, &known.text));
            updates.push(IndexUpdate::Cluster(known.record.clone()));
            written.clusters.push((path, known));
        }
        for (id, stored) in std::mem::take(&mut self.changed_rules) {
            let Some(entry) = self.state.rules.get(&id) else { continue };
            let (path, record) = (entry.path.clone(), entry.record.clone());
            if stored.as_ref().is_some_and(|(at, known)| *at == path && known.record == record) {
                continue;
            }
            let moved = stored.as_ref().filter(|(at, _)| *at != path).map(|(at, _)| at.clone());
            let known = match stored.clone() {
                Some((_, before)) => before.with(record)?,
                None => Known::new(record)?,
            };
            let before = stored.filter(|(at, _)| *at == path).map(|(_, known)| known.record);
            change.writes.push(file(&path, &known.text));
            messages.extend(
                message::rule_messages(&path, &known.record, before.as_ref()).into_iter().map(|m| (path.clone(), m)),
            );
            updates.push(IndexUpdate::Proposal { path: path.clone(), record: Box::new(known.record.clone()) });
            if let Some(old) = moved {
                change.removes.push(old.clone());
                updates.push(IndexUpdate::Removed { path: old });
            }
            written.proposals.push((path, known));
        }
        for path in self.removed {
            change.removes.push(path.clone());
            updates.push(IndexUpdate::Removed { path });
        }
        for (path, edit) in self.reviews {
            let Known { text, record, .. } = edit.known()?;
            change.writes.push(file(&path, &text));
            updates.push(IndexUpdate::Review { path, record: Box::new(record) });
        }
        for (path, edit) in self.injections {
            let Known { text, record, .. } = edit.known()?;
            change.writes.push(file(&path, &text));
            updates.push(IndexUpdate::Injection { path, record });
        }
        for (path, edit) in self.imports {
            let Known { text, record, .. } = edit.known()?;
            change.writes.push(file(&path, &text));
            updates.push(IndexUpdate::Import { path, record });
        }
        for (path, edit) in self.alerts {
            let known = edit.before.is_some();
            let Known { text, record, .. } = edit.known()?;
            change.writes.push(file(&path, &text));
            messages.extend(message::raised(&path, &record, known).map(|m| (path.clone(), m)));
            updates.push(IndexUpdate::Alert { path, record });
        }
        for (path, edit) in self.advice {
            let Known { text, record, .. } = edit.known()?;
            change.writes.push(file(&path, &text));
            updates.push(IndexUpdate::Advice { path, record: Box::new(record) });
        }
        for (path, (record, known)) in self.channels {
            let text = record.text().map_err(|error| PipelineError::Record(format!("{path}: {error}")))?;
            change.writes.push(file(&path, &text));
            messages.extend(record.message(&path, known).map(|m| (path.clone(), m)));
            updates.push(IndexUpdate::Channel { path, record: Box::new(record) });
        }
        for (path, edit) in self.edge_cases {
            let Known { text, record, .. } = edit.known()?;
            change.writes.push(file(&path, &text));
            updates.push(IndexUpdate::EdgeCase { path, record });
        }
        for (path, edit) in self.ambiguous {
            let known = edit.before.is_some();
            let Known { text, record, .. } = edit.known()?;
            change.writes.push(file(&path, &text));
            messages.extend(message::tiebreak(&path, &record, known).map(|m| (path.clone(), m)));
            updates.push(IndexUpdate::Ambiguous { path, record });
        }
        for (path, edit) in self.dead_letters {
            let known = edit.before.is_some();
            let Known { text, record, .. } = edit.known()?;
            change.writes.push(file(&path, &text));
            messages.extend(message::lost(&path, &record, known).map(|m| (path.clone(), m)));
            updates.push(IndexUpdate::DeadLetter { path, record });
        }
        // In the order in which a diff of the two commits names them: publishing can resume from there.
        messages.sort_by(|a, b| a.0.cmp(&b.0));
        let messages = messages.into_iter().map(|(_, message)| message).collect();
        Ok(Finished { change, updates, messages, counts: self.counts, written, reload: self.reload })
    }

    fn decisions_agents(&self) -> BTreeMap<String, Vec<String>> {
        let mut agents: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for id in self.changed_rules.iter().filter(|(_, stored)| stored.is_none()).map(|(id, _)| id) {
            let affected = self.state.rules.get(id).map(|entry| entry.record.affected_agents.as_slice());
            for agent in affected.unwrap_or_default() {
                agents.entry(agent.clone()).or_default().push(id.clone());
            }
        }
        agents
    }
}

fn file(path: &str, text: &str) -> FileWrite {
    FileWrite { path: path.to_owned(), content: text.as_bytes().to_vec() }
}
