//! A question to a language model: which remarks it shows, and which hash it is known by.

use super::choice::ChoiceQuestion;
use super::read_question::ReadQuestion;
use super::shown::{shown, shown_line};
use crate::domain::records::record::AdviceKind;
use serde::Serialize;

/// How many remarks of each side a question about a pair shows.
pub const PAIR_REMARKS: usize = 5;

/// How many remarks a question about a rule's text shows.
pub const DRAFT_REMARKS: usize = 8;

/// A question to a model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AdviceQuestion {
    /// Do these two ask for the same?
    Pair(PairQuestion),
    /// How could a rule for this pattern be worded?
    Draft(DraftQuestion),
    /// What does each of these remarks ask for?
    Read(ReadQuestion),
    /// To which of these groups does this remark belong?
    Choice(ChoiceQuestion),
}

/// Two groups of remarks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PairQuestion {
    /// One of them.
    pub a: Side,
    /// The other one.
    pub b: Side,
}

/// One group of remarks.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Side {
    /// The group, or the feedback that stands alone. The model does not see it.
    #[serde(skip)]
    pub about: String,
    /// The agent whose work the remarks are about.
    pub agent: String,
    /// The gate at which most of them were made.
    pub gate: String,
    /// The remarks that show best what the group is about, at most [`PAIR_REMARKS`].
    pub remarks: Vec<String>,
}

/// A pattern, and the text that was made for it without a model.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct DraftQuestion {
    /// The proposal, or the group that has none because no remark of it makes a rule. The model does not see it.
    #[serde(skip)]
    pub about: String,
    /// The hash of the text that the proposal had when the question was made; `None` for a group. The model does not
    /// see it.
    #[serde(skip)]
    pub content_hash: Option<String>,
    /// The agent that shall obey the rule.
    pub agent: String,
    /// The remarks of the evidence, at most [`DRAFT_REMARKS`].
    pub remarks: Vec<String>,
    /// The text that was made without a model; empty where none could be made.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub draft: String,
}

impl Side {
    /// A side with its remarks as they may be shown.
    pub fn new<'r>(about: &str, agent: &str, gate: &str, remarks: impl Iterator<Item = &'r str>) -> Side {
        let remarks = shown(remarks, PAIR_REMARKS);
        Side { about: about.to_owned(), agent: shown_line(agent), gate: gate.to_owned(), remarks }
    }
}

impl DraftQuestion {
    /// A question with its remarks as they may be shown.
    pub fn new<'r>(
        about: &str,
        content_hash: Option<&str>,
        agent: &str,
        draft: &str,
        remarks: impl Iterator<Item = &'r str>,
    ) -> DraftQuestion {
        DraftQuestion {
            about: about.to_owned(),
            content_hash: content_hash.map(str::to_owned),
            agent: shown_line(agent),
            remarks: shown(remarks, DRAFT_REMARKS),
            draft: shown_line(draft),
        }
    }
}

impl AdviceQuestion {
    /// The hash of what is asked, 64 hexadecimal digits: which of two sides is named first makes no difference, and
    /// what they are called in the store neither.
    pub fn hash(&self) -> String {
        let canonical = match self {
            AdviceQuestion::Pair(pair) => {
                let mut sides = [&pair.a, &pair.b].map(|side| serde_json::json!(side).to_string());
                sides.sort();
                serde_json::json!({ "kind": self.kind(), "sides": sides })
            }
            AdviceQuestion::Draft(draft) => serde_json::json!({ "kind": self.kind(), "of": draft }),
            AdviceQuestion::Read(read) => serde_json::json!({ "kind": self.kind(), "of": read, "ids": read.about() }),
            AdviceQuestion::Choice(choice) => match &choice.confirms {
                None => serde_json::json!({ "kind": self.kind(), "of": choice, "id": choice.about }),
                Some(other) => {
                    serde_json::json!({ "kind": self.kind(), "of": choice, "id": choice.about, "confirms": other })
                }
            },
        };
        blake3::hash(canonical.to_string().as_bytes()).to_hex().to_string()
    }

    /// Which kind of question it is.
    pub fn kind(&self) -> AdviceKind {
        match self {
            AdviceQuestion::Pair(_) => AdviceKind::Pair,
            AdviceQuestion::Draft(_) => AdviceKind::Draft,
            AdviceQuestion::Read(_) => AdviceKind::Read,
            AdviceQuestion::Choice(_) => AdviceKind::Choice,
        }
    }

    /// What it is about: two groups or feedbacks in the order of their names, or a proposal or group.
    pub fn about(&self) -> Vec<String> {
        match self {
            AdviceQuestion::Pair(pair) => {
                let mut about = vec![pair.a.about.clone(), pair.b.about.clone()];
                about.sort();
                about
            }
            AdviceQuestion::Draft(draft) => vec![draft.about.clone()],
            AdviceQuestion::Read(read) => read.about(),
            // Asked from the other side, it is about the one that waits as well.
            AdviceQuestion::Choice(choice) => [&choice.about].into_iter().chain(&choice.confirms).cloned().collect(),
        }
    }

    /// The groups among which is chosen; none where the question is another one.
    pub fn among(&self) -> Vec<String> {
        match self {
            AdviceQuestion::Choice(choice) => choice.groups.iter().map(|group| group.about.clone()).collect(),
            _ => Vec::new(),
        }
    }

    /// The agent it is about.
    pub fn agent(&self) -> &str {
        match self {
            AdviceQuestion::Pair(pair) => &pair.a.agent,
            AdviceQuestion::Draft(draft) => &draft.agent,
            AdviceQuestion::Read(read) => read.agent(),
            AdviceQuestion::Choice(choice) => &choice.agent,
        }
    }

    /// The remarks it shows.
    pub fn remarks(&self) -> Vec<&str> {
        let all: Vec<&String> = match self {
            AdviceQuestion::Pair(pair) => pair.a.remarks.iter().chain(&pair.b.remarks).collect(),
            AdviceQuestion::Draft(draft) => draft.remarks.iter().collect(),
            AdviceQuestion::Read(read) => read.remarks.iter().map(|shown| &shown.remark).collect(),
            AdviceQuestion::Choice(choice) => choice.groups.iter().flat_map(|group| &group.remarks).collect(),
        };
        all.into_iter().map(String::as_str).collect()
    }
}
