//! Events of channels other than gate decisions: recorded, answered and, if they make a demand, passed to the evaluator
//! like a decision at a gate.

use super::decode::{Incoming, Outcomes};
use crate::domain::channels::action::{ActionRecord, ActionResult};
use crate::domain::channels::channel::{ChannelEvent, Iteration, Refinement, Turn};
use crate::domain::channels::iteration::{DocumentSummary, track};
use crate::domain::channels::refine::{refine, settle};
use crate::domain::channels::signal::Observation;
use crate::domain::channels::turn;
use crate::domain::channels::turn::{
    Context, Exchange, FeedbackResult, FeedbackType, TurnMetadata, UserFeedback, context_text, satisfaction,
};
use crate::domain::intake::demand;
use crate::domain::intake::event::HitlDecision;
use crate::domain::records::layout;
use crate::domain::records::record::{
    AlertKind, AlertRecord, IterationRecord, RefinementRecord, StoredRecord, TurnFeedback, TurnRecord,
};
use crate::domain::source::Source;
use crate::metrics;
use crate::pipeline::batch::draft::Draft;
use crate::pipeline::batch::outcome::EntryOutcome;
use crate::pipeline::error::PipelineError;
use crate::pipeline::working_set::{Dialogue, action_key, iteration_key, refinement_key, turn_key};
use crate::text::ids::short_hash;
use jiff::{SignedDuration, Timestamp};

/// The number of consecutive rejections after which the next responder is advised to ask rather than try again
/// (specification, "Turns: Several corrections in a row").
const CAREFUL_FROM: usize = 2;

/// Receives the channels' events. Returns their demands.
pub(crate) fn hear_all(
    draft: &mut Draft<'_>,
    incoming: &Incoming<'_>,
) -> Result<(Vec<HitlDecision>, Outcomes), PipelineError> {
    let (mut demands, mut outcomes) = (Vec::new(), Outcomes::new());
    for (place, event) in &incoming.events {
        outcomes.push((*place, hear(draft, event, &mut demands)?));
    }
    draft.memory.channels.close();
    let beyond = draft.memory.channels.beyond(draft.settings.channels.max_sessions);
    metrics::sessions(draft.memory.channels.open() - beyond.len(), beyond.len() as u64);
    end(draft, beyond)?;
    Ok((demands, outcomes))
}

/// Receives a channel event and adds its demand to `demands`.
fn hear(
    draft: &mut Draft<'_>,
    event: &ChannelEvent,
    demands: &mut Vec<HitlDecision>,
) -> Result<EntryOutcome, PipelineError> {
    match event {
        ChannelEvent::Turn(turn) => hear_turn(draft, turn, demands),
        ChannelEvent::Refinement(request) => hear_refinement(draft, request, demands),
        ChannelEvent::Actions(results, source) => hear_actions(draft, results, source, demands),
        ChannelEvent::Iteration(iteration) => hear_iteration(draft, iteration, demands),
    }
}

/// Judges the last turns of sessions in which nothing followed (specification, "Turns: Sessions"), not even within
/// `grace` after the session's time.
pub(crate) fn end_sessions(draft: &mut Draft<'_>, grace: SignedDuration, flush: bool) -> Result<(), PipelineError> {
    let by = draft.now.checked_sub(grace).unwrap_or(draft.now);
    let ended = draft.memory.channels.ended(by, flush);
    end(draft, ended)
}

/// Judges the last turns of ended sessions.
fn end(draft: &mut Draft<'_>, sessions: Vec<String>) -> Result<(), PipelineError> {
    for session in sessions {
        let Some(dialogue) = draft.memory.channels.take_dialogue(&session) else { continue };
        end_session(draft, &dialogue)?;
    }
    Ok(())
}

fn hear_turn(
    draft: &mut Draft<'_>,
    turn: &Turn,
    demands: &mut Vec<HitlDecision>,
) -> Result<EntryOutcome, PipelineError> {
    let event = &turn.event;
    let key = turn_key(&event.session_id, &event.turn_id);
    if draft.memory.knows(&key) {
        return Ok(EntryOutcome::Duplicate(event.turn_id.clone()));
    }
    draft.memory.know(&key);
    let previous = draft.memory.channels.take_dialogue(&event.session_id);
    let record = TurnRecord {
        schema: TurnRecord::SCHEMA.to_owned(),
        turn: event.clone(),
        previous_turn: previous.as_ref().map(|p| p.last.turn.turn_id.clone()),
        rejections_before: 0,
        late: false,
        source: turn.source.clone(),
    };
    let (record, last, rejections) = match previous {
        // A turn that arrives late says nothing about the one that followed it. A turn with a future timestamp comes
        // from a sender whose clock is ahead, so arrival order decides.
        Some(open) if open.last.turn.timestamp > event.timestamp && open.last.turn.timestamp <= draft.now => {
            let late = TurnRecord { previous_turn: None, late: true, ..record };
            (late, Some(open.last), open.rejections)
        }
        Some(open) => {
            let rejections = judge_turn(draft, &open, &record, demands)?;
            let record = TurnRecord { rejections_before: u32::try_from(rejections).unwrap_or(u32::MAX), ..record };
            (record, None, rejections)
        }
        None => (record, None, 0),
    };
    draft.staging.put(TurnMetadata::of(event));
    draft.staging.put(record.clone());
    let open = Dialogue { last: last.unwrap_or(record), rejections };
    draft.memory.channels.put_dialogue(event.session_id.clone(), open);
    draft.counts.heard[0] += 1;
    Ok(EntryOutcome::Heard(event.turn_id.clone()))
}

/// Judges an open turn by its successor. Returns the number of consecutive rejections.
fn judge_turn(
    draft: &mut Draft<'_>,
    open: &Dialogue,
    teller: &TurnRecord,
    demands: &mut Vec<HitlDecision>,
) -> Result<usize, PipelineError> {
    let judged = &open.last;
    if turn::expired(judged.turn.timestamp, teller.turn.timestamp) {
        end_session(draft, open)?;
        return Ok(0);
    }
    let asked = draft.outside.understanding.compared_with(&judged.turn.user_message)?;
    let exchange = Exchange {
        previous_query: judged.turn.user_message.clone(),
        previous_response: judged.turn.response.clone(),
        text: teller.turn.user_message.clone(),
        similarity: asked.similarity(&teller.turn.user_message)?,
    };
    let result = turn::judge(&exchange);
    let rejections = if result.feedback_type == FeedbackType::Rejected { open.rejections + 1 } else { 0 };
    let record =
        tell_turn(draft, judged, Some(&teller.turn.turn_id), teller.turn.timestamp, &exchange, &result, rejections)?;
    let gates = &draft.settings.capture.gate_agents;
    demands.extend(demand::from_turn(&judged.turn, &teller.turn, &teller.source, &exchange, &result, &record, gates));
    Ok(rejections)
}

fn end_session(draft: &mut Draft<'_>, open: &Dialogue) -> Result<(), PipelineError> {
    let judged = &open.last;
    let exchange = Exchange {
        previous_query: judged.turn.user_message.clone(),
        previous_response: judged.turn.response.clone(),
        text: String::new(),
        similarity: None,
    };
    // Independent of when it is noticed.
    let begun = judged.turn.timestamp.min(draft.now);
    let ended = begun.checked_add(turn::SESSION_TIMEOUT).unwrap_or(begun);
    tell_turn(draft, judged, None, ended, &exchange, &turn::session_ended(), 0).map(drop)
}

/// Writes the findings about a turn into its metadata and the published record. Returns the metadata's path.
fn tell_turn(
    draft: &mut Draft<'_>,
    judged: &TurnRecord,
    detected_in: Option<&str>,
    at: Timestamp,
    exchange: &Exchange,
    result: &FeedbackResult,
    rejections: usize,
) -> Result<String, PipelineError> {
    let event = &judged.turn;
    let path = draft.place_of(layout::turn(&event.session_id, &event.turn_id, "metadata.json"))?;
    let metadata = draft.open::<TurnMetadata>(&path)?.cloned();
    let mut metadata = metadata.unwrap_or_else(|| TurnMetadata::of(event));
    metadata.user_feedback = Some(UserFeedback::of(result, detected_in, at));
    let feedback = TurnFeedback {
        session_id: event.session_id.clone(),
        turn_id: event.turn_id.clone(),
        detected_in_turn: detected_in.map(str::to_owned),
        detected_at: at,
        agent: event.agent.clone(),
        tenant_id: event.tenant_id.clone().or_else(|| draft.settings.capture.tenant_id()),
        result: result.clone(),
        satisfaction: metadata.validation_outcome.map(|o| satisfaction(Some(o), result.feedback_type)),
        rejections_in_a_row: u32::try_from(rejections).unwrap_or(u32::MAX),
        be_careful: rejections >= CAREFUL_FROM,
        context: context_text(&Context {
            turn_id: &event.turn_id,
            detected_in,
            exchange,
            result,
            strategy: event.strategy.as_ref(),
            rejections_in_a_row: rejections,
        }),
        record: path.clone(),
    };
    // In the same directory, whatever its name.
    let beside = path.strip_suffix("metadata.json").map(|directory| format!("{directory}feedback.json"));
    draft.staging.put_at(beside.unwrap_or_else(|| feedback.path()), feedback);
    draft.staging.put_at(path.clone(), metadata);
    draft.counts.judged += 1;
    Ok(path)
}

fn hear_refinement(
    draft: &mut Draft<'_>,
    request: &Refinement,
    demands: &mut Vec<HitlDecision>,
) -> Result<EntryOutcome, PipelineError> {
    let key = refinement_key(&request.refinement_id);
    if draft.memory.knows(&key) {
        return Ok(EntryOutcome::Duplicate(request.refinement_id.clone()));
    }
    draft.memory.know(&key);
    let observation = Observation {
        text: &request.feedback,
        exit_code: request.exit_code,
        tool: request.tool.as_deref(),
        report: request.report.as_deref(),
        from_user: request.from_user,
    };
    let index = draft.outside.index.open.as_ref();
    let earlier = match request.task() {
        Some(task) => draft.memory.channels.last_refinement(&task, index)?.map(|last| last.path),
        None => None,
    };
    let mut done = request.done;
    if let Some(path) = &earlier
        && let Some(record) = draft.open::<RefinementRecord>(path)?
    {
        done = done.max(record.feedback_log.last().map_or(0, |entry| entry.iteration));
    }
    let outcome =
        refine(&request.original_prompt, &observation, &draft.settings.channels.refine, done, request.timestamp);
    if let Some(record) = earlier.and_then(|path| draft.staging.get_mut::<RefinementRecord>(&path)) {
        record.feedback_log.iter_mut().for_each(|e| settle(e, request.success, outcome.signal.as_ref()));
    }
    let path = layout::refinement(request.timestamp, &request.refinement_id);
    if let Some(task) = request.task() {
        draft.memory.channels.note_refinement(task, request.timestamp, &request.refinement_id, &path);
    }
    if let Some(signal) = &outcome.signal {
        demands.extend(demand::from_refinement(request, signal, &path, &draft.settings.capture.gate_agents));
    }
    let record = RefinementRecord {
        schema: RefinementRecord::SCHEMA.to_owned(),
        refinement_id: request.refinement_id.clone(),
        timestamp: request.timestamp,
        agent: request.agent.clone(),
        session_id: request.session_id.clone(),
        task_id: request.task_id.clone(),
        tenant_id: request.tenant_id.clone().or_else(|| draft.settings.capture.tenant_id()),
        signal: outcome.signal,
        refined_prompt: outcome.refined_prompt,
        analysis: outcome.analysis,
        stopped: outcome.stopped,
        feedback_log: outcome.iterations,
        source: request.source.clone(),
    };
    draft.staging.put_at(path, record);
    draft.counts.heard[1] += 1;
    Ok(EntryOutcome::Heard(request.refinement_id.clone()))
}

fn hear_actions(
    draft: &mut Draft<'_>,
    results: &[ActionResult],
    source: &Source,
    demands: &mut Vec<HitlDecision>,
) -> Result<EntryOutcome, PipelineError> {
    let mut last = None;
    for result in results {
        let key = action_key(&result.action_id);
        if draft.memory.knows(&key) {
            continue;
        }
        draft.memory.know(&key);
        draft.memory.channels.open_chain(result, draft.outside.index.open.as_ref())?;
        let Some(mut record) = draft.memory.channels.actions.take(result) else { continue };
        if record.feedback.tenant_id.is_none() {
            record.feedback.tenant_id = draft.settings.capture.tenant_id();
        }
        let path = layout::action(result.timestamp, &result.action_id);
        if let Some(text) = draft.memory.channels.actions.demand(result) {
            let gates = &draft.settings.capture.gate_agents;
            demands.extend(demand::from_action(result, text, &path, source, gates));
        }
        escalate(draft, &record);
        draft.staging.put_at(path, record);
        draft.counts.heard[2] += 1;
        last = Some(result.action_id.clone());
    }
    let known = || results.first().map(|r| r.action_id.clone()).unwrap_or_default();
    Ok(last.map_or_else(|| EntryOutcome::Duplicate(known()), EntryOutcome::Heard))
}

/// Escalates an action that failed too often to people (specification, "Actions: Escalation").
fn escalate(draft: &mut Draft<'_>, record: &ActionRecord) {
    let Some(escalation) = &record.feedback.escalation else { return };
    let result = &record.result;
    let tried = escalation.tried.iter().map(|t| {
        let why = t.reason.as_deref().map(|why| format!(": {why}")).unwrap_or_default();
        format!("tried {}, {}{why}", t.action, t.result)
    });
    let untried = escalation.untried.iter().map(|action| format!("not tried: {action}"));
    let alert_id = format!("action-{}", short_hash(&[&result.action_id]));
    let alert = AlertRecord {
        schema: AlertRecord::SCHEMA.to_owned(),
        alert_id,
        tenant_id: record.feedback.tenant_id.clone(),
        kind: AlertKind::ActionEscalated,
        agent: result.agent.clone(),
        message: escalation.question.clone(),
        figures: None,
        about: Some(result.action_id.clone()),
        details: tried.chain(untried).collect(),
        raised_at: result.timestamp,
    };
    draft.staging.put(alert);
}

fn hear_iteration(
    draft: &mut Draft<'_>,
    iteration: &Iteration,
    demands: &mut Vec<HitlDecision>,
) -> Result<EntryOutcome, PipelineError> {
    let document = &iteration.document;
    let key = iteration_key(&document.target.path, &document.id);
    if draft.memory.knows(&key) {
        return Ok(EntryOutcome::Duplicate(document.id.clone()));
    }
    draft.memory.know(&key);
    let window = draft.memory.channels.reviewed(&document.target.path, draft.outside.index.open.as_ref())?;
    let earlier: Vec<DocumentSummary> = window.iter().map(|(_, reviewed)| reviewed.clone()).collect();
    let tracking = track(&earlier, &DocumentSummary::of(document));
    let previous = tracking.previous.as_ref().and_then(|id| window.iter().find(|(_, r)| r.id == *id));
    if let Some((path, _)) = previous
        && let Some(record) = draft.open::<IterationRecord>(path)?
    {
        record.document.quality_tracking = tracking.quality().or(record.document.quality_tracking.take());
    }
    let path = layout::iteration(&document.target.path, &document.id);
    let tenant_id = iteration.tenant_id.clone().or_else(|| draft.settings.capture.tenant_id());
    for repeated in &tracking.alerts {
        let alert_id = format!("issue-{}", short_hash(&[&document.target.path, &repeated.fingerprint]));
        let at = layout::alert(AlertKind::RepeatedIssue, document.timestamp, &alert_id);
        let alert = AlertRecord {
            schema: AlertRecord::SCHEMA.to_owned(),
            alert_id,
            tenant_id: tenant_id.clone(),
            kind: AlertKind::RepeatedIssue,
            agent: iteration.agent.clone().unwrap_or_default(),
            message: repeated.message.clone(),
            figures: None,
            about: Some(document.target.path.clone()),
            details: Vec::new(),
            raised_at: document.timestamp,
        };
        // One alert per issue and month is enough.
        if !draft.staging.has(&at) && !draft.stands(&at)? {
            draft.staging.put_at(at, alert);
        }
    }
    demands.extend(demand::from_iteration(iteration, &path, &draft.settings.capture.gate_agents));
    let record = IterationRecord {
        schema: IterationRecord::SCHEMA.to_owned(),
        document: document.clone(),
        tracking,
        warnings: iteration.warnings.clone(),
        agent: iteration.agent.clone(),
        reviewer_id: iteration.reviewer_id.clone(),
        tenant_id,
        source: iteration.source.clone(),
    };
    draft.memory.channels.note_review(&path, &record);
    draft.staging.put_at(path, record);
    draft.counts.heard[3] += 1;
    Ok(EntryOutcome::Heard(document.id.clone()))
}
