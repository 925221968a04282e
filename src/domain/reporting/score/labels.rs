//! Agreement of predicted labels with given ones, for any kind of label: by label, overall, and the quality of the
//! confidence.
//!
//! Only labels that were given count; a predicted label that was never given is simply wrong.

use super::{Calibrated, calibrated};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

/// The maximum number of listed confusions.
const CONFUSIONS: usize = 8;

/// One prediction and the right label.
#[derive(Clone, Debug, PartialEq)]
pub struct Labelling<'a> {
    /// The given label.
    pub right: &'a str,
    pub predicted: &'a str,
    /// The predictor's probability, 0 to 1, that the prediction is right.
    pub confidence: f64,
}

/// How well labels were predicted.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LabelScore {
    /// The number of predictions.
    pub items: u64,
    /// The mean F1 over the given labels; 0 if there are none.
    pub macro_f1: f64,
    /// The share that is right; 0 if there are no predictions.
    pub accuracy: f64,
    /// The quality of the confidence.
    pub confidence: Calibrated,
    /// The figures of each given label, sorted by name.
    pub labels: Vec<LabelFigures>,
    /// Confusions, the most frequent first; at most eight.
    pub confusions: Vec<Confused>,
}

/// The figures of one label; 0 if the denominator is 0.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LabelFigures {
    pub label: String,
    /// The share of its predictions that are right.
    pub precision: f64,
    /// The share of its items that were found.
    pub recall: f64,
    /// Their harmonic mean.
    pub f1: f64,
    /// The number of items with it.
    pub items: u64,
    /// How often it was predicted.
    pub predicted: u64,
}

/// How often one label was taken for another.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Confused {
    /// The given label.
    pub right: String,
    pub predicted: String,
    /// The number of times.
    pub count: u64,
}

/// Compares predictions with the given labels.
pub fn labels(held: &[Labelling<'_>]) -> LabelScore {
    let mut matrix: BTreeMap<(&str, &str), u64> = BTreeMap::new();
    for one in held {
        *matrix.entry((one.right, one.predicted)).or_default() += 1;
    }
    let given: BTreeSet<&str> = held.iter().map(|one| one.right).collect();
    let figures: Vec<LabelFigures> = given.iter().map(|label| of_label(label, &matrix)).collect();
    let said: Vec<(f64, bool)> = held.iter().map(|one| (one.confidence, one.right == one.predicted)).collect();
    let wrong = matrix.iter().filter(|((right, predicted), _)| right != predicted);
    let mut confusions: Vec<Confused> = wrong
        .map(|((right, predicted), count)| Confused {
            right: (*right).to_owned(),
            predicted: (*predicted).to_owned(),
            count: *count,
        })
        .collect();
    confusions.sort_by_key(|confused| std::cmp::Reverse(confused.count));
    confusions.truncate(CONFUSIONS);
    let confidence = calibrated(&said);
    LabelScore {
        items: held.len() as u64,
        macro_f1: super::share::mean(figures.iter().map(|f| f.f1)).unwrap_or(0.0),
        accuracy: confidence.right.unwrap_or(0.0),
        confidence,
        labels: figures,
        confusions,
    }
}

fn of_label(label: &str, matrix: &BTreeMap<(&str, &str), u64>) -> LabelFigures {
    let count = |wanted: &dyn Fn(&str, &str) -> bool| -> u64 {
        matrix.iter().filter(|((right, predicted), _)| wanted(right, predicted)).map(|(_, count)| count).sum()
    };
    let hits = count(&|right, predicted| right == label && predicted == label);
    let items = count(&|right, _| right == label);
    let predicted = count(&|_, predicted| predicted == label);
    let ratio = |part: u64, of: u64| if of == 0 { 0.0 } else { part as f64 / of as f64 };
    LabelFigures {
        label: label.to_owned(),
        precision: ratio(hits, predicted),
        recall: ratio(hits, items),
        f1: ratio(2 * hits, items + predicted),
        items,
        predicted,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_example_by_hand() {
        let one = |right, predicted, confidence| Labelling { right, predicted, confidence };
        let score = labels(&[one("a", "a", 0.9), one("a", "b", 0.6), one("b", "b", 0.8), one("b", "other", 0.6)]);
        let figures = |f: &LabelFigures| (f.precision, f.recall, f.items, f.predicted);
        assert_eq!(score.labels.iter().map(figures).collect::<Vec<_>>(), [(1.0, 0.5, 2, 1), (0.5, 0.5, 2, 2)]);
        assert!((score.macro_f1 - (2.0 / 3.0 + 0.5) / 2.0).abs() < 1e-9, "{score:?}");
        assert_eq!((score.items, score.accuracy), (4, 0.5));
        // The bins of 0.6 (two wrong), 0.8 and 0.9.
        assert!((score.confidence.ece.unwrap() - (1.2 + 0.2 + 0.1) / 4.0).abs() < 1e-9, "{score:?}");
        assert_eq!(score.confusions.len(), 2);
        assert_eq!(labels(&[]).labels, []);
    }
}
