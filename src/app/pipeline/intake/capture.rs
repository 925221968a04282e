//! Turns new decisions into feedback: cleaned, redacted, with their corrections and agents.

use crate::domain::identity;
use crate::domain::intake::capture::{CaptureContext, CorrectionInput, capture, capture_comments, feedback_id};
use crate::domain::intake::decode::fill_missing;
use crate::domain::intake::event::HitlDecision;
use crate::domain::intake::feedback::Feedback;
use crate::domain::source::Source;
use crate::parallel;
use crate::pipeline::batch::draft::Draft;
use crate::ports::CorrectionFiles;
use crate::text::prose::one_line;
use crate::text::verdict::Verdict;
use std::collections::HashMap;

/// The new decisions of a batch, deduplicated, in order.
#[derive(Default)]
pub(crate) struct Fresh {
    decisions: Vec<HitlDecision>,
    place: HashMap<String, usize>,
}

impl Fresh {
    /// Returns how a decision differs from the known one with the same id.
    pub fn differs(&self, decision: &HitlDecision) -> Option<String> {
        let known = &self.decisions[*self.place.get(&feedback_id(&decision.decision_id))?];
        differs(&EventFingerprint::of(known, &known.source), &EventFingerprint::of(decision, &decision.source))
    }

    /// Adds a decision. Returns false if it is known already; the known one then takes over what it lacked.
    pub fn add(&mut self, decision: &HitlDecision) -> bool {
        let id = feedback_id(&decision.decision_id);
        if let Some(place) = self.place.get(&id) {
            fill_missing(&mut self.decisions[*place], decision);
            return false;
        }
        self.place.insert(id, self.decisions.len());
        self.decisions.push(decision.clone());
        true
    }
}

/// The data on which two events with the same id must agree.
pub(crate) struct EventFingerprint<'a> {
    pub reviewer: &'a str,
    pub verdict: Verdict,
    pub comment: Option<&'a str>,
    pub source: &'a Source,
}

impl<'a> EventFingerprint<'a> {
    /// Extracts the data of an event.
    pub fn of(decision: &'a HitlDecision, source: &'a Source) -> EventFingerprint<'a> {
        EventFingerprint {
            reviewer: &decision.reviewer_id,
            verdict: decision.verdict,
            comment: decision.reviewer_comment.as_deref(),
            source,
        }
    }
}

/// Returns how two events with the same id differ: in speaker, words and, on the same stream, the verdict. Two streams
/// may spell things differently, and one may have more data.
pub(crate) fn differs(known: &EventFingerprint<'_>, other: &EventFingerprint<'_>) -> Option<String> {
    let words = |text: Option<&str>| text.map(|t| one_line(t).to_lowercase()).filter(|t| !t.is_empty());
    let what = if !identity::same(known.reviewer, other.reviewer) {
        "`reviewer_id`"
    } else if words(known.comment).zip(words(other.comment)).is_some_and(|(a, b)| a != b) {
        "`reviewer_comment`"
    } else if known.source.stream == other.source.stream && known.verdict != other.verdict {
        "`decision`"
    } else {
        return None;
    };
    Some(what.to_owned())
}

/// Creates feedback from new decisions: for each, the overall comment followed by its individual comments.
pub(crate) fn capture_all(draft: &Draft<'_>, fresh: Fresh) -> Vec<Feedback> {
    let (files, context) = (draft.outside.corrections.as_ref(), &draft.settings.capture);
    let captured = parallel::map(fresh.decisions, |decision| {
        let mut whole = capture_with(decision, files, context);
        let comments = capture_comments(&mut whole);
        [vec![whole], comments].concat()
    });
    captured.into_iter().flatten().collect()
}

/// Creates feedback from one decision.
pub(crate) fn capture_one(draft: &Draft<'_>, decision: HitlDecision) -> Feedback {
    capture_with(decision, draft.outside.corrections.as_ref(), &draft.settings.capture)
}

/// Creates feedback from a decision, with its correction.
fn capture_with(decision: HitlDecision, files: &dyn CorrectionFiles, context: &CaptureContext) -> Feedback {
    let input = match (&decision.correction_diff, &decision.correction_diff_path) {
        (None, Some(path)) => match files.read(path) {
            Ok(diff) => CorrectionInput::Read(diff),
            Err(reason) => CorrectionInput::Unavailable(reason),
        },
        _ => CorrectionInput::None,
    };
    capture(decision, input, context)
}
