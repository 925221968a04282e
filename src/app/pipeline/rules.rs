//! What happens to rules in a batch: commands applied, room made, cards kept true, time passing.
//!
//! The memory's rule is the present one; the staging keeps what stood in the store before.

use super::Batch;
use crate::app::pipeline::PipelineError;
use crate::app::pipeline::state::RuleEntry;
use crate::domain::grouping::evaluation::ActionType;
use crate::domain::ids::CommitId;
use crate::domain::records::layout;
use crate::domain::records::record::{ProposalRecord, ProposalStatus, Refusal, RefusalCode};
use crate::domain::rules::drafting::proposal::hash_of;
use crate::domain::rules::in_force::prompt;
use crate::domain::rules::lifecycle::rule::{self, Command, Transition};
use crate::domain::yaml;
use crate::ports::StoreReader;
use jiff::Timestamp;

/// How far back an earlier text of a rule is looked for, in commits.
const LOOK_BACK: usize = 1_000;

impl Batch<'_> {
    /// Applies a command to a rule. The outer error is the store's, the inner one says why the rule is as it was.
    pub(super) fn command(
        &mut self,
        id: &str,
        command: &Command,
        at: Timestamp,
    ) -> Result<Result<Transition, Refusal>, PipelineError> {
        let Some(entry) = self.state.rule(id) else { return Ok(Err(unknown(id))) };
        let was_in_force = entry.record.status.in_force();
        // Most commands that time gives change nothing, and then the file need not be read.
        let done = match rule::transition(&entry.record, command, &self.state.roster, &self.settings.terms, at) {
            Ok(done) => done,
            Err(refusal) => return Ok(Err(refusal)),
        };
        if let Err(refusal) = self.hold_rule(id)? {
            return Ok(Err(refusal));
        }
        self.put_rule(done.after.clone())?;
        if was_in_force && !done.after.status.in_force() {
            self.withdraw_questions(id, at)?;
        }
        Ok(Ok(done))
    }

    /// Nobody needs to decide any more about a rule that left force.
    fn withdraw_questions(&mut self, id: &str, at: Timestamp) -> Result<(), PipelineError> {
        let asks = |r: &&RuleEntry| r.record.status.is_open() && r.record.target_rule.as_deref() == Some(id);
        let open: Vec<String> = self.state.rules().filter(asks).map(|r| r.record.proposal_id.clone()).collect();
        for question in open {
            let withdraw = Command::Withdraw { reason: format!("{id} is no longer in force") };
            if self.command(&question, &withdraw, at)?.is_ok() {
                self.counts.rule_events.push(format!("withdraw {question}"));
            }
        }
        Ok(())
    }

    /// Makes sure that what stands in the store is known before a rule is changed.
    pub(super) fn hold_rule(&mut self, id: &str) -> Result<Result<(), Refusal>, PipelineError> {
        if self.changed_rules.contains_key(id) {
            return Ok(Ok(()));
        }
        let Some(entry) = self.state.rule(id) else { return Ok(Err(unknown(id))) };
        let path = entry.path.clone();
        let known = match self.outside.recent.file(&path) {
            Some(known) => Some(known.clone()),
            None => self.load::<ProposalRecord>(&path)?,
        };
        let Some(known) = known else {
            let message = format!("{path} cannot be read; mend it or remove it");
            return Ok(Err(Refusal { code: RefusalCode::UnknownId, message }));
        };
        self.staging.hold(path.clone(), known);
        self.changed_rules.insert(id.to_owned(), Some(path));
        Ok(Ok(()))
    }

    /// Remembers a rule as it shall be.
    pub(super) fn put_rule(&mut self, record: ProposalRecord) -> Result<(), PipelineError> {
        let path = layout::rule(&record.proposal_id, record.status);
        for agent in &record.affected_agents {
            let tenant = record.tenant_id.clone().unwrap_or_default();
            self.stale_cards.insert((tenant, agent.clone()));
        }
        Ok(self.state.put_rule(&path, record, self.outside.understanding.as_ref())?)
    }

    /// Takes up what people edited in Git. Before any review: an approval is of the text that stood there, and must not
    /// bring another one into force.
    pub fn take_up_edits(&mut self) -> Result<(), PipelineError> {
        for id in std::mem::take(&mut self.state.edited) {
            let Some(path) = self.state.rule(&id).map(|r| r.path.clone()) else { continue };
            let (by, earlier) = self.edit_of(&id, &path)?;
            if let Ok(done) = self.command(&id, &Command::Edit { by, earlier }, self.now)? {
                let mut record = done.after;
                let line = prompt::line_of(&record);
                if let Some(card) = &mut record.card {
                    card.prompt_text = line;
                    self.put_rule(record)?;
                }
                self.counts.rule_events.push(format!("take up the edit of {id}: {}", done.effect));
            }
        }
        Ok(())
    }

    /// What time does to rules: proposals age, what waits for room gets it.
    pub fn keep_rules(&mut self) -> Result<(), PipelineError> {
        let open: Vec<String> = self
            .state
            .rules()
            .filter(|r| r.path.starts_with(layout::PROPOSED) && r.record.status.is_open())
            .map(|r| r.record.proposal_id.clone())
            .collect();
        for id in open {
            // Asked first: a command reads the rule's file, and most of the time nothing is due.
            let due = self.state.rule(&id).and_then(|r| rule::due(&r.record, &self.settings.terms, self.now));
            let Some(command) = due else {
                self.activate(&id, false, self.now)?;
                continue;
            };
            let Ok(done) = self.command(&id, &command, self.now)? else { continue };
            if command == Command::Expire {
                self.counts.rule_events.push(format!("expire {id}"));
                tracing::info!(rule = id, effect = done.effect, "a proposal expired");
                self.keep_target(&id, "nobody decided about", self.now)?;
            } else {
                self.counts.rule_events.push(format!("remind of {id}"));
            }
        }
        Ok(())
    }

    /// Brings an approved proposal into force where there is room, or where the rule its card names may leave for it.
    /// `named` says that the card's word is known to those who approved. Returns what happened, in words.
    pub(super) fn activate(&mut self, id: &str, named: bool, at: Timestamp) -> Result<Option<String>, PipelineError> {
        let Some(entry) = self.state.rule(id) else { return Ok(None) };
        if entry.record.status != ProposalStatus::Approved || !entry.path.starts_with(layout::PROPOSED) {
            return Ok(None);
        }
        let record = entry.record.clone();
        if record.action_type == ActionType::RetireRule {
            return self.carry_out_retirement(&record, at).map(Some);
        }
        let mut leaving: Vec<(String, String)> = Vec::new();
        if record.action_type.enters_prompt() {
            for other in &record.consolidates {
                leaving.push((other.clone(), format!("{id} stands for it as well")));
            }
            let gone: Vec<&str> = record.consolidates.iter().map(String::as_str).collect();
            let full = self.full_agents(&record, &gone);
            let displaced = record.card.as_ref().and_then(|card| card.displaces.clone()).filter(|_| named);
            if !full.is_empty() {
                let Some(displaced) = displaced.filter(|d| self.is_in_force(d)) else { return Ok(None) };
                let mut gone = gone;
                gone.push(&displaced);
                if !self.full_agents(&record, &gone).is_empty() {
                    return Ok(None);
                }
                let why = record.card.as_ref().and_then(|card| card.displaces_because.clone()).unwrap_or_default();
                leaving.push((displaced, format!("{id} took its place: {why}")));
            }
        }
        let Ok(done) = self.command(id, &Command::Activate, at)? else { return Ok(None) };
        self.counts.rule_events.push(format!("activate {id} for {}", record.affected_agents.join(", ")));
        let mut effect = done.effect;
        for (other, reason) in leaving {
            let retire = Command::Retire { by: None, reason: Some(reason) };
            if let Ok(gone) = self.command(&other, &retire, at)? {
                self.counts.rule_events.push(format!("retire {other}"));
                effect = format!("{effect}; {}", gone.effect);
            }
        }
        Ok(Some(effect))
    }

    /// A proposal to retire a rule was approved: both are over.
    fn carry_out_retirement(&mut self, proposal: &ProposalRecord, at: Timestamp) -> Result<String, PipelineError> {
        let id = proposal.proposal_id.as_str();
        let target = proposal.target_rule.clone().unwrap_or_default();
        // No longer a question before its rule leaves: those are withdrawn then.
        let _ = self.command(id, &Command::Activate, at)?;
        let retire = Command::Retire { by: None, reason: Some(format!("people approved {id}: {}", proposal.title)) };
        let effect = match self.command(&target, &retire, at)? {
            Ok(done) => {
                self.counts.rule_events.push(format!("retire {target}"));
                done.effect
            }
            Err(refusal) => refusal.message,
        };
        let done = Command::Retire { by: None, reason: Some(format!("carried out: {effect}")) };
        let _ = self.command(id, &done, at)?;
        Ok(effect)
    }

    /// The agents of a rule that have no room for it once some others have left.
    fn full_agents(&self, record: &ProposalRecord, leaving: &[&str]) -> Vec<String> {
        let tenant = record.tenant_id.as_deref().unwrap_or_default();
        let present = |agent: &str| {
            let stays = |r: &&RuleEntry| !leaving.contains(&r.record.proposal_id.as_str());
            self.state.in_force(tenant, agent).filter(stays).count()
        };
        record
            .affected_agents
            .iter()
            .filter(|agent| present(agent) >= self.settings.rules.max_active)
            .cloned()
            .collect()
    }

    fn is_in_force(&self, id: &str) -> bool {
        self.state.rule(id).is_some_and(RuleEntry::in_force)
    }

    /// Who edited a rule's file, and the text it had before.
    fn edit_of(&self, id: &str, path: &str) -> Result<(String, Option<String>), PipelineError> {
        let Some(head) = &self.state.head else { return Ok((String::new(), None)) };
        let store: &dyn StoreReader = self.outside.store.as_ref();
        let wanted = self.state.rule(id).map(|r| r.record.content_hash.clone()).unwrap_or_default();
        let mut author = String::from("somebody");
        let commits = store.commits(None, head)?;
        for commit in commits.iter().rev().take(LOOK_BACK) {
            author.clone_from(&commit.author);
            let Some(parent) = &commit.parent else { break };
            let Some(before) = read_rule(store, parent, path)? else { continue };
            if hash_of(&before) == wanted {
                return Ok((author, Some(before.rule_content)));
            }
        }
        Ok((author, None))
    }
}

fn read_rule(store: &dyn StoreReader, at: &CommitId, path: &str) -> Result<Option<ProposalRecord>, PipelineError> {
    let bytes = store.read(at, path)?;
    Ok(bytes.and_then(|bytes| yaml::parse(std::str::from_utf8(&bytes).ok()?).ok()))
}

pub(super) fn unknown(id: &str) -> Refusal {
    let message = format!("there is no proposal or rule {id}; `feedbackd proposals list` names them");
    Refusal { code: RefusalCode::UnknownId, message }
}
