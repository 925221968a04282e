//! The combined demand of a comment's sentences, and its direction.

use super::cues::{self, CueReading, Force};
use super::text::{self, Sentence};
use crate::language::direction::{Direction, Stance};
use crate::verdict::Verdict;

/// Reports whether the words of a [`Stance::cue`] are an outright request; a complaint only states a problem.
pub fn is_request(cue: &str) -> bool {
    cues::read(cue, true).is_some_and(|reading| matches!(reading.force, Force::Strong | Force::Waived))
}

/// Reads a comment and, if a person gave one, the summary of the correction. Deterministic; linear in the text, of
/// which only the first 8,000 characters count.
pub fn read_stance(verdict: Verdict, comment: Option<&str>, summary: Option<&str>) -> Stance {
    let mut remark = CommentStance::default();
    // The summary first: it is the shorter and plainer of the two.
    for (text, is_summary) in [(summary, true), (comment, false)] {
        for sentence in text.map(text::sentences).unwrap_or_default() {
            remark.take_in(&sentence, verdict == Verdict::Approved, is_summary);
        }
    }
    remark.judge(verdict)
}

/// Reports whether a cue in a sentence without a reservation is a demand although the work is approved.
fn asks_outright(cue: &CueReading, sentence: &Sentence) -> bool {
    match cue.force {
        Force::Weak => false,
        Force::Strong => sentence.requests_with(&cue.words),
        _ => true,
    }
}

/// The cue that shows a demand.
struct Cue {
    direction: Direction,
    words: String,
    waives: bool,
}

/// The combined reading of a comment's sentences.
#[derive(Default)]
struct CommentStance {
    /// The first cue that shows a direction, else the first cue.
    cue: Option<Cue>,
    /// A frame announces something to fix: "otherwise ok", "nit", "blocking".
    reserve: bool,
    /// A sentence has meaningful words that no cue explains.
    content: bool,
}

impl CommentStance {
    fn take_in(&mut self, sentence: &Sentence, approved: bool, is_summary: bool) {
        self.reserve |= sentence.reserve;
        let praised = cues::praises(&sentence.text) && !sentence.reserve;
        if cues::is_contentless(&sentence.text) {
            return;
        }
        match cues::read(&sentence.text, is_summary || !approved) {
            // An approver demands something outright, or has a reservation. A complaint without one describes what went
            // well, or what was fixed: "tests failing before are green now".
            Some(cue) if approved && !sentence.has_reserve() && !asks_outright(&cue, sentence) => {}
            Some(CueReading { direction, words, waives, .. }) => {
                let better = self.cue.as_ref().is_none_or(|cue| cue.direction == Direction::Unclear);
                if better && (self.cue.is_none() || direction != Direction::Unclear) {
                    // "Can we skip the tests? No!": the answer is the demand, and a question waives nothing.
                    let direction = if sentence.denied { direction.contrary() } else { direction };
                    // "This wrapper is not needed" wants it gone; "no tests needed here" waives them.
                    let waives = waives
                        && !sentence.question
                        && (approved || direction == Direction::More || cues::is_scoped(&sentence.text));
                    self.cue = Some(Cue { direction, words, waives });
                }
            }
            None if approved => {
                let told = sentence.praised_nearby || cues::is_report(&sentence.text);
                self.content |= !praised && !told;
            }
            // With another verdict only a sentence of bare praise demands nothing.
            None => self.content |= !praised || sentence.text.split_whitespace().count() > 6,
        }
    }

    fn judge(self, verdict: Verdict) -> Stance {
        if let Some(Cue { direction, words, waives }) = self.cue {
            return Stance { demand: true, direction, cue: Some(words), waives };
        }
        // An approver whose comment has no cue is content; a rejecter is not.
        let demand = self.content && (verdict != Verdict::Approved || self.reserve);
        Stance { demand, direction: Direction::Unclear, cue: None, waives: false }
    }
}
