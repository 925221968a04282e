//! What pages are made with.

use super::snapshot::Seen;
use crate::app::admin::health::Readiness;
use crate::app::blocking_pool::Turns;
use crate::app::queries::views::GroupMap;
use crate::domain::reporting::report::Report;
use crate::memo::Last;
use crate::services::Services;
use crate::text::prose::capitalise;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::runtime::Handle;

/// So many pages are made at the same time; more wait for their turn.
const MAX_CALLS: usize = 4;
/// A page must be there after so long, the wait for its turn included.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(30);

/// A report looks at every remark: it may be older than the store by so many times the time that making it takes.
const REPORT_EASE: u32 = 50;

/// What makes pages.
#[derive(Clone)]
pub struct Pages {
    /// What answers questions and takes decisions.
    pub services: Arc<Services>,
    /// The map of the groups.
    pub map: Arc<Last<(), GroupMap>>,
    /// The report, of one agent or of all.
    pub report: Arc<Last<Option<String>, Seen<Report>>>,
    /// What lets a decision wait.
    pub runtime: Handle,
    readiness: Arc<Readiness>,
    /// Who may make one.
    pub turns: Turns,
}

impl Pages {
    /// Pages about what these services know.
    pub fn new(services: Arc<Services>, readiness: Arc<Readiness>) -> Pages {
        let turns = Turns::new(MAX_CALLS, ANSWER_TIMEOUT);
        Pages {
            services,
            map: Arc::default(),
            report: Arc::new(Last::easy(REPORT_EASE)),
            runtime: Handle::current(),
            readiness,
            turns,
        }
    }

    /// What the language model is doing, or why it does not answer; nothing if there is nothing to say.
    pub fn model(&self) -> Option<String> {
        let check = self.readiness.report(Instant::now()).checks.model?;
        let message = check.message?;
        Some(if check.ok { capitalise(&message) } else { format!("The language model does not answer: {message}") })
    }

    /// What is wrong with the daemon; nothing where it is well.
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
            format!("The daemon has trouble with {what}{why}; what you see may be old.")
        })
    }
}
