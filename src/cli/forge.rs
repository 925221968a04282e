//! `forge check`: whether a connected forge is usable.

use super::context::Context;
use super::doctor::check::{Check, Verdict, describe, ok, problem, warning};
use super::exit::{CliError, Exit};
use super::history_progress::advice;
use super::output::Output;
use super::page::when;
use crate::app::forges::history::{HistoryError, ProbeResult};
use crate::config::{Config, ForgeConfig, ForgeKind, is_project};
use crate::domain::intake::forge::HeardFrom;
use crate::wiring;

/// The subcommands for forges.
#[derive(Debug, clap::Subcommand)]
pub enum Command {
    /// Check that a forge's API answers, its token is valid and may read, and its webhook secret exists
    Check(Args),
}

/// Its options.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The forge, by its `name` in [[forges.connected]]
    name: String,
    /// A repository to check as well, OWNER/NAME, on Gerrit a project; default: those in `repositories`
    repository: Option<String>,
}

/// Runs the command.
pub fn run(command: &Command, context: &Context<'_>, out: &mut Output<'_>) -> Result<Exit, CliError> {
    let (Command::Check(args), config) = (command, context.config()?);
    if args.repository.as_deref().is_some_and(|name| !is_project(name)) {
        return Err(CliError::new(Exit::Usage, "that names no repository", "write it as OWNER/NAME"));
    }
    let history = |repository: &str| wiring::history(&config, &args.name, repository, None);
    let mut checks = Vec::new();
    let forge = config.forges.connected.iter().find(|forge| forge.name == args.name);
    if let Some(forge) = forge {
        if !forge.secret_files.is_empty() {
            checks.push(secret(forge));
        }
        if !forge.ssh.is_empty() {
            checks.push(stream(&config, forge)?);
        }
        checks.push(heard(forge));
    }
    // Gerrit's reviews are ingested without an API as well.
    match forge {
        Some(forge) if forge.kind == ForgeKind::Gerrit && forge.api().is_none() => checks.push(no_api()),
        forge => {
            checks.extend(forge.map(token));
            checks.push(match history("")?.greet() {
                Ok(greeted) => left(&greeted),
                Err(error) => wrong("api", &error),
            });
        }
    }
    let listed = config.forges.connected.iter().filter(|forge| forge.name == args.name).flat_map(|f| &f.repositories);
    let listed = listed.filter(|_| args.repository.is_none() && forge.is_some_and(|forge| forge.api().is_some()));
    for repository in args.repository.iter().chain(listed) {
        checks.push(match history(repository)?.peek() {
            Ok(_) => ok("repository", format!("the pull requests of {repository} can be read")),
            Err(error) => wrong("repository", &error),
        });
    }
    let bad = checks.iter().any(|check: &Check| check.verdict == Verdict::Problem);
    out.answer(&checks, |o| describe(&checks, o.list_width().unwrap_or(usize::MAX)))?;
    Ok(if bad { Exit::Failure } else { Exit::Ok })
}

fn secret(forge: &ForgeConfig) -> Check {
    match forge.secrets() {
        Ok(secrets) if secrets.is_empty() => {
            ok("webhook", "none: reviews come by its API or its stream, and webhooks are rejected".to_owned())
        }
        Ok(_) => ok("webhook", format!("its secret is set; the address is /hooks/{}", forge.name)),
        Err(error) => problem("webhook", error.to_string(), "create a secret with `openssl rand -hex 32`"),
    }
}

/// Checks whose comments count.
fn heard(forge: &ForgeConfig) -> Check {
    let parts = match wiring::heard_from(forge) {
        HeardFrom::Anyone => return ok("heard", "everyone who may comment"),
        HeardFrom::Usual(parts) | HeardFrom::Named(parts) => parts.join(", "),
    };
    match forge.kind {
        _ if forge.can_be_asked() => ok("heard", format!("{parts}; the API reports who that is")),
        ForgeKind::Github => {
            ok("heard", format!("{parts}; without a token, private members of an organisation are not recognised"))
        }
        _ => warning(
            "heard",
            "everyone who may comment: without a token, the members of a repository are unknown",
            "put a token into a file, and name it in token_file; or set heard_from = [\"anyone\"]",
        ),
    }
}

/// Connects, then closes the connection.
fn stream(config: &Config, forge: &ForgeConfig) -> Result<Check, CliError> {
    Ok(match wiring::try_stream(config, forge)? {
        None => ok("stream", format!("{} is connected", forge.ssh)),
        Some(why) => problem(
            "stream",
            why,
            "try `ssh -p PORT USER@HOST gerrit stream-events` as the daemon's user; the account needs a key, \
             and the capability Stream Events",
        ),
    })
}

fn no_api() -> Check {
    warning("api", "none is set: inline comments and earlier comments are not read", "set api_url to Gerrit's address")
}

fn token(forge: &ForgeConfig) -> Check {
    match forge.token() {
        Ok(Some(_)) => ok("token", "it is set"),
        Ok(None) => warning(
            "token",
            "none is set: only public data can be read, and few requests are allowed",
            "put a token that may read pull requests into a file, and name it in token_file",
        ),
        Err(error) => problem("token", error.to_string(), "it must be readable for the user who runs this"),
    }
}

fn left(greeted: &ProbeResult) -> Check {
    let more = greeted.more_at.map(|at| format!(" until {} UTC", when(at))).unwrap_or_default();
    match greeted.left {
        Some(0) => warning("api", format!("it answers; no requests are left{more}"), "an import waits until then"),
        Some(left) => ok("api", format!("it answers; {left} requests are left{more}")),
        None => ok("api", "it answers"),
    }
}

fn wrong(name: &'static str, error: &HistoryError) -> Check {
    problem(name, error.to_string(), advice(error))
}
