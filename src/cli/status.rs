//! `status`: counts of everything, and the index's progress.

use super::context::Context;
use super::exit::{CliError, Exit};
use super::output::Output;
use super::page::{Page, count, when};
use super::verify::waits_line;
use crate::app::admin::daemon_status::DaemonState;
use crate::app::queries::Status;
use crate::domain::clusters::purity::Purity;
use crate::domain::records::record::{Stopped, StopsRecord};
use crate::wiring;
use serde::Serialize;

/// Runs the command.
pub fn run(context: &Context<'_>, out: &mut Output<'_>) -> Result<Exit, CliError> {
    let config = context.config()?;
    let status = context.reading(out)?.queries().status(&wiring::asked(&config))?;
    let answer = Answer { status, daemon: wiring::ask_daemon(&config) };
    out.answer(&answer, |o| show(&answer, o.page_width()))?;
    Ok(Exit::Ok)
}

/// The contents of the store, and whether it is in use.
#[derive(Serialize)]
struct Answer {
    #[serde(flatten)]
    status: Status,
    daemon: DaemonState,
}

fn show(answer: &Answer, width: usize) -> String {
    let s = &answer.status;
    let mut page = Page::new(&count(s.feedback, "feedback record"), width);
    page.line("daemon", answer.daemon.told());
    let classes = s.classes.iter().filter(|c| c.count > 0);
    let shown = classes.map(|c| format!("{} {}", c.count, c.classification.as_str()));
    page.line("classes", shown.collect::<Vec<_>>().join(", "));
    page.line("clusters", s.clusters.to_string());
    page.line("proposals", format!("{} awaiting review", s.pending_proposals));
    if let Some(waits) = &s.roster_waits {
        page.line("roster", format!("a change is pending: {}", waits_line(waits)));
    }
    for (what, stopped) in s.stops.all.iter().map(|all| ("all rules", all)).chain(each(&s.stops)) {
        page.line("stopped", format!("{what}{}", told(stopped)));
    }
    if s.waiting_patterns > 0 {
        let figure = s.purity.map_or_else(String::new, |purity| format!("; {}", purity_line(&purity)));
        let what = format!("{} for people: `feedbackd clusters review`{figure}", wait(s.waiting_patterns));
        page.line("waiting", what);
    }
    page.line("one-offs", format!("{} open", s.open_edge_cases));
    page.line("contradictions", format!("{} pending", s.open_ambiguous));
    page.line("dead letters", s.dead_letters.to_string());
    for file in &s.unreadable {
        page.line("unreadable", format!("{}: {}", file.path, file.why));
    }
    page.line("store", s.head.as_ref().map_or("no commits yet".to_owned(), |c| format!("at commit {}", c.short())));
    if let Some(id) = &s.store_id {
        page.line("store id", id);
    }
    let lag = if s.behind == 0 { "up to date".to_owned() } else { format!("{} behind", count(s.behind, "commit")) };
    page.line("index", lag);
    page.finish()
}

fn each(stops: &StopsRecord) -> impl Iterator<Item = (&str, &Stopped)> {
    stops.rules.iter().map(|(id, stopped)| (id.as_str(), stopped))
}

/// Describes who stopped something, when and why.
pub(super) fn told(stopped: &Stopped) -> String {
    let by = if stopped.by.is_empty() { String::new() } else { format!(" by {}", stopped.by) };
    let at = stopped.at.map_or_else(String::new, |at| format!(" at {} UTC", when(at)));
    let why = if stopped.reason.is_empty() { String::new() } else { format!(": {}", stopped.reason) };
    format!("{by}{at}{why}")
}

fn wait(patterns: u64) -> String {
    format!("{} {}", count(patterns, "pattern"), if patterns == 1 { "waits" } else { "wait" })
}

/// Describes in one line what the answers imply.
pub(super) fn purity_line(purity: &Purity) -> String {
    let Purity { right, wrong, share, interval } = purity;
    format!(
        "{right} of {} reviewed clusters are correct, which implies {share:.2} ({:.2} to {:.2})",
        right + wrong,
        interval.low,
        interval.high
    )
}
