//! Loading: the file and the environment over the defaults, reporting all problems at once.
//!
//! Each configured value is tried alone on top of the defaults. A wrong one is thus reported with its key, whatever
//! else is wrong, and an environment value is parsed as the type of its key: nothing is guessed from its form.

use super::check::{self, problem};
use super::old_keys::{instead_of, renamed};
use super::problem::{ConfigError, Origin, PREFIX, Problem, read_file, variable};
use super::settings::Config;
use super::tree::{flatten, tree};
use super::variables::{self, Environment};
use crate::text::ids::Gate;
use config::{FileFormat, Source, Value as RawValue, ValueKind};
use serde_json::{Map, Value};
use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};

/// Read if no file is named and this one exists.
pub const SYSTEM_FILE: &str = "/etc/feedbackd/config.toml";

/// Names the file if `--config` does not.
const FILE_VARIABLE: &str = "FEEDBACKD_CONFIG";
/// Its keys are gates, so it is open; all other tables are closed.
const OPEN_TABLE: &str = "intake.gate_agents";

/// Loads the configuration: the named file, else the one in `FEEDBACKD_CONFIG`, else [`SYSTEM_FILE`] if it exists, else
/// none; overridden by the environment.
///
/// # Errors
/// [`ConfigError::Invalid`] with all problems; the others if the file cannot be read.
pub fn load(path: Option<&Path>, env: &Environment) -> Result<Config, ConfigError> {
    let mut problems = Vec::new();
    let file = file_to_read(path, env);
    let mut settings = match &file {
        Some((path, what)) => read_toml(path, what, env, &mut problems)?,
        None => BTreeMap::new(),
    };
    settings.extend(read_environment(env, &mut problems));

    let defaults = tree(&Config::default());
    let known: Vec<(String, Value)> = flatten(&defaults);
    problems.extend(env.keys().filter_map(|name| misspelt(name, &known)));
    let mut effective = defaults.clone();
    let mut origins = BTreeMap::new();
    let mut old = Vec::new();
    for (key, (value, origin)) in present(settings, &mut old) {
        if let Some(instead) = instead_of(&key) {
            old.push(format!("{key} ({origin}) no longer has any effect: {instead}"));
            continue;
        }
        let Some(value) = typed(&key, value, &known, &origin, &mut problems) else { continue };
        let mut alone = defaults.clone();
        put(&mut alone, &key, value.clone());
        if serde_json::from_value::<Config>(alone).is_err() {
            problems.push(problem(&key, origin, &value));
            continue;
        }
        put(&mut effective, &key, value);
        origins.insert(key, origin);
    }

    // No values are valid alone but invalid together today; the error would report them.
    let mut config: Config = serde_json::from_value(effective)
        .map_err(|e| ConfigError::Invalid(vec![whole("the configuration", Origin::Default, &e.to_string())]))?;
    config.origins = origins;
    config.old_keys = old;
    config.file = file.map(|(path, _)| path);
    use_credential(&mut config, env);
    problems.extend(check::problems(&config));
    if problems.is_empty() { Ok(config) } else { Err(ConfigError::Invalid(problems)) }
}

fn file_to_read(path: Option<&Path>, env: &Environment) -> Option<(PathBuf, &'static str)> {
    match (path, env.get(FILE_VARIABLE).filter(|named| !named.is_empty())) {
        (Some(path), _) => Some((path.to_owned(), "--config")),
        (None, Some(path)) => Some((PathBuf::from(path), FILE_VARIABLE)),
        (None, None) => {
            Path::new(SYSTEM_FILE).exists().then(|| (PathBuf::from(SYSTEM_FILE), "the system's configuration"))
        }
    }
}

type Settings = BTreeMap<String, (Value, Origin)>;

fn read_toml(path: &Path, what: &str, env: &Environment, problems: &mut Vec<Problem>) -> Result<Settings, ConfigError> {
    let text = read_file(path, what)?;
    let tables = config::File::from_str(&text, FileFormat::Toml)
        .collect()
        .map_err(|e| ConfigError::Syntax { path: path.to_owned(), message: e.to_string() })?;
    let tree = Value::Object(tables.into_iter().map(|(name, value)| (name, plain(value))).collect());
    let origin = Origin::File(path.to_owned());
    let mut settings = Settings::new();
    for (key, mut value) in flatten(&tree) {
        let key = canonical(&key);
        let mut origin = origin.clone();
        // What comes from a variable alone is parsed as from there.
        if let Some(name) =
            value.as_str().and_then(variables::only).filter(|name| variables::value(name, env).is_some())
        {
            origin = Origin::Environment(name.to_owned());
        }
        if let Err(found) = variables::insert(&mut value, env) {
            problems.push(Problem { hint: variables::HINT.to_owned(), ..whole(&key, origin, &found) });
            continue;
        }
        settings.insert(key, (value, origin));
    }
    // An empty table has no leaves, but an unknown one is still an error.
    for (name, value) in tree.as_object().into_iter().flatten() {
        if value.as_object().is_some_and(Map::is_empty) && check::section(name).is_empty() {
            settings.insert(name.clone(), (Value::Object(Map::new()), origin.clone()));
        }
    }
    Ok(settings)
}

fn read_environment(env: &Environment, problems: &mut Vec<Problem>) -> Settings {
    let ours: HashMap<String, String> =
        env.iter().filter(|(name, _)| name.starts_with(PREFIX)).map(|(n, v)| (n.clone(), v.clone())).collect();
    let names: BTreeMap<String, String> =
        ours.keys().map(|name| (name[PREFIX.len()..].to_lowercase().replace("__", "."), name.clone())).collect();
    // No parsing here: `typed` knows the type of each key, and a tenant called `42` stays a text.
    let source = config::Environment::with_prefix("FEEDBACKD").separator("__").source(Some(ours));
    match source.collect() {
        Ok(values) => values
            .into_iter()
            .map(|(key, value)| {
                let name = names.get(&key).cloned().unwrap_or_else(|| variable(&key));
                (canonical(&key), (plain(value), Origin::Environment(name)))
            })
            .collect(),
        Err(e) => {
            problems.push(whole("the environment", Origin::Environment(PREFIX.to_owned()), &e.to_string()));
            Settings::new()
        }
    }
}

/// Parses a value as its key requires; returns `None`, with the problem recorded, if the key is unknown or the text is
/// not a number.
fn typed(
    key: &str,
    value: Value,
    known: &[(String, Value)],
    origin: &Origin,
    problems: &mut Vec<Problem>,
) -> Option<Value> {
    let gate = key.strip_prefix(OPEN_TABLE).and_then(|rest| rest.strip_prefix('.'));
    let expected = known.iter().find(|(name, _)| name == key).map(|(_, default)| default);
    if expected.is_none() && gate.is_none_or(|gate| Gate::parse(gate).is_none()) {
        problems.push(unknown(key, origin.clone(), known));
        return None;
    }
    if let (Origin::Environment(_), Value::String(text), Some(Value::Bool(_))) = (origin, &value, expected) {
        let flag = text.trim().parse::<bool>().ok();
        if flag.is_none() {
            problems.push(problem(key, origin.clone(), &value));
        }
        return flag.map(Value::Bool);
    }
    if let (Origin::Environment(_), Value::String(text), Some(Value::Array(_))) = (origin, &value, expected) {
        let list = config::File::from_str(&format!("list = {text}"), FileFormat::Toml).collect().ok();
        let list = list.and_then(|mut tables| tables.remove("list")).map(plain);
        if list.is_none() {
            problems.push(problem(key, origin.clone(), &value));
        }
        return list;
    }
    let (Origin::Environment(_), Value::String(text), Some(Value::Number(default))) = (origin, &value, expected) else {
        return Some(value);
    };
    let text = text.trim();
    let number = if default.is_f64() {
        text.parse::<f64>().ok().and_then(serde_json::Number::from_f64)
    } else {
        text.parse::<u64>().ok().map(Into::into)
    };
    if number.is_none() {
        problems.push(problem(key, origin.clone(), &value));
    }
    number.map(Value::Number)
}

/// Gives renamed keys their present names, and reports them. A present name takes precedence.
fn present(settings: Settings, old: &mut Vec<String>) -> Settings {
    let (before, mut settings): (Settings, Settings) =
        settings.into_iter().partition(|(key, _)| renamed(key).is_some());
    for (key, (value, origin)) in before {
        let Some(new) = renamed(&key) else { continue };
        old.push(format!("{key} ({origin}) is now called {new}; the old name works for one release"));
        settings.entry(new.to_owned()).or_insert((value, origin));
    }
    settings
}

/// Creates a problem that is not about one key.
fn whole(key: &str, origin: Origin, found: &str) -> Problem {
    Problem {
        key: key.to_owned(),
        variable: format!("{PREFIX}..."),
        origin,
        found: found.to_owned(),
        allowed: String::new(),
        hint: String::new(),
    }
}

fn unknown(key: &str, origin: Origin, known: &[(String, Value)]) -> Problem {
    let section = key.split('.').next().unwrap_or(key);
    let names = check::section(section);
    let allowed = if key.starts_with(OPEN_TABLE) {
        "a gate such as `HITL-2`".to_owned()
    } else if names.is_empty() {
        format!("the sections {}", check::sections().join(", "))
    } else {
        format!("in `{section}`: {}", names.join(", "))
    };
    let near = known.iter().map(|(name, _)| (strsim::levenshtein(name, key), name)).min();
    let hint = match (near, &origin) {
        (Some((3.., _)) | None, _) => "remove it; `feedbackd config reference` lists every key".to_owned(),
        (Some((_, name)), Origin::Environment(_)) => format!("did you mean `{}`?", variable(name)),
        (Some((_, name)), _) => format!("did you mean `{name}`?"),
    };
    let found = "an unknown key".to_owned();
    let variable = match &origin {
        Origin::Environment(name) => name.clone(),
        _ => variable(key),
    };
    Problem { key: key.to_owned(), variable, origin, found, allowed, hint }
}

/// A variable with single instead of double underscores would silently have no effect.
fn misspelt(name: &str, known: &[(String, Value)]) -> Option<Problem> {
    let flat = |text: &str| text.to_lowercase().replace("__", "_").replace(['.', '-'], "_");
    let said = flat(name.strip_prefix("FEEDBACKD_").filter(|_| !name.starts_with(PREFIX))?);
    let (key, _) = known.iter().find(|(key, _)| flat(key) == said)?;
    Some(Problem {
        key: key.clone(),
        variable: name.to_owned(),
        origin: Origin::Environment(name.to_owned()),
        found: "a variable with single underscores".to_owned(),
        allowed: variable(key),
        hint: "separate sections and keys with two underscores".to_owned(),
    })
}

/// Uses the password and keys from systemd if not set otherwise.
fn use_credential(config: &mut Config, env: &Environment) {
    let Some(dir) = env.get("CREDENTIALS_DIRECTORY").filter(|dir| !dir.is_empty()) else { return };
    let credentials = [
        ("store.signing_key_file", "store_signing_key", &mut config.store.signing_key_file),
        ("remote.token_file", "remote_token", &mut config.remote.token_file),
        ("remote.ssh_key_file", "remote_ssh_key", &mut config.remote.ssh_key_file),
        ("redis.password_file", "redis_password", &mut config.redis.password_file),
        ("redis.sentinel_password_file", "redis_sentinel_password", &mut config.redis.sentinel_password_file),
        ("redis.key_file", "redis_key", &mut config.redis.key_file),
        ("embedder.api_key_file", "embedder_api_key", &mut config.embedder.api_key_file),
        ("knowledge.api_key_file", "knowledge_api_key", &mut config.knowledge.api_key_file),
        ("model.api_key_file", "model_api_key", &mut config.model.api_key_file),
        ("http.api_token_file", "http_api_token", &mut config.http.api_token_file),
        ("http.proxy.signature_key_file", "http_proxy_signature_key", &mut config.http.proxy.signature_key_file),
        ("http.oidc.client_secret_file", "http_oidc_client_secret", &mut config.http.oidc.client_secret_file),
        ("review_ui.token_file", "review_ui_token", &mut config.review_ui.token_file),
        ("traces.headers_file", "traces_headers", &mut config.traces.headers_file),
        ("notify.smtp_password_file", "smtp_password", &mut config.notify.smtp_password_file),
    ];
    for (key, name, path) in credentials {
        let file = Path::new(dir).join(name);
        if *path == Path::new("") && file.exists() {
            *path = file;
            config.origins.insert(key.to_owned(), Origin::Credential);
        }
    }
}

fn put(tree: &mut Value, key: &str, value: Value) {
    let mut at = tree;
    for part in key.splitn(3, '.') {
        if !at.is_object() {
            *at = Value::Object(Map::new());
        }
        at = &mut at[part];
    }
    *at = value;
}

/// Returns a gate's canonical name, however it is spelled; `1` alone is gate 1.
fn canonical(key: &str) -> String {
    let Some(gate) = key.strip_prefix(OPEN_TABLE).and_then(|rest| rest.strip_prefix('.')) else {
        return key.to_owned();
    };
    match Gate::parse(gate).or_else(|| Gate::parse(&format!("HITL-{gate}"))) {
        Some(gate) => format!("{OPEN_TABLE}.{gate}"),
        None => key.to_owned(),
    }
}

fn plain(value: RawValue) -> Value {
    match value.kind {
        ValueKind::Nil => Value::Null,
        ValueKind::Boolean(b) => b.into(),
        ValueKind::I64(n) => n.into(),
        ValueKind::I128(n) => i64::try_from(n).map_or_else(|_| n.to_string().into(), Into::into),
        ValueKind::U64(n) => n.into(),
        ValueKind::U128(n) => u64::try_from(n).map_or_else(|_| n.to_string().into(), Into::into),
        // JSON has no NaN or infinity; as texts they are rejected like any other.
        ValueKind::Float(n) if !n.is_finite() => n.to_string().into(),
        ValueKind::Float(n) => n.into(),
        ValueKind::String(text) => text.into(),
        ValueKind::Array(items) => items.into_iter().map(plain).collect(),
        ValueKind::Table(table) => Value::Object(table.into_iter().map(|(name, v)| (name, plain(v))).collect()),
    }
}
