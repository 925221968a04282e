//! Proposals of a batch: when they are made, from what, and what is added to those that wait.

use super::{Batch, Edit};
use crate::app::pipeline::PipelineError;
use crate::app::pipeline::recent::Known;
use crate::app::pipeline::state::{LivingRule, State};
use crate::domain::cluster::{ClusterKey, Member};
use crate::domain::feedback::Classification;
use crate::domain::ids::numbered;
use crate::domain::layout;
use crate::domain::proposal::{self, KnownRule, Relation};
use crate::domain::record::{MAX_EVIDENCE, ProposalRecord, ProposalStatus};
use std::collections::BTreeSet;

impl Batch<'_> {
    /// Makes proposals for patterns that have none: at once where they are sure, else when a batch is due.
    pub fn offer_proposals(&mut self, flush: bool) -> Result<(), PipelineError> {
        let memory = &self.state.evaluator.memory;
        let policy = &self.state.evaluator.policy;
        let (sure, waiting): (Vec<_>, Vec<_>) = memory
            .clusters()
            .filter(|(_, c)| c.proposal.is_none() && c.class(policy) == Classification::GeneralizableHigh)
            .map(|(key, c)| (key, c.confidence(policy) >= self.settings.immediate_at))
            .partition(|(_, sure)| *sure);
        let since = *self.state.waiting_since.get_or_insert(self.now);
        let due = flush
            || waiting.len() >= self.settings.batch_count
            || self.now.duration_since(since) >= self.settings.batch_every;
        let chosen: Vec<ClusterKey> = sure.iter().chain(waiting.iter().filter(|_| due)).map(|(key, _)| *key).collect();
        if waiting.is_empty() || due {
            self.state.waiting_since = None;
        }
        for key in chosen {
            self.offer(key)?;
        }
        self.add_evidence()
    }

    /// Makes a proposal for a cluster, or adds it to one that says the same.
    fn offer(&mut self, key: ClusterKey) -> Result<(), PipelineError> {
        let evaluator = &self.state.evaluator;
        let cluster = evaluator.memory.cluster(key);
        let Some(example) = evaluator.memory.representatives(key, 1).into_iter().next() else { return Ok(()) };
        let (tenant, agent) = (example.tenant.clone(), example.agent.clone());
        let dissent = evaluator.dissent(example);
        let draft = proposal::draft(&example.text, cluster.direction);
        let vector = self.outside.embedder.embed(std::slice::from_ref(&draft.content)).pop().flatten();
        let known = self.state.rules_for(&tenant, std::slice::from_ref(&agent));
        let related =
            proposal::relate(&draft.content, vector.as_ref(), &known, &evaluator.policy, &self.settings.thresholds);
        let conflicts = match related {
            Relation::Duplicate(id) => {
                self.touched.insert(key);
                self.state.evaluator.memory.set_proposal(key, id);
                return Ok(());
            }
            Relation::New(conflicts) => conflicts,
        };
        let members = tied_members(self.state, key);
        let year = layout::year(self.now);
        let content = draft.content.clone();
        let policy = self.state.evaluator.policy;
        let cluster = self.state.evaluator.memory.cluster(key).clone();
        let mut record = proposal::propose(draft, &cluster, &members, conflicts, &policy, self.now);
        let id = numbered("RULE", year, self.state.next_number("RULE", year));
        record.proposal_id.clone_from(&id);
        record.dissent = dissent;
        let path = layout::proposal(&id);
        self.state.rules.push(LivingRule {
            path: path.clone(),
            tenant,
            agents: vec![agent],
            rule: KnownRule {
                id: id.clone(),
                content,
                vector,
                evidence: record.created_from_feedback_ids.first().cloned(),
            },
            pending: true,
            listed: record.created_from_feedback_ids.len(),
        });
        self.proposals.insert(path, Edit::new(record));
        self.state.evaluator.memory.set_proposal(key, id.clone());
        self.counts.proposals.push(id);
        self.touched.insert(key);
        // The remarks that this batch writes anyway name the proposal; older ones find it through their cluster.
        Ok(())
    }

    /// Adds new members of groups to the evidence of their pending proposals, and what speaks against them.
    fn add_evidence(&mut self) -> Result<(), PipelineError> {
        let dissent = std::mem::take(&mut self.dissent);
        let concerned: BTreeSet<ClusterKey> = self.touched.iter().chain(dissent.keys()).copied().collect();
        for key in concerned {
            let against = dissent.get(&key);
            let Some(id) = self.state.evaluator.memory.cluster(key).proposal.clone() else { continue };
            let Some(place) = self.state.rules.iter().position(|r| r.rule.id == id && r.pending) else { continue };
            if self.state.rules[place].listed >= MAX_EVIDENCE && against.is_none() {
                continue;
            }
            let path = self.state.rules[place].path.clone();
            let mut edit = match self.proposals.remove(&path) {
                Some(edit) => edit,
                None => match self.proposal(&path)? {
                    Some(stored) => Edit::of(stored),
                    None => continue,
                },
            };
            if edit.after.status != ProposalStatus::Pending {
                continue;
            }
            let cluster = self.state.evaluator.memory.cluster(key).clone();
            let members = tied_members(self.state, key);
            let mut added = proposal::add_evidence(&mut edit.after, &cluster, &members);
            for id in against.into_iter().flatten().filter(|id| !edit.after.dissent.contains(id)).collect::<Vec<_>>() {
                edit.after.dissent.push(id.clone());
                added = true;
            }
            let listed = edit.after.created_from_feedback_ids.len();
            if added || edit.before.is_none() {
                self.proposals.insert(path, edit);
            }
            self.state.rules[place].listed = listed;
        }
        Ok(())
    }

    fn proposal(&self, path: &str) -> Result<Option<Known<ProposalRecord>>, PipelineError> {
        match self.state.recent.proposal(path) {
            Some(known) => Ok(Some(known.clone())),
            None => self.load(path),
        }
    }
}

/// A cluster's tied members, the earliest first.
fn tied_members(state: &State, key: ClusterKey) -> Vec<&Member> {
    let memory = &state.evaluator.memory;
    let mut members: Vec<&Member> =
        memory.cluster(key).members.iter().map(|m| memory.member(*m)).filter(|m| m.tied).collect();
    members.sort_by(|a, b| (a.at, &a.id).cmp(&(b.at, &b.id)));
    members
}
