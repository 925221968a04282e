//! `eval hitl --answers`: what the questions of `clusters review` are worth where somebody answers them who knows the
//! labels.
//!
//! The answers go the way of all reviews: onto the stream, past the roster, into the records. What is asked follows from
//! the groups alone; only the answers look at the labels.

use super::data::Labels;
use super::outcome::{Answered, Later, Read, Seen, Taught};
use crate::app::pipeline::{EntryOutcome, Pipeline};
use crate::cli::exit::CliError;
use crate::cli::submit::{self, Reviewer};
use crate::domain::grouping::question::{Question, Side};
use crate::domain::intake::event::{RawEntry, StreamKind};
use crate::domain::records::layout;
use crate::domain::reporting::score::b_cubed_of;
use jiff::Timestamp;
use serde_json::json;
use std::collections::{BTreeMap, HashMap, HashSet};

/// Who answers.
const TEACHER: &str = "labels";

/// How many questions are answered, and when.
#[derive(Clone, Copy, Debug, clap::Args)]
pub struct Asking {
    /// Also answer so many questions of `clusters review` by the labels, and tell what that gives
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub answers: usize,
    /// Answer them once this share of the lines was evaluated, 0 to 1; what comes later shows what carries over
    #[arg(long, value_name = "SHARE", default_value_t = 1.0, value_parser = share, requires = "answers")]
    pub answers_at: f64,
}

impl Asking {
    /// After how many of these lines it is asked.
    pub fn after(&self, lines: usize) -> usize {
        ((lines as f64 * self.answers_at).round() as usize).min(lines)
    }
}

/// The files of a store where the labels may answer.
pub(super) fn roster() -> Vec<(String, String)> {
    let text = format!("reviewers:\n  - {{id: {TEACHER}, name: The labels, roles: [reviewer]}}\n");
    vec![(layout::ROSTER.to_owned(), text)]
}

/// Asks the best question, answers it, and asks the next one that follows from the groups as they are then.
pub(super) fn ask(
    pipeline: &mut Pipeline,
    labels: &HashMap<String, &Labels>,
    count: usize,
    now: Timestamp,
) -> Result<Vec<Answered>, CliError> {
    let (mut answered, mut passed) = (Vec::new(), HashSet::new());
    while answered.len() < count {
        let names = |q: &Question| (q.a.id.clone(), q.b.id.clone());
        let best = pipeline.evaluator().questions(None, passed.len() + 1)?;
        let Some(question) = best.into_iter().find(|q| !passed.contains(&names(q))) else { break };
        let themes = (theme(pipeline, labels, &question.a), theme(pipeline, labels, &question.b));
        let same = themes.0.is_some() && themes.0 == themes.1;
        let refusal = answer(pipeline, &question, same, answered.len(), now)?;
        if refusal.is_some() {
            passed.insert(names(&question));
        }
        let (probability, sizes) = (question.probability, (question.a.size, question.b.size));
        answered.push(Answered { probability, sizes, themes, same, refusal });
    }
    Ok(answered)
}

/// What most remarks of a side are labelled with; nothing where most have no label.
fn theme(pipeline: &Pipeline, labels: &HashMap<String, &Labels>, side: &Side) -> Option<String> {
    let memory = &pipeline.evaluator().remarks.groups;
    let mut themes: BTreeMap<Option<&str>, usize> = BTreeMap::new();
    for key in memory.group(&side.id).map(|group| memory.group_members(group)).unwrap_or_default() {
        let label = labels.get(&memory.member(key).id).and_then(|labels| labels.theme.as_deref());
        *themes.entry(label).or_default() += 1;
    }
    // Of equals the first by name.
    themes.into_iter().rev().max_by_key(|(_, count)| *count).and_then(|(theme, _)| theme).map(str::to_owned)
}

/// Submits an answer. Why it was refused, where it was.
fn answer(
    pipeline: &mut Pipeline,
    question: &Question,
    same: bool,
    number: usize,
    now: Timestamp,
) -> Result<Option<String>, CliError> {
    let decision = if same { "SAME" } else { "KEEP_APART" };
    let by = Reviewer { who: TEACHER.to_owned(), reason: None, sign: None };
    let action = json!({"decision": decision, "a": question.a.id, "b": question.b.id});
    let entry = RawEntry {
        stream: "eval".to_owned(),
        kind: StreamKind::MetaHitl,
        id: format!("{number}-0"),
        fields: vec![("data".to_owned(), submit::payload(&by, action)?.to_string().into_bytes())],
        gate_request: None,
    };
    let outcome = pipeline.process(&[entry], now)?.outcomes.into_iter().next();
    Ok(match outcome {
        Some(EntryOutcome::Submitted { .. }) => None,
        Some(EntryOutcome::Refused { refusal, .. }) => Some(refusal.message),
        other => Some(format!("it was not taken as a review: {other:?}")),
    })
}

/// What the answers gave: the same stream without them and with them.
pub(super) fn figures(without: &Read, with: &Read, seen: &Seen<'_>, questions: Vec<Answered>) -> Taught {
    let count = |of: &dyn Fn(&Answered) -> bool| questions.iter().filter(|q| of(q)).count() as u64;
    let before: HashSet<&String> = seen.order.iter().take(seen.before_questions).collect();
    let late = |id: &String| !before.contains(id);
    let any = |_: &String| true;
    let remarks = seen.order.len() - before.len();
    let later = (remarks > 0).then(|| Later {
        remarks: remarks as u64,
        without: b_cubed_of(&without.0, &late),
        with: b_cubed_of(&with.0, &late),
    });
    Taught {
        asked: questions.len() as u64,
        same: count(&|q| q.same),
        different: count(&|q| !q.same),
        refused: count(&|q| q.refusal.is_some()),
        remarks_before: before.len() as u64,
        without: b_cubed_of(&without.0, &any),
        with: b_cubed_of(&with.0, &any),
        later,
        questions,
    }
}

fn share(text: &str) -> Result<f64, String> {
    let share: f64 = text.parse().map_err(|_| "a share is a number from 0 to 1".to_owned())?;
    if (0.0..=1.0).contains(&share) { Ok(share) } else { Err("a share lies between 0 and 1".to_owned()) }
}
