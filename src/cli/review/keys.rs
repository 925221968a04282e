//! Key bindings for each kind of item. The help and the foot line are generated from the same table.

use crate::app::decisions::inbox::Kind;
use crate::domain::intake::submission::{Mark, Resolution};

/// A pressed key. Key repeats and pasted text do not count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Key {
    Char(char),
    Enter,
    Esc,
    Backspace,
    /// Ctrl-U: clear the line.
    Erase,
    Left,
    Right,
    Up,
    Down,
    Home,
    End,
    PageUp,
    PageDown,
    /// Ctrl-C: leave in any state.
    Break,
}

/// The action that a key requests for the item shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyAction {
    Approve,
    Reject,
    Modify,
    Resolve(Resolution),
    /// The ticked ones ask for the same.
    Same,
    /// None of them asks for the same.
    Different,
    Merge,
    /// Mark one comment; a digit selects it.
    Mark(Mark),
    /// Withdraw one comment; a digit selects it.
    Withdraw,
    Retire,
    RollBack,
    Stop,
}

impl KeyAction {
    /// Reports whether a reason is required.
    pub fn needs_reason(self) -> bool {
        matches!(
            self,
            KeyAction::Reject
                | KeyAction::Resolve(_)
                | KeyAction::Withdraw
                | KeyAction::Retire
                | KeyAction::RollBack
                | KeyAction::Stop
        )
    }
}

/// A key, its wish, and a description.
pub type Binding = (char, KeyAction, &'static str);

const NOTHING: Binding = ('p', KeyAction::Mark(Mark::Nothing), "praise: a comment asks for nothing");
const PARTICULAR: Binding = ('t', KeyAction::Mark(Mark::Particular), "too specific for a rule");
const WITHDRAW: Binding = ('w', KeyAction::Withdraw, "withdraw a comment");

const ROSTER: &[Binding] = &[('a', KeyAction::Approve, "approve"), ('r', KeyAction::Reject, "reject")];
const PROPOSAL: &[Binding] = &[
    ('a', KeyAction::Approve, "approve"),
    ('r', KeyAction::Reject, "reject"),
    ('m', KeyAction::Modify, "modify in your editor"),
    NOTHING,
    PARTICULAR,
    WITHDRAW,
];
const RULE: &[Binding] = &[
    ('x', KeyAction::Retire, "retire"),
    ('b', KeyAction::RollBack, "roll back"),
    ('z', KeyAction::Stop, "stop"),
    NOTHING,
    PARTICULAR,
    WITHDRAW,
];
const CONTRADICTION: &[Binding] = &[
    ('g', KeyAction::Resolve(Resolution::Generalizable), "applies in general"),
    ('e', KeyAction::Resolve(Resolution::EdgeCase), "applies to this case only"),
    ('i', KeyAction::Resolve(Resolution::Ignore), "ignore"),
    ('c', KeyAction::Resolve(Resolution::NoContradiction), "no contradiction: both apply"),
    NOTHING,
    PARTICULAR,
    WITHDRAW,
];
const LIST: &[Binding] = &[
    ('s', KeyAction::Same, "the ticked ones ask for the same thing"),
    ('d', KeyAction::Different, "all differ"),
    NOTHING,
    PARTICULAR,
    WITHDRAW,
];
const GROUP: &[Binding] = &[
    ('s', KeyAction::Same, "the ticked ones belong together: split off the others"),
    ('d', KeyAction::Different, "all differ"),
    ('m', KeyAction::Merge, "merge into another cluster"),
    NOTHING,
    PARTICULAR,
    WITHDRAW,
];

/// Returns the keys for a kind.
pub fn bindings(kind: Kind) -> &'static [Binding] {
    match kind {
        Kind::RosterChange => ROSTER,
        Kind::Proposal => PROPOSAL,
        Kind::FlaggedRule => RULE,
        Kind::Contradiction => CONTRADICTION,
        Kind::Question => LIST,
        Kind::MixedGroup => GROUP,
    }
}

/// The keys shared by all kinds.
pub const COMMON: &[(&str, &str)] = &[
    ("n, space", "not sure, or later: the next one"),
    ("u", "undo the last decision, until the next one or for a minute"),
    ("1 to 9", "tick or untick a comment, if comments can be ticked"),
    ("↑ ↓, k j", "choose another item"),
    ("PgUp, PgDn", "scroll the text"),
    ("o", "open a proposal, a rule or a cluster by its id"),
    ("q", "quit; the held decision is sent"),
    ("?", "this"),
];

/// Returns the foot of the screen: the keys for a kind, with only the first word of each.
pub fn foot(kind: Kind) -> String {
    let short = |text: &'static str| text.split([':', ';']).next().unwrap_or(text);
    let own = bindings(kind).iter().map(|(key, _, text)| format!("{key} {}", short(text)));
    own.chain(["n next", "u undo", "? keys", "q leave"].map(str::to_owned)).collect::<Vec<_>>().join("  ")
}
