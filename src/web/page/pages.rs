//! Dependencies of the pages.

use super::snapshot::Snapshot;
use crate::app::admin::health::Readiness;
use crate::app::blocking_pool::BlockingPool;
use crate::app::queries::views::{ClusterMap, ItemRepositories};
use crate::domain::reporting::report::Report;
use crate::memo::Memo;
use crate::services::Services;
use crate::text::prose::capitalise;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::runtime::Handle;

/// Maximum number of pages built concurrently; more wait for their turn.
const MAX_CALLS: usize = 4;
/// Maximum time for a page, including the wait for its turn.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(30);

/// Maximum staleness of a report, which reads every comment, as a multiple of its computation time.
const REPORT_EASE: u32 = 50;
/// The same for the repositories of pending items.
const REPOSITORIES_EASE: u32 = 20;

/// The page builder.
#[derive(Clone)]
pub struct Pages {
    /// The services that answer questions and accept decisions.
    pub services: Arc<Services>,
    /// The map of the clusters.
    pub map: Arc<Memo<(), ClusterMap>>,
    /// The repositories of what is pending.
    pub repositories: Arc<Memo<(), ItemRepositories>>,
    /// The report, of one agent or of all.
    pub report: Arc<Memo<Option<String>, Snapshot<Report>>>,
    /// The runtime for held decisions.
    pub runtime: Handle,
    readiness: Arc<Readiness>,
    /// Limits on concurrent page building.
    pub turns: BlockingPool,
}

impl Pages {
    /// Creates pages on these services.
    pub fn new(services: Arc<Services>, readiness: Arc<Readiness>) -> Pages {
        let turns = BlockingPool::new(MAX_CALLS, ANSWER_TIMEOUT);
        Pages {
            services,
            map: Arc::default(),
            repositories: Arc::new(Memo::easy(REPOSITORIES_EASE)),
            report: Arc::new(Memo::easy(REPORT_EASE)),
            runtime: Handle::current(),
            readiness,
            turns,
        }
    }

    /// Returns what the language model is doing, or why it does not answer; `None` if there is nothing to report.
    pub fn model(&self) -> Option<String> {
        let check = self.readiness.report(Instant::now()).checks.model?;
        let message = check.message?;
        Some(if check.ok { capitalise(&message) } else { format!("The language model does not answer: {message}") })
    }

    /// Returns why the copy at the Git host is not kept up to date; `None` if it is, or there is none.
    pub fn copy(&self) -> Option<String> {
        let check = self.readiness.report(Instant::now()).checks.remote.filter(|check| !check.ok)?;
        Some(capitalise(&check.message?))
    }

    /// Returns what is wrong with the daemon; `None` if it is well.
    pub fn trouble(&self) -> Option<String> {
        let report = self.readiness.report(Instant::now());
        let checks = [
            ("Redis", &report.checks.redis),
            ("the store", &report.checks.store),
            ("its work", &report.checks.pipeline),
        ];
        let failing = checks.into_iter().find(|(_, check)| !check.ok);
        failing.map(|(what, check)| {
            let why = check.message.as_deref().map_or_else(String::new, |message| format!(" ({message})"));
            format!("The daemon has trouble with {what}{why}; this page may be out of date.")
        })
    }
}
