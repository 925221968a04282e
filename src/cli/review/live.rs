//! The desk for real use: the store, the delivery of reviews, and the person's editor.
//!
//! Decisions are sent in order on a separate thread, so that the person never waits for a commit.

#![allow(clippy::disallowed_types, reason = "the user's editor is a program")]

use super::detail::detail;
use super::entry::Decision;
use super::keyboard::aside;
use super::screen::{Outcome, ScreenBackend};
use crate::app::decisions::inbox::{Item, Kind};
use crate::app::queries::reader::ReadAccess;
use crate::cli::exit::CliError;
use crate::cli::submit::{self, Reviewer};
use crate::config::Config;
use crate::domain::clusters::question::ShownComment;
use crate::domain::records::record::ProposalRecord;
use crate::wiring;
use crate::wiring::asked;
use jiff::Timestamp;
use serde_json::Value;
use std::process::Command;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::{JoinHandle, spawn};

/// A decision with its reviews as submitted.
type Parcel = (Decision, Vec<Value>);

/// The store and the connection to it.
pub struct AtWork {
    config: Config,
    reading: ReadAccess,
    by: Reviewer,
    out: Option<Sender<Parcel>>,
    back: Receiver<Outcome>,
    sender: Option<JoinHandle<()>>,
    /// Decisions that cannot be sent.
    failed: Vec<Outcome>,
    /// The outcome of every decision, in words.
    pub told: Vec<(String, Result<String, String>)>,
}

impl AtWork {
    pub fn new(config: Config, reading: ReadAccess, by: Reviewer) -> AtWork {
        let (out, parcels) = channel::<Parcel>();
        let (done, back) = channel();
        let place = config.clone();
        let sender = spawn(move || {
            for (decision, payloads) in parcels {
                let outcome = deliver(&place, &payloads);
                if done.send((decision, outcome)).is_err() {
                    break;
                }
            }
        });
        let (failed, told) = (Vec::new(), Vec::new());
        AtWork { config, reading, by, out: Some(out), back, sender: Some(sender), failed, told }
    }

    /// Waits until everything has been sent.
    pub fn finish(&mut self) {
        self.out = None;
        if let Some(sender) = self.sender.take() {
            // A sender that panicked has sent nothing further.
            let _ = sender.join();
        }
    }

    fn payloads(&self, decision: &Decision) -> Result<Vec<Value>, CliError> {
        let Reviewer { who, sign, .. } = &self.by;
        let by = Reviewer { who: who.clone(), reason: decision.reason.clone(), sign: sign.clone() };
        decision.actions.iter().map(|action| submit::payload(&by, action.clone(), Some(&self.config))).collect()
    }
}

/// Submits reviews; stops at the first rejection.
fn deliver(config: &Config, payloads: &[Value]) -> Result<String, String> {
    let mut effects = Vec::new();
    for payload in payloads {
        match submit::submit(config, payload) {
            Ok(submitted) => match submitted.refusal {
                None => effects.push(submitted.effect),
                Some(refusal) => return Err(refusal.message),
            },
            Err(error) => return Err(error.message),
        }
    }
    Ok(effects.join("; "))
}

impl ScreenBackend for AtWork {
    fn now(&self) -> Timestamp {
        wiring::now()
    }

    fn show(&mut self, item: &Item, width: usize) -> (String, Vec<ShownComment>) {
        let found = detail(item, &self.reading.queries(), &asked(&self.config), width);
        found.unwrap_or_else(|error| (error.message, Vec::new()))
    }

    fn send(&mut self, decision: Decision) -> bool {
        // A key may have a passphrase, which is requested on the original terminal.
        let signs = self.by.sign.is_some();
        let payloads = if signs { aside(|| self.payloads(&decision)) } else { self.payloads(&decision) };
        match (payloads, &self.out) {
            (Ok(payloads), Some(out)) => {
                if let Err(gone) = out.send((decision, payloads)) {
                    self.failed.push((gone.0.0, Err("it can no longer be sent; start again".to_owned())));
                }
            }
            (Ok(_), None) => self.failed.push((decision, Err("it can no longer be sent; start again".to_owned()))),
            (Err(error), _) => self.failed.push((decision, Err(error.message))),
        }
        signs
    }

    fn outcomes(&mut self) -> Vec<Outcome> {
        let outcomes: Vec<Outcome> = self.failed.drain(..).chain(self.back.try_iter()).collect();
        self.told.extend(outcomes.iter().map(|(decision, outcome)| (decision.words.clone(), outcome.clone())));
        outcomes
    }

    fn edit(&mut self, id: &str) -> Result<Option<String>, String> {
        let found = self.reading.queries().proposal_show(id).map_err(|e| CliError::from(e).message)?;
        aside(|| edited(&found.record.rule_content))
    }

    fn find(&mut self, id: &str) -> Result<Item, String> {
        let queries = self.reading.queries();
        if id.starts_with("CLUSTER-") {
            let group = queries.cluster_show(id, 1).map_err(|e| CliError::from(e).message)?.cluster.record;
            return Ok(Item { since: group.last_seen, ..Item::new(Kind::MixedGroup, id, &group.agent, &group.title) });
        }
        let rule = queries.proposal_show(id).map_err(|e| CliError::from(e).message)?.record;
        let kind = match rule.status {
            status if status.is_open() => Kind::Proposal,
            status if status.in_force() => Kind::FlaggedRule,
            status => return Err(format!("{id} is {}: nothing is left to decide", status.told())),
        };
        Ok(opened(kind, &rule))
    }
}

fn opened(kind: Kind, rule: &ProposalRecord) -> Item {
    Item {
        since: rule.activated_at.unwrap_or(rule.created_at),
        content_hash: Some(rule.content_hash.clone()),
        ..Item::new(kind, &rule.proposal_id, &rule.affected_agents.join(", "), &rule.title)
    }
}

/// Opens a text in the person's editor (`$VISUAL`, `$EDITOR`, else vi); returns `None` if it is unchanged or empty.
fn edited(text: &str) -> Result<Option<String>, String> {
    let set = |name: &str| std::env::var(name).ok().filter(|value| !value.trim().is_empty());
    let editor = set("VISUAL").or_else(|| set("EDITOR")).unwrap_or_else(|| "vi".to_owned());
    let file = tempfile::Builder::new().suffix(".md").tempfile();
    let file = file.map_err(|e| format!("cannot create a temporary file: {e}"))?;
    let failed = |e: std::io::Error| format!("cannot write the text to {}: {e}", file.path().display());
    std::fs::write(file.path(), format!("{text}\n")).map_err(failed)?;
    let mut words = editor.split_whitespace();
    let program = words.next().unwrap_or("vi");
    let ended = Command::new(program).args(words).arg(file.path()).status();
    let ended = ended.map_err(|e| format!("cannot run the editor {program}: {e}; set EDITOR"))?;
    if !ended.success() {
        return Err(format!("the editor {program} failed, so nothing changed"));
    }
    let written = std::fs::read_to_string(file.path()).map_err(failed)?;
    let written = written.trim();
    Ok(Some(written.to_owned()).filter(|new| !new.is_empty() && new != text.trim()))
}
