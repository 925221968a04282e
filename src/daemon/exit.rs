//! How the daemon ended.

/// The outcome for the work in progress.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DaemonExit {
    /// All work in progress is finished.
    Drained,
    /// The deadline passed; work in progress stays pending and is read again at the next start.
    Abandoned,
}
