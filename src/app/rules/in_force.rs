//! The rules in force as agents read them: all of an agent's, and those that apply at one place.
//!
//! The daemon keeps what it last wrote to the agents' keys, so queries need not read the store. It measures no effects:
//! they come with the rules.

use crate::domain::records::record::{ProposalRecord, RuleState};
use crate::domain::rules::in_force::prompt;
use crate::domain::rules::in_force::prompt::{AgentRules, Place};
use crate::queries::{Queries, QueryError};
use crate::reports::effectiveness;
use crate::reports::effectiveness::MeasurePolicy;
use jiff::Timestamp;
use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, PoisonError, RwLock};

/// Decides which rules enter prompts, and in which order.
#[derive(Clone, Debug)]
pub struct PromptBuilder {
    /// Returns how rules are measured.
    pub measure: MeasurePolicy,
    /// Maximum number of rules in force per agent.
    pub max_active: usize,
    /// The tenant; empty for the default one.
    pub tenant: String,
}

/// The rules of all agents at one time.
#[derive(Clone, Debug)]
pub struct InForce {
    rules: Vec<ProposalRecord>,
    effects: Arc<HashMap<String, f64>>,
    max_active: usize,
    agents: BTreeMap<String, Arc<AgentRules>>,
}

impl InForce {
    /// Takes the rules that enter prompts, and their measured effects by id.
    pub fn of(rules: Vec<ProposalRecord>, effects: Arc<HashMap<String, f64>>, max_active: usize) -> InForce {
        let effect = |id: &str| effects.get(id).copied().unwrap_or(0.0);
        let each = prompt::deployed(&rules, effect, max_active).into_iter();
        let agents = each.map(|agent| (agent.agent.clone(), Arc::new(agent))).collect();
        InForce { rules, effects, max_active, agents }
    }

    /// Reads the rules from store and index.
    ///
    /// # Errors
    /// If they cannot be read.
    pub fn read(queries: &Queries<'_>, prompting: &PromptBuilder, now: Timestamp) -> Result<InForce, QueryError> {
        let mut rules = in_prompts(queries)?;
        rules.retain(|rule| rule.tenant_id.as_deref().unwrap_or_default() == prompting.tenant);
        let effects = effectiveness::effects(queries.index, &rules, &prompting.measure, now)?;
        Ok(InForce::of(rules, Arc::new(effects), prompting.max_active))
    }

    /// Returns the agents that have or had rules, ordered by name.
    pub fn agents(&self) -> impl Iterator<Item = &AgentRules> {
        self.agents.values().map(Arc::as_ref)
    }

    /// Returns the section for a file that several agents read: each rule names its agents. `None` if there are no rules.
    pub fn for_everybody(&self) -> Option<String> {
        let effect = |id: &str| self.effects.get(id).copied().unwrap_or(0.0);
        prompt::section(&prompt::for_everybody(&self.rules, effect, self.max_active), true)
    }

    /// Returns an agent's rules that may apply at a place; none if it has none.
    pub fn at(&self, agent: &str, place: &Place<'_>) -> Arc<AgentRules> {
        if let Some(all) = self.agents.get(agent).filter(|_| *place == Place::default()) {
            return Arc::clone(all);
        }
        let effect = |id: &str| self.effects.get(id).copied().unwrap_or(0.0);
        Arc::new(prompt::agent_rules(&self.rules, agent, place, effect, self.max_active))
    }
}

/// Returns every rule that enters prompts: it is stored among the active ones, has that status, and is not stopped.
///
/// # Errors
/// If store or index cannot be read.
pub fn in_prompts(queries: &Queries<'_>) -> Result<Vec<ProposalRecord>, QueryError> {
    let stops = queries.stops()?;
    let found = queries.proposals(Some(RuleState::Active), None)?.into_iter().map(|file| file.record);
    Ok(found.filter(|rule| rule.status.in_force() && stops.of(&rule.proposal_id).is_none()).collect())
}

/// Contents of the agents' keys, for queries outside the daemon's loop. Empty until the keys are created.
#[derive(Default)]
pub struct Board(RwLock<Option<Arc<InForce>>>);

impl Board {
    /// Sets what the keys are to hold from now on.
    pub fn put_up(&self, in_force: Arc<InForce>) {
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = Some(in_force);
    }

    /// Returns the contents.
    pub fn read(&self) -> Option<Arc<InForce>> {
        self.0.read().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::records::record::{ProposalStatus, Scope};
    use crate::domain::testing::sample;

    #[test]
    fn at_a_place_rules_for_other_files_are_left_out_and_those_without_a_scope_stay() {
        let rule = |n: u32, paths: &[&str]| ProposalRecord {
            status: ProposalStatus::Active,
            scope: Scope { gates: vec![], paths: paths.iter().map(|path| (*path).to_owned()).collect() },
            ..sample::proposal(n)
        };
        let rules = vec![rule(1, &["src/api/**"]), rule(2, &[])];
        let agent = rules[0].affected_agents[0].clone();
        let in_force = InForce::of(rules, Arc::default(), 20);
        let count = |path| in_force.at(&agent, &Place { gate: None, path }).active.len();
        assert_eq!((count(None), count(Some("src/api/users.rs")), count(Some("docs/a.md"))), (2, 2, 1));
        assert_eq!(in_force.at("nobody", &Place::default()).prompt, None);
    }
}
