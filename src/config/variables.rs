//! Environment variables, and their use in a configuration file: `${NAME}`, or `${NAME:-text}` with a default; `$$` is a dollar sign.

use serde_json::Value;
use std::collections::HashMap;

/// The environment: variable to value.
pub type Environment = HashMap<String, String>;

/// Returns this process's environment. Text that is not UTF-8 is marked, and rejected where it is used.
pub fn process_environment() -> Environment {
    std::env::vars_os()
        .map(|(name, value)| (name.to_string_lossy().into_owned(), value.to_string_lossy().into_owned()))
        .collect()
}

/// What to do about a variable that is not set.
pub(super) const HINT: &str = "set the variable, give a default with ${NAME:-text}, or write $$ for a dollar sign";

/// Returns the variable if a text is nothing else.
pub(super) fn only(text: &str) -> Option<&str> {
    let inside = text.strip_prefix("${")?.strip_suffix('}')?;
    let name = inside.split_once(":-").map_or(inside, |(name, _)| name);
    is_name(name).then_some(name)
}

/// Returns the value of a variable, if it has one.
pub(super) fn value<'e>(name: &str, env: &'e Environment) -> Option<&'e str> {
    env.get(name).map(String::as_str).filter(|value| !value.is_empty())
}

/// Replaces all variables in a value.
///
/// # Errors
/// A text that names the variable that is not set.
pub(super) fn insert(value: &mut Value, env: &Environment) -> Result<(), String> {
    match value {
        Value::String(text) => *text = inserted(text, env)?,
        Value::Array(items) => items.iter_mut().try_for_each(|item| insert(item, env))?,
        Value::Object(fields) => fields.values_mut().try_for_each(|field| insert(field, env))?,
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
    Ok(())
}

fn inserted(text: &str, env: &Environment) -> Result<String, String> {
    let mut done = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('$') {
        done.push_str(&rest[..at]);
        rest = &rest[at + 1..];
        if let Some(after) = rest.strip_prefix('$') {
            done.push('$');
            rest = after;
            continue;
        }
        let Some((inside, after)) = rest.strip_prefix('{').and_then(|rest| rest.split_once('}')) else {
            done.push('$');
            continue;
        };
        let (name, default) = inside.split_once(":-").map_or((inside, None), |(name, text)| (name, Some(text)));
        if !is_name(name) {
            return Err(format!("`${{{inside}}}`, which names no variable"));
        }
        match (value(name, env), default) {
            (Some(set), _) => done.push_str(set),
            (None, Some(default)) => done.push_str(default),
            (None, None) => return Err(format!("`${{{name}}}`, but {name} is not set")),
        }
        rest = after;
    }
    done.push_str(rest);
    Ok(done)
}

fn is_name(text: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '_';
    !text.is_empty() && text.chars().all(plain) && !text.starts_with(|c: char| c.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn filled(text: &str) -> Result<String, String> {
        let env = [("HOST", "db"), ("EMPTY", "")].map(|(name, set)| (name.to_owned(), set.to_owned())).into();
        inserted(text, &env)
    }

    #[test]
    fn variables_are_replaced_and_missing_ones_named() {
        assert_eq!(filled("redis://${HOST}:${PORT:-6379}/${EMPTY:-0}"), Ok("redis://db:6379/0".to_owned()));
        assert_eq!(filled("costs $5, $$HOME, $${HOST}"), Ok("costs $5, $HOME, ${HOST}".to_owned()));
        assert_eq!(filled("${PORT}"), Err("`${PORT}`, but PORT is not set".to_owned()));
        assert_eq!(filled("${EMPTY}"), Err("`${EMPTY}`, but EMPTY is not set".to_owned()));
        assert_eq!(filled("${a b}"), Err("`${a b}`, which names no variable".to_owned()));
        assert_eq!((only("${PORT}"), only("${PORT:-1}"), only("x${PORT}")), (Some("PORT"), Some("PORT"), None));
        assert_eq!((only("${"), only("}"), only("")), (None, None, None));
    }

    proptest! {
        #[test]
        fn a_text_without_a_dollar_sign_is_kept(text in "[^$]{0,40}") {
            prop_assert_eq!(filled(&text), Ok(text));
        }

        #[test]
        fn any_text_can_be_written(text: String) {
            let escaped = text.replace('$', "$$");
            prop_assert_eq!(filled(&escaped), Ok(text));
        }

        #[test]
        fn nothing_panics(text in "[${}:A-Z-]{0,12}") {
            let _ = (filled(&text), only(&text));
        }
    }
}
