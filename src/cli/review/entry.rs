//! Items in the list, decisions about them, and effects: data without behaviour.

use super::keys::KeyAction;
use super::line::Line;
use crate::app::decisions::inbox::{Item, Kind};
use crate::domain::clusters::question::{Inquiry, ShownComment};
use serde_json::Value;

/// The tick of a comment in a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tick {
    On,
    Off,
    Nothing,
    Particular,
}

/// An item in the list.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    pub item: Item,
    /// The item's details; `None` until requested.
    pub text: Option<String>,
    /// The comments shown, the first nine numbered.
    pub remarks: Vec<ShownComment>,
    /// The tick of each comment.
    pub ticks: Vec<Tick>,
}

impl Entry {
    pub fn new(item: Item) -> Entry {
        Entry { item, text: None, remarks: Vec::new(), ticks: Vec::new() }
    }

    /// Reports whether its comments are ticked.
    pub fn is_list(&self) -> bool {
        match &self.item.question {
            Some(inquiry) => matches!(inquiry, Inquiry::List(_)),
            None => self.item.kind == Kind::MixedGroup,
        }
    }

    /// Sets what is shown.
    pub fn show(&mut self, text: String, remarks: Vec<ShownComment>) {
        if self.remarks != remarks {
            self.ticks = vec![Tick::On; remarks.len()];
            self.remarks = remarks;
        }
        self.text = Some(text);
    }
}

/// Builds a decision call.
#[derive(Clone, Debug, PartialEq)]
pub struct Decision {
    /// The resulting reviews.
    pub actions: Vec<Value>,
    pub reason: Option<String>,
    /// A description.
    pub words: String,
    /// The entry that left the list, with its position; `None` if it stays.
    pub entry: Option<(usize, Box<Entry>)>,
}

/// An effect to carry out.
#[derive(Clone, Debug, PartialEq)]
pub enum Effect {
    /// Send it.
    Send(Decision),
    /// Let the person edit the text of the current item.
    Edit(String),
    /// Find and show the item with this id.
    Open(String),
    /// Leave.
    Quit,
}

/// How a key is interpreted.
#[derive(Clone, Debug, PartialEq)]
pub enum Mode {
    /// A decision, or a move.
    List,
    Help,
    /// A digit that selects a comment.
    Which(KeyAction),
    /// A reason for a wish, possibly about one comment.
    Reason {
        wish: KeyAction,
        remark: Option<usize>,
        line: Line,
    },
    /// The id of a cluster to merge into.
    Into(Line),
    /// The id of an item to show.
    Id(Line),
}
