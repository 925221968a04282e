//! The text in the cursor's key: a commit, and how far the messages of the next one were appended.
//!
//! Usually it is a commit alone. A commit with more messages than one script call may carry is published in parts, and
//! `COMMIT+n` says that n messages of the commit after COMMIT were appended. They are in an order that follows from the
//! commit, so the rest can be appended by another process.

use crate::text::ids::CommitId;
use std::fmt;

/// A value of the cursor.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct CursorValue {
    /// The last commit of which all messages were appended; `None` if there is none.
    pub(super) commit: Option<CommitId>,
    /// How many messages of the next commit were appended.
    pub(super) of_next: usize,
}

impl CursorValue {
    /// Parses the text of the key.
    pub(super) fn parse(text: &str) -> CursorValue {
        let (commit, of_next) = match text.rsplit_once('+') {
            Some((commit, number)) => (commit, number.parse().unwrap_or(0)),
            None => (text, 0),
        };
        CursorValue { commit: (!commit.is_empty()).then(|| CommitId(commit.to_owned())), of_next }
    }
}

impl fmt::Display for CursorValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.commit.as_ref().map_or("", |commit| commit.0.as_str()))?;
        match self.of_next {
            0 => Ok(()),
            number => write!(f, "+{number}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        for (commit, of_next, text) in
            [(None, 0, ""), (None, 490, "+490"), (Some("ab12"), 0, "ab12"), (Some("ab12"), 980, "ab12+980")]
        {
            let value = CursorValue { commit: commit.map(|id| CommitId(id.to_owned())), of_next };
            assert_eq!(value.to_string(), text);
            assert_eq!(CursorValue::parse(text), value);
        }
    }
}
