//! `selftest`: the figures for the user's own store as a readable page, with their definitions.

use super::context::Context;
use super::exit::{CliError, Exit};
use super::output::Output;
use super::page::{count, indented, maybe, paragraph, share, three};
use super::status::purity_line;
use crate::app::admin::selftest;
use crate::app::admin::selftest::{RecalibrationFigures, SelfTest};
use crate::domain::reporting::score::{BCubed, Bin, Calibrated, ENOUGH};

/// Runs the command.
pub fn run(context: &Context<'_>, out: &mut Output<'_>) -> Result<Exit, CliError> {
    let comparing = context.comparing(out)?;
    let remembered = context.remembered(comparing.understanding())?;
    let found = selftest::selftest(&comparing.comparisons(), remembered)?;
    out.answer(&found, |o| page(&found, o.page_width()))?;
    Ok(Exit::Ok)
}

fn page(found: &SelfTest, width: usize) -> String {
    let mut text = format!(
        "{} of people: {} the same, {} different\n",
        count(found.answers, "answer"),
        found.same,
        found.different
    );
    if found.left_out > 0 {
        text += &paragraph(&format!("{} about comments that cannot be compared", found.left_out), width, 2);
    }
    if !found.enough_answers {
        let few = format!(
            "This is too little to go by: from {ENOUGH} answers on the figures below say something. `feedbackd clusters \
             review` asks the questions that teach most."
        );
        text += &format!("\n{}", paragraph(&few, width, 0));
    }
    if let Some(purity) = &found.purity {
        text += &format!("\nAre the clusters right?\n{}", paragraph(&purity_line(purity), width, 2));
    }
    text += &pairs(found);
    text += &grouping(found, width);
    text += &proposals(found, width);
    text
}

fn pairs(found: &SelfTest) -> String {
    let p = &found.pairs;
    let mut text = format!("\nDoes the similarity agree? ({})\n", count(p.pairs, "pair"));
    text += &format!("  right: {}\n", share(&p.right));
    text += &format!("  same, and taken for the same: {}\n", share(&p.same_found));
    text += &format!("  different, and kept apart: {}\n", share(&p.different_found));
    text + &probability(&p.probability, &p.bins, "same")
}

fn grouping(found: &SelfTest, width: usize) -> String {
    let g = &found.grouping;
    let mut text = String::from("\nThe clusters it would build on its own, against those that people left (B3)\n");
    if g.taught_remarks == 0 {
        let nothing = "No one has said yet what belongs together, so there is nothing to compare with.";
        return text + &paragraph(nothing, width, 2);
    }
    let row = |name: &str, remarks: u64, b: &BCubed| {
        vec![name.to_owned(), remarks.to_string(), three(b.precision), three(b.recall), three(b.f)]
    };
    let rows = vec![row("in clusters that people taught", g.taught_remarks, &g.taught), row("all", g.remarks, &g.all)];
    indented(&mut text, &["remarks", "count", "precision", "recall", "F"], rows);
    text
}

fn proposals(found: &SelfTest, width: usize) -> String {
    let p = &found.proposals;
    let mut text = format!("\nIs the confidence of proposals worth something? ({} approved, ", p.approved);
    text += &format!("{} rejected)\n", p.rejected);
    if !p.enough {
        let few = format!("Fewer than {ENOUGH} were decided: too little to go by.");
        text += &paragraph(&few, width, 2);
    }
    text += &probability(&p.probability, &p.bins, "approved");
    text + &recalibrated(&p.recalibration, width)
}

fn recalibrated(r: &RecalibrationFigures, width: usize) -> String {
    let RecalibrationFigures { decided, needed, curve, .. } = *r;
    if !r.in_use {
        let few = format!("Not recalibrated: that begins with {needed} decided proposals, and there are {decided}.");
        return paragraph(&few, width, 2);
    }
    let error = |c: &Calibrated| maybe(c.ece);
    let learned = format!(
        "Recalibrated on these {decided}: what its remarks alone make {} counts as {}, {} as {} (a {}, b {}). Expected \
         calibration error {} before, {} after, each tenth of them by what the other nine teach.",
        0.9,
        three(curve.apply(0.9)),
        0.99,
        three(curve.apply(0.99)),
        three(curve.a),
        three(curve.b),
        error(&r.before),
        error(&r.after),
    );
    paragraph(&learned, width, 2)
}

fn probability(all: &Calibrated, bins: &[Bin], what: &str) -> String {
    let mut text = String::new();
    let (Some(ece), Some(mean), Some(right)) = (all.ece, all.mean, all.right) else { return text };
    text += &format!("  said {mean:.3} on average, {what} {right:.3}; expected calibration error {ece:.3}\n");
    let rows = bins.iter().filter(|bin| bin.count > 0).map(|bin| {
        let range = format!("{:.1} to {:.1}", bin.from, bin.to);
        vec![range, bin.count.to_string(), maybe(bin.said), maybe(bin.happened)]
    });
    indented(&mut text, &["said", "count", "mean", what], rows.collect());
    text
}
