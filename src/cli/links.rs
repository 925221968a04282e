//! Where to view what was learned, for a person who just submitted something.

use super::page::paragraph;
use crate::config::Config;
use crate::wiring;
use serde::Serialize;

/// Where to view what reviewers ask for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(super) struct DemandsLink {
    /// The page.
    page: String,
    /// The command that shows the same.
    command: &'static str,
    /// Whether a daemon answers there.
    daemon_runs: bool,
    /// The address that was probed.
    asked: String,
}

impl DemandsLink {
    /// Checks the daemon of this configuration.
    pub fn by(config: &Config) -> DemandsLink {
        let state = wiring::ask_daemon(config);
        let public = config.http.public_url.trim_end_matches('/');
        let base = if public.is_empty() { format!("http://{}", state.address) } else { public.to_owned() };
        DemandsLink {
            page: format!("{base}/demands"),
            command: "feedbackd demands",
            daemon_runs: state.runs,
            asked: state.address,
        }
    }

    /// Describes it in words.
    pub fn told(&self, width: usize) -> String {
        let state = match self.daemon_runs {
            true => "A daemon is running and learns from it.".to_owned(),
            false => format!(
                "No daemon answers at {}: submitted reviews stay in Redis until one runs (feedbackd serve).",
                self.asked
            ),
        };
        let mut text = format!("\n{}", paragraph(&state, width, 0));
        text += &format!("What reviewers ask for: {}\n                        {}\n", self.page, self.command);
        text
    }
}
