//! Proposals and rules in the working set, including imported ones, and the calibration of new confidences by people's
//! decisions.

use super::rule_entry::{ImportEntry, RuleEntry};
use super::value::WorkingSet;
use crate::comments::analyzer::Analyzer;
use crate::domain::clusters::ClusterKey;
use crate::domain::intake::submission::ImportedRule;
use crate::domain::records::layout;
use crate::domain::records::record::{Card, ImportRecord, ProposalRecord};
use crate::domain::rules::draft::proposal::KnownRule;
use crate::domain::rules::draft::recalibration;
use crate::domain::rules::draft::recalibration::Curve;
use crate::ports::EmbedError;
use std::sync::Arc;

impl WorkingSet {
    /// Returns all proposals and rules, by id.
    pub fn rules(&self) -> impl Iterator<Item = &RuleEntry> {
        self.rules.values().map(Arc::as_ref)
    }

    /// Returns a proposal or rule.
    pub fn rule(&self, id: &str) -> Option<&RuleEntry> {
        self.rules.get(id).map(Arc::as_ref)
    }

    /// Replaces the card of a proposal.
    pub fn put_card(&mut self, id: &str, card: Option<Card>) {
        if let Some(entry) = self.rules.get_mut(id) {
            Arc::make_mut(entry).record.card = card;
        }
    }

    /// Registers a rule file: its number, its cluster's link to it, and its text.
    pub fn note_rule(
        &mut self,
        path: &str,
        record: ProposalRecord,
        understanding: &Analyzer,
    ) -> Result<(), EmbedError> {
        self.note_number("RULE", &record.proposal_id);
        // The file was copied: the copy at the proper path counts, or else the one with the longer history.
        let weight = |path: &str, r: &ProposalRecord| (path == layout::rule(&r.proposal_id, r.status), r.history.len());
        if let Some(other) = self.rules.get(&record.proposal_id)
            && weight(&other.path, &other.record) > weight(path, &record)
        {
            tracing::warn!(path, counts = other.path, "a rule's file exists twice; remove one of the two");
            return Ok(());
        }
        for id in record.clusters() {
            if let Some(key) = self.remarks.groups.find_cluster(id) {
                self.remarks.groups.set_proposal(key, record.proposal_id.clone());
            }
        }
        self.put_rule(path, record, understanding)
    }

    /// Links a cluster to its latest proposal, as loading from the store does.
    pub fn link_proposal(&mut self, cluster: ClusterKey, id: &str) {
        let age = |id: &str| self.rules.get(id).map(|r| (r.record.created_at, r.record.proposal_id.clone()));
        let present = self.remarks.groups.cluster(cluster).proposal.as_deref();
        if present.is_none_or(|present| age(present) < age(id)) {
            self.remarks.groups.set_proposal(cluster, id.to_owned());
        }
    }

    /// Stores a rule's current state.
    pub fn put_rule(&mut self, path: &str, record: ProposalRecord, understanding: &Analyzer) -> Result<(), EmbedError> {
        let before = self.rules.get(&record.proposal_id);
        let approved = before.and_then(|entry| recalibration::approved(&entry.record));
        self.decided_since |= approved != recalibration::approved(&record);
        let known = match before {
            Some(entry) if entry.known.content == record.rule_content && entry.known.concern == record.concern => {
                entry.known.clone()
            }
            _ => understanding.known_rule(&record)?,
        };
        let entry = RuleEntry { path: path.to_owned(), record, known };
        self.rules.insert(entry.record.proposal_id.clone(), Arc::new(entry));
        Ok(())
    }

    /// Returns the curve by which people's decisions recalibrate a new proposal's confidence; `None` if there are too
    /// few.
    pub fn curve(&mut self) -> Option<Curve> {
        if std::mem::take(&mut self.decided_since) {
            self.curve = Curve::of(&recalibration::decided(self.rules().map(|rule| &rule.record)));
        }
        self.curve
    }

    /// Registers rules that are in force elsewhere. They replace those imported under the same name.
    pub fn note_import(&mut self, import: &ImportRecord, understanding: &Analyzer) -> Result<(), EmbedError> {
        let known = |rule: &ImportedRule| {
            let id = format!("{}, line {}", import.name, rule.line);
            Ok(KnownRule { id, ..understanding.known_text(&rule.text, None)? })
        };
        let rules = import.rules.iter().map(known).collect::<Result<_, EmbedError>>()?;
        self.imported.retain(|other| other.name != import.name);
        if import.withdrawn.is_some() {
            return Ok(());
        }
        let imported = ImportEntry { name: import.name.clone(), agents: import.agents.clone(), rules };
        self.imported.push_front(Arc::new(imported));
        Ok(())
    }

    /// Returns the rules that are in force elsewhere for an agent.
    pub fn imported_for(&self, agent: &str) -> impl Iterator<Item = &KnownRule> {
        let is_for =
            move |import: &&Arc<ImportEntry>| import.agents.is_empty() || import.agents.iter().any(|a| a == agent);
        self.imported.iter().filter(is_for).flat_map(|import| &import.rules)
    }

    /// Returns rules for any of these agents that are, or may still come, into force.
    pub fn rules_for(&self, tenant: &str, agents: &[String]) -> Vec<&KnownRule> {
        // A proposal about another rule quotes that rule and is not addressed to agents.
        let says = |rule: &&RuleEntry| rule.is_living() && rule.record.target_rule.is_none();
        let concerns = |rule: &&RuleEntry| says(rule) && agents.iter().any(|a| rule.concerns(tenant, a));
        self.rules().filter(concerns).map(|rule| &rule.known).collect()
    }

    /// Returns the rules in the prompts of this tenant's agent.
    pub fn in_force(&self, tenant: &str, agent: &str) -> impl Iterator<Item = &RuleEntry> {
        let enters = |rule: &&RuleEntry| rule.in_force() && rule.record.action_type.enters_prompt();
        self.rules().filter(enters).filter(move |rule| rule.concerns(tenant, agent))
    }
}
