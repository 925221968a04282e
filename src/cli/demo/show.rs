//! Presentation of the demonstration: numbered steps, files of the store, program output.

use super::stage::{failed, git, ourselves};
use crate::cli::exit::CliError;
use crate::cli::output::{Output, clean};
use crate::config::Config;
use serde_json::Value;
use std::path::Path;

/// The presenter of the demonstration.
pub(super) struct Show<'a, 'b> {
    out: &'a mut Output<'b>,
    step: usize,
}

impl<'a, 'b> Show<'a, 'b> {
    /// Creates a presenter for this output.
    pub(super) fn new(out: &'a mut Output<'b>) -> Show<'a, 'b> {
        Show { out, step: 0 }
    }

    /// Starts a new step.
    pub(super) fn step(&mut self, title: &str) -> Result<(), CliError> {
        self.step += 1;
        self.print(&format!("\n=== {}. {title}\n\n", self.step))
    }

    /// Prints one or more lines.
    pub(super) fn say(&mut self, text: &str) -> Result<(), CliError> {
        self.print(&format!("{text}\n"))
    }

    /// Shows a file at the store's head; `*` matches anything, and the first match is shown.
    pub(super) fn file(&mut self, store: &Path, pattern: &str) -> Result<(), CliError> {
        let path = match pattern.split_once('*') {
            None => pattern.to_owned(),
            Some((below, end)) => {
                let listed = git(store, &["ls-tree", "-r", "--name-only", "HEAD", "--", below])?;
                let first = listed.lines().find(|path| path.ends_with(end)).map(str::to_owned);
                first.ok_or_else(|| failed(format!("there is no {pattern}"), "see daemon.log"))?
            }
        };
        let text = git(store, &["show", &format!("HEAD:{path}")])?;
        self.print(&format!("$ git show HEAD:{path}\n{text}"))
    }

    /// Shows Git's output.
    pub(super) fn git(&mut self, store: &Path, args: &[&str]) -> Result<(), CliError> {
        let text = git(store, args)?;
        self.print(&format!("$ git {}\n{text}", args.join(" ")))
    }

    /// Shows this program's output, up to a number of lines.
    pub(super) fn ourselves(
        &mut self,
        dir: &Path,
        config: &Config,
        args: &[&str],
        lines: usize,
    ) -> Result<(), CliError> {
        let output = ourselves(config)?
            .args(args)
            .current_dir(dir)
            .output()
            .map_err(|e| failed(format!("cannot run this program: {e}"), ""))?;
        let quoted = args.iter().map(|arg| if arg.contains(' ') { format!("'{arg}'") } else { (*arg).to_owned() });
        let command = quoted.collect::<Vec<_>>().join(" ");
        if !output.status.success() {
            let said = String::from_utf8_lossy(&output.stderr).trim().to_owned();
            return Err(failed(format!("feedbackd {command}: {said}"), "see daemon.log"));
        }
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let shown: String = text.split_inclusive('\n').take(lines).collect();
        let rest = text.lines().count().saturating_sub(lines);
        let more = if rest == 0 { String::new() } else { format!("… and {rest} more lines\n") };
        self.print(&format!("$ feedbackd {command}\n{shown}{more}"))
    }

    fn print(&mut self, text: &str) -> Result<(), CliError> {
        self.out.raw(clean(text).as_bytes())
    }
}

/// Shows an outgoing stream entry in one line.
pub(super) fn published(stream: &str, entry: &[(String, String)]) -> String {
    let field = |name: &str| entry.iter().find(|(n, _)| n == name).map_or("", |(_, v)| v.as_str());
    let data: Value = serde_json::from_str(field("data")).unwrap_or_default();
    let what = ["classification", "rule_content", "question", "message"]
        .iter()
        .find_map(|name| data[name].as_str())
        .unwrap_or_default();
    format!("{} {}: {what}", stream.trim_start_matches("asdlc:events:"), field("idempotency_key"))
}
