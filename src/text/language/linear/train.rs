//! Training: AdaGrad over the examples in a fixed order, then a temperature from held-out examples.
//!
//! Nothing is random. The steps follow a fixed stride over the examples, and the folds for the temperature are every
//! n-th example. Place related examples (of one dialogue, of one template) next to each other with the same `group`, so
//! that no fold sees near copies of its own.

use super::model::{Model, softmax};
use std::collections::{BTreeMap, BTreeSet};

/// One example.
#[derive(Debug, Clone, PartialEq)]
pub struct Example {
    /// Names and values. A repeated name counts twice.
    pub features: Vec<(String, f32)>,
    pub label: String,
    /// Its weight, usually 1. Ignored at or below 0.
    pub weight: f32,
    /// Examples of one group are held out together. Empty: a separate group.
    pub group: String,
}

/// Training options.
#[derive(Debug, Clone, PartialEq)]
pub struct Options {
    /// Passes over the examples.
    pub epochs: usize,
    /// The initial step size.
    pub rate: f32,
    /// L2 strength per example: about 1e-4 for thousands of examples.
    pub l2: f32,
    /// Features whose weights are all smaller than this are dropped.
    pub prune_below: f32,
    /// Features seen in fewer examples are dropped before training.
    pub min_seen: usize,
    /// Folds for fitting the temperature; below 2 it stays 1.
    pub folds: usize,
}

impl Default for Options {
    fn default() -> Self {
        Self { epochs: 30, rate: 0.2, l2: 1e-4, prune_below: 0.02, min_seen: 2, folds: 5 }
    }
}

/// Trains a model. Weights and temperature are rounded as in the table, so that writing does not change a model.
/// Without examples the model has the single label `none` and no weights.
pub fn train(examples: &[Example], options: &Options) -> Model {
    let set = Set::new(examples, options.min_seen);
    if set.labels.is_empty() {
        return Model { labels: vec!["none".to_owned()], temperature: 1.0, bias: vec![0.0], weights: BTreeMap::new() };
    }
    let everything: Vec<usize> = (0..set.rows.len()).collect();
    let weights = fit(&set, &everything, options);
    let temperature = if options.folds < 2 { 1.0 } else { temperature(&held_out(&set, options)) };
    let count = set.labels.len();
    let mut table = BTreeMap::new();
    for (name, at) in &set.names {
        let row: Vec<f32> = weights[(at + 1) * count..(at + 2) * count].iter().map(|weight| rounded(*weight)).collect();
        if row.iter().any(|weight| weight.abs() >= options.prune_below.max(0.0005)) {
            table.insert((*name).to_owned(), row);
        }
    }
    Model {
        labels: set.labels.iter().map(|label| (*label).to_owned()).collect(),
        temperature: (temperature * 1000.0).round() / 1000.0,
        bias: weights[..count].iter().map(|weight| rounded(*weight)).collect(),
        weights: table,
    }
}

/// The examples with names replaced by numbers.
struct Set<'a> {
    labels: Vec<&'a str>,
    names: BTreeMap<&'a str, usize>,
    rows: Vec<Row>,
}

struct Row {
    features: Vec<(usize, f32)>,
    label: usize,
    weight: f32,
    group: usize,
}

impl<'a> Set<'a> {
    fn new(examples: &'a [Example], min_seen: usize) -> Self {
        let labels: BTreeSet<&str> = examples.iter().map(|example| example.label.as_str()).collect();
        let labels: Vec<&str> = labels.into_iter().collect();
        let mut seen: BTreeMap<&str, usize> = BTreeMap::new();
        for example in examples {
            let own: BTreeSet<&str> = example.features.iter().map(|(name, _)| name.as_str()).collect();
            for name in own {
                *seen.entry(name).or_default() += 1;
            }
        }
        let names: BTreeMap<&str, usize> = seen
            .into_iter()
            .filter(|(_, count)| *count >= min_seen)
            .enumerate()
            .map(|(at, (name, _))| (name, at))
            .collect();
        let mut groups: BTreeMap<&str, usize> = BTreeMap::new();
        let mut next = 0;
        let rows = examples
            .iter()
            .map(|example| {
                let group = *groups.entry(&example.group).or_insert(next);
                // An example with an empty group is its own group.
                let group = if example.group.is_empty() { next } else { group };
                next += 1;
                Row {
                    features: example
                        .features
                        .iter()
                        .filter(|(_, value)| value.is_finite())
                        .filter_map(|(name, value)| names.get(name.as_str()).map(|at| (*at, *value)))
                        .collect(),
                    label: labels.binary_search(&example.label.as_str()).unwrap_or(0),
                    weight: example.weight,
                    group,
                }
            })
            .collect();
        Self { labels, names, rows }
    }

    fn scores(&self, row: &Row, weights: &[f32]) -> Vec<f64> {
        let count = self.labels.len();
        let mut scores: Vec<f64> = weights[..count].iter().map(|bias| f64::from(*bias)).collect();
        for (at, value) in &row.features {
            for (score, weight) in scores.iter_mut().zip(&weights[(at + 1) * count..]) {
                *score += f64::from(*weight * *value);
            }
        }
        scores
    }
}

/// Fits the weights, one block per feature; the bias is the first block.
fn fit(set: &Set<'_>, chosen: &[usize], options: &Options) -> Vec<f32> {
    let count = set.labels.len();
    let size = (set.names.len() + 1) * count;
    let mut weights = vec![0.0_f32; size];
    let mut squares = vec![1e-2_f32; size];
    // A feature decays only when it occurs; the decay is scaled so that one pass decays it by the full amount.
    let mut seen = vec![0_usize; set.names.len()];
    for at in chosen {
        for (feature, _) in &set.rows[*at].features {
            seen[*feature] += 1;
        }
    }
    let stride = stride(chosen.len());
    for _ in 0..options.epochs {
        for step in 0..chosen.len() {
            let row = &set.rows[chosen[step * stride % chosen.len()]];
            if row.weight <= 0.0 {
                continue;
            }
            let mut wrong = softmax(&set.scores(row, &weights), 1.0);
            wrong[row.label] -= 1.0;
            for (label, error) in wrong.iter().enumerate() {
                descend(&mut weights, &mut squares, label, *error as f32 * row.weight, options.rate);
            }
            for (feature, value) in &row.features {
                let pull = options.l2 * chosen.len() as f32 / seen[*feature].max(1) as f32;
                for (label, error) in wrong.iter().enumerate() {
                    let at = (feature + 1) * count + label;
                    descend(&mut weights, &mut squares, at, *error as f32 * row.weight * value, options.rate);
                    // Never past 0: decay has no direction of its own.
                    weights[at] *= 1.0 - (pull * options.rate / squares[at].sqrt()).min(1.0);
                }
            }
        }
    }
    weights
}

/// Takes one AdaGrad step on one weight.
fn descend(weights: &mut [f32], squares: &mut [f32], at: usize, gradient: f32, rate: f32) {
    squares[at] += gradient * gradient;
    weights[at] -= rate * gradient / squares[at].sqrt();
}

/// Returns a step that visits every example once and scatters neighbours: near the golden section, coprime to the
/// count.
fn stride(count: usize) -> usize {
    let mut stride = ((count as f64 * 0.618_034) as usize).max(1);
    while divisor(stride, count) != 1 {
        stride += 1;
    }
    stride
}

fn divisor(a: usize, b: usize) -> usize {
    if b == 0 { a } else { divisor(b, a % b) }
}

/// Returns the scores of examples by models that have not seen them, the right label and the weight.
fn held_out(set: &Set<'_>, options: &Options) -> Vec<(Vec<f64>, usize, f64)> {
    let mut found = Vec::with_capacity(set.rows.len());
    // Groups in order of appearance, so that folds are even.
    let groups: BTreeSet<usize> = set.rows.iter().map(|row| row.group).collect();
    let fold: BTreeMap<usize, usize> =
        groups.iter().enumerate().map(|(at, group)| (*group, at % options.folds)).collect();
    for held in 0..options.folds {
        let kept: Vec<usize> = (0..set.rows.len()).filter(|at| fold[&set.rows[*at].group] != held).collect();
        if kept.is_empty() {
            continue;
        }
        let weights = fit(set, &kept, options);
        for row in set.rows.iter().filter(|row| fold[&row.group] == held && row.weight > 0.0) {
            found.push((set.scores(row, &weights), row.label, f64::from(row.weight)));
        }
    }
    found
}

/// The lower bound: examples easier than real ones would make the model overconfident.
const COOLEST: f64 = 0.8;

/// Returns the temperature at which the right labels are most probable: a ternary search in [`COOLEST`, 5].
fn temperature(held_out: &[(Vec<f64>, usize, f64)]) -> f64 {
    let loss = |temperature: f64| -> f64 {
        held_out
            .iter()
            .map(|(scores, label, weight)| -weight * softmax(scores, temperature)[*label].max(1e-12).ln())
            .sum()
    };
    let (mut low, mut high) = (COOLEST, 5.0_f64);
    for _ in 0..40 {
        let (left, right) = (low + (high - low) / 3.0, high - (high - low) / 3.0);
        if loss(left) < loss(right) {
            high = right;
        } else {
            low = left;
        }
    }
    f64::midpoint(low, high)
}

fn rounded(weight: f32) -> f32 {
    (weight * 1000.0).round() / 1000.0
}
