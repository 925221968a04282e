//! What the report says of the channels beside gate decisions: what became of reviews of iterations, and whether
//! refined prompts helped. Rates are `actionable`'s and `refine`'s; here they are counted within the report's scope and
//! put into words.

use super::{Report, Section, Tally};
use crate::domain::channels::iteration::{Rate, Rates, RatesTally};
use crate::domain::channels::refine::{ActionEffect, Effectiveness};
use crate::domain::prose::percent;
use crate::domain::records::channel::{IterationRecord, RefinementRecord};

/// The counts of the channels.
#[derive(Clone, Debug, Default)]
pub(super) struct ChannelTally {
    iterations: RatesTally,
    refinements: Effectiveness,
}

impl Tally {
    /// Counts a review of an iteration.
    pub fn iteration(&mut self, r: &IterationRecord) {
        if self.is_ours(r.agent.as_deref().unwrap_or_default()) && self.counts(r.document.timestamp) {
            self.channels.iterations.add(&r.tracking);
        }
    }

    /// Counts a refined prompt.
    pub fn refinement(&mut self, r: &RefinementRecord) {
        if self.is_ours(r.agent.as_deref().unwrap_or_default()) && self.counts(r.timestamp) {
            r.feedback_log.iter().for_each(|entry| self.channels.refinements.record(entry));
        }
    }
}

impl ChannelTally {
    pub(super) fn iterations(&self) -> Option<Rates> {
        Some(self.iterations.rates()).filter(|rates| rates.documents > 0)
    }

    pub(super) fn refinements(&self) -> Vec<ActionEffect> {
        self.refinements.all().into_iter().filter(|effect| effect.applied > 0).collect()
    }
}

/// The sections; none where nothing came on these channels.
pub(super) fn sections(r: &Report) -> Vec<Section> {
    let iterations = r.iterations.as_ref().map(iterations);
    let refinements = (!r.refinements.is_empty()).then(|| refinements(&r.refinements));
    iterations.into_iter().chain(refinements).collect()
}

fn iterations(rates: &Rates) -> Section {
    let row = |what: &str, rate: Rate| {
        vec![what.to_owned(), format!("{} of {}", rate.count, rate.of), rate.rate.map_or("-".to_owned(), percent)]
    };
    let documents = match rates.documents {
        1 => "1 document.".to_owned(),
        n => format!("{n} documents."),
    };
    Section {
        title: "Reviews of iterations".into(),
        lines: vec![documents],
        header: vec!["what", "how many", "rate"],
        rows: vec![
            row("reviews that were followed", rates.follow_rate),
            row("followed ones after which the score rose", rates.improvement_rate),
            row("items that were named before", rates.repeat_rate),
            row("reviews that escalate", rates.escalation_rate),
        ],
        notes: rates
            .mean_delta
            .map(|delta| format!("From one review to the next the score changes by {delta:+.2} on average."))
            .into_iter()
            .collect(),
    }
}

fn refinements(effects: &[ActionEffect]) -> Section {
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
