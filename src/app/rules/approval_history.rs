//! The store's information about approvals, at a commit or over its history: the roster, the stopped rules, and what
//! the daemon wrote once.
//!
//! Commit order counts, never the dates in commits. Who may approve is not decided here.

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

/// The configuration's requirements for approvals.
#[derive(Clone, Debug, Default)]
pub struct ApprovalRequirements {
    /// How many different people must approve a rule.
    pub min_approvals: u32,
    /// Whether approvals must be signed.
    pub signed: bool,
    /// How long a decision counts after it was signed.
    pub signature_window: SignedDuration,
    /// The tenant; empty if there is none.
    pub tenant: String,
    /// Hashes of rosters that need no approvals.
    pub trusted_rosters: Vec<String>,
}

impl ApprovalRequirements {
    /// Returns the requirements for reviews in a store.
    pub fn demands<'a>(&'a self, store_id: &'a str) -> Demands<'a> {
        let place = Place { store_id, tenant_id: &self.tenant };
        Demands { min_approvals: self.min_approvals, signed: self.signed, place }
    }
}

/// Facts from a store's history that no later commit can change: the store's identity, since when signatures are
/// required, and which roster was in force when.
#[derive(Clone, Debug)]
pub struct Past {
    head: CommitId,
    /// The first commit.
    pub root: Option<CommitId>,
    /// The store's identity, if already written.
    pub identity: Option<Arc<StoreIdentity>>,
    /// Since when signatures are required, if they ever were.
    pub signatures: Option<Arc<SignaturesSince>>,
    /// Since when roster changes need approvals, if already written.
    pub since: Option<Arc<RostersSince>>,
    /// The rosters since then.
    pub succession: Option<Arc<Succession>>,
}

/// A cached past for frequent callers: only newer commits are read.
#[derive(Debug, Default)]
pub struct KnownPast(Mutex<Option<Past>>);

impl KnownPast {
    /// Returns the past of a commit. The configuration must be the same in every call.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn at(
        &self,
        store: &dyn StoreReader,
        head: &CommitId,
        asked: &ApprovalRequirements,
    ) -> Result<Past, StoreError> {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(past) = known.as_ref().filter(|past| past.is_of(head)) {
            return Ok(past.clone());
        }
        let past = Past::of(store, head, asked, known.as_ref())?;
        *known = Some(past.clone());
        Ok(past)
    }
}

/// The paths traced through the history.
const TRACED: [&str; 5] = [layout::STORE, layout::SIGNATURES, layout::ROSTERS, layout::ROSTER, layout::ROSTER_REVIEWS];

impl Past {
    /// Returns the past of a commit. `known` is that of an earlier one, which need not be read again.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn of(
        store: &dyn StoreReader,
        head: &CommitId,
        asked: &ApprovalRequirements,
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

    fn take(
        &mut self,
        store: &dyn StoreReader,
        commit: &CommitId,
        asked: &ApprovalRequirements,
    ) -> Result<(), StoreError> {
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
            // An unreadable record is not an approval.
            reviews.extend(yaml::parse::<ReviewRecord>(&String::from_utf8_lossy(&text)));
        }
        let store_id = self.identity.as_ref().map_or("", |identity| identity.store_id.as_str());
        let mut demands = asked.demands(store_id);
        // Anything approved before signatures were required stays approved.
        demands.signed &= self.signatures.is_some();
        let file = roster_at(store, commit)?;
        Arc::make_mut(succession).step(commit, file, reviews, &demands, &asked.trusted_rosters);
        Ok(())
    }

    /// Reports whether it belongs to a commit.
    pub fn is_of(&self, head: &CommitId) -> bool {
        self.head == *head
    }

    /// Reports whether signatures, if required, are already in effect.
    pub fn signed(&self, asked: &ApprovalRequirements) -> bool {
        asked.signed && self.signatures.is_some()
    }

    /// Returns the requirements for reviews in this store that its history says are already in effect.
    pub fn demands<'a>(&'a self, asked: &'a ApprovalRequirements) -> Demands<'a> {
        let mut demands = asked.demands(self.store_id());
        demands.signed = self.signed(asked);
        demands
    }

    /// Returns the store's id; empty if not written yet.
    pub fn store_id(&self) -> &str {
        self.identity.as_ref().map_or("", |identity| identity.store_id.as_str())
    }

    /// Returns the roster in force; `None` if the file applies directly.
    pub fn in_force(&self) -> Option<&InForce> {
        self.succession.as_ref().map(|succession| succession.in_force())
    }

    /// Returns who may decide: the roster in force, or the file if nothing says since when it needs approvals.
    ///
    /// # Errors
    /// If the store cannot be read; the inner error says why the file is invalid.
    pub fn roster(&self, store: &dyn StoreReader) -> Result<Result<Arc<Roster>, String>, StoreError> {
        match &self.succession {
            None => Ok(roster_at(store, &self.head)?.map(Arc::new)),
            // An unreadable file changes nothing, unless there is no roster that it could change.
            Some(succession) => Ok(match (&succession.unreadable, &succession.in_force().roster) {
                (Some(why), roster) if roster.approvers() == 0 => Err(why.clone()),
                (_, roster) => Ok(Arc::clone(roster)),
            }),
        }
    }

    /// Returns the roster in force when a review's record took the form it has at `head`: that of the preceding commit.
    /// The roster is empty if unreadable; `None` if there is no such record.
    ///
    /// # Errors
    /// If the store cannot be read.
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

/// Returns the roster file's content at a commit; empty if there is no file.
///
/// # Errors
/// If the store cannot be read; the inner error says why the file is invalid.
pub fn roster_at(store: &dyn StoreReader, commit: &CommitId) -> Result<Result<Roster, String>, StoreError> {
    let bytes = store.read(commit, layout::ROSTER)?;
    Ok(bytes.map_or_else(|| Ok(Roster::default()), |bytes| Roster::parse(&String::from_utf8_lossy(&bytes))))
}

/// Returns rules with the evidence and authors they had as proposals, in any version: anyone who can push may write
/// another list into a rule's own file. A rule that was never a proposal stays unchanged.
///
/// # Errors
/// If the store cannot be read.
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

/// The basis of a proposal.
#[derive(Default)]
struct Evidence {
    /// The last version read.
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

/// Returns the rules stopped at a commit; none if nothing was committed.
///
/// # Errors
/// If the store cannot be read.
pub fn stops_at(store: &dyn StoreReader, commit: Option<&CommitId>) -> Result<StopsRecord, StoreError> {
    let bytes = commit.map(|commit| store.read(commit, layout::STOPPED)).transpose()?.flatten();
    Ok(bytes.map(|bytes| StopsRecord::parse(&String::from_utf8_lossy(&bytes))).unwrap_or_default())
}
