//! `doctor`: looks at everything the daemon needs, and says what is wrong and how to mend it.
//!
//! It only looks: nothing is made, repaired or written, except a file of its own that it removes at once.

use super::exit::{CliError, Exit};
use super::opener;
use super::output::Output;
use crate::app::queries::Queries;
use crate::config::Config;
use crate::wiring;
use serde::Serialize;
use std::path::Path;

/// How a check came out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
enum Verdict {
    Ok,
    Warning,
    Problem,
}

#[derive(Debug, Serialize)]
struct Check {
    name: &'static str,
    verdict: Verdict,
    finding: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    hint: String,
}

/// Runs all checks. Exit code 1 where there is a problem.
pub fn run(file: Option<&Path>, out: &mut Output<'_>) -> Result<Exit, CliError> {
    let mut checks = Vec::new();
    match opener::load(file) {
        Err(error) => checks.push(problem("configuration", error.message, error.hint)),
        Ok(config) => {
            checks.push(ok("configuration", "every key is right"));
            check_redis(&config, &mut checks);
            check_store(&config, &mut checks);
            checks.push(check_embedder());
            checks.push(check_state(&config));
            checks.extend(check_corrections(&config));
            checks.push(check_http(&config));
        }
    }
    let bad = checks.iter().any(|c| c.verdict == Verdict::Problem);
    out.answer(&checks, |_| describe(&checks))?;
    Ok(if bad { Exit::Failure } else { Exit::Ok })
}

fn check_redis(config: &Config, checks: &mut Vec<Check>) {
    let runtime = match tokio::runtime::Builder::new_current_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => {
            checks.push(problem("redis", format!("cannot look: {error}"), ""));
            return;
        }
    };
    match runtime.block_on(wiring::probe(config)) {
        Err(error) => {
            let error = CliError::from(error);
            checks.push(problem("redis", error.message, error.hint));
        }
        Ok(probe) => {
            checks.push(ok("redis", format!("version {}, answers in {:.1} ms", probe.version, probe.ping_ms)));
            for stream in &probe.streams {
                let state = match &stream.group {
                    None => "the daemon has not read it yet".to_owned(),
                    Some(group) => format!(
                        "{} pending, {} not yet read",
                        group.pending,
                        group.lag.map_or_else(|| "an unknown number".to_owned(), |lag| lag.to_string())
                    ),
                };
                checks.push(ok("stream", format!("{}: {} entries, {state}", stream.key, stream.length)));
            }
            for finding in probe.findings() {
                checks.push(warning("redis", finding.problem, finding.hint));
            }
        }
    }
}

fn check_store(config: &Config, checks: &mut Vec<Check>) {
    let path = &config.store.path;
    let reading = match wiring::reading(config) {
        Ok(reading) => reading,
        Err(error) => {
            let error = CliError::from(error);
            checks.push(problem("store", error.message, error.hint));
            return;
        }
    };
    match reading.notice() {
        Some(notice) => checks.push(warning(
            "index",
            notice,
            "the daemon brings it up at its next start, or `feedbackd reindex` now",
        )),
        None => checks.push(ok("index", "up to date with the store")),
    }
    let queries = reading.queries();
    match queries.status() {
        Err(error) => {
            let error = CliError::from(error);
            checks.push(problem("store", error.message, error.hint));
        }
        Ok(status) => {
            let at = status.head.as_ref().map_or("no commits", |c| c.short());
            checks.push(ok("store", format!("{}, {} feedback records, at {at}", path.display(), status.feedback)));
            for file in &status.unreadable {
                checks.push(warning(
                    "store",
                    format!("{} cannot be read: {}", file.path, file.why),
                    "mend the file in a clone of the store and push it",
                ));
            }
        }
    }
    checks.push(check_writable("store permissions", path));
    checks.push(check_roster(&queries));
    checks.push(check_git());
}

fn check_roster(queries: &Queries<'_>) -> Check {
    let edit = "edit reviewers.yaml in a clone of the store, commit and push";
    match queries.roster() {
        Err(error) => problem("roster", error.to_string(), edit),
        Ok(None) => warning("roster", "there is no reviewers.yaml in the store", edit),
        Ok(Some(roster)) => match roster.approvers() {
            0 => warning("roster", "nobody on the roster may approve rules", edit),
            1 => warning("roster", "one person may approve rules; a rule needs two", edit),
            n => ok("roster", format!("{} people, {n} of them may approve rules", roster.reviewers.len())),
        },
    }
}

fn check_embedder() -> Check {
    let hint = "the program is damaged; install it again";
    let embedder = match wiring::embedder() {
        Ok(embedder) => embedder,
        Err(error) => return problem("embedder", error.to_string(), hint),
    };
    let words = ["the handler has no error handling", "add error handling to the handler", "translate the notes"];
    let vectors = embedder.embed(&words.map(str::to_owned));
    match vectors.as_slice() {
        [Some(a), Some(b), Some(c)] if a.cosine(b) > a.cosine(c) => ok("embedder", format!("{} works", embedder.id())),
        _ => problem("embedder", format!("{} does not tell near texts from far ones", embedder.id()), hint),
    }
}

fn check_state(config: &Config) -> Check {
    let dir = &config.state.dir;
    if dir.exists() {
        return check_writable("state permissions", dir);
    }
    match dir.parent().filter(|p| !p.as_os_str().is_empty()) {
        Some(parent) if !parent.exists() => problem(
            "state permissions",
            format!("neither {} nor the directory above it is there", dir.display()),
            "make it, or let state.dir name another",
        ),
        _ => ok("state permissions", format!("{} will be made at the first start", dir.display())),
    }
}

fn check_writable(name: &'static str, dir: &Path) -> Check {
    let file = dir.join(format!(".doctor-{}", std::process::id()));
    match std::fs::write(&file, b"").and_then(|()| std::fs::remove_file(&file)) {
        Ok(()) => ok(name, format!("{} can be written", dir.display())),
        Err(error) => problem(
            name,
            format!("{} cannot be written: {error}", dir.display()),
            "run this as the daemon's user, or give that user the directory (chown)",
        ),
    }
}

fn check_corrections(config: &Config) -> Option<Check> {
    let root = &config.intake.corrections_root;
    if root.as_os_str().is_empty() {
        return None;
    }
    Some(match std::fs::read_dir(root) {
        Ok(_) => ok("corrections", format!("{} can be read", root.display())),
        Err(error) => warning(
            "corrections",
            format!("{} cannot be read: {error}", root.display()),
            "corrections that come as files will be missing; intake.corrections_root names the directory",
        ),
    })
}

fn check_http(config: &Config) -> Check {
    let listen = config.http.listen;
    if config.http.is_exposed() {
        warning(
            "http",
            format!("health and metrics are open on {listen}, not only on this machine"),
            "set http.listen to 127.0.0.1:9464, or guard the port: there is no authentication",
        )
    } else if let Err(error) = std::net::TcpListener::bind(listen) {
        warning(
            "http",
            format!("{listen} for health and metrics cannot be taken: {error}"),
            "right while the daemon runs; otherwise http.listen names an address that something else has",
        )
    } else {
        ok("http", format!("health and metrics on {listen}"))
    }
}

/// The daemon works without Git's program; only old packs stay apart.
fn check_git() -> Check {
    let found = std::env::var_os("PATH")
        .is_some_and(|paths| std::env::split_paths(&paths).any(|dir| dir.join("git").is_file()));
    if found {
        ok("git", "found, packs are combined when the daemon is idle")
    } else {
        warning(
            "git",
            "not found on the PATH",
            "install git: without it packs are never combined and reading slows down",
        )
    }
}

fn ok(name: &'static str, finding: impl Into<String>) -> Check {
    Check { name, verdict: Verdict::Ok, finding: finding.into(), hint: String::new() }
}

fn warning(name: &'static str, finding: impl Into<String>, hint: impl Into<String>) -> Check {
    Check { name, verdict: Verdict::Warning, finding: finding.into(), hint: hint.into() }
}

fn problem(name: &'static str, finding: impl Into<String>, hint: impl Into<String>) -> Check {
    Check { name, verdict: Verdict::Problem, finding: finding.into(), hint: hint.into() }
}

fn describe(checks: &[Check]) -> String {
    let mut text = String::new();
    for check in checks {
        let mark = match check.verdict {
            Verdict::Ok => "ok     ",
            Verdict::Warning => "warning",
            Verdict::Problem => "PROBLEM",
        };
        text += &format!("{mark}  {:17}  {}\n", check.name, check.finding);
        if !check.hint.is_empty() {
            text += &format!("{:28}-> {}\n", "", check.hint);
        }
    }
    text
}
