//! Feedback is read: what it demands, which way it points, and the vector that it is compared by.

use super::error::PipelineError;
use super::memory::Examples;
use crate::app::parallel;
use crate::app::understanding::Understanding;
use crate::domain::intake::feedback::Feedback;
use crate::domain::intake::submission::{Mark, Marked};
use crate::domain::language::similarity::DemandVector;
use crate::domain::verdict::Verdict;

/// Feedback that was read, with its vector where it can be compared.
pub(super) struct Read {
    pub feedback: Feedback,
    pub vector: Option<DemandVector>,
}

/// Reads all of a batch. What says almost the same as one of the examples is read as people said of that.
pub(super) fn read_all(
    understanding: &Understanding,
    examples: &Examples,
    feedback: Vec<Feedback>,
) -> Result<Vec<Read>, PipelineError> {
    understanding.prepare(&mut feedback.iter().filter_map(Feedback::compared_text))?;
    parallel::map(feedback, |feedback| read(understanding, examples, feedback)).into_iter().collect()
}

/// Reads one.
pub(super) fn read(
    understanding: &Understanding,
    examples: &Examples,
    mut feedback: Feedback,
) -> Result<Read, PipelineError> {
    let text = feedback.compared_text();
    let marked = text.and_then(|text| examples.like(&feedback.tenant, &feedback.agent, &text)).cloned();
    if let Some(marked) = marked.filter(Marked::teaches_nothing) {
        if marked.mark == Mark::Nothing && feedback.decision.verdict == Verdict::Approved {
            feedback.stance.demand = false;
        }
        feedback.marked = Some(marked);
        return Ok(Read { feedback, vector: None });
    }
    let understood = understanding.feedback(&feedback)?;
    if feedback.decision.verdict == Verdict::Approved
        && !understood.as_ref().is_some_and(|u| u.asks_outright(&feedback.stance))
    {
        // Whoever approves is content, unless they ask for something outright.
        feedback.stance.demand = false;
        return Ok(Read { feedback, vector: None });
    }
    let vector = understood.map(|understood| understood.told(&mut feedback));
    Ok(Read { feedback, vector })
}
