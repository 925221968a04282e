//! What stands in the list, what is decided about it, and what follows: data, no behaviour.

use super::keys::Wish;
use super::line::Line;
use crate::app::decisions::inbox::{Item, Kind};
use crate::domain::clusters::question::{Inquiry, Said};
use serde_json::Value;

/// What is said of a remark in a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tick {
    On,
    Off,
    Nothing,
    Particular,
}

/// A thing in the list.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    pub item: Item,
    /// The text that one decides by; nothing before it is asked for.
    pub text: Option<String>,
    /// Remarks that are shown, the first nine with a number.
    pub remarks: Vec<Said>,
    /// What is said of each of them.
    pub ticks: Vec<Tick>,
}

impl Entry {
    pub fn new(item: Item) -> Entry {
        Entry { item, text: None, remarks: Vec::new(), ticks: Vec::new() }
    }

    /// Whether its remarks are ticked.
    pub fn is_list(&self) -> bool {
        match &self.item.question {
            Some(inquiry) => matches!(inquiry, Inquiry::List(_)),
            None => self.item.kind == Kind::MixedGroup,
        }
    }

    /// What one sees of it.
    pub fn show(&mut self, text: String, remarks: Vec<Said>) {
        if self.remarks != remarks {
            self.ticks = vec![Tick::On; remarks.len()];
            self.remarks = remarks;
        }
        self.text = Some(text);
    }
}

/// A decision.
#[derive(Clone, Debug, PartialEq)]
pub struct Decision {
    /// The reviews it makes.
    pub actions: Vec<Value>,
    pub reason: Option<String>,
    /// What it is, in words.
    pub words: String,
    /// What left the list for it, and from where; nothing where it stays there.
    pub entry: Option<(usize, Box<Entry>)>,
}

/// What is to be done.
#[derive(Clone, Debug, PartialEq)]
pub enum Effect {
    /// Send it.
    Send(Decision),
    /// Let the person write another text for what is shown.
    Edit(String),
    /// Look for what has this id, and show it.
    Open(String),
    /// Leave.
    Quit,
}

/// What a key is read as.
#[derive(Clone, Debug, PartialEq)]
pub enum Mode {
    /// A decision, or a move.
    List,
    Help,
    /// A digit that says which remark.
    Which(Wish),
    /// A reason for a wish; about one remark, where that is so.
    Reason {
        wish: Wish,
        remark: Option<usize>,
        line: Line,
    },
    /// The id of a group to merge into.
    Into(Line),
    /// The id of something to show.
    Id(Line),
}
