//! Comments as their records have them, for questions to a language model: with the code that they stand on.

use crate::domain::clusters::Member;
use crate::domain::records::layout;
use crate::domain::records::record::{DecisionRecord, Registered, Stored};
use crate::domain::rules::draft::advice::Said;
use crate::pipeline::deps::Outside;
use crate::pipeline::working_set::Memory;
use crate::ports::StoreReader;
use crate::text::language::model_reading::Reading;

/// A comment with what it stands on.
#[derive(Debug, Default)]
pub(crate) struct Quoted {
    id: String,
    text: String,
    path: String,
    code: Vec<String>,
    suggestion: Option<String>,
    answers: Option<String>,
    /// What else it asks for, as it was read, if a rule may follow from that.
    pub further: Vec<String>,
}

impl Quoted {
    /// The comment of a feedback, by the path of its record; `None` if that cannot be read.
    pub fn of(outside: &Outside, memory: &Memory, path: &str) -> Option<Quoted> {
        let (file, name) = layout::file_and_comment(path);
        let store: &dyn StoreReader = outside.store.as_ref();
        let text = String::from_utf8(store.read(memory.head.as_ref()?, file).ok()??).ok()?;
        let stored = Stored::read(DecisionRecord::KIND, &text).ok()?;
        let whole = DecisionRecord::of(&stored)?;
        match name {
            None => Some(Quoted::new(whole, None)),
            Some(name) => {
                let view = whole.view(name)?;
                let answered = view.comment.as_ref().and_then(|said| said.comment.in_reply_to.as_deref());
                let answers =
                    answered.and_then(|id| whole.comments.iter().find(|other| other.comment.comment_id == id));
                Some(Quoted::new(&view, answers.map(|other| other.said().to_owned())))
            }
        }
    }

    /// The comment of a member; what the memory keeps of it if its record cannot be read.
    pub fn of_member(outside: &Outside, memory: &Memory, member: &Member) -> Quoted {
        let kept = || Quoted { id: member.id.clone(), text: member.text.clone(), ..Quoted::default() };
        Quoted::of(outside, memory, &member.path).unwrap_or_else(kept)
    }

    /// Whether there is anything to read.
    pub fn says_something(&self) -> bool {
        !self.text.trim().is_empty() || self.suggestion.as_deref().is_some_and(|code| !code.trim().is_empty())
    }

    fn new(record: &DecisionRecord, answers: Option<String>) -> Quoted {
        let code = record.code();
        let file = record.feedback.places.first().map_or("", |place| place.file.as_str());
        let (path, tail, suggestion) = match code {
            Some(code) => (code.path, code.tail, code.suggestion),
            None => (file.to_owned(), Vec::new(), None),
        };
        Quoted {
            id: record.feedback.feedback_id.clone(),
            text: record.text().unwrap_or_default(),
            path: if path.is_empty() { file.to_owned() } else { path },
            code: tail,
            suggestion,
            answers,
            further: record.feedback.reading.iter().flat_map(general).collect(),
        }
    }

    /// As it is put into a question.
    pub fn said(&self) -> Said<'_> {
        Said {
            id: &self.id,
            text: &self.text,
            path: &self.path,
            code: &self.code,
            suggestion: self.suggestion.as_deref(),
            answers: self.answers.as_deref(),
        }
    }
}

fn general(reading: &Reading) -> impl Iterator<Item = String> {
    reading.further.iter().filter(|further| further.generic).map(|further| further.demand.clone())
}
