//! The attempts at one task: what was tried before, whether it ended, whether people were asked.
//!
//! A chain belongs to a session and a task, or to a session and the user's request. Attempts are ordered by time and
//! id, so the order of arrival does not matter. A success ends the chain's current *run*. A later failure starts a new
//! one, unless the very next attempt fails in the same way: then the success did not help, and the run continues.

use super::answer::HistoryEntry;
use super::approach::{Approach, find_tool};
use super::observation::{Observation, Outcome};
use super::record::ActionRecord;
use super::result::{ActionKind, ActionResult, Confidence};
use super::signature::{Signature, signature};
use crate::text::ids::short_hash;
use crate::text::prose;
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How many attempts of a chain are kept; the oldest are dropped first.
pub const MAX_KEPT: usize = 200;

/// One attempt, with what later ones need.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Attempt {
    /// The action's id.
    pub action_id: String,
    /// The event it came with, if shared with others.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub part_of: Option<String>,
    /// The agent that made it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub agent: String,
    /// When it was made.
    pub timestamp: Timestamp,
    /// Its outcome.
    #[serde(rename = "type")]
    pub kind: ActionKind,
    /// The approach, if named.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub approach: Option<Approach>,
    /// Whether the approach was an available tool.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_tool: bool,
    /// How it failed.
    pub signature: Signature,
    /// Why, as one line; absent if not reported.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Whether people were asked when it failed.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub escalated: bool,
}

impl Attempt {
    /// Returns the attempt that a result represents in its chain.
    pub fn of(result: &ActionResult) -> Attempt {
        let approach = Approach::of(result);
        let tools = result.tools().unwrap_or_default();
        Attempt {
            action_id: result.action_id.clone(),
            part_of: result.part_of.clone(),
            agent: result.agent.clone(),
            timestamp: result.timestamp,
            kind: result.kind,
            is_tool: approach.as_ref().is_some_and(|approach| find_tool(&approach.name, tools).is_some()),
            approach,
            signature: signature(result),
            reason: result.causes().next().map(|text| prose::line(text, 160)),
            escalated: false,
        }
    }

    fn failed(&self) -> bool {
        self.kind != ActionKind::Success
    }

    /// Reports whether it came with the same event: then neither answers the other.
    fn came_with(&self, other: &Attempt) -> bool {
        self.part_of.is_some() && self.part_of == other.part_of
    }

    /// Reports whether both tried the same; attempts without a named approach are compared by how they failed.
    fn same_approach(&self, other: &Attempt) -> bool {
        match (&self.approach, &other.approach) {
            (Some(a), Some(b)) => a.key == b.key,
            (None, None) => self.signature.id == other.signature.id,
            _ => false,
        }
    }

    fn order(&self) -> (Timestamp, &str) {
        (self.timestamp, &self.action_id)
    }
}

/// The attempts of one chain, in chronological order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Chain {
    attempts: Vec<Attempt>,
    /// How many were dropped from the front.
    dropped: u32,
}

/// The position of an attempt in its chain.
#[derive(Clone, Debug, PartialEq)]
pub struct ChainPosition<'c> {
    /// Its number in the chain, from 1.
    pub number: u32,
    /// How many attempts of the run failed, including this one.
    pub tries: u32,
    /// The run's attempts before this one.
    pub before: &'c [Attempt],
    pub this: &'c Attempt,
    /// The number of the attempt of this run at which people were asked earlier, if any.
    pub escalated_at: Option<u32>,
    /// Whether the previous attempt succeeded but this one failed in the same way.
    pub came_back: bool,
}

/// Returns the id of the chain that a result belongs to: `CHAIN-` and twelve hexadecimal digits.
pub fn chain_id(result: &ActionResult) -> String {
    let tenant = result.tenant_id.as_deref().unwrap_or_default();
    let asked = || prose::one_line(&result.user_input).to_lowercase();
    let (what, which) = match &result.task_id {
        Some(task) => ("task", task.clone()),
        None => ("input", asked()),
    };
    format!("CHAIN-{}", short_hash(&["chain", tenant, &result.session_id, what, &which]))
}

impl Chain {
    /// Builds the chain of these records, in any order; `all` is its total number in the store.
    pub fn of<'r>(records: impl IntoIterator<Item = &'r ActionRecord>, all: u64) -> Chain {
        let mut chain = Chain::default();
        for record in records {
            chain.restore(record);
        }
        let kept = u64::try_from(chain.attempts.len()).unwrap_or(u64::MAX);
        chain.dropped = u32::try_from(all.saturating_sub(kept)).unwrap_or(u32::MAX);
        chain
    }

    /// Returns the attempts kept, oldest first.
    pub fn attempts(&self) -> &[Attempt] {
        &self.attempts
    }

    /// Reports whether the last attempt succeeded.
    pub fn ended(&self) -> bool {
        self.attempts.last().is_some_and(|attempt| !attempt.failed())
    }

    /// Inserts an attempt by time; returns `false` if its id is already there.
    pub fn add(&mut self, attempt: Attempt) -> bool {
        if self.attempts.iter().any(|known| known.action_id == attempt.action_id) {
            return false;
        }
        let at = self.attempts.partition_point(|known| known.order() < attempt.order());
        self.attempts.insert(at, attempt);
        true
    }

    /// Adds the attempt of a record, and whether people were asked; returns `false` if its id is already there.
    pub(super) fn restore(&mut self, record: &ActionRecord) -> bool {
        let attempt = Attempt { escalated: record.feedback.escalation.is_some(), ..Attempt::of(&record.result) };
        let added = self.add(attempt);
        self.trim();
        added
    }

    /// Drops the oldest attempts beyond the last 200.
    pub fn trim(&mut self) {
        let over = self.attempts.len().saturating_sub(MAX_KEPT);
        self.attempts.drain(..over);
        self.dropped = self.dropped.saturating_add(u32::try_from(over).unwrap_or(u32::MAX));
    }

    /// Records that people were asked at this attempt.
    pub fn note_escalation(&mut self, action_id: &str) {
        if let Some(attempt) = self.attempts.iter_mut().find(|attempt| attempt.action_id == action_id) {
            attempt.escalated = true;
        }
    }

    /// Returns the position of an attempt; `None` if it is not in the chain.
    pub fn standing(&self, action_id: &str) -> Option<ChainPosition<'_>> {
        let at = self.attempts.iter().position(|attempt| attempt.action_id == action_id)?;
        let start = self.run_start(at);
        let before = &self.attempts[start..at];
        let this = &self.attempts[at];
        let failed = before.iter().filter(|attempt| attempt.failed()).count() + usize::from(this.failed());
        let escalated_at = before.iter().position(|attempt| attempt.escalated);
        Some(ChainPosition {
            number: self.number(at),
            tries: u32::try_from(failed).unwrap_or(u32::MAX),
            before,
            this,
            escalated_at: escalated_at.map(|index| self.number(start + index)),
            came_back: at > 0 && !self.attempts[at - 1].failed() && self.undone(at - 1),
        })
    }

    /// Returns what was tried up to and including an attempt, at most the last `most`.
    pub fn history(&self, action_id: &str, most: usize) -> Vec<HistoryEntry> {
        let Some(at) = self.attempts.iter().position(|attempt| attempt.action_id == action_id) else {
            return Vec::new();
        };
        let from = (at + 1).saturating_sub(most);
        let entry = |index: usize| {
            let attempt = &self.attempts[index];
            let action = attempt.approach.as_ref().map_or(&attempt.signature.inference, |approach| &approach.name);
            let reason = attempt.reason.clone().filter(|_| attempt.failed());
            HistoryEntry {
                attempt: self.number(index),
                action: action.clone(),
                result: attempt.kind.result().to_owned(),
                reason,
            }
        };
        (from..=at).map(entry).collect()
    }

    /// Returns what the chain's attempts show about approaches: a pure function of the attempts, whatever order they
    /// arrived in.
    ///
    /// An attempt that follows a failure answers it. A success that is immediately followed by the same failure counts
    /// as a failure. An attempt after a success answers nothing.
    pub fn observations(&self) -> Vec<Observation> {
        let mut observations = Vec::new();
        let mut open: Vec<usize> = Vec::new();
        for (at, attempt) in self.attempts.iter().enumerate() {
            let beside = open.last().is_some_and(|last| self.attempts[*last].came_with(attempt));
            if let (Some(approach), false) = (&attempt.approach, beside) {
                for index in &open {
                    let outcome = match attempt.kind {
                        ActionKind::Success if self.undone(at) => Outcome::Failure,
                        ActionKind::Success => Outcome::Success,
                        ActionKind::Failed => Outcome::Failure,
                        ActionKind::Partial => Outcome::Partial,
                    };
                    observations.push(Observation {
                        situation: self.attempts[*index].signature.clone(),
                        approach: approach.clone(),
                        outcome,
                        agent: attempt.agent.clone(),
                        is_tool: attempt.is_tool,
                        withdrawn: false,
                    });
                }
            }
            if attempt.failed() {
                if !beside {
                    open.clear();
                }
                open.push(at);
            } else if !beside {
                open.clear();
            }
        }
        observations
    }

    fn number(&self, at: usize) -> u32 {
        self.dropped.saturating_add(u32::try_from(at + 1).unwrap_or(u32::MAX))
    }

    /// Reports whether a success is immediately followed by the failure that preceded it.
    fn undone(&self, at: usize) -> bool {
        let Some(next) = self.attempts.get(at + 1).filter(|next| next.failed() && !next.came_with(&self.attempts[at]))
        else {
            return false;
        };
        let before = self.attempts[..at].iter().rev().take_while(|attempt| attempt.failed());
        before.into_iter().any(|failed| failed.signature.id == next.signature.id)
    }

    fn run_start(&self, at: usize) -> usize {
        let ends = |index: usize| {
            let attempt = &self.attempts[index];
            !attempt.failed() && !self.undone(index) && !attempt.came_with(&self.attempts[index + 1])
        };
        (1..=at).rev().find(|index| ends(index - 1)).unwrap_or(0)
    }
}

impl ChainPosition<'_> {
    /// Returns how often the same approach failed earlier in this run.
    pub fn earlier_failures(&self) -> usize {
        let same = |attempt: &&Attempt| attempt.kind == ActionKind::Failed && attempt.same_approach(self.this);
        self.before.iter().filter(same).count()
    }

    /// Returns how often an approach failed to help in this run, including this attempt. A success after which the run
    /// continued did not help either.
    pub fn failures_of(&self, key: &str) -> u32 {
        let in_vain = |attempt: &&Attempt| match attempt.kind {
            ActionKind::Failed => true,
            ActionKind::Partial => false,
            ActionKind::Success => attempt.part_of.is_none(),
        };
        let this = Some(self.this).filter(|this| this.kind == ActionKind::Failed);
        let all = self.before.iter().filter(in_vain).chain(this);
        let same = all.filter(|attempt| attempt.approach.as_ref().is_some_and(|approach| approach.key == key));
        u32::try_from(same.count()).unwrap_or(u32::MAX)
    }

    /// Lowers the confidence `given`, and returns why (specification, "Actions: Confidence"): by one step after two
    /// earlier failures of the same approach, to `low` after three.
    pub fn confidence(&self, given: Confidence) -> (Confidence, Option<String>) {
        if !self.this.failed() {
            return (given, None);
        }
        let times = self.earlier_failures();
        let lowered = match times {
            0 | 1 => return (given, None),
            2 => given.lowered(),
            _ => Confidence::Low,
        };
        let often = if times == 2 { "twice".to_owned() } else { format!("{times} times") };
        (lowered, Some(format!("Similar pattern failed {often} before")))
    }
}
