//! How a catalogue reads itself: phrasings mistaken for another concern, and concerns that are hard to tell apart.

use super::checks::share_work;
use super::issue::{Check, Findings, LintIssue};
use crate::language::catalogue::compiled::{CommentInput, CompiledCatalogue};
use crate::language::catalogue::prepared::Embed;

/// A concern must rank among this many likeliest ones for its own phrasings.
const BEST: usize = 3;
/// The centre cosine from which two concerns count as nearly identical.
const NEARLY_THE_SAME: f32 = 0.95;
/// Maximum misread phrasings quoted.
const QUOTED: usize = 3;

/// A phrasing that is read as concerns other than its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Misread {
    /// Its concern's index.
    pub concern: usize,
    pub phrasing: String,
    /// The index of the concern that takes it.
    pub taken_by: usize,
}

/// Returns the phrasings of one concern that do not have it among their three likeliest, for its most typical work.
///
/// # Errors
/// Those of `embed`.
pub fn misread<E>(compiled: &CompiledCatalogue, concern: usize, embed: &Embed<'_, E>) -> Result<Vec<Misread>, E> {
    let Some(own) = compiled.concerns().get(concern) else { return Ok(Vec::new()) };
    let vectors = embed(&own.phrasings)?;
    let read = own.phrasings.iter().zip(vectors).filter_map(|(phrasing, words)| {
        let words = words?;
        let asked = CommentInput { text: phrasing, words: &words, work: own.gates.first().copied(), waives: false };
        let weighed = compiled.read(&asked).weighed;
        let missed = !weighed.iter().take(BEST).any(|w| w.concern == concern);
        let taken_by = weighed.first().filter(|_| missed)?.concern;
        Some(Misread { concern, phrasing: phrasing.clone(), taken_by })
    });
    Ok(read.collect())
}

/// Reports the misread phrasings, one finding per pair of concerns, and nearly identical concerns.
pub fn lint_nearness(compiled: &CompiledCatalogue, misread: &[Misread]) -> Vec<LintIssue> {
    let mut findings = Findings::default();
    let concerns = compiled.concerns();
    let mut pairs: Vec<(usize, usize)> = misread.iter().map(|m| (m.concern, m.taken_by)).collect();
    pairs.sort_unstable();
    pairs.dedup();
    for (own, by) in pairs {
        let of_pair = misread.iter().filter(|m| (m.concern, m.taken_by) == (own, by));
        let texts: Vec<String> = of_pair.map(|m| format!("“{}”", m.phrasing)).collect();
        let quoted = texts.iter().take(QUOTED).cloned().collect::<Vec<_>>().join(", ");
        let more = if texts.len() > QUOTED { ", …" } else { "" };
        let message = format!(
            "loses {} of its phrasings to {}: {quoted}{more}; give it terms that show the difference, or move them",
            texts.len(),
            concerns[by].id
        );
        findings.warn(&concerns[own], Check::MisreadPhrasing, message);
    }
    let centres: Vec<Vec<f32>> = (0..concerns.len()).map(|concern| compiled.centre(concern)).collect();
    for (a, one) in concerns.iter().enumerate() {
        for (b, other) in concerns.iter().enumerate().skip(a + 1).filter(|(_, other)| share_work(one, other)) {
            let cosine: f32 = centres[a].iter().zip(&centres[b]).map(|(x, y)| x * y).sum();
            if cosine >= NEARLY_THE_SAME && one.opposite.as_ref() != Some(&other.id) {
                let message = format!("and {} say nearly the same ({cosine:.2}); are they one concern?", other.id);
                findings.warn(one, Check::NearlyTheSame, message);
            }
        }
    }
    findings.sorted()
}
