//! Measurements taken alongside the batches, and the content of the agents' keys; both are derived from the store.

use super::effects::RuleMeasurements;
use crate::domain::records::record::ProposalRecord;
use crate::domain::rules::in_force::prompt;
use crate::metrics;
use crate::pipeline::error::PipelineError;
use crate::pipeline::gauges::tell_effects;
use crate::pipeline::state::Pipeline;
use crate::pipeline::working_set::RuleEntry;
use crate::ports::AgentKeys;
use crate::reports::effectiveness;
use crate::reports::report;
use crate::rules::in_force::InForce;
use jiff::{SignedDuration, Timestamp};
use std::collections::BTreeMap;
use std::sync::Arc;

/// How often rules are measured.
const MEASURE_EVERY: SignedDuration = SignedDuration::from_hours(1);

impl Pipeline {
    /// Measures the rules in force if that is due.
    pub(crate) fn measure(&self, now: Timestamp) -> Result<Option<RuleMeasurements>, PipelineError> {
        let elapsed = |at: Timestamp| now.duration_since(at).abs();
        if self.memory.measured_at.is_some_and(|at| elapsed(at) < MEASURE_EVERY) {
            return Ok(None);
        }
        let index = self.outside.index.open.as_ref();
        let rules = effectiveness::measure(index, &self.get_active_rules(None), &self.settings.measuring, now)?;
        tell_effects(&rules);
        let path = report::weekly_path(now);
        // It requires a full pass: not after every start, only if there is no report yet.
        let made = match (&path, &self.memory.head) {
            _ if self.memory.reported.is_some() && self.memory.reported == path => true,
            (Some(path), Some(head)) => self.outside.store.read(head, path)?.is_some(),
            _ => false,
        };
        let weekly = if made { None } else { report::weekly(index, now, self.settings.report)? };
        Ok(Some(RuleMeasurements { rules, weekly }))
    }

    /// Returns the content of the agents' keys, for every agent that has, or may have had, rules (specification,
    /// "Streams and keys out").
    pub fn deployed(&self) -> Vec<AgentKeys> {
        let tenant = &self.settings.capture.tenant;
        let ours = |r: &&RuleEntry| r.record.tenant_id.as_deref().unwrap_or_default() == tenant;
        let (rules, stopped): (Vec<ProposalRecord>, Vec<ProposalRecord>) = self
            .memory
            .rules()
            .filter(|r| r.in_force())
            .filter(ours)
            .map(|r| r.record.clone())
            .partition(|rule| self.memory.stops.of(&rule.proposal_id).is_none());
        metrics::stopped_rules(stopped.len() as u64);
        let mut deployed: BTreeMap<String, AgentKeys> = self
            .memory
            .agents(tenant)
            .map(|agent| (agent.to_owned(), AgentKeys { agent: agent.to_owned(), active: None, prompt: None }))
            .collect();
        let in_force = InForce::of(rules, Arc::clone(&self.memory.effects), self.settings.rules.max_active);
        for rules in in_force.agents() {
            let active = (!rules.active.is_empty()).then(|| prompt::active_json(&rules.active));
            let keys = AgentKeys { agent: rules.agent.clone(), active, prompt: rules.prompt.clone() };
            deployed.insert(rules.agent.clone(), keys);
        }
        self.board.put_up(Arc::new(in_force));
        deployed.into_values().collect()
    }
}
