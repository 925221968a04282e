//! A person's comment on work under review: whether it is a rejection or a partial success (specification, "Refinement:
//! Failure signals").
//!
//! Code, quotations and idioms do not count. Praise with a requested adjustment is not a rejection.

use super::evidence::{Cue, SignalKind};
use super::language_cues::{GUARD, PATTERNS, RULES, Side};
use super::{failure, patterns, text};

/// Minimum evidence for a signal.
const THRESHOLD: f64 = 0.5;
/// Weight of a base pattern not covered by a guard.
const BASE: f64 = 0.5;
/// Maximum number of words in a comment.
const REMARK_WORDS: usize = 400;

/// The cues found in a comment.
#[derive(Debug, Default)]
pub(super) struct Voice {
    /// Indices into the table, with the matched words.
    pub(super) heard: Vec<(usize, String)>,
    base: Vec<(SignalKind, usize, String)>,
    /// "Try again" or similar (specification, "Refinement").
    pub(super) again: bool,
    /// Whether a specific change is requested (specification, "Refinement").
    pub(super) change: bool,
    words: usize,
}

/// Reports whether a text may be a person's comment: short, and not tool output.
pub(super) fn is_remark(clean: &str) -> bool {
    let words = clean.split_whitespace().take(REMARK_WORDS + 1).count();
    words > 0 && words <= REMARK_WORDS && clean.chars().any(char::is_alphabetic)
}

/// Reads a comment in its original form.
pub(super) fn read(remark: &str) -> Voice {
    let prose = text::prose(remark);
    let own = GUARD.replace_all(&prose, "\u{1}");
    let mut voice = Voice { words: own.split_whitespace().count(), ..Voice::default() };
    for (at, pattern) in PATTERNS.iter().enumerate() {
        if let Some(found) = pattern.find(&own) {
            voice.again |= RULES[at].side == Side::Again;
            voice.change |= RULES[at].side == Side::Change;
            voice.heard.push((at, found.as_str().trim().to_owned()));
        }
    }
    for kind in [SignalKind::UserRejection, SignalKind::PartialSuccess] {
        if let Some((at, words)) = patterns::base(kind, &own) {
            voice.base.push((kind, at, words.to_owned()));
        }
    }
    voice
}

impl Voice {
    /// Returns the weight of a side's strongest cue, or 0.
    pub(super) fn strongest(&self, side: Side) -> f64 {
        self.heard
            .iter()
            .map(|(at, _)| &RULES[*at])
            .filter(|rule| rule.side == side)
            .map(|rule| rule.weight)
            .fold(0.0, f64::max)
    }

    /// Returns the weight of the strongest cue against the work, or 0.
    pub(super) fn strongest_cue(&self) -> f64 {
        [Side::Rejects, Side::Again, Side::Nearly].into_iter().map(|side| self.strongest(side)).fold(0.0, f64::max)
    }

    /// Returns the type and its evidence.
    pub(super) fn verdict(&self) -> Option<(SignalKind, f64)> {
        let mut rejects = self.strongest(Side::Rejects).max(self.strongest(Side::Again));
        let mut nearly = self.strongest(Side::Nearly);
        let praises = self.strongest(Side::Praises);
        for (kind, _, _) in &self.base {
            // The base patterns are too broad for long comments: "no" and "mostly" occur in every other one.
            let short = self.words <= 12;
            match kind {
                SignalKind::UserRejection if short && praises == 0.0 => rejects = rejects.max(BASE),
                SignalKind::PartialSuccess if short && (self.change || praises > 0.0) => nearly = nearly.max(BASE),
                _ => {}
            }
        }
        // Genuine praise turns the rejection of one thing into an adjustment.
        if nearly >= THRESHOLD && (praises >= THRESHOLD || nearly >= rejects) {
            return Some((SignalKind::PartialSuccess, nearly));
        }
        if rejects >= THRESHOLD && praises > rejects {
            // "Thanks, but this is wrong" is polite; "works now, the old one was wrong" is satisfied.
            return None;
        }
        (rejects >= THRESHOLD).then_some((SignalKind::UserRejection, rejects))
    }

    /// Returns the evidence for a type, strongest first.
    pub(super) fn cues_for(&self, kind: SignalKind) -> Vec<Cue> {
        let fits = |side: Side| match kind {
            SignalKind::PartialSuccess => matches!(side, Side::Nearly | Side::Praises | Side::Change),
            _ => matches!(side, Side::Rejects | Side::Again),
        };
        let mut cues: Vec<Cue> = self
            .heard
            .iter()
            .filter(|(at, _)| fits(RULES[*at].side))
            .map(|(at, words)| failure::cue(RULES[*at].id, words, RULES[*at].weight))
            .collect();
        for (of, at, words) in &self.base {
            if *of == kind {
                cues.push(failure::cue(&format!("base.{}.{}", kind.as_str(), at + 1), words, BASE));
            }
        }
        cues.sort_by(|a, b| b.weight.total_cmp(&a.weight));
        cues.truncate(super::evidence::MAX_CUES);
        cues
    }
}
