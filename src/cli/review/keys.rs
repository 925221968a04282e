//! Which key says what about which kind of thing. The help and the line at the foot are made from the same table.

use crate::app::decisions::inbox::Kind;
use crate::domain::intake::submission::{Mark, Resolution};

/// A key that was pressed. What holds it down, or what was pasted, is not one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Key {
    Char(char),
    Enter,
    Esc,
    Backspace,
    /// Ctrl-U: the line anew.
    Erase,
    Left,
    Right,
    Up,
    Down,
    Home,
    End,
    PageUp,
    PageDown,
    /// Ctrl-C: leave, whatever goes on.
    Break,
}

/// What a key says about the thing that is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wish {
    Approve,
    Reject,
    Modify,
    Resolve(Resolution),
    /// Those that are ticked ask for the same.
    Same,
    /// None of them asks for the same.
    Different,
    Merge,
    /// One remark is marked; a digit says which.
    Mark(Mark),
    /// One remark is withdrawn; a digit says which.
    Withdraw,
    Retire,
    RollBack,
    Stop,
}

impl Wish {
    /// Whether a reason is required.
    pub fn needs_reason(self) -> bool {
        matches!(self, Wish::Reject | Wish::Resolve(_) | Wish::Withdraw | Wish::Retire | Wish::RollBack | Wish::Stop)
    }
}

/// A key, what it says, and that in words.
pub type Binding = (char, Wish, &'static str);

const NOTHING: Binding = ('p', Wish::Mark(Mark::Nothing), "praise: a remark asks for nothing");
const PARTICULAR: Binding = ('t', Wish::Mark(Mark::Particular), "too particular for a rule");
const WITHDRAW: Binding = ('w', Wish::Withdraw, "withdraw a remark");

const ROSTER: &[Binding] = &[('a', Wish::Approve, "approve"), ('r', Wish::Reject, "reject")];
const PROPOSAL: &[Binding] = &[
    ('a', Wish::Approve, "approve"),
    ('r', Wish::Reject, "reject"),
    ('m', Wish::Modify, "modify in your editor"),
    NOTHING,
    PARTICULAR,
    WITHDRAW,
];
const RULE: &[Binding] = &[
    ('x', Wish::Retire, "retire"),
    ('b', Wish::RollBack, "roll back"),
    ('z', Wish::Stop, "stop"),
    NOTHING,
    PARTICULAR,
    WITHDRAW,
];
const CONTRADICTION: &[Binding] = &[
    ('g', Wish::Resolve(Resolution::Generalizable), "holds in general"),
    ('e', Wish::Resolve(Resolution::EdgeCase), "in this case only"),
    ('i', Wish::Resolve(Resolution::Ignore), "ignore"),
    ('c', Wish::Resolve(Resolution::NoContradiction), "no contradiction: both hold"),
    NOTHING,
    PARTICULAR,
    WITHDRAW,
];
const LIST: &[Binding] = &[
    ('s', Wish::Same, "the ticked ask for the same"),
    ('d', Wish::Different, "all differ"),
    NOTHING,
    PARTICULAR,
    WITHDRAW,
];
const GROUP: &[Binding] = &[
    ('s', Wish::Same, "the ticked belong together: split the others off"),
    ('d', Wish::Different, "all differ"),
    ('m', Wish::Merge, "merge into another group"),
    NOTHING,
    PARTICULAR,
    WITHDRAW,
];

/// The keys for a kind.
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

/// The keys that are the same everywhere.
pub const COMMON: &[(&str, &str)] = &[
    ("n, space", "not sure, or later: the next one"),
    ("u", "take the last decision back, until the next one or for a minute"),
    ("1 to 9", "tick or untick a remark, where remarks are ticked"),
    ("↑ ↓, k j", "choose another one"),
    ("PgUp, PgDn", "move the text"),
    ("o", "open a proposal, a rule or a group by its id"),
    ("q", "leave; what is held back is sent"),
    ("?", "this"),
];

/// The foot of the screen: the keys for a kind, the first word of each only.
pub fn foot(kind: Kind) -> String {
    let short = |text: &'static str| text.split([':', ';']).next().unwrap_or(text);
    let own = bindings(kind).iter().map(|(key, _, text)| format!("{key} {}", short(text)));
    own.chain(["n next", "u undo", "? keys", "q leave"].map(str::to_owned)).collect::<Vec<_>>().join("  ")
}
