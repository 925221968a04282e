//! How the daemon ended.

/// What became of what was in hand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// Everything that was in hand is finished.
    Drained,
    /// The deadline passed; what was in hand stays pending and is read again at the next start.
    Abandoned,
}
