//! Whether the daemon can do its work: the tasks' reports, and their evaluation for `/ready` and the watchdog.
//!
//! Nothing here probes anything. Progress is measured with the monotonic clock, because the wall clock jumps.

use crate::ports::BusState;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Upper bound for pipeline steps other than batches, including a new catalogue for a large store.
const LONGEST_STEP: Duration = Duration::from_secs(3600);

/// State shared by the reporting tasks and the endpoints.
#[derive(Debug)]
pub struct Readiness {
    stalled_after: Duration,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    redis: Part,
    /// Publishing and acknowledging, which may fail while reading works: Redis is full, or rejects one key.
    redis_writes: Part,
    store: Part,
    catalogue: Part,
    streams: Part,
    roster: Part,
    model: Option<Told>,
    remote: Option<Told>,
    /// Tasks that ended unexpectedly, each with the reason.
    tasks: Part,
    ended: Vec<String>,
    /// The pipeline's current step, in words, and since when.
    step: Option<(&'static str, Instant)>,
    sees: Option<DaemonInfo>,
    in_work: usize,
    progress: Option<Instant>,
}

/// A part that also says what it is doing: the language model, the copy at a Git host.
#[derive(Debug, Default)]
struct Told {
    part: Part,
    told: String,
}

impl Told {
    fn set(&mut self, error: Option<&str>, told: String, now: Timestamp) {
        self.part.set(error, now);
        self.told = told;
    }

    fn check(&self) -> Check {
        let check = self.part.check("");
        let told = Some(self.told.clone()).filter(|told| !told.is_empty());
        Check { message: check.message.or(told), ..check }
    }
}

/// A part that has not reported yet counts as not working.
#[derive(Debug, Default)]
struct Part {
    ok: bool,
    since: Option<Timestamp>,
    error: Option<String>,
}

/// Returns the answer of `/ready`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Report {
    /// Whether everything works.
    pub ready: bool,
    /// Each check.
    pub checks: Checks,
    /// What it works on and last saw of Redis, for `doctor` and `status`; absent if the address is open to other
    /// machines.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sees: Option<DaemonInfo>,
}

/// What a running daemon works on, and what it saw.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DaemonInfo {
    /// The program's version.
    pub version: String,
    /// Its process id.
    pub pid: u32,
    /// When it started.
    pub since: Timestamp,
    /// The store failed.
    pub store: String,
    /// The address of Redis, without user and password.
    pub redis: String,
    /// The consumer group.
    pub group: String,
    /// Its name in the group.
    pub consumer: String,
    /// When it last checked Redis; absent if it has not yet.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub looked_at: Option<Timestamp>,
    /// The state it found.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bus: Option<BusState>,
}

/// The checks of a [`Report`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Checks {
    /// Sets whether Redis answers.
    pub redis: Check,
    /// Whether the store can be written.
    pub store: Check,
    /// Whether work makes progress.
    pub pipeline: Check,
    /// Whether the store's current catalogue is in use; absent until checked. If not, the previous one is in use, so
    /// this does not count for [`Report::ready`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub catalogue: Option<Check>,
    /// Whether all streams can be read; absent until one could not be. The others are still read, so this does not
    /// count for [`Report::ready`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub streams: Option<Check>,
    /// Whether the roster file is valid; absent until checked. If not, the roster in force stays so, so this does not
    /// count for [`Report::ready`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub roster: Option<Check>,
    /// Whether the language model answers, and what it is doing; absent if there is none. Nothing stops without it, so
    /// this does not count for [`Report::ready`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<Check>,
    /// Whether the copy at the Git host is kept up to date, and how far it is; absent if there is none. Nothing stops
    /// without it, so this does not count for [`Report::ready`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub remote: Option<Check>,
    /// Whether all tasks of the daemon run; absent until one ended unexpectedly, which only a defect causes. Its work
    /// is not done until the daemon restarts, so this counts for [`Report::ready`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tasks: Option<Check>,
}

/// One check.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Check {
    /// Whether it passes.
    pub ok: bool,
    /// Since when; absent if unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub since: Option<Timestamp>,
    /// What is wrong. Contains no secrets: callers pass masked text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
}

impl Readiness {
    /// Creates a state without reports. Work without progress for `stalled_after` counts as stalled.
    pub fn new(stalled_after: Duration) -> Readiness {
        Readiness { stalled_after, state: Mutex::default() }
    }

    /// Redis answers.
    pub fn redis_ok(&self, now: Timestamp) {
        self.state().redis.set(None, now);
    }

    /// Redis does not answer. A reported failure is a sign of life: it is being retried, nothing hangs.
    pub fn redis_failed(&self, error: &str, now: Timestamp) {
        let mut state = self.state();
        state.redis.set(Some(error), now);
        state.progress = Some(Instant::now());
    }

    /// Redis accepts publishing and acknowledging.
    pub fn redis_writes_ok(&self, now: Timestamp) {
        self.state().redis_writes.set(None, now);
    }

    /// Redis does not accept publishing or acknowledging. A sign of life, like [`Readiness::redis_failed`].
    pub fn redis_writes_failed(&self, error: &str, now: Timestamp) {
        let mut state = self.state();
        state.redis_writes.set(Some(error), now);
        state.progress = Some(Instant::now());
    }

    /// The store is writable.
    pub fn store_ok(&self, now: Timestamp) {
        self.state().store.set(None, now);
    }

    /// The store is not writable. A sign of life, like a failure of Redis: the watchdog must not end a daemon that
    /// waits for space on a full disk.
    pub fn store_failed(&self, error: &str, now: Timestamp) {
        let mut state = self.state();
        state.store.set(Some(error), now);
        state.progress = Some(Instant::now());
    }

    /// Reports why the store's current catalogue is not in use; empty if it is.
    pub fn catalogue(&self, errors: &[String], now: Timestamp) {
        let error = (!errors.is_empty()).then(|| errors.join("; "));
        self.state().catalogue.set(error.as_deref(), now);
    }

    /// Reports why some streams cannot be read; empty if all can. Returns true if that is a change.
    pub fn streams(&self, troubles: &[String], now: Timestamp) -> bool {
        let error = (!troubles.is_empty()).then(|| troubles.join("; "));
        let part = &mut self.state().streams;
        if part.error == error {
            return false;
        }
        part.set(error.as_deref(), now);
        true
    }

    /// Reports why the roster file is invalid; `None` if it is valid.
    pub fn roster(&self, error: Option<&str>, now: Timestamp) {
        self.state().roster.set(error, now);
    }

    /// Reports why the language model does not answer, if so, and what it is doing, in words.
    pub fn model(&self, failure: Option<&str>, told: String, now: Timestamp) {
        self.state().model.get_or_insert_default().set(failure, told, now);
    }

    /// Reports why the copy at the Git host is not kept up to date, if so, and how far it is, in words.
    pub fn remote(&self, failure: Option<&str>, told: String, now: Timestamp) {
        self.state().remote.get_or_insert_default().set(failure, told, now);
    }

    /// Reports that a task ended unexpectedly, and why; its work is not done from now on.
    pub fn task_ended(&self, task: &str, why: &str, now: Timestamp) {
        let mut state = self.state();
        state.ended.push(format!("`{task}` has ended: {why}"));
        let ended = format!("{}; restart the daemon", state.ended.join("; "));
        state.tasks.set(Some(&ended), now);
    }

    /// The pipeline begins this step, in words that complete “the pipeline has been …”.
    pub fn step_begins(&self, step: &'static str, now: Instant) {
        self.state().step = Some((step, now));
    }

    /// The pipeline has finished the step.
    pub fn step_ends(&self) {
        self.state().step = None;
    }

    /// Sets what the daemon works on.
    pub fn works_on(&self, sight: DaemonInfo) {
        self.state().sees = Some(sight);
    }

    /// Records the state of Redis at a check.
    pub fn bus_seen(&self, bus: BusState, now: Timestamp) {
        if let Some(sees) = &mut self.state().sees {
            (sees.bus, sees.looked_at) = (Some(bus), Some(now));
        }
    }

    /// Work on this many entries begins.
    pub fn work_begins(&self, entries: usize, now: Instant) {
        let mut state = self.state();
        state.in_work = entries;
        state.progress = Some(now);
    }

    /// The current work makes progress.
    pub fn heartbeat(&self, now: Instant) {
        self.state().progress = Some(now);
    }

    /// The current work is done.
    pub fn work_ends(&self, now: Instant) {
        self.work_begins(0, now);
    }

    /// Reports whether work is in progress.
    pub fn has_work(&self) -> bool {
        self.state().in_work > 0
    }

    /// Reports whether entries are in progress without any movement for too long, or another step of the pipeline
    /// exceeds every expected duration. The watchdog is not fed while this is so.
    pub fn stalled(&self, now: Instant) -> bool {
        let state = self.state();
        state.idle(now) >= self.stalled_after || state.step_lasts(now) >= LONGEST_STEP
    }

    /// Returns the answer of `/ready`.
    pub fn report(&self, now: Instant) -> Report {
        let state = self.state();
        let idle = state.idle(now);
        let (no_progress, lasts) = (idle >= self.stalled_after, state.step_lasts(now));
        // Entries that wait meanwhile are not in progress, so they would go unreported.
        let step = state.step.filter(|_| lasts >= self.stalled_after);
        let stalled = no_progress || step.is_some();
        let message = if no_progress {
            Some(format!("{} entries have made no progress for {} s", state.in_work, idle.as_secs()))
        } else {
            step.map(|(step, _)| {
                format!("the pipeline has been {step} for {} s, and entries are pending", lasts.as_secs())
            })
        };
        // Publishing is not required for readiness: only a failure counts.
        let writes_fail = state.redis.ok && state.redis_writes.error.is_some();
        let redis = if writes_fail { &state.redis_writes } else { &state.redis };
        let checks = Checks {
            redis: redis.check("Redis has not been reached yet"),
            store: state.store.check("the store has not been opened yet"),
            pipeline: Check { ok: !stalled, since: None, message },
            catalogue: state.catalogue.since.map(|_| state.catalogue.check("")),
            streams: state.streams.since.map(|_| state.streams.check("")),
            roster: state.roster.since.map(|_| state.roster.check("")),
            model: state.model.as_ref().map(Told::check),
            remote: state.remote.as_ref().map(Told::check),
            tasks: state.tasks.since.map(|_| state.tasks.check("")),
        };
        let ready = checks.redis.ok && checks.store.ok && checks.pipeline.ok && checks.tasks.is_none();
        Report { ready, checks, sees: state.sees.clone() }
    }

    /// A task that panicked while holding the lock left a consistent state: every change is one assignment.
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// Returns how long the current work has made no progress; zero if there is none.
    fn idle(&self, now: Instant) -> Duration {
        match self.progress {
            Some(last) if self.in_work > 0 => now.saturating_duration_since(last),
            _ => Duration::ZERO,
        }
    }

    /// Returns how long the pipeline has been at one step; zero if it is at none. With entries in progress, a reported
    /// failure is progress and restarts the count.
    fn step_lasts(&self, now: Instant) -> Duration {
        let Some((_, since)) = self.step else { return Duration::ZERO };
        let since = self.progress.filter(|_| self.in_work > 0).map_or(since, |progress| since.max(progress));
        now.saturating_duration_since(since)
    }
}

impl Part {
    fn set(&mut self, error: Option<&str>, now: Timestamp) {
        let ok = error.is_none();
        if self.since.is_none() || self.ok != ok {
            self.since = Some(now);
        }
        self.ok = ok;
        self.error = error.map(str::to_owned);
    }

    fn check(&self, unreported: &str) -> Check {
        let message = match (self.since, &self.error) {
            (None, _) => Some(unreported.to_owned()),
            (Some(_), error) => error.clone(),
        };
        Check { ok: self.ok, since: self.since, message }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMIT: Duration = Duration::from_secs(30);

    fn at(seconds: i64) -> Timestamp {
        Timestamp::from_second(seconds).unwrap()
    }

    #[test]
    fn nothing_is_ready_before_it_has_reported() {
        let readiness = Readiness::new(LIMIT);
        assert!(!readiness.report(Instant::now()).ready);
        readiness.redis_ok(at(1));
        assert!(!readiness.report(Instant::now()).ready);
        readiness.store_ok(at(1));
        assert!(readiness.report(Instant::now()).ready);
    }

    #[test]
    fn a_failure_keeps_its_first_time_and_its_last_words() {
        let readiness = Readiness::new(LIMIT);
        readiness.redis_ok(at(1));
        readiness.redis_failed("refused", at(2));
        readiness.redis_failed("timed out", at(3));
        let check = readiness.report(Instant::now()).checks.redis;
        assert_eq!(check, Check { ok: false, since: Some(at(2)), message: Some("timed out".into()) });
        readiness.redis_ok(at(4));
        let check = readiness.report(Instant::now()).checks.redis;
        assert_eq!(check, Check { ok: true, since: Some(at(4)), message: None });
    }

    #[test]
    fn a_catalogue_that_cannot_be_used_is_told_and_is_no_reason_to_wait() {
        let readiness = Readiness::new(LIMIT);
        readiness.redis_ok(at(1));
        readiness.store_ok(at(1));
        assert_eq!(readiness.report(Instant::now()).checks.catalogue, None);
        readiness.catalogue(&["catalogue/a.yaml: no".into(), "catalogue/b.yaml: nor this".into()], at(2));
        let report = readiness.report(Instant::now());
        let message = Some("catalogue/a.yaml: no; catalogue/b.yaml: nor this".into());
        assert_eq!(report.checks.catalogue, Some(Check { ok: false, since: Some(at(2)), message }));
        assert!(report.ready);
        readiness.catalogue(&[], at(3));
        assert!(readiness.report(Instant::now()).checks.catalogue.is_some_and(|check| check.ok));
    }

    #[test]
    fn a_model_that_does_not_answer_is_told_and_is_no_reason_to_wait() {
        let readiness = Readiness::new(LIMIT);
        readiness.redis_ok(at(1));
        readiness.store_ok(at(1));
        assert_eq!(readiness.report(Instant::now()).checks.model, None);
        readiness.model(None, "8 questions are under way".into(), at(2));
        let check = readiness.report(Instant::now()).checks.model.unwrap();
        assert_eq!((check.ok, check.message.as_deref()), (true, Some("8 questions are under way")));
        readiness.model(Some("no answer in time"), String::new(), at(3));
        let report = readiness.report(Instant::now());
        let check = report.checks.model.unwrap();
        assert_eq!((check.ok, check.message.as_deref(), report.ready), (false, Some("no answer in time"), true));
    }

    #[test]
    fn a_roster_that_makes_no_sense_is_told_and_is_no_reason_to_wait() {
        let readiness = Readiness::new(LIMIT);
        readiness.redis_ok(at(1));
        readiness.store_ok(at(1));
        assert_eq!(readiness.report(Instant::now()).checks.roster, None);
        readiness.roster(Some("unknown field `role`"), at(2));
        let report = readiness.report(Instant::now());
        let message = Some("unknown field `role`".into());
        assert_eq!(report.checks.roster, Some(Check { ok: false, since: Some(at(2)), message }));
        assert!(report.ready);
    }

    #[test]
    fn redis_that_can_only_be_read_is_not_ready() {
        let readiness = Readiness::new(LIMIT);
        readiness.store_ok(at(1));
        readiness.redis_ok(at(1));
        readiness.redis_writes_failed("full", at(2));
        readiness.redis_ok(at(3));
        let report = readiness.report(Instant::now());
        assert_eq!(report.checks.redis, Check { ok: false, since: Some(at(2)), message: Some("full".into()) });
        readiness.redis_writes_ok(at(4));
        assert!(readiness.report(Instant::now()).ready);
    }

    #[test]
    fn only_work_without_progress_is_stalled() {
        let readiness = Readiness::new(LIMIT);
        let start = Instant::now();
        assert!(!readiness.stalled(start + LIMIT * 9), "idle is not stalled");
        readiness.work_begins(3, start);
        assert!(!readiness.stalled(start + LIMIT - Duration::from_millis(1)));
        assert!(readiness.stalled(start + LIMIT));
        readiness.heartbeat(start + LIMIT);
        assert!(!readiness.stalled(start + LIMIT + Duration::from_secs(1)));
        assert!(readiness.stalled(start + LIMIT * 2));
        let report = readiness.report(start + LIMIT * 2);
        assert_eq!(report.checks.pipeline.message.as_deref(), Some("3 entries have made no progress for 30 s"));
        readiness.work_ends(start + LIMIT * 2);
        assert!(!readiness.stalled(start + LIMIT * 9));
    }

    #[test]
    fn entries_that_wait_for_another_step_are_told_and_the_watchdog_waits_longer() {
        let readiness = Readiness::new(LIMIT);
        readiness.redis_ok(at(1));
        readiness.store_ok(at(1));
        let start = Instant::now();
        readiness.step_begins("applying pushed commits", start);
        assert!(readiness.report(start + LIMIT - Duration::from_millis(1)).ready);
        let report = readiness.report(start + LIMIT);
        let message = "the pipeline has been applying pushed commits for 30 s, and entries are pending";
        assert_eq!((report.ready, report.checks.pipeline.message.as_deref()), (false, Some(message)));
        assert!(!readiness.stalled(start + LIMIT * 9), "it may take long");
        assert!(readiness.stalled(start + LONGEST_STEP), "but not for ever");
        readiness.step_ends();
        assert!(readiness.report(start + LIMIT * 9).ready);
    }

    #[test]
    fn a_task_that_ended_is_told_until_the_daemon_is_started_anew() {
        let readiness = Readiness::new(LIMIT);
        readiness.redis_ok(at(1));
        readiness.store_ok(at(1));
        assert_eq!(readiness.report(Instant::now()).checks.tasks, None);
        readiness.task_ended("notices", "a panic", at(2));
        readiness.task_ended("offer rules", "it returned", at(3));
        let report = readiness.report(Instant::now());
        let message = "`notices` has ended: a panic; `offer rules` has ended: it returned; restart the daemon";
        let check = Check { ok: false, since: Some(at(2)), message: Some(message.to_owned()) };
        assert_eq!((report.ready, report.checks.tasks), (false, Some(check)));
    }

    #[test]
    fn who_reports_a_failure_does_not_hang() {
        let readiness = Readiness::new(LIMIT);
        let long_ago = Instant::now().checked_sub(LIMIT).unwrap();
        readiness.work_begins(1, long_ago);
        assert!(readiness.stalled(Instant::now()));
        readiness.store_failed("no space left", at(1));
        let reported = Instant::now();
        assert!(!readiness.stalled(reported));
        assert!(readiness.stalled(reported + LIMIT), "a last failure long ago is no sign of life");
        assert!(!readiness.report(reported).ready);
    }
}
