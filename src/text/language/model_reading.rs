//! What a reader who understands a remark says it asks for, in one plain sentence.
//!
//! A sentence says the same in the same words more often than remarks do. Who reads, and when, is not known here.

use super::catalogue::Towards;
use super::direction::Direction;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How long a demand may be, in characters.
pub const MAX_DEMAND: usize = 200;
/// How long an aspect may be, in characters.
pub const MAX_ASPECT: usize = 60;

/// How long the name of something that belongs to the project may be, in characters.
pub const MAX_NAMES: usize = 80;
/// How many demands of one comment are kept.
pub const MAX_DEMANDS: usize = 3;

/// One remark as it was read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Reading {
    /// What it asks for, as one imperative sentence that holds for later work too; empty where it asks for nothing. At most
    /// 200 characters.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub demand: String,
    /// What kind of thing it is about, in two or three words. At most 60 characters.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub aspect: String,
    /// `more`, `less` or `change`: which way it points.
    #[schemars(with = "String")]
    pub direction: Towards,
    /// Whether a rule for later work follows from it.
    pub generic: bool,
    /// Whether it asks for nothing: praise, information, a mere question.
    pub none: bool,
    /// The helper, type, tool or convention of the project that it asks for, if it names one. At most 80 characters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub names: Option<String>,
    /// What else it asks for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub further: Vec<Further>,
}

/// A further demand of the same comment.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Further {
    /// What it asks for, as one imperative sentence. At most 200 characters.
    pub demand: String,
    /// `more`, `less` or `change`: which way it points.
    #[schemars(with = "String")]
    pub direction: Towards,
    /// Whether a rule for later work follows from it.
    pub generic: bool,
    /// The helper, type, tool or convention of the project that it asks for, if it names one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub names: Option<String>,
}

impl Reading {
    /// That a comment asks for nothing.
    pub fn nothing() -> Reading {
        Reading {
            demand: String::new(),
            aspect: String::new(),
            direction: Towards::Change,
            generic: false,
            none: true,
            names: None,
            further: Vec::new(),
        }
    }

    /// The sentence by which the remark is compared with others; `None` where it asks for nothing, or for something too
    /// particular for a rule.
    pub fn sentence(&self) -> Option<&str> {
        (!self.none && self.generic && !self.demand.trim().is_empty()).then_some(self.demand.as_str())
    }

    /// Which way the remark points, as far as it was read.
    pub fn direction(&self) -> Direction {
        self.direction.direction()
    }

    /// What the types cannot say.
    ///
    /// # Errors
    /// What is wrong with it, in words.
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

    fn reading(demand: &str) -> Reading {
        Reading {
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
        assert_eq!(Reading { generic: false, ..said.clone() }.sentence(), None);
        assert_eq!(Reading { none: true, demand: String::new(), ..said }.sentence(), None);
    }

    #[test]
    fn what_does_not_fit_together_is_refused() {
        assert_eq!(reading("Avoid abbreviations in names.").check(), Ok(()));
        assert_eq!(Reading { none: true, ..reading("") }.check(), Ok(()));
        assert!(reading(" ").check().is_err());
        assert!(Reading { none: true, ..reading("Avoid it.") }.check().is_err());
        assert!(reading(&"x".repeat(MAX_DEMAND + 1)).check().is_err());
        assert!(Reading { aspect: "x".repeat(MAX_ASPECT + 1), ..reading("Avoid it.") }.check().is_err());
    }
}
