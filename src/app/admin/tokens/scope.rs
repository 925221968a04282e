//! What a token allows.

use serde::{Deserialize, Serialize};

/// What a token allows; each scope includes the ones before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Scope {
    /// Viewing everything.
    Read,
    /// Deciding.
    Decide,
    /// Fixing dead letters and the roster.
    Admin,
}

impl Scope {
    /// Returns the scope's name.
    pub fn as_str(self) -> &'static str {
        match self {
            Scope::Read => "read",
            Scope::Decide => "decide",
            Scope::Admin => "admin",
        }
    }
}
