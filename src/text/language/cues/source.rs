//! Cues as written in a catalogue's files.

use serde::{Deserialize, Deserializer, Serialize};
use std::collections::BTreeMap;
use thiserror::Error;

/// Takes the place of a concern if a comment demands nothing: praise, an answer, a command to a bot, a plain question.
pub const NONE: &str = "none";
/// Takes the place of a concern if a comment repeats another one's demand: “same here”.
pub const BACK_REFERENCE: &str = "back_reference";

/// The cues of a concern.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ConcernCues {
    /// The concern's id, [`NONE`] or [`BACK_REFERENCE`].
    pub concern: String,
    /// Alternative rule texts by language of the file; `any` replaces the concern's own.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub rules: BTreeMap<String, String>,
    /// The cues, any of which suffices.
    pub cues: Vec<Cue>,
}

/// One cue. All conditions must hold. Expressions are case-insensitive; of a list one must match.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Cue {
    /// A sentence of the comment matches.
    #[serde(default, deserialize_with = "one_or_many", skip_serializing_if = "Vec::is_empty")]
    pub say: Vec<String>,
    /// That sentence matches none of these.
    #[serde(default, deserialize_with = "one_or_many", skip_serializing_if = "Vec::is_empty")]
    pub not: Vec<String>,
    /// No sentence of the comment matches.
    #[serde(default, deserialize_with = "one_or_many", skip_serializing_if = "Vec::is_empty")]
    pub nowhere: Vec<String>,
    /// The commented line matches, if known.
    #[serde(default, deserialize_with = "one_or_many", skip_serializing_if = "Vec::is_empty")]
    pub line: Vec<String>,
    /// That line matches none of these.
    #[serde(default, deserialize_with = "one_or_many", skip_serializing_if = "Vec::is_empty")]
    pub line_not: Vec<String>,
    /// The last lines of the hunk match, if known.
    #[serde(default, deserialize_with = "one_or_many", skip_serializing_if = "Vec::is_empty")]
    pub tail: Vec<String>,
    /// They match none of these.
    #[serde(default, deserialize_with = "one_or_many", skip_serializing_if = "Vec::is_empty")]
    pub tail_not: Vec<String>,
    /// The path of the file matches.
    #[serde(default, deserialize_with = "one_or_many", skip_serializing_if = "Vec::is_empty")]
    pub path: Vec<String>,
    /// It matches none of these.
    #[serde(default, deserialize_with = "one_or_many", skip_serializing_if = "Vec::is_empty")]
    pub path_not: Vec<String>,
    /// The suggestion has more matches than the lines it replaces.
    #[serde(default, deserialize_with = "one_or_many", skip_serializing_if = "Vec::is_empty")]
    pub adds: Vec<String>,
    /// It has fewer.
    #[serde(default, deserialize_with = "one_or_many", skip_serializing_if = "Vec::is_empty")]
    pub drops: Vec<String>,
    /// The file is in one of these languages.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub languages: Vec<String>,
    /// The file is of one of these kinds: `source`, `test`, `document`, `configuration`, `build`, `migration`, `generated`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub kinds: Vec<String>,
    /// Whether the line must be known.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub needs_code: bool,
}

impl Cue {
    /// Returns all its expressions.
    pub fn expressions(&self) -> impl Iterator<Item = &String> {
        let lists = [
            &self.say,
            &self.not,
            &self.nowhere,
            &self.line,
            &self.line_not,
            &self.tail,
            &self.tail_not,
            &self.path,
            &self.path_not,
            &self.adds,
            &self.drops,
        ];
        lists.into_iter().flatten()
    }

    /// Expands macros: `%NAME%` of a file's own macros.
    pub fn write_out(&mut self, macros: &BTreeMap<String, String>) {
        let lists = [
            &mut self.say,
            &mut self.not,
            &mut self.nowhere,
            &mut self.line,
            &mut self.line_not,
            &mut self.tail,
            &mut self.tail_not,
            &mut self.path,
            &mut self.path_not,
            &mut self.adds,
            &mut self.drops,
        ];
        for text in lists.into_iter().flatten().filter(|text| text.contains('%')) {
            for (name, stands_for) in macros {
                *text = text.replace(&format!("%{name}%"), stands_for);
            }
        }
    }

    /// Checks that it can match and that its expressions are valid.
    ///
    /// # Errors
    /// The first problem.
    pub fn check(&self) -> Result<(), CueError> {
        if self.say.is_empty() && self.adds.is_empty() && self.drops.is_empty() {
            return Err(CueError::Empty);
        }
        const KINDS: [&str; 7] = ["source", "test", "document", "configuration", "build", "migration", "generated"];
        if let Some(kind) = self.kinds.iter().find(|kind| !KINDS.contains(&kind.as_str())) {
            return Err(CueError::Kind { kind: kind.clone() });
        }
        self.expressions().try_for_each(|text| {
            let problem = match super::expression::parsed(text) {
                Ok(_) => return Ok(()),
                Err(problem) => problem,
            };
            Err(CueError::Expression { expression: text.clone(), problem })
        })
    }
}

/// Why a cue is unusable.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum CueError {
    /// It has no conditions.
    #[error("has a cue with none of `say`, `adds` and `drops`")]
    Empty,
    /// It names an unknown kind of file.
    #[error("has a cue for files of the kind `{kind}`, which there is not")]
    Kind {
        /// The name.
        kind: String,
    },
    /// An expression is invalid.
    #[error("has a cue whose expression `{expression}` cannot be read: {problem}")]
    Expression {
        /// Returns the scope's name.
        expression: String,
        /// What is wrong, in one line.
        problem: String,
    },
}

/// Deserializes a list, or a single element of one.
fn one_or_many<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<String>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum OneOrMany {
        One(String),
        Many(Vec<String>),
    }
    Ok(match OneOrMany::deserialize(deserializer)? {
        OneOrMany::One(one) => vec![one],
        OneOrMany::Many(many) => many,
    })
}
