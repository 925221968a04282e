//! `token create|link|list|revoke`: credentials that represent a person to programs and browsers.

use super::context::Context;
use super::exit::{CliError, Exit};
use super::output::Output;
use super::page::{self, when};
use crate::app::admin::tokens::{Kind, Scope, Token, TokenError, TokenRequest};
use crate::config::Config;
use crate::wiring::{self, asked};
use jiff::{SignedDuration, Span, SpanRelativeTo, Timestamp};
use serde::Serialize;

/// The lifetime of a login link.
const LINK_LASTS: SignedDuration = SignedDuration::from_mins(5);
/// The maximum lifetime of a token.
const LONGEST: SignedDuration = SignedDuration::from_hours(24 * 366);

/// The subcommands.
#[derive(Debug, clap::Subcommand)]
pub enum Command {
    /// Create a token for a person on the roster; it is printed once
    Create {
        #[command(flatten)]
        whose: Whose,
        /// Its name in lists, such as the machine it is for
        #[arg(long, value_name = "TEXT", default_value = "")]
        name: String,
        /// How long it is valid, such as 12h or 90d; at most a year
        #[arg(long, value_name = "TIME", default_value = "90d", value_parser = lasting)]
        expires: SignedDuration,
    },
    /// Create a link that logs a person in to the pages, once and within 5 minutes
    Link {
        #[command(flatten)]
        whose: Whose,
    },
    /// List all tokens, latest first
    List,
    /// Invalidate a token, and end the sessions that began with it
    Revoke {
        /// Its id, as shown by `list` and contained in the token
        id: String,
    },
}

/// Whom a token represents, and what it allows.
#[derive(Debug, clap::Args)]
pub struct Whose {
    /// Whom it represents: an id on the roster (reviewers.yaml)
    #[arg(long = "as", value_name = "ID")]
    who: String,
    /// What it allows; each scope includes those before it
    #[arg(long, value_enum, default_value_t = ScopeName::Decide)]
    scope: ScopeName,
}

/// A scope.
#[derive(Clone, Copy, Debug, clap::ValueEnum)]
pub enum ScopeName {
    /// View everything
    Read,
    /// Also decide
    Decide,
    /// Also fix what went wrong
    Admin,
}

/// A token as shown in lists.
#[derive(Debug, Serialize)]
struct Row {
    id: String,
    reviewer: String,
    name: String,
    kind: Kind,
    scope: Scope,
    created_at: Timestamp,
    expires_at: Timestamp,
    #[serde(skip_serializing_if = "Option::is_none")]
    used_at: Option<Timestamp>,
    #[serde(skip_serializing_if = "Option::is_none")]
    revoked_at: Option<Timestamp>,
    /// Its state: `valid`, `expired`, `revoked` or `used`.
    state: &'static str,
}

/// A newly created token.
#[derive(Debug, Serialize)]
struct NewToken {
    #[serde(flatten)]
    row: Row,
    /// The token, which is stored nowhere else.
    token: String,
    /// The login URL.
    #[serde(skip_serializing_if = "Option::is_none")]
    url: Option<String>,
}

/// Runs a subcommand.
pub fn run(command: &Command, context: &Context<'_>, out: &mut Output<'_>) -> Result<Exit, CliError> {
    let (config, now) = (context.config()?, wiring::now());
    let tokens = wiring::tokens(&config);
    match command {
        Command::Create { whose, name, expires } => {
            let made = make(whose, Kind::Token, name, *expires, context, out)?;
            out.answer(&made, |_| {
                let NewToken { row, token, .. } = &made;
                format!(
                    "{token}\nthe token {} for {}, to {}, until {} UTC; it is shown only once",
                    row.id,
                    row.reviewer,
                    row.scope.as_str(),
                    when(row.expires_at)
                )
            })?;
        }
        Command::Link { whose } => {
            let made = make(whose, Kind::Link, "login link", LINK_LASTS, context, out)?;
            out.answer(&made, |_| {
                let url = made.url.as_deref().unwrap_or_default();
                format!("{url}\nlogs {} in, once, until {} UTC", made.row.reviewer, when(made.row.expires_at))
            })?;
        }
        Command::List => {
            let rows: Vec<Row> = tokens.all()?.into_iter().map(|token| row(token, now)).collect();
            out.answer(&rows, |o| {
                if rows.is_empty() {
                    return "No tokens. Create one with `feedbackd token create --as ID`.".to_owned();
                }
                let cells = rows.iter().map(|row| {
                    let until = when(row.expires_at);
                    let scope = row.scope.as_str().to_owned();
                    vec![row.id.clone(), row.reviewer.clone(), scope, row.state.to_owned(), until, row.name.clone()]
                });
                page::list(&["token", "person", "scope", "state", "until", "name"], cells.collect(), o.list_width())
            })?;
        }
        Command::Revoke { id } => {
            let revoked = row(tokens.revoke(id, now)?, now);
            out.answer(&revoked, |_| format!("the token {} of {} is revoked", revoked.id, revoked.reviewer))?;
        }
    }
    Ok(Exit::Ok)
}

fn make(
    whose: &Whose,
    kind: Kind,
    name: &str,
    lasts: SignedDuration,
    context: &Context<'_>,
    out: &mut Output<'_>,
) -> Result<NewToken, CliError> {
    let config = context.config()?;
    let roster = context.reading(out)?.queries().rosters(&asked(&config))?.in_force;
    if roster.find(&whose.who).is_none() {
        let message = format!("`{}` is not on the roster in force", whose.who);
        let hint = "`feedbackd roster show` lists its members; only they can have tokens";
        return Err(CliError::new(Exit::NotFound, message, hint));
    }
    let wanted = TokenRequest {
        kind,
        reviewer: whose.who.clone(),
        name: name.chars().filter(|c| !c.is_control()).take(100).collect(),
        scope: whose.scope.into(),
        lasts,
    };
    let now = wiring::now();
    let (token, made) = wiring::tokens(&config).create(&wanted, now)?;
    let url = (kind == Kind::Link).then(|| format!("{}/login?link={token}", address(&config)));
    Ok(NewToken { row: row(made, now), token, url })
}

/// Returns the address of this configuration's pages.
fn address(config: &Config) -> String {
    let listen = config.http.listen;
    // It is opened on this machine; elsewhere the name differs.
    let ip = if listen.ip().is_unspecified() { [127, 0, 0, 1].into() } else { listen.ip() };
    format!("http://{}", std::net::SocketAddr::new(ip, listen.port()))
}

fn row(token: Token, now: Timestamp) -> Row {
    let state = match (&token.revoked_at, &token.used_at) {
        (Some(_), _) => "revoked",
        (None, Some(_)) => "used",
        (None, None) if token.expires_at <= now => "expired",
        (None, None) => "valid",
    };
    Row {
        id: token.id,
        reviewer: token.reviewer,
        name: token.name,
        kind: token.kind,
        scope: token.scope,
        created_at: token.created_at,
        expires_at: token.expires_at,
        used_at: token.used_at,
        revoked_at: token.revoked_at,
        state,
    }
}

fn lasting(text: &str) -> Result<SignedDuration, String> {
    let wrong = || "write a time such as 12h or 90d, from a minute to a year".to_owned();
    let span: Span = text.parse().map_err(|_| wrong())?;
    let lasts = span.to_duration(SpanRelativeTo::days_are_24_hours()).map_err(|_| wrong())?;
    if (SignedDuration::from_mins(1)..=LONGEST).contains(&lasts) { Ok(lasts) } else { Err(wrong()) }
}

impl From<ScopeName> for Scope {
    fn from(name: ScopeName) -> Scope {
        match name {
            ScopeName::Read => Scope::Read,
            ScopeName::Decide => Scope::Decide,
            ScopeName::Admin => Scope::Admin,
        }
    }
}

impl From<TokenError> for CliError {
    fn from(error: TokenError) -> CliError {
        let exit = if matches!(error, TokenError::NoSuchId(_)) { Exit::NotFound } else { Exit::Failure };
        CliError::new(exit, error.to_string(), "")
    }
}
