//! The table of all rules, and its check of a configuration.

use super::predicates::is_name;
use super::rule::{GATE_AGENTS, Rule};
use super::{daemon, forges, intake, models, notify, rules};
use crate::notify::misread;
use crate::problem::{ConfigError, Origin, Problem, variable};
use crate::secret::Secret;
use crate::settings::Config;
use crate::tree::{flatten, tree};
use serde_json::Value;

/// In the order of `config/default.toml`.
const TABLES: [&[Rule]; 6] = [intake::RULES, rules::RULES, models::RULES, daemon::RULES, notify::RULES, forges::RULES];

fn rules() -> impl Iterator<Item = &'static Rule> {
    TABLES.into_iter().flatten()
}

impl Config {
    /// Checks every value; `load` has already done so.
    ///
    /// # Errors
    /// [`ConfigError::Invalid`] with all problems.
    pub fn validate(&self) -> Result<(), ConfigError> {
        match problems(self) {
            problems if problems.is_empty() => Ok(()),
            problems => Err(ConfigError::Invalid(problems)),
        }
    }
}

/// Returns all problems, in the order of the keys.
pub fn problems(config: &Config) -> Vec<Problem> {
    let values = flatten(&tree(config));
    let wrong = rules().filter(|rule| !(rule.ok)(config));
    let mut problems: Vec<Problem> = wrong
        .map(|rule| {
            let value = values.iter().find(|(key, value)| key == rule.key || is_bad_gate_agent(rule, key, value));
            let (key, value) = value.map_or((rule.key, Value::Null), |(k, v)| (k.as_str(), v.clone()));
            problem(key, config.origin(key), &value)
        })
        .collect();
    for (key, fault) in config.notify.faults().into_iter().chain(config.forges.faults()) {
        problems.push(Problem { found: fault, ..problem(key, config.origin(key), &Value::Null) });
    }
    for (key, found, allowed, hint) in config.redis.faults() {
        let known = problem(key, config.origin(key), &Value::Null);
        problems.push(Problem { found, allowed: allowed.to_owned(), hint: hint.to_owned(), ..known });
    }
    problems
}

/// Returns the rule for a key.
pub fn rule(key: &str) -> Option<&'static Rule> {
    let key = if key.starts_with(GATE_AGENTS) { GATE_AGENTS } else { key };
    rules().find(|rule| rule.key == key)
}

/// Returns the names of all sections.
pub fn sections() -> Vec<&'static str> {
    let mut names: Vec<_> = rules().filter_map(|rule| rule.key.split('.').next()).collect();
    names.dedup();
    names
}

/// Returns the keys of a section; empty if it does not exist.
pub fn section(name: &str) -> Vec<&'static str> {
    rules().filter_map(|rule| rule.key.strip_prefix(name)?.strip_prefix('.')).collect()
}

/// Returns the problem with a value, from its key's rule.
pub fn problem(key: &str, origin: Origin, value: &Value) -> Problem {
    let rule = rule(key);
    let found = match value {
        Value::String(text) if key == "redis.url" || key == "remote.url" => format!("`{}`", Secret::new(text.clone())),
        Value::String(text) => format!("`{}`", shorten(text)),
        // Its URLs may contain secrets.
        Value::Array(entries) => misread(key, entries),
        other => format!("`{other}`"),
    };
    Problem {
        key: key.to_owned(),
        variable: variable(key),
        origin,
        found,
        allowed: rule.map_or("", |r| r.allowed).to_owned(),
        hint: rule.map_or("", |r| r.hint).to_owned(),
    }
}

fn is_bad_gate_agent(rule: &Rule, key: &str, value: &Value) -> bool {
    rule.key == GATE_AGENTS && key.starts_with(GATE_AGENTS) && !value.as_str().is_some_and(is_name)
}

fn shorten(text: &str) -> String {
    let clean: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).take(80).collect();
    if text.chars().nth(80).is_some() { format!("{clean}...") } else { clean }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_key_has_one_rule_in_the_order_of_the_sections() {
        let mut keys: Vec<String> = flatten(&tree(&Config::default())).into_iter().map(|(key, _)| key).collect();
        keys.iter_mut().filter(|key| key.starts_with(GATE_AGENTS)).for_each(|key| *key = GATE_AGENTS.to_owned());
        keys.dedup();
        let rules: Vec<_> = super::rules().map(|rule| rule.key).collect();
        assert_eq!(keys, rules);
    }
}
