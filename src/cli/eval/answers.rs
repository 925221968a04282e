//! `eval hitl --answers`: the value of `clusters review` questions when answered from the labels.
//!
//! Answers take the route of all reviews: through the stream and the roster into the records. The questions depend on
//! the clusters alone; only the answers use the labels.

use super::data::Labels;
use super::outcome::{Answered, Later, Listed, Read, Seen, Taught};
use crate::app::pipeline::{EntryOutcome, Pipeline};
use crate::cli::exit::CliError;
use crate::cli::submit::{self, Reviewer};
use crate::domain::clusters::question::{Inquiry, ListQuestion, Question, Side};
use crate::domain::intake::event::{RawEntry, StreamKind};
use crate::domain::records::layout;
use crate::domain::reporting::score::{b_cubed_of, patterns};
use jiff::Timestamp;
use serde_json::{Value, json};
use std::collections::{BTreeMap, HashMap, HashSet};

/// The answering reviewer.
const TEACHER: &str = "labels";
/// Minimum number of comments for a recurring demand.
const RECURS: usize = 3;
/// Label prefix for demands too specific for a rule.
const ONE_OFF: &str = "one-off";

/// Number and timing of answered questions.
#[derive(Clone, Copy, Debug, clap::Args)]
pub struct Asking {
    /// Also answer this many questions of `clusters review` from the labels, and report the effect
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub answers: usize,
    /// Answer them after this share of the lines, 0 to 1; later lines show what carries over
    #[arg(long, value_name = "SHARE", default_value_t = 1.0, value_parser = share, requires = "answers")]
    pub answers_at: f64,
}

impl Asking {
    /// Returns after how many of these lines to ask.
    pub fn after(&self, lines: usize) -> usize {
        ((lines as f64 * self.answers_at).round() as usize).min(lines)
    }
}

/// Returns the files of a store in which the labels may answer.
pub(super) fn roster() -> Vec<(String, String)> {
    let text = format!("reviewers:\n  - {{id: {TEACHER}, name: The labels, roles: [reviewer]}}\n");
    vec![(layout::ROSTER.to_owned(), text)]
}

/// Asks and answers the best question, then the next one based on the updated clusters.
pub(super) fn ask(
    pipeline: &mut Pipeline,
    labels: &HashMap<String, &Labels>,
    count: usize,
    now: Timestamp,
) -> Result<Vec<Answered>, CliError> {
    let (mut answered, mut passed) = (Vec::new(), HashSet::new());
    let truth = Truth { labels, recurring: recurring(pipeline, labels) };
    while answered.len() < count {
        let best = pipeline.evaluator().inquiries(None, passed.len() + 1)?;
        let Some(inquiry) = best.into_iter().find(|q| !passed.contains(&names(q))) else { break };
        let (action, mut told) = match &inquiry {
            Inquiry::Pair(question) => truth.pair(pipeline, question),
            Inquiry::List(list) => truth.list(pipeline, list),
        };
        told.refusal = answer(pipeline, action, answered.len(), now)?;
        if told.refusal.is_some() {
            passed.insert(names(&inquiry));
        }
        answered.push(told);
    }
    Ok(answered)
}

/// Returns the subjects of a question, to recognise it.
fn names(inquiry: &Inquiry) -> Vec<String> {
    match inquiry {
        Inquiry::Pair(q) => vec![q.a.id.clone(), q.b.id.clone()],
        Inquiry::List(list) => {
            let group = list.group.iter().map(|group| group.id.clone());
            group.chain(list.remarks.iter().map(|said| said.feedback_id.clone())).collect()
        }
    }
}

/// Returns the themes with three or more decisions by two or more reviewers.
fn recurring(pipeline: &Pipeline, labels: &HashMap<String, &Labels>) -> HashSet<String> {
    let groups = &pipeline.evaluator().remarks.groups;
    let mut voices: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for (_, member) in groups.members() {
        if let Some(theme) = labels.get(&member.id).and_then(|labels| labels.theme.as_deref()) {
            voices.entry(theme).or_default().push(&member.reviewer);
        }
    }
    let recurs = |who: &Vec<&str>| who.len() >= RECURS && who.iter().collect::<HashSet<_>>().len() >= 2;
    voices.into_iter().filter(|(_, who)| recurs(who)).map(|(theme, _)| theme.to_owned()).collect()
}

/// A respondent that answers from the labels.
struct Truth<'l> {
    labels: &'l HashMap<String, &'l Labels>,
    recurring: HashSet<String>,
}

impl Truth<'_> {
    fn pair(&self, pipeline: &Pipeline, question: &Question) -> (Value, Answered) {
        let themes = (self.side(pipeline, &question.a), self.side(pipeline, &question.b));
        let same = themes.0.is_some() && themes.0 == themes.1;
        let decision = if same { "SAME" } else { "KEEP_APART" };
        let action = json!({"decision": decision, "a": question.a.id, "b": question.b.id});
        let (probability, sizes) = (question.probability, (question.a.size, question.b.size));
        (action, Answered { probability, sizes, themes, same, listed: None, refusal: None })
    }

    /// Answers a list question. Comments of the most frequent theme ask for the same if it recurs and two or more have
    /// it; next to a cluster, those with its theme do. Comments without a theme teach no rule.
    fn list(&self, pipeline: &Pipeline, list: &ListQuestion) -> (Value, Answered) {
        let ids: Vec<&str> = list.remarks.iter().map(|said| said.feedback_id.as_str()).collect();
        let theme = |id: &str| self.labels.get(id).and_then(|labels| labels.theme.as_deref());
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        ids.iter().filter_map(|id| theme(id)).for_each(|theme| *counts.entry(theme).or_default() += 1);
        let most = counts.iter().rev().filter(|(theme, count)| **count >= 2 && self.recurring.contains(**theme));
        let most = most.max_by_key(|(_, count)| **count).map(|(theme, _)| (*theme).to_owned());
        let wanted = match &list.group {
            Some(group) => self.group(pipeline, &group.id),
            None => most,
        };
        let mut action = json!({"decision": "SORT"});
        let mut put = |name: &str, of: Vec<&str>| {
            if !of.is_empty() {
                action[name] = json!(of);
            }
        };
        let is_same = |id: &&str| wanted.is_some() && theme(id) == wanted.as_deref();
        let particular = |id: &&str| theme(id).is_some_and(|theme| theme.starts_with(ONE_OFF));
        let (same, rest): (Vec<&str>, Vec<&str>) = ids.iter().copied().partition(|id| is_same(id));
        let (nothing, rest): (Vec<&str>, Vec<&str>) = rest.into_iter().partition(|id| theme(id).is_none());
        let (particular, others): (Vec<&str>, Vec<&str>) = rest.into_iter().partition(|id| particular(id));
        let listed = Listed {
            remarks: ids.len() as u64,
            same: same.len() as u64,
            nothing: nothing.len() as u64,
            particular: particular.len() as u64,
        };
        put("same", same);
        // A single remaining comment differs from nothing named.
        if others.len() > 1 || listed.same > 0 || list.group.is_some() {
            put("others", others);
        }
        put("nothing", nothing);
        put("particular", particular);
        if let Some(group) = &list.group {
            action["into"] = json!(group.id);
        }
        let sizes = (list.group.as_ref().map_or(0, |group| group.size), listed.remarks);
        let same = listed.same > 0;
        let told = Answered {
            probability: list.probability,
            sizes,
            themes: (wanted, None),
            same,
            listed: Some(listed),
            refusal: None,
        };
        (action, told)
    }

    fn side(&self, pipeline: &Pipeline, side: &Side) -> Option<String> {
        self.group(pipeline, &side.id)
    }

    /// Returns the label of most comments of a cluster; `None` if most have no label.
    fn group(&self, pipeline: &Pipeline, id: &str) -> Option<String> {
        let memory = &pipeline.evaluator().remarks.groups;
        let mut themes: BTreeMap<Option<&str>, usize> = BTreeMap::new();
        for key in memory.group(id).map(|group| memory.group_members(group)).unwrap_or_default() {
            let label = self.labels.get(&memory.member(key).id).and_then(|labels| labels.theme.as_deref());
            *themes.entry(label).or_default() += 1;
        }
        // Ties are broken by name.
        themes.into_iter().rev().max_by_key(|(_, count)| *count).and_then(|(theme, _)| theme).map(str::to_owned)
    }
}

/// Submits an answer. Returns the reason if it was rejected.
fn answer(pipeline: &mut Pipeline, action: Value, number: usize, now: Timestamp) -> Result<Option<String>, CliError> {
    let by = Reviewer { who: TEACHER.to_owned(), reason: None, sign: None };
    let entry = RawEntry {
        stream: "eval".to_owned(),
        kind: StreamKind::MetaHitl,
        id: format!("{number}-0"),
        fields: vec![("data".to_owned(), submit::payload(&by, action, None)?.to_string().into_bytes())],
        gate_request: None,
        oversize: None,
    };
    let outcome = pipeline.process(&[entry], now)?.outcomes.into_iter().next();
    Ok(match outcome {
        Some(EntryOutcome::Submitted { .. }) => None,
        Some(EntryOutcome::Refused { refusal, .. }) => Some(refusal.message),
        other => Some(format!("it was not accepted as a review: {other:?}")),
    })
}

/// Returns the effect of the answers: the same stream without and with them.
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
        patterns_without: patterns(&without.0),
        later,
        questions,
    }
}

fn share(text: &str) -> Result<f64, String> {
    let share: f64 = text.parse().map_err(|_| "a share must be a number from 0 to 1".to_owned())?;
    if (0.0..=1.0).contains(&share) { Ok(share) } else { Err("a share must be between 0 and 1".to_owned()) }
}
