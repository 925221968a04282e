//! `explain`: why a comment was interpreted as it was; also the page shared with `catalogue test`.

use super::exit::{CliError, Exit};
use super::output::Output;
use super::page::{Page, percent};
use crate::app::comments::explanation;
use crate::app::comments::explanation::{Explanation, FeedbackExplanation};
use crate::app::queries::Comparisons;
use crate::text::language::catalogue::{Match, Parts, ReadBy, WhatIf};
use crate::text::language::direction::Direction;
use crate::text::prose::line;

/// What to explain.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The id of the feedback, or the publisher's decision id
    #[arg(value_name = "FEEDBACK_ID")]
    id: String,
}

/// Runs the command.
pub fn run(args: &Args, comparisons: &Comparisons<'_>, out: &mut Output<'_>) -> Result<Exit, CliError> {
    let found = explanation::feedback(comparisons, &args.id)?;
    out.answer(&found, |o| feedback_page(&found, o.page_width()))?;
    Ok(Exit::Ok)
}

fn feedback_page(found: &FeedbackExplanation, width: usize) -> String {
    let mut page = Page::new(&format!("Why {} is read this way", found.feedback_id), width);
    page.line("said", format!("{}, of the work of {}: “{}”", found.reviewer_id, found.agent, found.said));
    page.line("class", format!("{}, {}", found.classification.as_str(), percent(found.confidence)));
    page.line("why", &found.rationale);
    page.line("cluster", found.cluster.as_deref().unwrap_or("none"));
    if let Some(why) = found.not_compared {
        page.line("compared", format!("with nothing: {why}"));
    }
    if let Some(recorded) = &found.recorded {
        page.line("recorded as", recognised(recorded));
        match &recorded.shown_by {
            Some(shown) => page.line("", format!("shown by “{}”", line(shown, 120))),
            None => {
                page.line("", format!("nearest phrasing “{}” ({:.2})", recorded.nearest_phrasing, recorded.similarity))
            }
        };
    }
    if found.changed {
        page.line("since then", "the catalogue has changed: today it would be read as below");
    }
    page.line("file", &found.path);
    if let Some(reading) = &found.reading {
        reading_lines(&mut page, reading);
    }
    page.finish()
}

/// Adds lines that explain how a text is interpreted.
pub fn reading_lines(page: &mut Page, reading: &Explanation) {
    page.chapter("How it is read");
    page.line("demand", format!("“{}” ({})", reading.demand, reading.language));
    reading.demands.iter().for_each(|demand| {
        page.line("one of several", demand);
    });
    page.line("set aside", reading.set_aside.join("; "));
    page.line(
        "gate",
        match (&reading.gate, reading.work) {
            (Some(gate), Some(work)) => format!("{gate}: {work}"),
            (Some(gate), None) => format!("{gate}: unknown kind of work"),
            (None, _) => "not given; all concerns are considered".to_owned(),
        },
    );
    let unknown = "no known one is likely enough; it is compared with other comments by its words";
    page.line("concern", reading.concern.as_ref().map_or_else(|| unknown.to_owned(), recognised));
    page.line("direction", direction(reading));
    reading.likeliest.iter().enumerate().for_each(|(at, parts)| parts_lines(page, at, parts));
    if let Some(what_if) = &reading.what_if {
        what_if_lines(page, what_if, reading);
    }
    if !reading.nearest.is_empty() {
        page.chapter("The nearest earlier comments (from 0.80 on they count as the same)");
        for near in &reading.nearest {
            let f = &near.feedback;
            let cluster = f.cluster.as_ref().map_or_else(|| "in no cluster".to_owned(), |c| format!("in {c}"));
            let said = format!("{} by {}, {cluster}: “{}”", f.feedback_id, f.reviewer_id, f.text);
            page.line(&format!("{:.2}", near.similarity), said);
        }
    }
}

fn recognised(found: &Match) -> String {
    let terms =
        if found.terms.is_empty() { String::new() } else { format!(", by “{}”", found.terms.join("”, “")) };
    let otherwise = found.otherwise.as_ref().map_or_else(String::new, |id| format!(", otherwise {id}"));
    format!("{}, {}{terms}{otherwise}", found.concern, percent(found.probability))
}

fn direction(reading: &Explanation) -> String {
    let way = match reading.direction {
        Direction::More => "more of it",
        Direction::Less => "less of it",
        Direction::Unclear => "neither more nor less: otherwise, or not shown",
    };
    match (&reading.cue, reading.direction_by_concern) {
        (_, true) => format!("{way}, as the concern says"),
        (Some(cue), false) => format!("{way}, shown by “{cue}”"),
        (None, false) => way.to_owned(),
    }
}

fn parts_lines(page: &mut Page, at: usize, parts: &Parts) {
    page.chapter(&format!("{}. {}: {}, {}", at + 1, parts.concern, parts.title, percent(parts.probability)));
    page.line(
        "score",
        format!(
            "{:.2} by {}: vector {:.2}, words {:.2}, letters {:.2}, terms {:.2}, gate {:.2}",
            parts.score,
            match parts.read_by {
                ReadBy::Reader => "the trained reader",
                ReadBy::Nearness => "nearness to its phrasings",
                ReadBy::Store => "nearness, as a concern of this store",
            },
            parts.by_vector,
            parts.by_words,
            parts.by_letters,
            parts.by_terms,
            parts.by_gate
        ),
    );
    for near in &parts.phrasings {
        page.line("phrasing", format!("{:.2} “{}”", near.cosine, near.text));
    }
    let spoken = |all: &[crate::text::language::catalogue::Spoken]| {
        all.iter().map(|s| format!("{} ({:+.2})", s.text, s.weight)).collect::<Vec<_>>().join(", ")
    };
    page.line("words", spoken(&parts.words));
    page.line("terms", spoken(&parts.terms));
}

fn what_if_lines(page: &mut Page, what_if: &WhatIf, reading: &Explanation) {
    page.chapter("What would have changed it, all else being equal");
    page.line("runner-up", format!("{}, behind by {}", what_if.runner_up, percent(what_if.gap)));
    page.line("with any of", what_if.with_any_of.join(", "));
    page.line("without", what_if.without_any_of.join(", "));
    for (work, concern) in &what_if.at_other_work {
        page.line(&format!("at {work}"), concern);
    }
    let nothing =
        what_if.with_any_of.is_empty() && what_if.without_any_of.is_empty() && what_if.at_other_work.is_empty();
    if nothing {
        let place = if reading.work.is_some() { "no other gate" } else { "no gate" };
        page.line("", format!("no single term of the runner-up, and {place}"));
    }
}
