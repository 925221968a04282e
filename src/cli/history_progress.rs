//! The progress of reading a forge's history, and why it ended early.

use super::exit::{CliError, Exit};
use super::progress_bar;
use crate::app::forges::history::{HistoryError, Tally, Watcher};
use indicatif::ProgressBar;
use std::io::Write as _;
use std::time::Duration;

/// From this many pull requests on, the cost is announced.
const MANY: usize = 300;

/// Waits this long are announced if no bar is shown: silence looks like a hang.
const TOLD_FROM: Duration = Duration::from_secs(2);

/// A progress bar on a terminal.
pub struct Bar(pub ProgressBar);

impl Bar {
    pub fn new() -> Bar {
        let bar = progress_bar::bar(None);
        bar.set_message("listing pull requests");
        Bar(bar)
    }
}

impl Watcher for Bar {
    fn listed(&self, pulls: usize) {
        if pulls >= MANY {
            let what = format!("{pulls} pull requests changed since then: about {} requests to the forge", pulls * 3);
            self.0.suspend(|| drop(writeln!(std::io::stderr(), "{what}")));
        }
        self.0.set_length(pulls as u64);
        progress_bar::lay_out(&self.0, "{bar:30} {pos}/{len}  {msg}  {elapsed}, {eta} left");
    }

    fn read(&self, tally: &Tally) {
        self.0.set_position(tally.pull_requests);
        self.0.set_message(format!("{} reviews, {} requests", tally.reviews, tally.requests));
    }

    fn wait(&self, time: Duration, why: &str) -> bool {
        let message = self.0.message();
        self.0.set_message(why.to_owned());
        if self.0.is_hidden() && time >= TOLD_FROM {
            let _ = writeln!(std::io::stderr(), "{why}; waiting {} s", time.as_secs());
        }
        std::thread::sleep(time);
        self.0.set_message(message);
        true
    }
}

/// Returns what to do about the error.
pub fn advice(error: &HistoryError) -> &'static str {
    match error {
        HistoryError::Unknown => "put a valid token into the forge's token_file",
        HistoryError::Forbidden | HistoryError::Missing => {
            "check the repository's name, and what the token in token_file may read"
        }
        HistoryError::NotAllowed => "give the token in token_file the right to write contents and pull requests",
        HistoryError::Refused(_) | HistoryError::Crossed => {
            "run it again; if it fails again, check the repository's branch rules"
        }
        HistoryError::Status(300..=399) => "it redirects to another server: check api_url and the repository's name",
        HistoryError::Shape(_) => "check api_url and kind of the forge",
        HistoryError::TooLarge(_) => {
            "give a later --since, so that fewer pull requests are listed; check that api_url is right"
        }
        HistoryError::Bus(_) => "check Redis with `feedbackd doctor`; run it again, it resumes",
        HistoryError::Cursor(_) => "check state.dir, and run it as the daemon's user",
        HistoryError::Failing(_) => {
            "check that api_url names the forge and can be reached; run it again, it resumes where it stopped"
        }
        HistoryError::Status(_) | HistoryError::Limited(_) | HistoryError::Stopped => {
            "run it again: it resumes where it stopped"
        }
    }
}

/// Builds the error for an early end, including the progress so far.
pub fn failed(error: HistoryError, tally: &Tally, dry_run: bool) -> CliError {
    let exit = match &error {
        HistoryError::Unknown | HistoryError::Forbidden | HistoryError::Missing => Exit::Failure,
        _ => Exit::Unavailable,
    };
    let mut message = error.to_string();
    if tally.pull_requests > 0 && !dry_run {
        message += &format!("; {} pull requests read, {} reviews submitted", tally.pull_requests, tally.handed_over);
    }
    CliError::new(exit, message, advice(&error))
}
