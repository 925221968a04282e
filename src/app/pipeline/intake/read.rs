//! Reads feedback: its demand, its direction, and the vector by which it is compared.

use crate::comments::analyzer::{Analyzer, EmbedError, Told, Understood};
use crate::domain::intake::feedback::Feedback;
use crate::domain::intake::submission::{Mark, Marked};
use crate::parallel;
use crate::pipeline::error::PipelineError;
use crate::pipeline::working_set::Examples;
use crate::text::language::model_reading::ModelReading;
use crate::text::language::similarity::DemandVector;
use std::collections::HashMap;

/// Feedback that was read, with its vector if it can be compared.
pub(crate) struct ReadFeedback {
    pub feedback: Feedback,
    pub vector: Option<DemandVector>,
}

/// Reads a whole batch. Feedback in `readings` is read by the sentence given there; feedback almost identical to an
/// example is read as people marked the example.
pub(crate) fn read_all(
    understanding: &Analyzer,
    readings: &HashMap<String, ModelReading>,
    examples: &Examples,
    mut feedback: Vec<Feedback>,
) -> Result<Vec<ReadFeedback>, PipelineError> {
    for feedback in &mut feedback {
        feedback.reading = readings.get(&feedback.id).cloned();
    }
    understanding.prepare(&mut feedback.iter().filter_map(Feedback::compared_text))?;
    parallel::map(feedback, |feedback| read(understanding, examples, feedback)).into_iter().collect()
}

/// Reads one feedback.
pub(crate) fn read(
    understanding: &Analyzer,
    examples: &Examples,
    mut feedback: Feedback,
) -> Result<ReadFeedback, PipelineError> {
    let text = feedback.compared_text();
    let marked = text.and_then(|text| examples.like(&feedback.tenant, &feedback.agent, &text)).cloned();
    if let Some(marked) = marked.filter(Marked::teaches_nothing) {
        if marked.mark == Mark::Nothing && feedback.approves() {
            feedback.stance.demand = false;
        }
        feedback.marked = Some(marked);
        return Ok(ReadFeedback { feedback, vector: None });
    }
    let understood = match understanding.feedback(&feedback)? {
        Told::AsksForNothing => return Ok(content(feedback)),
        Told::Nothing => None,
        Told::Demand(understood) => Some(*understood),
    };
    if feedback.approves() && !understood.as_ref().is_some_and(|u| u.asks_outright(&feedback.stance)) {
        // A reviewer who approves is content, unless they explicitly ask for something.
        return Ok(content(feedback));
    }
    // Only demands are worth reading.
    let demands = feedback.stance.demand || understood.as_ref().is_some_and(|u| u.shown);
    let reading = feedback.reading.take().filter(|_| demands);
    match reading {
        Some(reading) => Ok(read_by(understanding, feedback, reading)?),
        None => {
            let vector = understood.map(|understood| understood.told(&mut feedback));
            Ok(ReadFeedback { feedback, vector })
        }
    }
}

/// Reads one feedback by a sentence stating what it asks for.
pub(crate) fn read_by(
    understanding: &Analyzer,
    mut feedback: Feedback,
    reading: ModelReading,
) -> Result<ReadFeedback, EmbedError> {
    if reading.none && feedback.approves() {
        feedback.reading = Some(reading);
        feedback.concern = None;
        feedback.stance.demand = false;
        return Ok(ReadFeedback { feedback, vector: None });
    }
    let understood = understanding.sentence(&reading, Some(feedback.decision.gate))?;
    // The sentence turns a waiver into a demand.
    feedback.stance.waives = false;
    feedback.concern = None;
    feedback.reading = Some(reading);
    let vector = understood.map(|understood: Understood| understood.told(&mut feedback));
    Ok(ReadFeedback { feedback, vector })
}

fn content(mut feedback: Feedback) -> ReadFeedback {
    feedback.stance.demand = false;
    feedback.reading = None;
    ReadFeedback { feedback, vector: None }
}
