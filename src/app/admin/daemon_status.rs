//! Whether a daemon is running, according to itself; for `doctor` and `status`.

use super::health::Report;
use serde::Serialize;

/// Response from the daemon's address.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct DaemonState {
    /// The address queried.
    pub address: String,
    /// Whether a daemon answers there.
    pub runs: bool,
    /// Its report about itself; absent if none answers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub report: Option<Report>,
    /// Why there is no answer, or that it is another daemon's; absent if all is well.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trouble: Option<String>,
}

impl DaemonState {
    /// For an address without a daemon.
    pub fn silent(address: String, trouble: String) -> DaemonState {
        DaemonState { address, runs: false, report: None, trouble: Some(trouble) }
    }

    /// For a daemon that answers; `store` is the one it should use.
    pub fn answering(address: String, report: Report, store: &str) -> DaemonState {
        let other = report.sees.as_ref().map(|sees| sees.store.as_str()).filter(|other| *other != store);
        let trouble = other.map(|other| format!("it serves another store, {other}"));
        DaemonState { address, runs: true, report: Some(report), trouble }
    }

    /// Returns, by check, the reported problems that do not stop its work, and then those that do.
    pub fn complaints(&self) -> (Vec<String>, Vec<String>) {
        let Some(report) = &self.report else { return (Vec::new(), Vec::new()) };
        let checks = &report.checks;
        let told =
            |name: &str, message: &Option<String>| format!("{name}: {}", message.as_deref().unwrap_or("it fails"));
        let bad = [("redis", &checks.redis), ("store", &checks.store), ("pipeline", &checks.pipeline)];
        let bad = bad.into_iter().chain(checks.tasks.iter().map(|check| ("tasks", check)));
        let bad = bad.filter(|(_, check)| !check.ok).map(|(name, check)| told(name, &check.message));
        let doubtful = [
            ("catalogue", &checks.catalogue),
            ("streams", &checks.streams),
            ("roster", &checks.roster),
            ("model", &checks.model),
            ("remote", &checks.remote),
        ];
        let doubtful = doubtful
            .into_iter()
            .filter_map(|(name, check)| Some((name, check.as_ref().filter(|check| !check.ok)?)))
            .map(|(name, check)| told(name, &check.message));
        (doubtful.collect(), bad.collect())
    }

    /// As one line.
    pub fn told(&self) -> String {
        let Some(report) = &self.report else {
            return format!("none answers at {}: {}", self.address, self.trouble.as_deref().unwrap_or("no response"));
        };
        let since = report.sees.as_ref().map_or_else(String::new, |sees| {
            format!(
                " since {} UTC (process {}, version {})",
                sees.since.strftime("%Y-%m-%d %H:%M"),
                sees.pid,
                sees.version
            )
        });
        let (doubtful, bad) = self.complaints();
        let state = if report.ready { "runs and is ready" } else { "runs and is not ready" };
        let rest: Vec<String> = self.trouble.clone().into_iter().chain(bad).chain(doubtful).collect();
        let rest = if rest.is_empty() { String::new() } else { format!("; {}", rest.join("; ")) };
        format!("{state}{since}{rest}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::admin::health::{DaemonInfo, Readiness};
    use jiff::Timestamp;
    use std::time::{Duration, Instant};

    #[test]
    fn what_it_says_of_itself_is_told_in_a_line() {
        let silent = DaemonState::silent("127.0.0.1:1".to_owned(), "connection refused".to_owned());
        insta::assert_snapshot!(silent.told(), @"none answers at 127.0.0.1:1: connection refused");
        let readiness = Readiness::new(Duration::from_secs(9));
        readiness.redis_ok(Timestamp::UNIX_EPOCH);
        readiness.store_failed("no space left", Timestamp::UNIX_EPOCH);
        readiness.roster(Some("the id a stands there twice"), Timestamp::UNIX_EPOCH);
        let sight = DaemonInfo { version: "1".to_owned(), pid: 7, store: "/a".to_owned(), ..DaemonInfo::default() };
        readiness.works_on(sight);
        let state = DaemonState::answering("x".to_owned(), readiness.report(Instant::now()), "/b");
        insta::assert_snapshot!(state.told(), @"runs and is not ready since 1970-01-01 00:00 UTC (process 7, version 1); it serves another store, /a; store: no space left; roster: the id a stands there twice");
        let read: Report = serde_json::from_value(serde_json::to_value(&state.report).unwrap()).unwrap();
        assert_eq!(Some(read), state.report);
    }
}
