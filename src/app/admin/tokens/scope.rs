//! What a token allows.

use serde::{Deserialize, Serialize};

/// What a token allows; each scope has those before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Scope {
    /// To look at everything.
    Read,
    /// To decide.
    Decide,
    /// To mend: dead letters, roster.
    Admin,
}

impl Scope {
    /// As it is written.
    pub fn as_str(self) -> &'static str {
        match self {
            Scope::Read => "read",
            Scope::Decide => "decide",
            Scope::Admin => "admin",
        }
    }
}
