//! What is known about the requests a server accepts: discovered once, shared by all callers, and kept across restarts.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// Maximum servers remembered.
const MOST: usize = 50;
/// The maximum factor on the token limit for a reasoning model.
const MOST_FACTOR: u32 = 16;

/// How an answer is constrained to JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Format {
    /// By a JSON Schema.
    JsonSchema,
    /// To any JSON object.
    JsonObject,
    /// By the prompt alone.
    Plain,
}

/// The name of the token limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Limit {
    /// The name most servers use.
    MaxTokens,
    /// The name newer servers use.
    MaxCompletionTokens,
    /// No limit.
    None,
}

/// Request options of a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ServerProfile {
    pub format: Format,
    pub limit: Limit,
    /// Whether the reasoning effort is sent.
    pub effort: bool,
    /// The factor by which the token limit exceeds what the answer needs: a reasoning model needs room to reason.
    pub factor: u32,
    /// Whether a request of this form was answered.
    pub is_sure: bool,
}

impl ServerProfile {
    /// The first thing to try.
    pub const FIRST: ServerProfile =
        ServerProfile { format: Format::JsonSchema, limit: Limit::MaxTokens, effort: true, factor: 1, is_sure: false };

    /// Returns the next thing to try after a refusal that names these fields; `None` if nothing more can be dropped. If
    /// this form was answered before and the refusal names nothing, the question is to blame.
    pub fn less(self, names: &[&str]) -> Option<ServerProfile> {
        let names = |field: &str| names.contains(&field);
        let tokens = names("max_tokens") || names("max_completion_tokens");
        if names("reasoning_effort") && self.effort {
            return Some(ServerProfile { effort: false, ..self });
        }
        if tokens && self.limit != Limit::None {
            return Some(ServerProfile { limit: self.limit.next(), ..self });
        }
        if (names("json_schema") || names("response_format")) && self.format != Format::Plain {
            return Some(ServerProfile { format: self.format.next(), ..self });
        }
        if self.is_sure {
            return None;
        }
        match self {
            ServerProfile { effort: true, .. } => Some(ServerProfile { effort: false, ..self }),
            ServerProfile { format: Format::JsonSchema | Format::JsonObject, .. } => {
                Some(ServerProfile { format: self.format.next(), ..self })
            }
            ServerProfile { limit: Limit::MaxTokens | Limit::MaxCompletionTokens, .. } => {
                Some(ServerProfile { limit: self.limit.next(), ..self })
            }
            _ => None,
        }
    }

    /// Returns more room for an answer; `None` if there is no more.
    pub fn roomier(self, may_be_unlimited: bool) -> Option<ServerProfile> {
        if self.limit == Limit::None {
            return None;
        }
        match self.factor < MOST_FACTOR {
            true => Some(ServerProfile { factor: self.factor * 4, ..self }),
            false if may_be_unlimited => Some(ServerProfile { limit: Limit::None, ..self }),
            false => None,
        }
    }
}

impl Format {
    /// Words that follow "held to JSON".
    pub fn described(self) -> &'static str {
        match self {
            Format::JsonSchema => "by a schema",
            Format::JsonObject => "by its object mode",
            Format::Plain => "by the prompt alone",
        }
    }

    fn next(self) -> Format {
        if self == Format::JsonSchema { Format::JsonObject } else { Format::Plain }
    }
}

impl Limit {
    fn next(self) -> Limit {
        if self == Limit::MaxTokens { Limit::MaxCompletionTokens } else { Limit::None }
    }
}

/// The knowledge shared by all callers of one server, and the file it is stored in.
pub(super) struct SharedProfile {
    known: Mutex<ServerProfile>,
    name: String,
    file: Option<PathBuf>,
}

impl SharedProfile {
    /// Loads what is known about a server; the file may be missing or lack it.
    pub fn open(name: String, file: Option<PathBuf>) -> SharedProfile {
        let known = file.as_deref().map(all).unwrap_or_default().get(&name).copied();
        SharedProfile { known: Mutex::new(known.unwrap_or(ServerProfile::FIRST)), name, file }
    }

    pub fn get(&self) -> ServerProfile {
        *self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Records that a request of this form was answered.
    pub fn answered(&self, known: ServerProfile) {
        let mut held = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        // Another question may have discovered meanwhile that more room is needed.
        let known = ServerProfile { is_sure: true, factor: known.factor.max(held.factor), ..known };
        if *held == known {
            return;
        }
        *held = known;
        let Some(file) = &self.file else { return };
        let mut all = all(file);
        if all.len() >= MOST {
            all.clear();
        }
        all.insert(self.name.clone(), known);
        let written = serde_json::to_vec_pretty(&all).map_err(std::io::Error::other);
        if let Err(error) = written.and_then(|text| std::fs::write(file, text)) {
            // It is discovered again after a restart.
            tracing::debug!(%error, "the language model's server profile was not saved");
        }
    }
}

fn all(file: &Path) -> BTreeMap<String, ServerProfile> {
    std::fs::read(file).ok().and_then(|text| serde_json::from_slice(&text).ok()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_that_names_a_field_is_mended_at_once() {
        let less = ServerProfile::FIRST.less(&["max_tokens", "max_completion_tokens"]).unwrap();
        assert_eq!((less.limit, less.format), (Limit::MaxCompletionTokens, Format::JsonSchema));
        let sure = ServerProfile { is_sure: true, ..less };
        assert_eq!(sure.less(&["response_format"]).unwrap().format, Format::JsonObject);
        assert_eq!(sure.less(&[]), None, "the question is to blame");
    }

    #[test]
    fn without_a_name_less_is_asked_for_step_by_step() {
        let mut steps = vec![ServerProfile::FIRST];
        while let Some(next) = steps.last().unwrap().less(&[]) {
            steps.push(next);
        }
        let last = steps.last().unwrap();
        assert_eq!((steps.len(), last.format, last.limit, last.effort), (6, Format::Plain, Limit::None, false));
        let mut room = vec![ServerProfile::FIRST];
        while let Some(next) = room.last().unwrap().roomier(true) {
            room.push(next);
        }
        assert_eq!(room.iter().map(|k| k.factor).collect::<Vec<_>>(), [1, 4, 16, 16]);
    }
}
