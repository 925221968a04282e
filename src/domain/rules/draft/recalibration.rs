//! Recalibration of proposals' confidence by people's decisions: a curve that maps it to the share that is approved.
//!
//! `p' = sigmoid(a * logit(p) + b)`, by penalised maximum likelihood over all proposals of patterns that people decided
//! in this store. When to recompute a curve, and when a proposal is sure, is decided elsewhere.

use crate::records::record::ProposalRecord;
use crate::text::prose::{percent, round};
use serde::Serialize;

/// The minimum number of decided proposals for a curve.
pub const ENOUGH: usize = 30;

/// Confidences are kept this far from 0 and 1, before and after the curve.
const LEAST: f64 = 0.001;
const MOST: f64 = 0.999;
/// How strongly the slope is held to the identity, relative to its expected variance: stores differ in how much is
/// approved, but less in how proposals rank.
const HOLDS_SLOPE: f64 = 16.0;
const HOLDS_SHIFT: f64 = 1.0;
/// The minimum slope: what was surer stays surer.
const FLATTEST: f64 = 0.05;
/// The maximum number of steps. Newton's method takes five or six; the bound guarantees termination on any input.
const STEPS: usize = 100;
const HALVINGS: i32 = 30;
const CLOSE: f64 = 1e-9;
/// The number of folds in which decisions are judged by the curve of the others.
const FOLDS: usize = 10;

/// A mapping of confidences.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Curve {
    /// The slope over log odds, above 0; 1 for no change.
    pub a: f64,
    /// The shift in log odds; 0 for no change.
    pub b: f64,
}

impl Curve {
    /// Leaves every confidence between 0.001 and 0.999 as it is.
    pub const IDENTITY: Curve = Curve { a: 1.0, b: 0.0 };

    /// Fits the curve to confidences, 0 to 1, with whether people approved; `None` if there are fewer than [`ENOUGH`].
    pub fn of(said: &[(f64, bool)]) -> Option<Curve> {
        (said.len() >= ENOUGH).then(|| fit(said))
    }

    /// Maps a confidence, 0 to 1, by this curve to 0.001 to 0.999; monotonic.
    pub fn apply(self, p: f64) -> f64 {
        sigmoid(self.a * logit(p) + self.b).clamp(LEAST, MOST)
    }

    /// Recalibrates a new proposal, keeping the confidence from its comments alone.
    pub fn recalibrate(self, proposal: &mut ProposalRecord) {
        let raw = proposal.classification_confidence;
        proposal.raw_confidence = Some(raw);
        proposal.classification_confidence = round(self.apply(raw));
    }
}

/// Returns the proposals that people decided: the confidence from their comments alone, with whether they were
/// approved.
pub fn decided<'r>(proposals: impl IntoIterator<Item = &'r ProposalRecord>) -> Vec<(f64, bool)> {
    proposals.into_iter().filter_map(|r| Some((raw(r), approved(r)?))).collect()
}

/// Reports whether people approved a proposal that came from a pattern; `None` if no one decided. A rejection, or a
/// withdrawn approval, is final. It follows from the record, so it is the same after a reindex.
pub fn approved(proposal: &ProposalRecord) -> Option<bool> {
    if proposal.target_rule.is_some() {
        return None;
    }
    let told = |events: &[&str]| proposal.history.iter().any(|e| events.contains(&e.event.as_str()));
    match (told(&["rejected", "rolled back"]), told(&["approval"])) {
        (true, _) => Some(false),
        (false, true) => Some(true),
        (false, false) => None,
    }
}

/// Returns a proposal's confidence from its comments alone, 0 to 1.
pub fn raw(proposal: &ProposalRecord) -> f64 {
    proposal.raw_confidence.unwrap_or(proposal.classification_confidence)
}

/// Returns a note to add to a displayed confidence; empty if it was not recalibrated.
pub fn aside(proposal: &ProposalRecord) -> String {
    proposal.raw_confidence.map_or_else(String::new, |raw| format!(", {} from its comments alone", percent(raw)))
}

/// Maps each confidence by the curve of the other nine tenths: the curve's quality on unseen data.
pub fn held_out(said: &[(f64, bool)]) -> Vec<(f64, bool)> {
    let sorted = sorted(said);
    let mut judged = Vec::with_capacity(said.len());
    for fold in 0..FOLDS {
        let here = |at: usize| at % FOLDS == fold;
        let others: Vec<(f64, bool)> =
            sorted.iter().enumerate().filter(|(at, _)| !here(*at)).map(|(_, one)| *one).collect();
        let curve = fit(&others);
        let own = sorted.iter().enumerate().filter(|(at, _)| here(*at));
        judged.extend(own.map(|(_, (p, approved))| (curve.apply(*p), *approved)));
    }
    judged
}

/// Sorts decisions canonically: the same decisions in another order must give exactly the same curve.
fn sorted(said: &[(f64, bool)]) -> Vec<(f64, bool)> {
    let mut said = said.to_vec();
    said.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    said
}

fn fit(said: &[(f64, bool)]) -> Curve {
    let points: Vec<(f64, f64)> =
        sorted(said).into_iter().map(|(p, approved)| (logit(p), f64::from(u8::from(approved)))).collect();
    let free = descend(&points, Curve::IDENTITY, true);
    // The objective is convex: if the slope is out of bounds, the best one within them is on the boundary.
    if free.a >= FLATTEST { free } else { descend(&points, Curve { a: FLATTEST, ..free }, false) }
}

fn descend(points: &[(f64, f64)], start: Curve, turns: bool) -> Curve {
    let mut curve = start;
    for _ in 0..STEPS {
        let Some(next) = step(points, curve, turns) else { break };
        curve = next;
    }
    curve
}

/// Takes one step of Newton's method, shortened until it descends; `None` at the minimum. `turns`: whether the slope
/// may change.
fn step(points: &[(f64, f64)], at: Curve, turns: bool) -> Option<Curve> {
    let (mut to_a, mut to_b) = (HOLDS_SLOPE * (at.a - 1.0), HOLDS_SHIFT * at.b);
    let (mut aa, mut ab, mut bb) = (HOLDS_SLOPE, 0.0, HOLDS_SHIFT);
    for (x, y) in points {
        let p = sigmoid(at.a * x + at.b);
        let (off, weight) = (p - y, p * (1.0 - p));
        (to_a, to_b) = (to_a + off * x, to_b + off);
        (aa, ab, bb) = (aa + weight * x * x, ab + weight * x, bb + weight);
    }
    let (by_a, by_b) = if turns {
        // Never 0: the penalty makes it positive.
        let determinant = aa * bb - ab * ab;
        ((bb * to_a - ab * to_b) / determinant, (aa * to_b - ab * to_a) / determinant)
    } else {
        (0.0, to_b / bb)
    };
    if by_a.abs().max(by_b.abs()) < CLOSE {
        return None;
    }
    let now = cost(points, at);
    let shorter = |n: i32| 0.5_f64.powi(n);
    let tried = (0..HALVINGS).map(|n| Curve { a: at.a - shorter(n) * by_a, b: at.b - shorter(n) * by_b });
    tried.into_iter().find(|next| cost(points, *next) < now)
}

/// The objective: how unlikely the decisions are, and how far the curve is from the identity.
fn cost(points: &[(f64, f64)], curve: Curve) -> f64 {
    let surprise = |(x, y): &(f64, f64)| {
        let z = curve.a * x + curve.b;
        z.max(0.0) + (-z.abs()).exp().ln_1p() - y * z
    };
    let held = HOLDS_SLOPE * (curve.a - 1.0).powi(2) + HOLDS_SHIFT * curve.b.powi(2);
    points.iter().map(surprise).sum::<f64>() + held / 2.0
}

fn logit(p: f64) -> f64 {
    let p = p.clamp(LEAST, MOST);
    (p / (1.0 - p)).ln()
}

fn sigmoid(z: f64) -> f64 {
    1.0 / (1.0 + (-z).exp())
}

#[cfg(test)]
mod tests;
