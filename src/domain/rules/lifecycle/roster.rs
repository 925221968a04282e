//! The roster: who may decide about proposed rules (specification, "The store"). People edit it; the daemon only reads
//! it.

use crate::domain::rules::lifecycle::signature;
use crate::domain::yaml;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The file `reviewers.yaml`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Roster {
    /// Everybody on it.
    #[serde(default)]
    pub reviewers: Vec<Reviewer>,
}

/// A person on the roster.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Reviewer {
    /// The id that decisions carry.
    pub id: String,
    /// The name, for people.
    #[serde(default)]
    pub name: String,
    /// `approver`, `reviewer`.
    #[serde(default)]
    pub roles: Vec<String>,
    /// Keys that may sign this person's decisions.
    #[serde(default)]
    pub ssh_public_keys: Vec<String>,
}

/// The roles there are.
const ROLES: [&str; 2] = ["approver", "reviewer"];

impl Roster {
    /// Reads the file.
    ///
    /// # Errors
    /// A sentence that says what is wrong and where.
    pub fn parse(text: &str) -> Result<Roster, String> {
        let roster: Roster = yaml::parse(text)?;
        let mut ids: Vec<&str> = roster.reviewers.iter().map(|r| r.id.as_str()).collect();
        ids.sort_unstable();
        match ids.windows(2).find(|pair| pair[0] == pair[1]) {
            Some(pair) => Err(format!("the id {} stands on the roster twice", pair[0])),
            None => Ok(roster),
        }
    }

    /// What parses and yet means nothing: roles nobody knows, keys that no signature can be checked with. In words, one
    /// for each.
    pub fn doubts(&self) -> Vec<String> {
        let mut doubts = Vec::new();
        for person in &self.reviewers {
            for role in person.roles.iter().filter(|role| !ROLES.contains(&role.as_str())) {
                doubts.push(format!("{} has the role {role:?}, and there are only {}", person.id, ROLES.join(" and ")));
            }
            for key in person.ssh_public_keys.iter().filter(|key| !key.trim().is_empty()) {
                if let Err(why) = signature::usable(key) {
                    doubts.push(format!("a key of {}: {why}", person.id));
                }
            }
        }
        doubts
    }

    /// How many people may approve rules.
    pub fn approvers(&self) -> usize {
        self.reviewers.iter().filter(|r| r.is_approver()).count()
    }

    /// The person with this id; ids are compared as they are written.
    pub fn find(&self, id: &str) -> Option<&Reviewer> {
        self.reviewers.iter().find(|r| r.id == id)
    }

    /// Whether this id is a person's who may approve rules. Nobody else may, and nobody where the roster is empty.
    pub fn is_approver(&self, id: &str) -> bool {
        self.find(id).is_some_and(Reviewer::is_approver)
    }
}

impl Reviewer {
    /// Whether this person may approve rules.
    pub fn is_approver(&self) -> bool {
        self.roles.iter().any(|role| role == "approver")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_roster_is_read_and_twins_are_refused() {
        let roster = Roster::parse("reviewers:\n  - {id: a, roles: [approver]}\n  - {id: b}\n").unwrap();
        assert_eq!((roster.reviewers.len(), roster.approvers()), (2, 1));
        assert_eq!(["a", "b", "c", "A", ""].map(|id| roster.is_approver(id)), [true, false, false, false, false]);
        assert_eq!(roster.find("b").map(|r| r.id.as_str()), Some("b"));
        assert_eq!(roster.find("c"), None);
        let doubtful = Roster::parse("reviewers: [{id: a, roles: [aprover], ssh_public_keys: [rubbish]}]").unwrap();
        assert_eq!(doubtful.doubts().len(), 2, "{:?}", doubtful.doubts());
        assert_eq!(roster.doubts(), Vec::<String>::new());
        assert!(Roster::parse("reviewers: [{id: a}, {id: a}]").unwrap_err().contains("twice"));
        assert!(Roster::parse("reviewers: [{name: a}]").is_err());
    }
}
