//! What the store says of approvals, at a commit or of its history: the roster, what is stopped, and what the daemon wrote once.
//!
//! The order of commits counts, never a date in them. Who may approve is not decided here.

use crate::domain::records::layout;
use crate::domain::records::origin::{RostersSince, SignaturesSince, StoreIdentity};
use crate::domain::records::record::{ProposalRecord, ReviewRecord, StopsRecord};
use crate::domain::rules::lifecycle::approvals::Demands;
use crate::domain::rules::lifecycle::roster::Roster;
use crate::domain::rules::lifecycle::signature::Place;
use crate::domain::rules::lifecycle::succession::{InForce, Succession};
use crate::ports::{StoreError, StoreReader};
use crate::text::ids::CommitId;
use crate::text::yaml;
use jiff::SignedDuration;
use serde::de::DeserializeOwned;
use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};

/// What the configuration asks of approvals.
#[derive(Clone, Debug, Default)]
pub struct Asked {
    /// How many different people a rule needs.
    pub min_approvals: u32,
    /// Whether they must have signed.
    pub signed: bool,
    /// How long after it was signed a decision counts.
    pub signature_window: SignedDuration,
    /// The tenant; empty where there is none.
    pub tenant: String,
    /// The hashes of rosters that need no approvals.
    pub trusted_rosters: Vec<String>,
}

impl Asked {
    /// What is asked of reviews in a store.
    pub fn demands<'a>(&'a self, store_id: &'a str) -> Demands<'a> {
        let place = Place { store_id, tenant_id: &self.tenant };
        Demands { min_approvals: self.min_approvals, signed: self.signed, place }
    }
}

/// What the history of a store says that a later commit cannot change: which store it is, since when signatures are required,
/// and which roster was in force when.
#[derive(Clone, Debug)]
pub struct Past {
    head: CommitId,
    /// The first commit.
    pub root: Option<CommitId>,
    /// Which store it is; nothing where that is not written yet.
    pub identity: Option<Arc<StoreIdentity>>,
    /// Since when signatures are required; nothing where they never were.
    pub signatures: Option<Arc<SignaturesSince>>,
    /// Since when changes of the roster need approvals; nothing where that is not written yet.
    pub since: Option<Arc<RostersSince>>,
    /// The rosters since then.
    pub succession: Option<Arc<Succession>>,
}

/// The past as somebody who asks often knows it: only what came since is read.
#[derive(Debug, Default)]
pub struct KnownPast(Mutex<Option<Past>>);

impl KnownPast {
    /// The past of a commit. What the configuration asks must not change from one time to the next.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn at(&self, store: &dyn StoreReader, head: &CommitId, asked: &Asked) -> Result<Past, StoreError> {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(past) = known.as_ref().filter(|past| past.is_of(head)) {
            return Ok(past.clone());
        }
        let past = Past::of(store, head, asked, known.as_ref())?;
        *known = Some(past.clone());
        Ok(past)
    }
}

/// What is looked for in the history.
const TRACED: [&str; 5] = [layout::STORE, layout::SIGNATURES, layout::ROSTERS, layout::ROSTER, layout::ROSTER_REVIEWS];

impl Past {
    /// The past of a commit. `known` is that of an earlier one, which spares reading it again.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn of(
        store: &dyn StoreReader,
        head: &CommitId,
        asked: &Asked,
        known: Option<&Past>,
    ) -> Result<Past, StoreError> {
        let trace = store.trace(known.map(|known| &known.head), head, &TRACED)?;
        let mut past = match known.filter(|_| trace.root.is_none()) {
            Some(known) => known.clone(),
            None => Past {
                head: head.clone(),
                root: trace.root,
                identity: None,
                signatures: None,
                since: None,
                succession: None,
            },
        };
        for commit in trace.commits {
            past.take(store, &commit.id, asked)?;
        }
        past.head = head.clone();
        Ok(past)
    }

    fn take(&mut self, store: &dyn StoreReader, commit: &CommitId, asked: &Asked) -> Result<(), StoreError> {
        if self.identity.is_none() {
            self.identity = read(store, commit, layout::STORE)?;
        }
        if self.signatures.is_none() {
            self.signatures = read(store, commit, layout::SIGNATURES)?;
        }
        let Some(succession) = &mut self.succession else {
            self.since = read(store, commit, layout::ROSTERS)?;
            if self.since.is_some() {
                let began = Succession::begin(commit.clone(), roster_at(store, commit)?);
                self.succession = Some(Arc::new(began));
            }
            return Ok(());
        };
        let mut reviews = Vec::new();
        for (_, text) in store.files_in(commit, layout::ROSTER_REVIEWS.trim_end_matches('/'))? {
            // One that cannot be read is no approval.
            reviews.extend(yaml::parse::<ReviewRecord>(&String::from_utf8_lossy(&text)));
        }
        let store_id = self.identity.as_ref().map_or("", |identity| identity.store_id.as_str());
        let mut demands = asked.demands(store_id);
        // What was approved before signatures were required stays approved.
        demands.signed &= self.signatures.is_some();
        let file = roster_at(store, commit)?;
        Arc::make_mut(succession).step(commit, file, reviews, &demands, &asked.trusted_rosters);
        Ok(())
    }

    /// Whether it is that of a commit.
    pub fn is_of(&self, head: &CommitId) -> bool {
        self.head == *head
    }

    /// Whether signatures count already, where they are required.
    pub fn signed(&self, asked: &Asked) -> bool {
        asked.signed && self.signatures.is_some()
    }

    /// What is asked of reviews in this store, as far as its history says that it counts already.
    pub fn demands<'a>(&'a self, asked: &'a Asked) -> Demands<'a> {
        let mut demands = asked.demands(self.store_id());
        demands.signed = self.signed(asked);
        demands
    }

    /// Which store it is; empty where that is not written yet.
    pub fn store_id(&self) -> &str {
        self.identity.as_ref().map_or("", |identity| identity.store_id.as_str())
    }

    /// The roster in force; nothing where the file is in use as it is.
    pub fn in_force(&self) -> Option<&InForce> {
        self.succession.as_ref().map(|succession| succession.in_force())
    }

    /// Who may decide: the roster in force, or the file where nothing says since when it needs approvals.
    ///
    /// # Errors
    /// When the store cannot be read; within that, why the file makes no sense.
    pub fn roster(&self, store: &dyn StoreReader) -> Result<Result<Arc<Roster>, String>, StoreError> {
        match &self.succession {
            None => Ok(roster_at(store, &self.head)?.map(Arc::new)),
            // A file that cannot be read changes nothing, unless there is nobody whom it could change.
            Some(succession) => Ok(match (&succession.unreadable, &succession.in_force().roster) {
                (Some(why), roster) if roster.approvers() == 0 => Err(why.clone()),
                (_, roster) => Ok(Arc::clone(roster)),
            }),
        }
    }

    /// The roster that was in force when a review's record came to be as it is at `head`: that of the commit before. Nobody
    /// where it cannot be read; nothing where there is no such record.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn roster_then(
        &self,
        store: &dyn StoreReader,
        head: &CommitId,
        review: &str,
    ) -> Result<Option<(CommitId, Arc<Roster>)>, StoreError> {
        let found = store.history(head, &[review.to_owned()], 1)?.into_iter().next();
        let Some(commit) = found else { return Ok(None) };
        let before = commit.parent.as_ref().unwrap_or(&commit.id);
        for link in self.succession.iter().flat_map(|succession| succession.links()).rev() {
            if store.contains(before, &link.since)? {
                return Ok(Some((commit.id, Arc::clone(&link.roster))));
            }
        }
        let roster = roster_at(store, before)?.unwrap_or_default();
        Ok(Some((commit.id, Arc::new(roster))))
    }
}

fn read<T: DeserializeOwned>(
    store: &dyn StoreReader,
    commit: &CommitId,
    path: &str,
) -> Result<Option<Arc<T>>, StoreError> {
    let bytes = store.read(commit, path)?;
    Ok(bytes.and_then(|bytes| yaml::parse(&String::from_utf8_lossy(&bytes)).ok()).map(Arc::new))
}

/// The roster as its file has it at a commit; nobody stands on it where there is none.
///
/// # Errors
/// When the store cannot be read; within that, why the file makes no sense.
pub fn roster_at(store: &dyn StoreReader, commit: &CommitId) -> Result<Result<Roster, String>, StoreError> {
    let bytes = store.read(commit, layout::ROSTER)?;
    Ok(bytes.map_or_else(|| Ok(Roster::default()), |bytes| Roster::parse(&String::from_utf8_lossy(&bytes))))
}

/// Rules with the evidence and the authors that they had as proposals, in any of their versions: whoever pushes may write another
/// list into a rule's own file. One that never was a proposal stays as it is.
///
/// # Errors
/// When the store cannot be read.
pub fn as_proposed(
    store: &dyn StoreReader,
    head: &CommitId,
    mut rules: Vec<ProposalRecord>,
) -> Result<Vec<ProposalRecord>, StoreError> {
    if rules.is_empty() {
        return Ok(rules);
    }
    let mut found: Vec<Evidence> = rules.iter().map(|_| Evidence::default()).collect();
    for commit in store.trace(None, head, &[layout::PROPOSED])?.commits {
        for (rule, evidence) in rules.iter().zip(&mut found) {
            evidence.add(store.read(&commit.id, &layout::proposal(&rule.proposal_id))?);
        }
    }
    for (rule, evidence) in rules.iter_mut().zip(found).filter(|(_, evidence)| !evidence.text.is_empty()) {
        rule.reviewers = evidence.reviewers.into_iter().collect();
        rule.created_from_feedback_ids = evidence.feedback.into_iter().collect();
    }
    Ok(rules)
}

/// What a proposal rested on.
#[derive(Default)]
struct Evidence {
    /// The version that was read last.
    text: Vec<u8>,
    reviewers: BTreeSet<String>,
    feedback: BTreeSet<String>,
}

impl Evidence {
    fn add(&mut self, text: Option<Vec<u8>>) {
        let Some(text) = text.filter(|text| *text != self.text) else { return };
        if let Ok(record) = yaml::parse::<ProposalRecord>(&String::from_utf8_lossy(&text)) {
            self.reviewers.extend(record.reviewers);
            self.feedback.extend(record.created_from_feedback_ids);
            self.text = text;
        }
    }
}

/// Which rules are stopped at a commit; none where nothing was committed.
///
/// # Errors
/// When the store cannot be read.
pub fn stops_at(store: &dyn StoreReader, commit: Option<&CommitId>) -> Result<StopsRecord, StoreError> {
    let bytes = commit.map(|commit| store.read(commit, layout::STOPPED)).transpose()?.flatten();
    Ok(bytes.map(|bytes| StopsRecord::parse(&String::from_utf8_lossy(&bytes))).unwrap_or_default())
}
