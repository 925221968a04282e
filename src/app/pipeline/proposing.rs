//! Proposals of a batch: when they are made, from what, and what is added to those that wait.

use super::Batch;
use crate::app::pipeline::PipelineError;
use crate::app::pipeline::advising::NO_TEXT;
use crate::app::pipeline::drafting::{self, Drafted, Undrafted};
use crate::app::pipeline::state::RuleEntry;
use crate::domain::grouping::evaluation::Classification;
use crate::domain::grouping::{Cluster, ClusterKey, Member};
use crate::domain::ids::numbered;
use crate::domain::language::specificity;
use crate::domain::prose::line;
use crate::domain::records::layout;
use crate::domain::records::record::{DecisionRecord, MAX_EVIDENCE, ProposalRecord, ProposalStatus, Registered};
use crate::domain::rules::drafting::proposal::{self, Draft, KnownRule, Relation};
use crate::domain::rules::drafting::restate::{self, KnownSentence};
use crate::domain::rules::lifecycle::rule;
use std::collections::BTreeSet;

/// From which calibrated similarity on two rules may become one where there is no room for both.
const CONSOLIDATE_AT: f64 = 0.6;

impl Batch<'_> {
    /// Makes proposals for patterns that have none: at once where they are sure, else when a batch is due.
    pub fn offer_proposals(&mut self, flush: bool) -> Result<(), PipelineError> {
        let curve = self.state.curve();
        let memory = &self.state.remarks.groups;
        let policy = &self.state.remarks.policy;
        // What people made of earlier proposals counts, and not only what the remarks say.
        let confidence = |c: &Cluster| curve.map_or_else(|| c.confidence(policy), |f| f.apply(c.confidence(policy)));
        let (sure, waiting): (Vec<_>, Vec<_>) = memory
            .clusters()
            .filter(|(_, c)| c.class(policy) == Classification::GeneralizableHigh && self.may_propose(c))
            .map(|(key, c)| (key, confidence(c) >= self.settings.immediate_at))
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
            self.offer(key, None)?;
        }
        self.add_evidence()
    }

    /// Whether a pattern may get a proposal: it has none, or the one it had is over and it is time for another.
    fn may_propose(&self, cluster: &Cluster) -> bool {
        if cluster.not_proposed.is_some() {
            return false;
        }
        let Some(id) = &cluster.proposal else { return true };
        let Some(last) = self.state.rule(id) else { return true };
        let (record, evidence) = (&last.record, cluster.tied());
        let ended = record.ended_at.unwrap_or(record.created_at);
        let doubled = evidence >= record.evidence_count.saturating_mul(2).max(2);
        match record.status {
            ProposalStatus::Expired => evidence > record.evidence_count,
            ProposalStatus::Rejected | ProposalStatus::Retired | ProposalStatus::RolledBack => {
                let cooled = self.now.duration_since(ended) >= self.settings.rules.cool_down;
                // The same evidence was looked at and found wanting: time alone does not make it better.
                doubled || (cooled && evidence > record.evidence_count)
            }
            _ => false,
        }
    }

    /// Makes a proposal for a cluster, or adds it to one that says the same; `worded` is its text where there is one.
    pub(super) fn offer(&mut self, key: ClusterKey, worded: Option<Draft>) -> Result<(), PipelineError> {
        let remarks = &self.state.remarks;
        let Some(example) = remarks.groups.representatives(key, 1).into_iter().next() else { return Ok(()) };
        let (tenant, agent) = (example.tenant.clone(), example.agent.clone());
        let open = |r: &&RuleEntry| r.is_living() && r.record.status.is_open() && r.concerns(&tenant, &agent);
        if self.state.rules().filter(open).count() >= self.settings.rules.max_open {
            // It waits until people have decided some of those that are open.
            return Ok(());
        }
        let dissent = self.evaluator().dissent(example)?;
        let diff_of = |member: &Member| self.diff_of(member);
        let understanding = &self.outside.understanding;
        let drafted = match worded {
            Some(draft) => Ok(drafting::worded(&remarks.groups, key, understanding, draft)?),
            None => drafting::draft(&remarks.groups, key, understanding, &diff_of),
        };
        let mut drafted = match drafted {
            Ok(drafted) => drafted,
            Err(Undrafted::Unfit(why)) => {
                self.turn_away(key, format!("{NO_TEXT}: {why}"));
                return Ok(());
            }
            Err(Undrafted::Failed(error)) => return Err(error.into()),
        };
        let known = self.state.rules_for(&tenant, std::slice::from_ref(&agent));
        let conflicts = match proposal::relate(&drafted.known, &known, &remarks.policy, &self.settings.thresholds) {
            Relation::Duplicate(id) => {
                self.touched.insert(key);
                self.state.remarks.groups.set_proposal(key, id);
                return Ok(());
            }
            Relation::New(conflicts) => conflicts,
        };
        if let Some(id) = self.turned_down(key, &drafted.known, &tenant, &agent) {
            self.turn_away(key, format!("People decided against {id}, which says the same, not long ago."));
            return Ok(());
        }
        let elsewhere = self.said_elsewhere(&agent);
        let (calibration, at) = (&remarks.policy.calibration, self.settings.thresholds.duplicate_at);
        let (content, vector) = (&drafted.known.content, drafted.known.vector.as_ref());
        if let Some(found) = restate::restates(content, vector, &elsewhere, calibration, at) {
            self.turn_away(key, format!("“{content}” {found}"));
            return Ok(());
        }
        let consolidates =
            if drafted.action_type.enters_prompt() { self.consolidate(&mut drafted, &tenant, &agent) } else { None };
        let members = self.state.remarks.groups.tied_members(key);
        let policy = self.state.remarks.policy;
        let cluster = self.state.remarks.groups.cluster(key).clone();
        let mut record = proposal::propose(drafted.draft.clone(), &cluster, &members, conflicts, &policy, self.now);
        record.dissent = dissent;
        record.consolidates = consolidates.into_iter().collect();
        drafted.classify(&mut record);
        if let Some(curve) = self.state.curve() {
            curve.recalibrate(&mut record);
        }
        let id = self.file(record)?;
        self.state.remarks.groups.set_proposal(key, id.clone());
        self.state.remarks.groups.cluster_mut(key).not_proposed = None;
        self.touched.insert(key);
        // The remarks that this batch writes anyway name the proposal; older ones find it through their cluster.
        Ok(())
    }

    /// The rule of the same concern that people decided against while its pattern has not cooled down: what they turned
    /// down does not come back in the next group's name.
    fn turned_down(&self, key: ClusterKey, new: &KnownRule, tenant: &str, agent: &str) -> Option<String> {
        let concern = new.concern.as_ref()?;
        // Whether the group itself may have another one was looked at before.
        let own = &self.state.remarks.groups.cluster(key).id;
        let cool_down = self.settings.rules.cool_down;
        let turned_down = |r: &&RuleEntry| {
            let record = &r.record;
            let ended = record.ended_at.or(record.decided_at).unwrap_or(record.created_at);
            matches!(record.status, ProposalStatus::Rejected | ProposalStatus::Retired | ProposalStatus::RolledBack)
                && record.concern.as_ref() == Some(concern)
                && record.cluster_id != *own
                && r.concerns(tenant, agent)
                && self.now.duration_since(ended) < cool_down
        };
        self.state.rules().find(turned_down).map(|r| r.record.proposal_id.clone())
    }

    /// The correction that came with a remark, as it is stored or will be.
    fn diff_of(&self, member: &Member) -> Option<String> {
        let path = match self.staging.get::<DecisionRecord>(&member.path) {
            Some(record) => record.feedback.correction.as_ref()?.path.clone(),
            None => {
                let stored = self.load::<DecisionRecord>(&member.path).ok()??.record;
                DecisionRecord::of(&stored)?.feedback.correction.as_ref()?.path.clone()
            }
        };
        if let Some(diff) = self.texts.get(&path) {
            return Some(diff.clone());
        }
        let head = self.state.head.as_ref()?;
        // An example is a kindness: one that cannot be read is none.
        self.outside.store.read(head, &path).ok()?.and_then(|bytes| String::from_utf8(bytes).ok())
    }

    /// A pattern gets no proposal; its cluster says why.
    fn turn_away(&mut self, key: ClusterKey, why: String) {
        self.state.remarks.groups.cluster_mut(key).not_proposed = Some(why);
        self.touched.insert(key);
    }

    /// Where an agent has no room, a rule that asks for something near is offered together with the new one, in its
    /// place: one rule for both instead of one that has to leave (specification, "Rules"; specification, "Learning:
    /// Risks").
    fn consolidate(&self, drafted: &mut Drafted, tenant: &str, agent: &str) -> Option<String> {
        if self.state.in_force(tenant, agent).count() < self.settings.rules.max_active {
            return None;
        }
        let (new, calibration) = (&drafted.known, &self.state.remarks.policy.calibration);
        let near = self.state.in_force(tenant, agent).filter_map(|rule| {
            let similarity = calibration.similarity(rule.known.vector.as_ref()?.cosine(new.vector.as_ref()?));
            let agrees = new.direction.agrees(rule.known.direction)
                && (new.opposite.is_none() || new.opposite != rule.known.concern);
            // What it says to other agents, or in some places only, must not change with it.
            let alone = rule.record.affected_agents.len() == 1 && rule.record.scope.is_everywhere();
            (agrees && alone && similarity >= CONSOLIDATE_AT).then_some((similarity, rule))
        });
        let (_, other) = near.max_by(|a, b| a.0.total_cmp(&b.0))?;
        let both = format!("{} {}", other.record.rule_content.trim(), drafted.draft.content);
        if !specificity::lint(&both).is_empty() {
            return None;
        }
        let draft = &mut drafted.draft;
        draft.title = line(both.trim_end_matches('.'), 72);
        draft.content = both;
        Some(other.record.proposal_id.clone())
    }

    /// What an agent is told outside of the rules: by its base prompt, and by rules in force elsewhere.
    fn said_elsewhere(&self, agent: &str) -> Vec<KnownSentence> {
        let imported = self.state.imported_for(agent).map(|rule| KnownSentence {
            text: rule.content.clone(),
            vector: rule.vector.clone(),
            source: rule.id.clone(),
        });
        let base = self.settings.base_prompts.get(agent).into_iter().flatten().cloned();
        imported.chain(base).collect()
    }

    /// What agents are told already, by whatever way; `except` is the rule that is looked at.
    pub(super) fn said_already(&self, tenant: &str, agents: &[String], except: Option<&str>) -> Vec<KnownSentence> {
        let rules = self.state.rules_for(tenant, agents).into_iter().filter(|r| Some(r.id.as_str()) != except);
        let rules =
            rules.map(|r| KnownSentence { text: r.content.clone(), vector: r.vector.clone(), source: r.id.clone() });
        rules.chain(agents.iter().flat_map(|agent| self.said_elsewhere(agent))).collect()
    }

    /// Files a proposal under the next number, as a new one whatever it says of itself.
    pub(super) fn file(&mut self, proposal: ProposalRecord) -> Result<String, PipelineError> {
        let year = layout::year(self.now);
        let id = numbered("RULE", year, self.state.next_number("RULE", year));
        let record = rule::newborn(proposal, &id);
        self.changed_rules.insert(id.clone(), None);
        self.put_rule(record)?;
        self.counts.proposals.push(id.clone());
        Ok(id)
    }

    /// Adds new members of groups to the evidence of their pending proposals, and what speaks against them.
    fn add_evidence(&mut self) -> Result<(), PipelineError> {
        let dissent = std::mem::take(&mut self.dissent);
        let concerned: BTreeSet<ClusterKey> = self.touched.iter().chain(dissent.keys()).copied().collect();
        for key in concerned {
            let against = dissent.get(&key);
            let Some(id) = self.state.remarks.groups.cluster(key).proposal.clone() else { continue };
            let Some(entry) = self.state.rule(&id).filter(|r| r.is_living()) else { continue };
            let mut record = entry.record.clone();
            let name = self.state.remarks.groups.cluster(key).id.clone();
            let is_new = record.cluster_id != name && !record.merged_clusters.contains(&name);
            if !entry.is_pending() {
                // It is decided, and its evidence with it. What asks for the same from now on is measured for it.
                if is_new && self.hold_rule(&id)?.is_ok() {
                    record.merged_clusters.push(name);
                    self.put_rule(record)?;
                }
                continue;
            }
            let full = record.created_from_feedback_ids.len() >= MAX_EVIDENCE;
            if full && against.is_none() && !is_new {
                continue;
            }
            // A large group is not gathered and sorted where there is no room for its members.
            let members = if full { Vec::new() } else { self.state.remarks.groups.tied_members(key) };
            let cluster = self.state.remarks.groups.cluster(key);
            let mut added = proposal::add_evidence(&mut record, cluster, &members);
            for id in against.into_iter().flatten().filter(|id| !record.dissent.contains(id)).collect::<Vec<_>>() {
                record.dissent.push(id.clone());
                added = true;
            }
            if added && self.hold_rule(&id)?.is_ok() {
                self.put_rule(record)?;
            }
        }
        Ok(())
    }
}
