//! Whether Redis responds, and the state of its streams.

use super::check::{Check, ok, problem, warning};
use crate::cli::exit::CliError;
use crate::cli::runtime::runtime;
use crate::config::Config;
use crate::wiring::{self, Finding, MissingRight};

pub(super) fn check_redis(config: &Config, checks: &mut Vec<Check>) {
    let runtime = match runtime() {
        Ok(runtime) => runtime,
        Err(error) => {
            checks.push(problem("redis", error.message, error.hint));
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
            if let Ok(route) = runtime.block_on(wiring::redis_route(config)) {
                checks.push(ok("redis", route));
            }
            checks.extend(missing_rights(runtime.block_on(wiring::missing_rights(config)).unwrap_or_default()));
            checks.push(match runtime.block_on(wiring::try_write(config)) {
                Ok(()) => ok("redis", "accepts writes"),
                Err(error) => {
                    let error = CliError::from(error);
                    problem("redis", format!("rejects writes: {}", error.message), error.hint)
                }
            });
            for stream in &probe.streams {
                // Its key is prefixed with the tenant.
                let reviews = stream.key.ends_with(&config.redis.review_stream);
                let name = if reviews { "review stream" } else { "stream" };
                let state = match (&stream.group, stream.entries_added) {
                    // Redis reports other errors for non-streams; they are handled below.
                    (None, None) if stream.wrong_type.is_some() => continue,
                    (None, None) => "does not exist yet; the daemon creates it when it starts".to_owned(),
                    (None, Some(_)) => format!("{} entries, not yet read by the daemon", stream.length),
                    (Some(group), _) => format!(
                        "{} entries, {} pending, {} not yet read",
                        stream.length,
                        group.pending,
                        group.lag.map_or_else(|| "an unknown number".to_owned(), |lag| lag.to_string())
                    ),
                };
                checks.push(ok(name, format!("{}: {state}", stream.key)));
            }
            let others = probe.others(&config.redis.consumer_name());
            if !others.is_empty() {
                checks.push(warning(
                    "redis",
                    format!("the group {} has other members: {}", config.redis.group, others.join(", ")),
                    "they take entries that this daemon never sees; give each daemon its own tenant or redis.group",
                ));
            }
            for Finding { problem: what, hint, is_problem } in probe.findings() {
                checks.push(if is_problem { problem("redis", what, hint) } else { warning("redis", what, hint) });
            }
        }
    }
}

/// Names the commands that the user may not run: those without which the daemon cannot work, and the others.
fn missing_rights(missing: Vec<MissingRight>) -> Vec<Check> {
    let (optional, needed): (Vec<_>, Vec<_>) = missing.into_iter().partition(|right| right.is_optional);
    let named = |rights: Vec<MissingRight>| {
        let named = rights.into_iter().map(|right| match right.keys.as_slice() {
            [] => right.command,
            [key] => format!("{} on {key}", right.command),
            [key, others @ ..] => format!("{} on {key} and {} more keys", right.command, others.len()),
        });
        named.collect::<Vec<_>>().join(", ")
    };
    let hint = "grant them with ACL SETUSER; deploy/redis/users.acl has all that are needed";
    let mut checks = Vec::new();
    if !needed.is_empty() {
        checks.push(problem("redis", format!("the user may not run {}", named(needed)), hint));
    }
    if !optional.is_empty() {
        let what = format!("the user may not run {}: the daemon works without, but less well", named(optional));
        checks.push(warning("redis", what, hint));
    }
    checks
}
