//! An understanding reader's account of what a comment demands, in one plain sentence.
//!
//! Such sentences repeat the same words more often than comments do. Who reads, and when, is not known here.

use super::catalogue::Towards;
use super::direction::Direction;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The longest demand, in characters.
pub const MAX_DEMAND: usize = 200;
/// The longest aspect, in characters.
pub const MAX_ASPECT: usize = 60;

/// The longest name of something in the project, in characters.
pub const MAX_NAMES: usize = 80;
/// Maximum demands kept per comment.
pub const MAX_DEMANDS: usize = 3;

/// One reading of a comment.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Reading")]
pub struct ModelReading {
    /// What it demands, as one imperative sentence that also holds for later work; empty if it demands nothing. At most
    /// 200 characters.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub demand: String,
    /// The kind of thing it is about, in two or three words. At most 60 characters.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub aspect: String,
    /// Its direction: `more`, `less` or `change`.
    #[schemars(with = "String")]
    pub direction: Towards,
    /// Whether it implies a rule for later work.
    pub generic: bool,
    /// Whether it demands nothing: praise, information, a mere question.
    pub none: bool,
    /// The project's helper, type, tool or convention that it demands, if it names one. At most 80 characters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub names: Option<String>,
    /// Further demands.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub further: Vec<Further>,
}

/// A further demand of the same comment.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Further {
    /// What it demands, as one imperative sentence. At most 200 characters.
    pub demand: String,
    /// Its direction: `more`, `less` or `change`.
    #[schemars(with = "String")]
    pub direction: Towards,
    /// Whether it implies a rule for later work.
    pub generic: bool,
    /// The project's helper, type, tool or convention that it demands, if it names one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub names: Option<String>,
}

impl ModelReading {
    /// Returns the reading of a comment that demands nothing.
    pub fn nothing() -> ModelReading {
        ModelReading {
            demand: String::new(),
            aspect: String::new(),
            direction: Towards::Change,
            generic: false,
            none: true,
            names: None,
            further: Vec::new(),
        }
    }

    /// Returns the sentence used to compare the comment; `None` if it demands nothing, or something too specific for a
    /// rule.
    pub fn sentence(&self) -> Option<&str> {
        (!self.none && self.generic && !self.demand.trim().is_empty()).then_some(self.demand.as_str())
    }

    /// Returns the direction of the comment, as far as it was read.
    pub fn direction(&self) -> Direction {
        self.direction.direction()
    }

    /// Checks what the types cannot express.
    ///
    /// # Errors
    /// The problem, in words.
    pub fn check(&self) -> Result<(), &'static str> {
        let length = self.demand.chars().count();
        if !self.none && self.demand.trim().is_empty() {
            return Err("the demand is empty");
        }
        if self.none && length > 0 {
            return Err("there is a demand where nothing is asked for");
        }
        if length > MAX_DEMAND {
            return Err("the demand is too long");
        }
        let too_long = |one: &Further| one.demand.chars().count() > MAX_DEMAND;
        if self.further.len() >= MAX_DEMANDS || self.further.iter().any(too_long) {
            return Err("there are too many further demands, or one is too long");
        }
        if self.aspect.chars().count() > MAX_ASPECT {
            return Err("the aspect is too long");
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reading(demand: &str) -> ModelReading {
        ModelReading {
            demand: demand.to_owned(),
            aspect: "naming".to_owned(),
            direction: Towards::Less,
            generic: true,
            none: false,
            names: None,
            further: Vec::new(),
        }
    }

    #[test]
    fn only_what_makes_a_rule_is_compared() {
        let said = reading("Avoid abbreviations in names.");
        assert_eq!((said.sentence(), said.direction()), (Some("Avoid abbreviations in names."), Direction::Less));
        assert_eq!(ModelReading { generic: false, ..said.clone() }.sentence(), None);
        assert_eq!(ModelReading { none: true, demand: String::new(), ..said }.sentence(), None);
    }

    #[test]
    fn what_does_not_fit_together_is_refused() {
        assert_eq!(reading("Avoid abbreviations in names.").check(), Ok(()));
        assert_eq!(ModelReading { none: true, ..reading("") }.check(), Ok(()));
        assert!(reading(" ").check().is_err());
        assert!(ModelReading { none: true, ..reading("Avoid it.") }.check().is_err());
        assert!(reading(&"x".repeat(MAX_DEMAND + 1)).check().is_err());
        assert!(ModelReading { aspect: "x".repeat(MAX_ASPECT + 1), ..reading("Avoid it.") }.check().is_err());
    }
}
