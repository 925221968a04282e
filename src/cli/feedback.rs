//! `feedback show|list|similar|search`: reviewers' feedback and how it was classified.

use super::context::Context;
use super::exit::{CliError, Exit};
use super::output::Output;
use super::page::{self, Page, count, day, percent, when};
use crate::app::queries::{FeedbackFilter, FeedbackLine, FeedbackPage, SimilarTo};
use crate::domain::clusters::evaluation::{Classification, SimilarFeedback};
use crate::domain::intake::place::RemarkedPlace;
use crate::text::ids::Gate;
use crate::wiring;
use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;

/// The subcommands.
#[derive(Debug, clap::Subcommand)]
pub enum Command {
    /// Show everything about one feedback
    Show {
        /// Its id, or the publisher's decision id
        id: String,
    },
    /// List the latest feedback
    List(Filter),
    /// Find feedback with the same meaning
    Similar(Similar),
    /// Find feedback that contains all the words
    Search {
        /// The words
        #[arg(required = true)]
        words: Vec<String>,
        /// Maximum number; 0 for all
        #[arg(long, default_value_t = 20)]
        limit: usize,
    },
}

/// The filters for a list.
#[derive(Debug, clap::Args)]
pub struct Filter {
    /// Only this agent's work
    #[arg(long)]
    agent: Option<String>,
    /// Only this gate, e.g. HITL-2
    #[arg(long, value_parser = gate)]
    gate: Option<Gate>,
    /// Only this reviewer
    #[arg(long)]
    reviewer: Option<String>,
    /// Only this class, e.g. EDGE_CASE, or as shown in lists: high, low, "edge case"
    #[arg(long, value_parser = class)]
    class: Option<Classification>,
    /// Only members of this cluster
    #[arg(long)]
    cluster: Option<String>,
    /// Only at or after this date or time (UTC if it has no offset)
    #[arg(long, value_parser = since)]
    since: Option<Timestamp>,
    /// Only this tenant
    #[arg(long)]
    tenant: Option<String>,
    /// Maximum number; 0 for all
    #[arg(long, default_value_t = 50)]
    limit: usize,
}

/// What to compare with.
#[derive(Debug, clap::Args)]
pub struct Similar {
    /// The id of a feedback
    #[arg(required_unless_present = "text", conflicts_with = "text")]
    id: Option<String>,
    /// Any text
    #[arg(long)]
    text: Option<String>,
    /// Minimum calibrated similarity, 0 to 1
    #[arg(long, default_value_t = 0.8, value_parser = fraction)]
    threshold: f64,
    /// Only this agent's work
    #[arg(long)]
    agent: Option<String>,
    /// Maximum number; 0 for all
    #[arg(long, default_value_t = 20)]
    limit: usize,
}

/// Runs a subcommand.
pub fn run(command: &Command, context: &Context<'_>, out: &mut Output<'_>) -> Result<Exit, CliError> {
    match command {
        Command::Show { id } => {
            let page = context.reading(out)?.queries().feedback_show(id)?;
            out.answer(&page, |o| show(&page, o.page_width()))?;
        }
        Command::List(filter) => {
            let found = context.reading(out)?.queries().feedback_list(&filter.into())?;
            out.answer(&found, |o| list(&found, o.list_width()))?;
        }
        Command::Similar(similar) => {
            let to = match (&similar.id, &similar.text) {
                (_, Some(text)) => SimilarTo::Text(text.clone()),
                (id, None) => SimilarTo::Feedback(id.clone().unwrap_or_default()),
            };
            let filter = FeedbackFilter { agent: similar.agent.clone(), ..FeedbackFilter::default() };
            let found =
                context.comparing(out)?.comparisons().similar(&to, similar.threshold, similar.limit, &filter)?;
            out.answer(&found, |o| {
                if found.is_empty() {
                    let above = similar.threshold;
                    return format!("Nothing reaches a similarity of {above}. A lower --threshold shows more.");
                }
                let rows = found.iter().map(|s| {
                    let f = &s.feedback;
                    vec![
                        format!("{:.2}", s.similarity),
                        f.feedback_id.clone(),
                        f.reviewer_id.clone(),
                        f.agent.clone(),
                        f.text.clone(),
                    ]
                });
                page::list(&["similarity", "feedback", "reviewer", "agent", "said"], rows.collect(), o.list_width())
            })?;
        }
        Command::Search { words, limit } => {
            let found = context.reading(out)?.queries().search(&words.join(" "), *limit)?;
            out.answer(&found, |o| list(&found, o.list_width()))?;
        }
    }
    Ok(Exit::Ok)
}

/// Formats feedback as a list; also used for cluster members.
pub fn list(found: &[FeedbackLine], width: Option<usize>) -> String {
    if found.is_empty() {
        return "No feedback.".to_owned();
    }
    let rows = found.iter().map(|f| {
        let (day, class) = (day(f.timestamp), short(f.classification).to_owned());
        vec![f.feedback_id.clone(), day, f.gate.to_string(), f.reviewer_id.clone(), class, f.text.clone()]
    });
    page::list(&["feedback", "decided", "gate", "reviewer", "class", "said"], rows.collect(), width)
}

/// Returns a short class name; the two kinds of pattern are named by strength.
fn short(class: Classification) -> &'static str {
    match class {
        Classification::GeneralizableHigh => "high",
        Classification::GeneralizableLow => "low",
        Classification::EdgeCase => "edge case",
        Classification::Ambiguous => "ambiguous",
        Classification::Positive => "positive",
    }
}

/// Lines of code shown with a comment.
const CODE: usize = 3;

fn show(found: &FeedbackPage, width: usize) -> String {
    let (r, f, e) = (&found.record, &found.record.feedback, &found.record.evaluation);
    let title = format!("{}: {} at {} by {}", f.feedback_id, r.decision.as_str(), r.gate, r.said_by());
    let mut page = Page::new(&title, width);
    page.line("decided", format!("{} UTC", when(r.timestamp)));
    page.line("agent", &f.agent);
    page.line("task", [&r.epic_id, &r.task_id].into_iter().flatten().cloned().collect::<Vec<_>>().join(", "));
    page.line("place", f.places.iter().map(RemarkedPlace::told).collect::<Vec<_>>().join("; "));
    page.line("said", r.reviewer_comment.as_deref().unwrap_or("(no comment)"));
    if let Some(said) = &r.comment {
        page.line("code", said.comment.code(CODE).unwrap_or_default());
        page.line("part of", r.whole_id());
    }
    for one in &r.comments {
        let places = one.feedback.places.iter().map(|place| format!("{}: ", place.told())).collect::<String>();
        page.line("comment", format!("{places}{} ({})", one.said(), one.feedback.feedback_id));
    }
    let derived = if f.summary_is_derived { " (read from the diff)" } else { "" };
    page.line("changed", f.correction_summary.as_ref().map_or(String::new(), |s| format!("{s}{derived}")));
    if let Some(c) = &f.correction {
        let suggested = if c.suggested { ", as suggested" } else { "" };
        page.line("correction", format!("{} (+{} -{}{suggested})", c.path, c.lines_added, c.lines_removed));
    }
    page.line("correction", f.correction_note.as_deref().unwrap_or_default());
    for one in &found.follow_ups {
        page.line("afterwards", format!("{} UTC: {}", when(one.record.timestamp), one.record.told()));
    }
    page.line("class", format!("{}, {}", e.classification.as_str(), percent(e.confidence)));
    page.line("why", &e.rationale);
    page.line("similar", cited(&e.similar));
    page.line("contradicts", cited(&e.contradicts));
    if let Some(c) = &found.cluster {
        let size = (count(c.record.members, "member"), count(c.record.reviewer_count, "reviewer"));
        page.line("cluster", format!("{}: {} ({}, {})", c.record.cluster_id, c.record.title, size.0, size.1));
    }
    if let Some(edge) = &found.edge_case {
        let promoted = edge.record.promoted_to.as_ref().map_or("open".to_owned(), |to| format!("promoted to {to}"));
        page.line("edge case", format!("{}, {promoted}", edge.record.edge_case_id));
    }
    if let Some(a) = &found.ambiguous {
        page.line("tiebreak", &a.record.question);
    }
    if let Some(rule) = &found.proposal {
        page.line("proposal", format!("{} ({}): {}", rule.record.proposal_id, rule.state.as_str(), rule.record.title));
    }
    page.line("removed", f.redacted.join(", "));
    page.line("file", &found.path);
    page.finish()
}

fn cited(all: &[SimilarFeedback]) -> String {
    all.iter().map(|s| format!("{} ({:.2})", s.feedback_id, s.similarity)).collect::<Vec<_>>().join(", ")
}

impl From<&Filter> for FeedbackFilter {
    fn from(f: &Filter) -> FeedbackFilter {
        FeedbackFilter {
            tenant: f.tenant.clone(),
            agent: f.agent.clone(),
            gate: f.gate,
            reviewer: f.reviewer.clone(),
            classification: f.class,
            cluster: f.cluster.clone(),
            since: f.since,
            limit: f.limit,
        }
    }
}

fn gate(text: &str) -> Result<Gate, String> {
    Gate::parse(text).ok_or_else(|| "a gate is written HITL-1 to HITL-99".to_owned())
}

fn class(text: &str) -> Result<Classification, String> {
    let wanted = text.replace(['-', ' '], "_").to_ascii_uppercase();
    Classification::ALL
        .into_iter()
        .find(|c| c.as_str() == wanted || short(*c).replace(' ', "_").to_ascii_uppercase() == wanted)
        .ok_or_else(|| format!("the classes are {}", Classification::ALL.map(Classification::as_str).join(", ")))
}

/// Parses a date or time, in UTC if it has no offset, or a time before now: `90d`, `12w`.
pub fn since(text: &str) -> Result<Timestamp, String> {
    if let Some(hours) = period(text) {
        return ago(hours);
    }
    if let Ok(at) = text.parse::<Timestamp>() {
        return Ok(at);
    }
    let day: Date = text.parse().map_err(|_| "write 2026-01-31, 2026-01-31T12:00:00Z or 90d".to_owned())?;
    day.to_zoned(TimeZone::UTC).map(|z| z.timestamp()).map_err(|e| e.to_string())
}

/// Returns the time so many hours before now.
pub fn ago(hours: i64) -> Result<Timestamp, String> {
    wiring::now().checked_sub(jiff::Span::new().hours(hours)).map_err(|e| e.to_string())
}

/// Parses a number of days or weeks; returns hours.
fn period(text: &str) -> Option<i64> {
    let (number, hours) = match (text.strip_suffix('d'), text.strip_suffix('w')) {
        (Some(days), _) => (days, 24),
        (None, Some(weeks)) => (weeks, 7 * 24),
        (None, None) => return None,
    };
    number.parse::<u16>().ok().map(|number| i64::from(number) * hours)
}

fn fraction(text: &str) -> Result<f64, String> {
    let value: f64 = text.parse().map_err(|_| "a number from 0 to 1 is expected".to_owned())?;
    if (0.0..=1.0).contains(&value) { Ok(value) } else { Err("a number from 0 to 1 is expected".to_owned()) }
}
