//! Git's object ids and kinds, and the hash that links them. SHA-1 repositories only.

use crate::text::ids::CommitId;
use sha1::{Digest, Sha1};
use std::fmt;

/// The id of an object.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ObjectId(pub [u8; 20]);

/// The kinds of objects we write, with the numbers of the pack format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A commit.
    Commit = 1,
    /// A directory.
    Tree = 2,
    /// A file.
    Blob = 3,
}

impl Kind {
    /// Returns the kind with this number in a pack.
    pub fn from_number(number: u8) -> Option<Kind> {
        [Kind::Commit, Kind::Tree, Kind::Blob].into_iter().find(|k| *k as u8 == number)
    }

    fn name(self) -> &'static str {
        match self {
            Kind::Commit => "commit",
            Kind::Tree => "tree",
            Kind::Blob => "blob",
        }
    }
}

impl ObjectId {
    /// The null id, which no object has.
    pub const ZERO: ObjectId = ObjectId([0; 20]);

    /// Computes the id of an object with this content.
    pub fn of(kind: Kind, content: &[u8]) -> ObjectId {
        let mut hasher = Sha1::new();
        hasher.update(format!("{} {}\0", kind.name(), content.len()));
        hasher.update(content);
        ObjectId(hasher.finalize().into())
    }

    /// Parses 40 hexadecimal digits.
    pub fn parse(id: &CommitId) -> Option<ObjectId> {
        let hex = id.0.as_bytes();
        if hex.len() != 40 || !hex.iter().all(u8::is_ascii_hexdigit) {
            return None;
        }
        git2::Oid::from_str(&id.0).ok().map(ObjectId::from)
    }

    /// Converts to the type used by the rest of the program.
    pub fn to_commit_id(self) -> CommitId {
        CommitId(self.to_string())
    }
}

impl fmt::Display for ObjectId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for ObjectId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl From<git2::Oid> for ObjectId {
    fn from(oid: git2::Oid) -> ObjectId {
        let mut id = [0; 20];
        id.copy_from_slice(&oid.as_bytes()[..20]);
        ObjectId(id)
    }
}

impl From<ObjectId> for git2::Oid {
    fn from(id: ObjectId) -> git2::Oid {
        git2::Oid::from_bytes(&id.0).expect("twenty bytes are an object id")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_gits() {
        assert_eq!(ObjectId::of(Kind::Blob, b"").to_string(), "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391");
        assert_eq!(ObjectId::of(Kind::Blob, b"hello\n").to_string(), "ce013625030ba8dba906f756967f9e9ca394464a");
        assert_eq!(ObjectId::of(Kind::Tree, b"").to_string(), "4b825dc642cb6eb9a060e54bf8d69288fbee4904");
    }

    #[test]
    fn ids_round_trip_and_nonsense_is_refused() {
        let id = ObjectId::of(Kind::Blob, b"x");
        assert_eq!(ObjectId::parse(&id.to_commit_id()), Some(id));
        for text in ["", "abc", &"g".repeat(40), &"a".repeat(41)] {
            assert_eq!(ObjectId::parse(&CommitId(text.to_owned())), None);
        }
    }
}
