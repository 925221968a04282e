//! Whether store and index can be read and agree. Roster and rules are checked separately.

use super::check::{Check, ok, problem, warning};
use super::host::{check_git, check_store_writable};
use super::roster::check_roster;
use super::rules::{check_approvals, check_rules};
use crate::app::admin::verify::verify;
use crate::cli::exit::CliError;
use crate::config::Config;
use crate::wiring;

pub(super) fn check_store(config: &Config, checks: &mut Vec<Check>) {
    let path = &config.store.path;
    let comparing = match wiring::comparing(config) {
        Ok(comparing) => comparing,
        Err(error) => {
            let error = CliError::from(error);
            checks.push(problem("store", error.message, error.hint));
            return;
        }
    };
    let reading = comparing.reading();
    match reading.notice() {
        Some(notice) => checks.push(warning(
            "index",
            notice,
            "the daemon updates it at its next start; to do it now, run `feedbackd reindex`",
        )),
        None => checks.push(ok("index", "up to date with the store")),
    }
    let queries = reading.queries();
    match queries.status(&wiring::asked(config)) {
        Err(error) => {
            let error = CliError::from(error);
            checks.push(problem("store", error.message, error.hint));
        }
        Ok(status) => {
            let at = status.head.as_ref().map_or("no commits", |c| c.short());
            checks.push(ok("store", format!("{}, {} feedback records, at {at}", path.display(), status.feedback)));
            if let Some(waits) = &status.roster_waits {
                checks.push(warning(
                    "roster",
                    format!("a change is not in force: {}; {}", waits.changes.join("; "), waits.missing),
                    "check who pushed it; approvers decide with `feedbackd roster approve` or `feedbackd roster \
                     reject`",
                ));
            }
            for file in &status.unreadable {
                checks.push(warning(
                    "store",
                    format!("cannot read {}: {}", file.path, file.why),
                    "fix the file in a clone of the store, commit and push",
                ));
            }
        }
    }
    checks.extend(check_store_writable(path));
    check_roster(queries.roster(), config, checks);
    check_rules(queries.proposals(None, None), checks);
    check_approvals(verify(&queries, &wiring::asked(config), &[]), config, checks);
    checks.push(check_git());
}
