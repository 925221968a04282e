//! The figures of `eval hitl` as a readable page, with their definitions.

use super::outcome::{Answer, Taught};
use crate::cli::page::{count, indented, maybe, share, three};
use crate::domain::clusters::evaluation::Classification;
use crate::domain::reporting::score::{BCubed, Calibrated, Classes, ClusterScores, Confidence, LARGE_THEME};

/// Definitions of the figures for `--help`.
pub const DEFINITIONS: &str = "\
All lines go through the whole pipeline in memory, without their labels; nothing is
written. Then the records are held against the labels.

An item is a distinct decision. It is positive where it was approved and has no theme,
or is labelled positive; every other item is a correction. Its group is the cluster its
evaluation names. What comes first is what stands first in the file.

Patterns
  Groups of three decisions or more by two reviewers or more that are classed as
  GENERALIZABLE_HIGH. One is pure where four fifths of it have one theme that recurs:
  that three decisions or more by two reviewers or more have. Found: recurring themes
  with a pure pattern. Falsely called one: decisions of no such theme that are classed so.
Groups (B3)
  Over corrections that have a theme: for each item the share of its group that has its
  theme (precision), and the share of its theme that is in its group (recall); then the
  mean over items, and F, their harmonic mean. An item in no cluster is a group of its
  own. Second line: corrections without a theme count in the precision, each as a theme
  of its own.
Proposals
  Clusters that led to a proposal. One is pure where at least 80 % of its members have
  one theme; members without a theme count against it. The same for all clusters of two
  members or more.
Themes
  Those with 5 corrections or more. One is found where it is the most frequent theme of
  a pure cluster with a proposal. Largest cluster: the mean share of a theme's
  corrections in the cluster that has most of them. Proposals per found theme: distinct
  proposals of all clusters whose most frequent theme it is.
Lost
  Corrections without a theme that lie in a cluster of two members or more, of all those
  that are labelled edge_case: they say something that nobody else says.
Classes
  What is right follows from themes, reviewers and order, for each theme over the whole
  file: no theme and approved is POSITIVE, no theme else EDGE_CASE; a theme with items of
  two reviewers or more is GENERALIZABLE_HIGH, with two items or more of one reviewer
  GENERALIZABLE_LOW, with a single item EDGE_CASE. Of a contradictory pair the side that
  came second is AMBIGUOUS; items of the first side that came before it are as above, of
  later ones both AMBIGUOUS and the class as above are right. The pair is the one in the
  truth file; else, for each agent, the two themes with items labelled ambiguous.
  Macro-F1 is the mean F1 of the classes that occur. The second one holds the classes
  against the file's own labels, which know no order, and where corrections without a
  theme that say nothing (\"hmm\") are labelled ambiguous.
Contradictions
  Items of the pair that are AMBIGUOUS, and those of them that cite an item of the other
  side. AMBIGUOUS on any other item is false.
Near-misses
  Pairs of the truth file that share a cluster in which each has 20 % or more of the
  members.
One reviewer
  What became of the items of the theme that one reviewer alone speaks of: the one in
  the truth file, or all with two items or more.
Confidence
  As the probability that the class is right. ECE: the expected calibration error over
  ten bins; Brier: the mean squared error. By class: over items that were given it.
Answers (--answers)
  The questions that `clusters review` would ask, one after the other, answered by the
  labels. Of a list: the most frequent theme that recurs is the same, where two or more
  have it; one-off-... is too particular for a rule, no theme asks for nothing, the rest
  is kept apart. Of a pair: the same where most remarks of both sides have one theme. All
  figures are with the answers; `without answers` is the same stream without them. B3
  of later decisions: the mean over those that came after the questions, of what each
  shares its group and its theme with, early or late.
Abstention
  Where only patterns (GENERALIZABLE_*) of at least that confidence count: how many of
  all corrections these are, and how many of these lie in a cluster whose most frequent
  theme is their own.";

/// Renders the page.
pub(super) fn page(answer: &Answer) -> String {
    let (score, counts) = (&answer.score, &answer.score.counts);
    let mut text = format!(
        "{}: {} with a theme, {} without, {} positive\n{}, {} left out\n",
        count(counts.items, "decision"),
        count(counts.themed, "correction"),
        counts.unthemed,
        counts.positive,
        many(answer.redeliveries, "redelivery", "redeliveries"),
        count(answer.not_evaluated, "line"),
    );
    let b3 = |name: &str, b: &BCubed| vec![name.to_owned(), three(b.precision), three(b.recall), three(b.f)];
    let rows = vec![b3("with a theme", &score.b3), b3("all corrections", &score.b3_with_unthemed)];
    table(&mut text, "Groups (B3)", &["over", "precision", "recall", "F"], rows);
    let without = answer.answers.as_ref().map(|taught| ("without answers", &taught.patterns_without));
    let with = (if without.is_some() { "with them" } else { "" }, &score.patterns);
    let rows = without.into_iter().chain([with]).map(|(name, figures)| {
        vec![name.to_owned(), share(&figures.pure), share(&figures.found), share(&figures.called_falsely)]
    });
    let head = ["", "pure", "recurring demands found", "falsely called one"];
    table(&mut text, "Patterns", &head, rows.collect());
    if let Some(taught) = &answer.answers {
        text += &answers(taught);
    }
    text += &groups(&score.groups);
    text += &classes(&score.classes);
    text += &confidence(&score.confidence);
    text
}

fn answers(taught: &Taught) -> String {
    let mut text = String::new();
    let b3 = |name: String, b: &BCubed| vec![name, three(b.precision), three(b.recall), three(b.f)];
    let mut rows = vec![b3("without answers".into(), &taught.without), b3("with them".into(), &taught.with)];
    if let Some(later) = &taught.later {
        rows.push(b3(format!("the {} later decisions, without", later.remarks), &later.without));
        rows.push(b3("the same, with".into(), &later.with));
    }
    let title = format!(
        "{} after {}: {} the same, {} different{}",
        count(taught.asked, "answer"),
        count(taught.remarks_before, "decision"),
        taught.same,
        taught.different,
        if taught.refused == 0 { String::new() } else { format!(", {} refused", taught.refused) },
    );
    table(&mut text, &title, &["B3", "precision", "recall", "F"], rows);
    let side = |size: u64, theme: &Option<String>| format!("{size} {}", theme.as_deref().unwrap_or("no theme"));
    let rows = taught.questions.iter().enumerate().map(|(at, q)| {
        let word = match (&q.refusal, q.same) {
            (Some(_), _) => "refused",
            (None, true) => "same",
            (None, false) if q.listed.is_some() => "none",
            (None, false) => "different",
        };
        let [a, b] = match &q.listed {
            None => [side(q.sizes.0, &q.themes.0), side(q.sizes.1, &q.themes.1)],
            Some(listed) => {
                let beside = if q.sizes.0 > 0 { format!(" beside {}", q.sizes.0) } else { String::new() };
                let theme = q.themes.0.as_deref().unwrap_or("none recurs");
                let gone = format!("{} of nothing, {} particular", listed.nothing, listed.particular);
                [format!("list of {}{beside}", listed.remarks), format!("{} {theme}, {gone}", listed.same)]
            }
        };
        vec![(at + 1).to_string(), format!("{:.2}", q.probability), a, b, word.to_owned()]
    });
    table(&mut text, "Questions", &["", "likely", "one side", "the other", "answer"], rows.collect());
    text
}

fn groups(groups: &ClusterScores) -> String {
    let (proposals, themes) = (&groups.proposals, &groups.themes);
    let mut text = format!(
        "\nProposals and themes\n  pure clusters with a proposal: {} ({})\n  pure clusters of two or more: {}\n",
        share(&proposals.pure),
        count(proposals.proposals, "proposal"),
        share(&groups.pure_groups),
    );
    text += &format!(
        "  themes of {LARGE_THEME} or more found: {}\n  share in the largest cluster: {}\n  proposals per found theme: {}\n",
        share(&themes.found),
        maybe(themes.largest_cluster),
        maybe(themes.proposals_per_found),
    );
    text += &format!("  corrections without a theme lost in clusters: {}\n", share(&groups.lost));
    for near in &groups.near_misses {
        let mixed = match near.mixed_in.as_slice() {
            [] => "apart".to_owned(),
            clusters => format!("mixed in {}", clusters.join(", ")),
        };
        text += &format!("  near-miss {} and {}: {mixed}\n", near.one, near.other);
    }
    text
}

fn classes(classes: &Classes) -> String {
    let mut text = String::new();
    let rows = classes.by_class.iter().map(|c| {
        let name = c.class.as_str().to_owned();
        vec![name, c.expected.to_string(), c.given.to_string(), maybe(c.precision), maybe(c.recall), maybe(c.f1)]
    });
    table(&mut text, "Classes", &["class", "right", "given", "precision", "recall", "F1"], rows.collect());
    text += &format!("  right: {}\n  macro-F1: {}\n", share(&classes.right), maybe(classes.macro_f1));
    if let Some(f1) = classes.macro_f1_labels {
        text += &format!(
            "  macro-F1 against the file's labels: {f1:.3} (where corrections that say nothing are labelled ambiguous)\n"
        );
    }
    let rows = Classification::ALL.iter().zip(&classes.confusion).map(|(class, given)| {
        [class.as_str().to_owned()].into_iter().chain(given.iter().map(u64::to_string)).collect()
    });
    table(
        &mut text,
        "Right class by row, given class by column",
        &["", "HIGH", "LOW", "EDGE", "AMB", "POS"],
        rows.collect(),
    );
    text += "\nContradictions\n";
    for c in &classes.contradictions {
        text += &format!(
            "  {} against {}: {} of {} flagged, {} citing the other side\n",
            c.second, c.first, c.flagged, c.items, c.citing
        );
    }
    text += &format!("  false AMBIGUOUS elsewhere: {}\n", classes.false_ambiguous);
    for one in &classes.one_reviewer {
        text += &format!(
            "  one reviewer, {}: {} LOW, {} HIGH, {} EDGE of {}\n",
            one.theme, one.low, one.high, one.edge, one.items
        );
    }
    text
}

fn confidence(confidence: &Confidence) -> String {
    let mut text = String::new();
    let row = |name: &str, c: &Calibrated| {
        vec![name.to_owned(), c.items.to_string(), maybe(c.mean), maybe(c.right), maybe(c.ece), maybe(c.brier)]
    };
    let by_class = confidence.by_class.iter().filter(|(_, c)| c.items > 0).map(|(class, c)| row(class.as_str(), c));
    let rows = [row("all", &confidence.all)].into_iter().chain(by_class).collect();
    table(&mut text, "Confidence", &["given", "items", "mean", "right", "ECE", "Brier"], rows);
    let rows = confidence.abstention.iter().map(|a| vec![a.at.to_string(), share(&a.coverage), share(&a.right)]);
    table(&mut text, "Abstention", &["at least", "covered", "in a cluster of its theme"], rows.collect());
    text
}

/// Appends a title and an indented table below it.
pub(super) fn table(text: &mut String, title: &str, header: &[&str], rows: Vec<Vec<String>>) {
    *text += &format!("\n{title}\n");
    indented(text, header, rows);
}

fn many(n: u64, one: &str, more: &str) -> String {
    format!("{n} {}", if n == 1 { one } else { more })
}
