//! A trained model: what it says of an example, and by which features. How it is trained or written is not its matter.

use std::collections::BTreeMap;

/// How many cues a prediction names at most.
const CUES: usize = 6;

/// A trained model. Read it with [`Model::parse`], write it with [`Model::render`].
#[derive(Debug, Clone, PartialEq)]
pub struct Model {
    /// The labels, in the order of the weights.
    pub(super) labels: Vec<String>,
    /// Scores are divided by it before they become probabilities; above 0. Fitted on text the model had not seen.
    pub(super) temperature: f64,
    /// One a label.
    pub(super) bias: Vec<f32>,
    /// By feature: one weight a label.
    pub(super) weights: BTreeMap<String, Vec<f32>>,
}

/// What a model says of one example.
#[derive(Debug, Clone, PartialEq)]
pub struct Prediction {
    /// The most probable label; the first of equals.
    pub label: String,
    /// Every label with its calibrated probability, in the model's order. They sum to 1.
    pub probabilities: Vec<(String, f64)>,
    /// The features that speak most for the label, strongest first, at most six: how much each adds to the label's score
    /// beyond what it adds to the others' on average. Only what speaks for it.
    pub cues: Vec<(String, f64)>,
}

impl Prediction {
    /// The probability of `label`; 0 for a label that the model does not know.
    pub fn probability(&self, label: &str) -> f64 {
        self.probabilities.iter().find(|(name, _)| name == label).map_or(0.0, |(_, p)| *p)
    }

    /// The probability of the predicted label.
    pub fn confidence(&self) -> f64 {
        self.probability(&self.label)
    }
}

impl Model {
    /// The labels, in the model's order.
    pub fn labels(&self) -> &[String] {
        &self.labels
    }

    /// How many features have weights.
    pub fn len(&self) -> usize {
        self.weights.len()
    }

    /// No feature has a weight: every example gets the same answer.
    pub fn is_empty(&self) -> bool {
        self.weights.is_empty()
    }

    /// Judges an example. Unknown features and values that are not finite count for nothing.
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

/// The first of the highest.
fn highest(values: &[f64]) -> usize {
    let mut best = 0;
    for (at, value) in values.iter().enumerate() {
        if *value > values[best] {
            best = at;
        }
    }
    best
}

/// Scores as probabilities.
pub(super) fn softmax(scores: &[f64], temperature: f64) -> Vec<f64> {
    let top = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let raised: Vec<f64> = scores.iter().map(|score| ((score - top) / temperature).exp()).collect();
    let sum: f64 = raised.iter().sum();
    raised.into_iter().map(|value| value / sum).collect()
}
