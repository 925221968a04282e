//! The progress of reading a clone, and why it ended early.

use super::exit::{CliError, Exit};
use super::progress_bar;
use crate::app::forges::history::{CloneScope, CloneTally, CloneWatcher, ClonedError, Source};
use indicatif::ProgressBar;
use std::path::Path;

/// Progress display on a terminal.
pub struct Bar(pub ProgressBar);

/// Update interval of the bar.
const STEP: u64 = 200;

impl Bar {
    pub fn new() -> Bar {
        let bar = progress_bar::bar(None);
        progress_bar::lay_out(&bar, "{spinner} {msg}  {elapsed}");
        Bar(bar)
    }
}

impl CloneWatcher for Bar {
    fn looked(&self, source: Source, at: u64, all: Option<u64>, tally: &CloneTally) {
        if !at.is_multiple_of(STEP) && Some(at) != all {
            return;
        }
        let of = all.map_or_else(String::new, |all| format!(" of {all}"));
        self.0.set_message(format!("{}: {at}{of} checked, {} reviews", source.name(), tally.all.reviews));
        self.0.tick();
    }
}

/// Reports why it ended early and how far it got.
pub fn failed(error: ClonedError, tally: &CloneTally) -> CliError {
    match error {
        ClonedError::Clone(error) => error.into(),
        ClonedError::Stopped => CliError::new(Exit::Failure, error.to_string(), "run it again"),
        ClonedError::Bus(error) => {
            let handed = tally.all.handed_over;
            let message =
                if handed > 0 { format!("{error}; {handed} reviews were submitted") } else { error.to_string() };
            CliError::new(
                Exit::Unavailable,
                message,
                "check Redis with `feedbackd doctor`; run it again, nothing is counted twice",
            )
        }
    }
}

/// Reports that the clone has nothing of what was requested.
pub fn nothing(wanted: &CloneScope, path: &Path) -> CliError {
    let named: Vec<&str> = wanted.sources.iter().map(|source| source.name()).collect();
    let message = format!("this clone contains no reviews that can be read (looked for: {})", named.join(", "));
    let hint = format!(
        "a plain clone has only branches; {} fetches the notes of Gerrit and git-appraise, if the server has any",
        fetch(path)
    );
    CliError::new(Exit::Failure, message, hint)
}

/// Returns the command that fetches everything readable.
pub fn fetch(path: &Path) -> String {
    let shown = path.display().to_string();
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '/' | '.' | '_' | '-');
    let shown = if shown.chars().all(plain) { shown } else { format!("'{}'", shown.replace('\'', r"'\''")) };
    format!("`git -C {shown} fetch origin '+refs/changes/*:refs/changes/*' '+refs/notes/*:refs/notes/*'`")
}
