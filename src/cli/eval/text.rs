//! The figures of `eval hitl` as a readable page, with their definitions.

use super::outcome::{Answer, Taught};
use crate::cli::page::{count, indented, maybe, share, three};
use crate::domain::clusters::evaluation::Classification;
use crate::domain::reporting::score::{BCubed, Calibrated, Classes, ClusterScores, Confidence, LARGE_THEME};

/// Definitions of the figures for `--help`.
pub const DEFINITIONS: &str = "All lines go through the whole pipeline in memory, without their labels; nothing \
                               is\nwritten. Then the records are compared with the labels.\n\nAn item is a distinct \
                               decision. It is positive if it was approved and has no theme, or\nis labelled positive; \
                               every other item is a correction. Its cluster is the one that its\nevaluation names. \
                               Order is the order of the file.\n\nPatterns\n  Clusters of three decisions or more by \
                               two reviewers or more that are classed as\n  GENERALIZABLE_HIGH. One is pure if four \
                               fifths of it have one recurring theme: a theme\n  of three decisions or more by two \
                               reviewers or more. Found: recurring themes with a\n  pure pattern. Falsely called one: \
                               decisions of no such theme that are classed so.\nClusters (B3)\n  Over corrections that \
                               have a theme: for each item the share of its cluster that has its\n  theme (precision), \
                               and the share of its theme that is in its cluster (recall); then the\n  mean over \
                               items, and F, their harmonic mean. An item in no cluster counts as a cluster\n  of its \
                               own. Second line: corrections without a theme count in the precision, each as a\n  \
                               theme of its own.\nProposals\n  Clusters that led to a proposal. One is pure if at \
                               least 80 % of its members have one\n  theme; members without a theme count against it. \
                               The same for all clusters of two\n  members or more.\nThemes\n  Those with 5 \
                               corrections or more. One is found if it is the most frequent theme of a\n  pure cluster \
                               with a proposal. Largest cluster: the mean share of a theme's corrections\n  in the \
                               cluster that has most of them. Proposals per found theme: distinct proposals of\n  all \
                               clusters whose most frequent theme it is.\nLost\n  Corrections without a theme in a \
                               cluster of two members or more, of all those that are\n  labelled edge_case: demands \
                               that no other comment makes.\nClasses\n  The correct class follows from themes, \
                               reviewers and order, for each theme over the\n  whole file: no theme and approved is \
                               POSITIVE, otherwise no theme is EDGE_CASE; a theme\n  with items of two reviewers or \
                               more is GENERALIZABLE_HIGH, with two items or more of\n  one reviewer \
                               GENERALIZABLE_LOW, with a single item EDGE_CASE. Of a contradictory pair\n  the side \
                               that came second is AMBIGUOUS; items of the first side that came before it are\n  as \
                               above; for later ones both AMBIGUOUS and the class as above are correct. The pair is\n  \
                               the one in the truth file; otherwise, for each agent, the two themes with items \
                               labelled\n  ambiguous. Macro-F1 is the mean F1 of the classes that occur. The second \
                               one compares\n  the classes with the file's own labels, which ignore order, and which \
                               label corrections\n  without a theme that say nothing (\"hmm\") as \
                               ambiguous.\nContradictions\n  Items of the pair that are AMBIGUOUS, and those of them \
                               that cite an item of the other\n  side. AMBIGUOUS on any other item is \
                               false.\nNear-misses\n  Pairs of the truth file that share a cluster in which each has \
                               20 % or more of the\n  members.\nOne reviewer\n  The outcome for items of the theme \
                               that only one reviewer mentions: the one in the\n  truth file, or all with two items or \
                               more.\nConfidence\n  As the probability that the class is correct. ECE: the expected \
                               calibration error over\n  ten bins; Brier: the mean squared error. By class: over items \
                               that were given it.\nAnswers (--answers)\n  The questions that `clusters review` would \
                               ask, one after the other, answered by the\n  labels. For a list: items of the most \
                               frequent recurring theme are the same, if two or\n  more have it; one-off-... is too \
                               specific for a rule, no theme asks for nothing, the\n  rest is kept apart. For a pair: \
                               the same if most comments of both sides have one theme.\n  All figures are with the \
                               answers; `without answers` is the same stream without them. B3\n  of later decisions: \
                               the mean over those that came after the questions, compared with\n  all items that \
                               share their cluster or theme, early or late.\nAbstention\n  If only patterns \
                               (GENERALIZABLE_*) of at least that confidence count: their share of all\n  corrections, \
                               and the share of them in a cluster whose most frequent theme is their own.";

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
    table(&mut text, "Clusters (B3)", &["over", "precision", "recall", "F"], rows);
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
                let gone = format!("{} asking for nothing, {} too specific", listed.nothing, listed.particular);
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
        "Correct class by row, predicted class by column",
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
