//! The stance of a comment towards the work: it accepts, rejects, finds it nearly right, or does neither.
//!
//! A small linear model over the cues of `language_cues` and over words, trained only on our own comments
//! (`assets/training/stance.jsonl`); the table is committed and can be retrained from them. `none` is a comment that
//! neither accepts nor rejects: a question, an ordinary request, information.

use super::evidence::{Cue, Prediction, SignalKind, rationale};
use super::language_cues::{RULES, Side};
use super::{calibrate, failure, language, text};
use crate::text::language::linear;
use crate::text::language::linear::{Example, Model, Options, train};
use crate::text::prose::round;
use regex::Regex;
use serde::Deserialize;
use std::sync::LazyLock;

/// The labels, in alphabetical order.
pub const STANCE_LABELS: [&str; 4] = ["accepted", "none", "partial_success", "user_rejection"];

/// The trained table.
const TABLE: &str = include_str!("../../../../assets/training/stance.tsv");
/// Weights of the labels in training: most real comments neither accept nor reject, however many of each we wrote.
const SHARES: [(&str, f32); 4] =
    [("accepted", 0.15), ("none", 0.63), ("partial_success", 0.11), ("user_rejection", 0.11)];
/// Maximum number of words read.
const WORDS: usize = 120;

static MODEL: LazyLock<Model> = LazyLock::new(|| Model::parse(TABLE).expect("a committed table"));

/// Classifies a comment. Deterministic; only the first 8,000 bytes count.
pub fn predict_stance(remark: &str) -> Prediction {
    let voice = language::read(remark);
    let judged = judge(remark, &voice);
    let confidence = calibrate::stance(judged.confidence());
    let cues = cues(&judged.label, &judged.cues, &voice);
    Prediction { rationale: rationale(&judged.label, confidence, &cues), label: judged.label, confidence, cues }
}

/// Returns the model's uncalibrated prediction.
pub(super) fn judge(remark: &str, voice: &language::Voice) -> linear::Prediction {
    MODEL.predict(&named(remark, voice))
}

/// Returns the features of a comment: cues `c:`, the first sentence's sides `s:`, words `w:`, pairs of words `b:`, the
/// first word `f:`, its form `x:`.
pub fn features(remark: &str) -> Vec<(String, f32)> {
    named(remark, &language::read(remark))
}

/// A line of the training set.
#[derive(Deserialize)]
struct Line {
    text: String,
    label: String,
}

/// Parses a training set: one JSON object with `text` and `label` per line.
///
/// # Errors
/// The number of the first invalid line, and why it is invalid.
pub fn examples(training: &str) -> Result<Vec<Example>, String> {
    let lines = training
        .lines()
        .enumerate()
        .map(|(at, line)| serde_json::from_str(line).map_err(|error| format!("line {}: {error}", at + 1)))
        .collect::<Result<Vec<Line>, String>>()?;
    let of = |label: &str| lines.iter().filter(|line| line.label == label).count().max(1) as f32;
    let weights = SHARES.map(|(label, share)| (label, share * lines.len() as f32 / of(label)));
    let example = |line: &Line| Example {
        features: features(&line.text),
        label: line.label.clone(),
        weight: weights.iter().find(|(label, _)| *label == line.label).map_or(1.0, |(_, weight)| *weight),
        group: String::new(),
    };
    Ok(lines.iter().map(example).collect())
}

/// Retrains the committed table from the training set's text.
///
/// # Errors
/// As [`examples`].
pub fn train_stance(training: &str) -> Result<Model, String> {
    let options = Options { epochs: 40, rate: 0.2, l2: 1.5e-3, prune_below: 0.03, min_seen: 3, folds: 5 };
    Ok(train(&examples(training)?, &options))
}

fn named(remark: &str, voice: &language::Voice) -> Vec<(String, f32)> {
    static TOKEN: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r"[+-][0-9]\b|[\p{L}\p{N}][\p{L}\p{N}']*|[?!]").expect("a constant"));
    let prose = text::prose(remark).to_lowercase();
    let mut found: Vec<(String, f32)> =
        voice.heard.iter().map(|(at, _)| (format!("c:{}", RULES[*at].id), 1.0)).collect();
    let first =
        language::read(prose.split_inclusive(['.', '!', '?', '\n']).find(|said| said.len() > 3).unwrap_or(&prose));
    for side in [Side::Rejects, Side::Again, Side::Praises, Side::Nearly, Side::Change, Side::Neutral] {
        let weight = first.strongest(side);
        if weight > 0.0 {
            found.push((format!("s:{side:?}").to_lowercase(), weight as f32));
        }
    }
    let verdict = match voice.verdict() {
        Some((kind, _)) => kind.as_str(),
        None if voice.strongest(Side::Praises) >= 0.75 => "accepted",
        None => "none",
    };
    found.push((format!("v:{verdict}"), 1.0));
    let tokens: Vec<&str> = TOKEN.find_iter(&prose).map(|token| token.as_str()).take(WORDS).collect();
    // The more words there are, the less each one counts.
    let share = 1.0 / (tokens.len().max(1) as f32).sqrt();
    found.extend(tokens.iter().map(|token| (format!("w:{token}"), share)));
    found.extend(tokens.windows(2).map(|pair| (format!("b:{}_{}", pair[0], pair[1]), share)));
    if let Some(first) = tokens.first() {
        found.push((format!("f:{first}"), 0.5));
    }
    let length = match tokens.len() {
        0..=3 => "x:short",
        4..=12 => "x:sentence",
        13..=30 => "x:some",
        _ => "x:long",
    };
    found.push((length.to_owned(), 0.5));
    if prose.trim_end().ends_with('?') {
        found.push(("x:asks".to_owned(), 0.7));
    }
    found
}

/// Returns the model's features as cues: a cue of the table with its words, a word as itself.
fn cues(label: &str, strongest: &[(String, f64)], voice: &language::Voice) -> Vec<Cue> {
    let all: f64 = strongest.iter().map(|(_, part)| part).sum();
    let cue = |(name, part): &(String, f64)| {
        let (group, rest) = name.split_once(':').unwrap_or(("", name));
        let words = match group {
            "c" => voice.heard.iter().find(|(at, _)| RULES[*at].id == rest).map_or("", |(_, words)| words),
            "b" => &rest.replace('_', " "),
            _ => rest,
        };
        Cue { weight: round(part / all.max(1e-9)), ..failure::cue(name, words, 0.0) }
    };
    let mut named: Vec<Cue> = strongest.iter().map(cue).collect();
    if named.is_empty() && label != "none" {
        let kind = SignalKind::ALL.into_iter().find(|kind| kind.as_str() == label);
        named = kind.map(|kind| voice.cues_for(kind)).unwrap_or_default();
    }
    named
}
