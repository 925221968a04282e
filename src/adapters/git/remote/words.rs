//! What Git and the host say about a push or a fetch. Git is told to speak English.

use super::child::GitOutput;
use crate::ports::PushOutcome;

/// The longest excerpt shown, in characters.
const SHOWN: usize = 400;
/// Lines that say nothing about this failure.
const BOILERPLATE: [&str; 6] = [
    "hint:",
    "error: failed to push some refs",
    "Please make sure you have the correct access rights",
    "and the repository exists.",
    "To ",
    "From ",
];

/// Returns what became of a push; `None` if it did not reach the host's decision, and [`words`] says why.
pub fn push_outcome(output: &GitOutput) -> Option<PushOutcome> {
    // With --porcelain: a flag, a tab, source and destination, a tab, and a summary with its reason.
    let line = output.out.lines().find_map(|line| {
        let (flag, rest) = line.split_once('\t')?;
        Some((flag, rest.split_once('\t')?.1))
    });
    match line {
        Some(("!", summary)) if is_behind(summary) => Some(PushOutcome::Behind),
        Some(("!", summary)) => Some(PushOutcome::Refused(with_summary(summary, &output.err))),
        // `+` is a rewritten branch, which only a purge asks for.
        Some((" " | "*" | "=" | "+", _)) if output.status.success() => Some(PushOutcome::Done),
        _ => None,
    }
}

/// Reports whether the host has other commits: seen before the push, or during it.
fn is_behind(summary: &str) -> bool {
    let reasons = ["(fetch first)", "(non-fast-forward)", "(stale info)", "(incorrect old value provided)"];
    reasons.iter().any(|reason| summary.contains(reason)) || summary.contains("(cannot lock ref")
}

/// Reports whether a fetch found no such branch.
pub fn is_absent(err: &str) -> bool {
    err.contains("couldn't find remote ref")
}

/// Reports whether a fetch found a branch that is not on top of the one last seen.
pub fn is_rewritten(err: &str) -> bool {
    err.lines().any(|line| line.contains("[rejected]") && line.contains("(non-fast-forward)"))
}

/// Returns the words of the host and of Git, without phrases that always come.
pub fn words(output: &GitOutput) -> String {
    let said = excerpt(&output.err);
    if said.is_empty() { format!("git ended with {}", output.status) } else { said }
}

fn with_summary(summary: &str, err: &str) -> String {
    let (said, summary) = (excerpt(err), shown(summary));
    if said.is_empty() { summary } else { format!("{summary}: {said}") }
}

fn excerpt(err: &str) -> String {
    let lines = err.lines().map(|line| shown(line.strip_prefix("remote:").unwrap_or(line)));
    let told = lines.filter(|line| !line.is_empty() && !BOILERPLATE.iter().any(|known| line.starts_with(known)));
    let all = told.collect::<Vec<_>>().join("; ");
    match all.char_indices().nth(SHOWN) {
        Some((at, _)) => format!("{}…", &all[..at]),
        None => all,
    }
}

/// Returns a line without control characters, which could change a terminal.
fn shown(line: &str) -> String {
    line.chars().filter(|c| !c.is_control()).collect::<String>().trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::process::ExitStatusExt;
    use std::process::ExitStatus;

    fn output(code: i32, out: &str, err: &str) -> GitOutput {
        GitOutput { status: ExitStatus::from_raw(code << 8), out: out.to_owned(), err: err.to_owned() }
    }

    #[test]
    fn a_push_ends_as_its_line_says() {
        let of = |flag: &str, summary: &str, code: i32| {
            push_outcome(&output(code, &format!("To /x\n{flag}\ta:refs/heads/main\t{summary}\nDone\n"), ""))
        };
        assert_eq!(of(" ", "1234567..89abcde", 0), Some(PushOutcome::Done));
        assert_eq!(of("*", "[new branch]", 0), Some(PushOutcome::Done));
        assert_eq!(of("=", "[up to date]", 0), Some(PushOutcome::Done));
        assert_eq!(of("!", "[rejected] (fetch first)", 1), Some(PushOutcome::Behind));
        assert_eq!(of("!", "[rejected] (non-fast-forward)", 1), Some(PushOutcome::Behind));
        // A connection that broke after the line: the host may or may not have it.
        assert_eq!(of(" ", "1234567..89abcde", 1), None);
        assert_eq!(push_outcome(&output(128, "", "fatal: unable to access\n")), None);
    }

    #[test]
    fn the_hosts_words_are_kept_and_git_s_phrases_left_out() {
        let err = "remote: error: GH006: Protected branch update failed for refs/heads/main.        \n\
                   remote: \u{1b}[31mChanges must be made through a pull request.\u{1b}[m        \n\
                   To https://github.com/o/r\nerror: failed to push some refs to 'https://github.com/o/r'\n\
                   hint: see the docs\n";
        let out = "To x\n!\ta:refs/heads/main\t[remote rejected] (protected branch hook declined)\nDone\n";
        let Some(PushOutcome::Refused(said)) = push_outcome(&output(1, out, err)) else { panic!("not refused") };
        insta::assert_snapshot!(said, @"[remote rejected] (protected branch hook declined): error: GH006: Protected branch update failed for refs/heads/main.; [31mChanges must be made through a pull request.[m");
        assert_eq!(words(&output(128, "", "")), "git ended with exit status: 128");
        assert!(words(&output(128, "", &"x".repeat(9000))).chars().count() <= SHOWN + 1);
    }
}
