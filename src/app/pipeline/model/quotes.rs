//! Comments as recorded, with the code they refer to, for questions to a language model.

use crate::domain::clusters::Member;
use crate::domain::records::layout;
use crate::domain::records::record::{DecisionRecord, Registered, Stored};
use crate::domain::rules::draft::advice::CommentSource;
use crate::pipeline::deps::Deps;
use crate::pipeline::working_set::WorkingSet;
use crate::ports::StoreReader;
use crate::text::language::model_reading::ModelReading;

/// A comment with its context.
#[derive(Debug, Default)]
pub(crate) struct QuotedComment {
    id: String,
    text: String,
    path: String,
    code: Vec<String>,
    suggestion: Option<String>,
    answers: Option<String>,
    /// Its further demands, as read, if they may lead to a rule.
    pub further: Vec<String>,
}

impl QuotedComment {
    /// Reads a feedback's comment from the record at a path; `None` if it cannot be read.
    pub fn of(outside: &Deps, memory: &WorkingSet, path: &str) -> Option<QuotedComment> {
        let (file, name) = layout::file_and_comment(path);
        let store: &dyn StoreReader = outside.store.as_ref();
        let text = String::from_utf8(store.read(memory.head.as_ref()?, file).ok()??).ok()?;
        let stored = Stored::read(DecisionRecord::KIND, &text).ok()?;
        let whole = DecisionRecord::of(&stored)?;
        match name {
            None => Some(QuotedComment::new(whole, None)),
            Some(name) => {
                let view = whole.view(name)?;
                let answered = view.comment.as_ref().and_then(|said| said.comment.in_reply_to.as_deref());
                let answers =
                    answered.and_then(|id| whole.comments.iter().find(|other| other.comment.comment_id == id));
                Some(QuotedComment::new(&view, answers.map(|other| other.said().to_owned())))
            }
        }
    }

    /// Returns a member's comment; falls back to the working set's copy if its record cannot be read.
    pub fn of_member(outside: &Deps, memory: &WorkingSet, member: &Member) -> QuotedComment {
        let kept = || QuotedComment { id: member.id.clone(), text: member.text.clone(), ..QuotedComment::default() };
        QuotedComment::of(outside, memory, &member.path).unwrap_or_else(kept)
    }

    /// Reports whether there is anything to read.
    pub fn says_something(&self) -> bool {
        !self.text.trim().is_empty() || self.suggestion.as_deref().is_some_and(|code| !code.trim().is_empty())
    }

    fn new(record: &DecisionRecord, answers: Option<String>) -> QuotedComment {
        let code = record.code();
        let file = record.feedback.places.first().map_or("", |place| place.file.as_str());
        let (path, tail, suggestion) = match code {
            Some(code) => (code.path, code.tail, code.suggestion),
            None => (file.to_owned(), Vec::new(), None),
        };
        QuotedComment {
            id: record.feedback.feedback_id.clone(),
            text: record.text().unwrap_or_default(),
            path: if path.is_empty() { file.to_owned() } else { path },
            code: tail,
            suggestion,
            answers,
            further: record.feedback.reading.iter().flat_map(general).collect(),
        }
    }

    /// Returns it in the form used in a question.
    pub fn said(&self) -> CommentSource<'_> {
        CommentSource {
            id: &self.id,
            text: &self.text,
            path: &self.path,
            code: &self.code,
            suggestion: self.suggestion.as_deref(),
            answers: self.answers.as_deref(),
        }
    }
}

fn general(reading: &ModelReading) -> impl Iterator<Item = String> {
    reading.further.iter().filter(|further| further.generic).map(|further| further.demand.clone())
}
