//! The daemon as a process, on a real Redis and a real store: input, output, and behaviour in between.

mod access;
mod bounds;
mod deployment;
mod doctor;
mod history;
mod intake;
mod lifecycle;
mod notices;
mod operation;
mod outages;
mod outcomes;
mod purging;
mod remote;
mod retag;
mod rules;
mod secrets;
#[cfg(feature = "otel")]
mod traces;

use crate::harness::daemon::{Daemon, Site};
use crate::harness::redis::RedisServer;
use crate::harness::streams::{self, drain};
use feedbackd::domain::records::layout;
use feedbackd::domain::records::record::DecisionRecord;
use feedbackd::text::yaml;
use serde_json::Value;

/// A Redis, a store, and a daemon between them.
struct World {
    redis: RedisServer,
    site: Site,
    daemon: Daemon,
}

impl World {
    fn new() -> World {
        World::with(&[])
    }

    /// Creates a world with these settings, `SECTION__KEY`.
    fn with(settings: &[(&str, &str)]) -> World {
        let redis = RedisServer::start();
        let mut site = Site::new(&redis.url());
        settings.iter().for_each(|(key, value)| site.set(key, value));
        let daemon = site.start();
        daemon.wait_ready();
        World { redis, site, daemon }
    }

    /// Sends decisions and waits until they are processed.
    fn decide(&self, events: &[Value]) {
        for event in events {
            streams::decide(&self.redis, event);
        }
        self.drain();
    }

    fn drain(&self) {
        drain(&self.redis, &self.site);
    }

    fn record(&self, id: &str) -> DecisionRecord {
        record(&self.site, id)
    }
}

/// Returns the record of a decision, which must exist once.
fn record(site: &Site, id: &str) -> DecisionRecord {
    let mut files = site.files(layout::DECISIONS);
    files.retain(|(path, _)| path.ends_with(&format!("/{id}.yaml")));
    assert_eq!(files.len(), 1, "{id}: {files:?}");
    yaml::parse(&files[0].1).expect("a record")
}

/// Returns three people's decisions that ask for the same.
fn three_alike() -> [Value; 3] {
    [
        streams::decision("d1", "ann", "REJECTED", Some("Missing error handling in API handler")),
        streams::decision("d2", "bob", "REJECTED", Some("API handler lacks error handling")),
        streams::decision("d3", "cem", "APPROVED_WITH_CHANGES", Some("Please add error handling to the API handler")),
    ]
}
