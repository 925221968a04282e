//! Edge cases of a batch: opened, told anew, promoted.

use super::{Batch, Edit};
use crate::app::pipeline::PipelineError;
use crate::domain::grouping::cluster::Member;
use crate::domain::ids::{numbered, parse_numbered};
use crate::domain::records::build;
use crate::domain::records::layout;
use crate::domain::records::record::EdgeCaseRecord;

/// An edge case with its path.
type Told = (String, Box<Edit<EdgeCaseRecord>>);

impl Batch<'_> {
    pub(super) fn open_edge_case(&mut self, decision_path: &str) -> Option<String> {
        let edit = self.decisions.get_mut(decision_path)?;
        if edit.after.feedback.edge_case.is_some() {
            return edit.after.feedback.edge_case.clone();
        }
        let year = layout::year(edit.after.timestamp);
        let number = self.state.next_number("EDGE", year);
        let id = numbered("EDGE", year, number);
        edit.after.feedback.edge_case = Some(id.clone());
        let record = build::edge_case(id.clone(), &edit.after, decision_path);
        self.edge_cases.insert(layout::edge_case(year, number), Edit::new(record));
        Some(id)
    }

    pub(super) fn promote_edge_case(&mut self, id: &str, member: &Member) -> Result<(), PipelineError> {
        let Some((path, mut edit)) = self.take_edge_case(id)? else { return Ok(()) };
        if let Some(cluster) = member.cluster {
            build::promote(&mut edit.after, self.state.evaluator.memory.cluster(cluster), self.now);
            self.edge_cases.insert(path, edit);
        }
        Ok(())
    }

    /// An edge case of which nothing was said until another stream brought the words.
    pub(super) fn retell_edge_case(&mut self, id: &str, decision_path: &str) -> Result<(), PipelineError> {
        let Some((path, mut edit)) = self.take_edge_case(id)? else { return Ok(()) };
        if let Some(decision) = self.decisions.get(decision_path) {
            let told = build::edge_case(id.to_owned(), &decision.after, decision_path);
            (edit.after.what, edit.after.why) = (told.what, told.why);
        }
        self.edge_cases.insert(path, edit);
        Ok(())
    }

    /// An edge case as this batch has it so far, taken out to be changed; `None` where it is missing or unreadable.
    fn take_edge_case(&mut self, id: &str) -> Result<Option<Told>, PipelineError> {
        let Some((year, number)) = parse_numbered("EDGE", id) else { return Ok(None) };
        let path = layout::edge_case(year, number);
        if let Some(edit) = self.edge_cases.remove(&path) {
            return Ok(Some((path, edit)));
        }
        Ok(self.load::<EdgeCaseRecord>(&path)?.map(|stored| (path, Edit::of(stored))))
    }
}
