//! The report's sections on channels other than gate decisions: the outcome of iteration reviews, and whether refined
//! prompts helped. The rates are defined in `actionable` and `refine`; here they are counted within the report's scope
//! and put into words.

use super::Section;
use super::contents::Report;
use crate::channels::iteration::{Rate, Rates};
use crate::channels::refine::ActionEffect;
use crate::text::prose::{count, percent};

/// Returns the sections; empty if these channels had no events.
pub(super) fn sections(r: &Report) -> Vec<Section> {
    let iterations = r.iterations.as_ref().map(iterations);
    let refinements = (!r.refinements.is_empty()).then(|| refinements(&r.refinements));
    iterations.into_iter().chain(refinements).collect()
}

pub(super) fn iterations(rates: &Rates) -> Section {
    let row = |what: &str, rate: Rate| {
        vec![what.to_owned(), format!("{} of {}", rate.count, rate.of), rate.rate.map_or("-".to_owned(), percent)]
    };
    let documents = format!("{}.", count(rates.documents, "document"));
    Section {
        title: "Reviews of iterations".into(),
        lines: vec![documents],
        header: vec!["what", "how many", "rate"],
        rows: vec![
            row("reviews that were followed", rates.follow_rate),
            row("followed reviews after which the score rose", rates.improvement_rate),
            row("items raised before", rates.repeat_rate),
            row("reviews that escalated", rates.escalation_rate),
        ],
        notes: rates
            .mean_delta
            .map(|delta| format!("The score changes by {delta:+.2} on average from one review to the next."))
            .into_iter()
            .collect(),
    }
}

pub(super) fn refinements(effects: &[ActionEffect]) -> Section {
    let row = |e: &ActionEffect| {
        let [kind, action] = [e.feedback_type.as_str(), e.action.as_str()];
        let known = format!("{} of {}", e.succeeded, e.judged);
        vec![kind.to_owned(), action.to_owned(), e.applied.to_string(), known, rate_of(e)]
    };
    Section {
        title: "Refined prompts".into(),
        header: vec!["feedback", "action", "applied", "successes", "rate"],
        rows: effects.iter().map(row).collect(),
        ..Section::default()
    }
}

fn rate_of(effect: &ActionEffect) -> String {
    match (effect.rate, effect.low, effect.high) {
        (Some(rate), Some(low), Some(high)) => {
            format!("{} (95 % interval {:.0} to {})", percent(rate), low * 100.0, percent(high))
        }
        _ => "-".to_owned(),
    }
}
