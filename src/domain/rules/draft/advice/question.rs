//! A question to a language model: its content and its hash.

use super::check_question::CheckQuestion;
use super::place_question::{KnownDemand, PlaceQuestion};
use super::read_question::ReadQuestion;
use crate::records::record::AdviceKind;
use serde_json::json;

/// A question to a model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AdviceQuestion {
    /// What does each of these comments ask for?
    Read(ReadQuestion),
    /// Which of these demands ask for the same as a known one, or as each other?
    Place(PlaceQuestion),
    /// Which of its evidence would each rule settle, and how should the rule be worded?
    Check(CheckQuestion),
}

impl AdviceQuestion {
    /// Returns the hash of the question, 64 hexadecimal digits. Independent of the clusters' names in the store.
    pub fn hash(&self) -> String {
        let canonical = match self {
            AdviceQuestion::Read(read) => json!({ "kind": self.kind(), "of": read, "ids": read.about() }),
            AdviceQuestion::Place(place) => {
                json!({ "kind": self.kind(), "of": place, "ids": place.about(), "again": place.again })
            }
            AdviceQuestion::Check(check) => json!({ "kind": self.kind(), "of": check, "ids": check.about() }),
        };
        blake3::hash(canonical.to_string().as_bytes()).to_hex().to_string()
    }

    /// Returns its kind.
    pub fn kind(&self) -> AdviceKind {
        match self {
            AdviceQuestion::Read(_) => AdviceKind::Read,
            AdviceQuestion::Place(_) => AdviceKind::Place,
            AdviceQuestion::Check(_) => AdviceKind::Check,
        }
    }

    /// Returns its subject: feedback, or a cluster and its evidence.
    pub fn about(&self) -> Vec<String> {
        match self {
            AdviceQuestion::Read(read) => read.about(),
            AdviceQuestion::Place(place) => place.about(),
            AdviceQuestion::Check(check) => check.about(),
        }
    }

    /// Returns the other clusters that it shows.
    pub fn among(&self) -> Vec<String> {
        let known: Vec<&KnownDemand> = match self {
            AdviceQuestion::Read(_) => Vec::new(),
            AdviceQuestion::Place(place) => place.known.iter().collect(),
            AdviceQuestion::Check(check) => check.patterns.iter().flat_map(|pattern| &pattern.others).collect(),
        };
        let mut among: Vec<String> = known.into_iter().map(|known| known.about.clone()).collect();
        if let AdviceQuestion::Place(place) = self {
            among.extend(place.demands.iter().filter_map(|demand| demand.group.clone()));
        }
        among.sort_unstable();
        among.dedup();
        among
    }

    /// Returns the agent it is about.
    pub fn agent(&self) -> &str {
        match self {
            AdviceQuestion::Read(read) => &read.agent,
            AdviceQuestion::Place(place) => &place.agent,
            AdviceQuestion::Check(check) => &check.agent,
        }
    }
}
