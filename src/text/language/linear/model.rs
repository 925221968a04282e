//! A trained model: its predictions, and the features behind them. Training and serialization are elsewhere.

use std::collections::BTreeMap;

/// Maximum cues per prediction.
const CUES: usize = 6;

/// A trained model. Parse it with [`Model::parse`], write it with [`Model::render`].
#[derive(Debug, Clone, PartialEq)]
pub struct Model {
    /// The labels, in the order of the weights.
    pub(super) labels: Vec<String>,
    /// Scores are divided by it before they become probabilities; above 0. Fitted on unseen text.
    pub(super) temperature: f64,
    /// One per label.
    pub(super) bias: Vec<f32>,
    /// By feature: one weight per label.
    pub(super) weights: BTreeMap<String, Vec<f32>>,
}

/// A model's prediction for one example.
#[derive(Debug, Clone, PartialEq)]
pub struct Prediction {
    /// The most probable label; the first of ties.
    pub label: String,
    /// Every label with its calibrated probability, in the model's order. They sum to 1.
    pub probabilities: Vec<(String, f64)>,
    /// The features that most favour the label, strongest first, at most six: how much each adds to the label's score
    /// beyond its average for the others. Positive ones only.
    pub cues: Vec<(String, f64)>,
}

impl Prediction {
    /// Returns the probability of `label`; 0 for an unknown label.
    pub fn probability(&self, label: &str) -> f64 {
        self.probabilities.iter().find(|(name, _)| name == label).map_or(0.0, |(_, p)| *p)
    }

    /// Returns the probability of the predicted label.
    pub fn confidence(&self) -> f64 {
        self.probability(&self.label)
    }
}

impl Model {
    /// Returns the labels, in the model's order.
    pub fn labels(&self) -> &[String] {
        &self.labels
    }

    /// Returns the number of features with weights.
    pub fn len(&self) -> usize {
        self.weights.len()
    }

    /// Reports whether no feature has a weight, so that every example gets the same answer.
    pub fn is_empty(&self) -> bool {
        self.weights.is_empty()
    }

    /// Predicts an example. Unknown features and non-finite values are ignored.
    pub fn predict(&self, features: &[(String, f32)]) -> Prediction {
        let mut scores: Vec<f64> = self.bias.iter().map(|bias| f64::from(*bias)).collect();
        let known: Vec<(&String, f32, &Vec<f32>)> = features
            .iter()
            .filter(|(_, value)| value.is_finite())
            .filter_map(|(name, value)| self.weights.get(name).map(|weights| (name, *value, weights)))
            .collect();
        for (_, value, weights) in &known {
            for (score, weight) in scores.iter_mut().zip(*weights) {
                *score += f64::from(*weight) * f64::from(*value);
            }
        }
        let probabilities = softmax(&scores, self.temperature);
        let best = highest(&probabilities);
        Prediction {
            label: self.labels[best].clone(),
            probabilities: self.labels.iter().cloned().zip(probabilities).collect(),
            cues: self.cues(best, &known),
        }
    }

    fn cues(&self, label: usize, known: &[(&String, f32, &Vec<f32>)]) -> Vec<(String, f64)> {
        let others = (self.labels.len() - 1).max(1) as f64;
        let mut cues: BTreeMap<&String, f64> = BTreeMap::new();
        for (name, value, weights) in known {
            let own = f64::from(weights[label]);
            let rest = (weights.iter().map(|weight| f64::from(*weight)).sum::<f64>() - own) / others;
            *cues.entry(name).or_default() += f64::from(*value) * (own - rest);
        }
        let mut cues: Vec<(String, f64)> =
            cues.into_iter().filter(|(_, part)| *part > 0.0).map(|(name, part)| (name.clone(), part)).collect();
        cues.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        cues.truncate(CUES);
        cues
    }
}

/// Returns the index of the first maximum.
fn highest(values: &[f64]) -> usize {
    let mut best = 0;
    for (at, value) in values.iter().enumerate() {
        if *value > values[best] {
            best = at;
        }
    }
    best
}

/// Converts scores to probabilities.
pub(super) fn softmax(scores: &[f64], temperature: f64) -> Vec<f64> {
    let top = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let raised: Vec<f64> = scores.iter().map(|score| ((score - top) / temperature).exp()).collect();
    let sum: f64 = raised.iter().sum();
    raised.into_iter().map(|value| value / sum).collect()
}
