//! Which roster version is in force: the one approved by a quorum of the previous roster.
//!
//! It is derived from the history alone: the file's versions in commit order, and the reviews about them. A version's
//! hash covers the hashes of all previous rosters, so an approval applies to one change and can never be reused,
//! however the file changes back and forth. This module reads no file.

use super::approvals::{Demands, Recount, Voice, is_one};
use super::roster::{Reviewer, Roster, RosterKey};
use super::signature;
use crate::intake::submission::ReviewAction;
use crate::records::record::{ReviewOutcome, ReviewRecord};
use crate::text::ids::CommitId;
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeSet;
use std::sync::Arc;

/// Returns the hash of a roster that follows another one: `r1:` and 64 hexadecimal digits, the BLAKE3 of the previous
/// hash (empty for the first one) and of everyone on it: id, name, roles, keys and their dates, in alphabetical order.
/// Comments, order and layout make no difference.
pub fn roster_hash(before: &str, roster: &Roster) -> String {
    let mut hasher = blake3::Hasher::new();
    hasher.update(b"feedbackd roster 1\n");
    let mut field = |name: &str, value: &str| {
        hasher.update(format!("{name} {}\n", value.len()).as_bytes());
        hasher.update(value.as_bytes());
    };
    field("before", before);
    let mut people: Vec<&Reviewer> = roster.reviewers.iter().collect();
    people.sort_by(|a, b| a.id.cmp(&b.id));
    for person in people {
        field("id", &person.id);
        field("name", &person.name);
        roles(person).into_iter().for_each(|role| field("role", role));
        keys(person).iter().for_each(|key| field("key", key));
    }
    format!("r1:{}", hasher.finalize().to_hex())
}

/// Returns a person's roles without duplicates.
fn roles(person: &Reviewer) -> BTreeSet<&str> {
    person.roles.iter().map(String::as_str).collect()
}

/// Returns a person's keys with their dates, without comments.
fn keys(person: &Reviewer) -> BTreeSet<String> {
    let date = |name: &str, at: Option<Timestamp>| at.map_or_else(String::new, |at| format!(" {name} {at}"));
    let told = |key: &RosterKey| {
        let line = key.line().split_whitespace().take(2).collect::<Vec<_>>().join(" ");
        match key {
            RosterKey::Line(_) => line,
            RosterKey::Dated(dated) => format!(
                "{line}{}{}{}",
                date("from", dated.valid_from),
                date("until", dated.valid_until),
                date("revoked", dated.revoked_at)
            ),
        }
    };
    person.ssh_public_keys.iter().map(told).filter(|key| !key.is_empty()).collect()
}

/// A roster that is or was in force.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct InForce {
    /// The commit that brought it into force; it applies to what is ingested after it.
    pub since: CommitId,
    /// Its hash.
    pub hash: String,
    /// The people on it.
    #[serde(skip)]
    pub roster: Arc<Roster>,
    /// What it rests on.
    pub basis: RosterBasis,
    /// The approvals it rests on.
    pub approvals: Vec<Voice>,
}

/// What a roster in force rests on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RosterBasis {
    /// Present when changes began to need approvals.
    Began,
    /// The previous one had no approver.
    Filled,
    /// A quorum of the previous one.
    Approvals,
    /// The configuration trusts it (`review.trusted_rosters`).
    Trusted,
}

/// A version of the roster that is not in force.
#[derive(Clone, Debug, PartialEq)]
pub struct PendingRoster {
    /// Its hash, which approvals must name.
    pub hash: String,
    /// The commit that brought it.
    pub commit: CommitId,
    /// The proposed roster.
    pub roster: Arc<Roster>,
    /// What changes, in words.
    pub changes: Vec<String>,
    /// How many approvals it needs.
    pub needed: usize,
}

/// All rosters that were in force, in order, and the pending one.
#[derive(Clone, Debug, PartialEq)]
pub struct Succession {
    /// The first one was present at the beginning; never empty.
    links: Vec<InForce>,
    /// The pending version, if the file differs from the roster in force.
    pub waiting: Option<PendingRoster>,
    /// Why the file is invalid, if it is. It then changes nothing.
    pub unreadable: Option<String>,
    /// Reviews about rosters, in ingestion order. A review removed later still counts.
    reviews: Vec<ReviewRecord>,
}

impl Succession {
    /// Starts with the roster of a commit.
    pub fn begin(commit: CommitId, file: Result<Roster, String>) -> Succession {
        let (roster, unreadable) = match file {
            Ok(roster) => (roster, None),
            Err(why) => (Roster::default(), Some(why)),
        };
        let (hash, roster) = (roster_hash("", &roster), Arc::new(roster));
        let first = InForce { since: commit, hash, roster, basis: RosterBasis::Began, approvals: Vec::new() };
        Succession { links: vec![first], waiting: None, unreadable, reviews: Vec::new() }
    }

    /// Returns the roster in force.
    pub fn in_force(&self) -> &InForce {
        &self.links[self.links.len() - 1]
    }

    /// Returns all rosters that were in force, oldest first.
    pub fn links(&self) -> &[InForce] {
        &self.links
    }

    /// Reports whether this continues another succession, by the same or by other commits: a merge may bring in rosters
    /// that came into force on a side branch.
    pub fn continues(&self, other: &Succession) -> bool {
        let hashes = |all: &Succession| all.links.iter().map(|link| link.hash.clone()).collect::<Vec<_>>();
        hashes(self).starts_with(&hashes(other))
    }

    /// Applies a commit: the file and the stored reviews at that point. `trusted` are hashes named in the
    /// configuration.
    pub fn step(
        &mut self,
        commit: &CommitId,
        file: Result<Roster, String>,
        reviews: Vec<ReviewRecord>,
        demands: &Demands<'_>,
        trusted: &[String],
    ) {
        for review in reviews {
            if !self.reviews.contains(&review) {
                self.reviews.push(review);
            }
        }
        let roster = match file {
            Ok(roster) => roster,
            Err(why) => {
                (self.waiting, self.unreadable) = (None, Some(why));
                return;
            }
        };
        self.unreadable = None;
        let before = self.in_force();
        if roster_hash("", &roster) == roster_hash("", &before.roster) {
            self.waiting = None;
            return;
        }
        let hash = roster_hash(&before.hash, &roster);
        let known = self.waiting.as_ref().filter(|known| known.hash == hash);
        let waiting = PendingRoster {
            commit: known.map_or(commit, |known| &known.commit).clone(),
            changes: changes(&before.roster, &roster),
            needed: needed(&before.roster, demands),
            roster: Arc::new(roster),
            hash,
        };
        let count = self.count(&waiting, &[], demands);
        let basis = match waiting.needed {
            _ if trusted.contains(&waiting.hash) => RosterBasis::Trusted,
            0 => RosterBasis::Filled,
            _ if count.is_met() => RosterBasis::Approvals,
            _ => {
                self.waiting = Some(waiting);
                return;
            }
        };
        let approvals = if basis == RosterBasis::Approvals { count.voices } else { Vec::new() };
        let PendingRoster { hash, roster, .. } = waiting;
        self.links.push(InForce { since: commit.clone(), hash, roster, basis, approvals });
        self.waiting = None;
    }

    /// Counts the approvals of the pending version by approvers of the roster in force. `more` are reviews not
    /// committed yet.
    pub fn count(&self, waiting: &PendingRoster, more: &[ReviewRecord], demands: &Demands<'_>) -> Recount {
        let roster = &self.in_force().roster;
        let all = || self.reviews.iter().chain(more).filter(|review| is_of(review, &waiting.hash));
        let no = all().filter(|review| matches!(review.action, ReviewAction::Reject { .. }));
        let rejected = no.filter_map(|review| voice(review, roster, demands).ok()).max_by_key(|no| no.at);
        let mut count = Recount::default();
        for review in all().filter(|review| matches!(review.action, ReviewAction::Approve { .. })) {
            let found = voice(review, roster, demands).and_then(|yes| match &rejected {
                Some(no) if yes.at <= no.at => Err(format!("{} rejected it later", no.reviewer_id)),
                _ => Ok(yes),
            });
            match found.and_then(|yes| match count.voices.iter().find(|other| is_one(other, &yes)) {
                Some(other) => Err(format!("{} already approved it", other.reviewer_id)),
                None => Ok(yes),
            }) {
                Ok(yes) => count.voices.push(yes),
                Err(why) => count.void.push((review.review_id.clone(), why)),
            }
        }
        if count.voices.len() < waiting.needed {
            let kind = if demands.signed { "valid signed approvals" } else { "valid approvals" };
            let by = rejected.map_or_else(String::new, |no| format!(" since {} rejected it", no.reviewer_id));
            count.missing = format!("{} of {} {kind}{by}", count.voices.len(), waiting.needed);
        }
        count
    }
}

/// Returns how many approvals a change of this roster needs: as many as a rule, or everyone's if there are fewer
/// approvers.
fn needed(before: &Roster, demands: &Demands<'_>) -> usize {
    usize::try_from(demands.min_approvals).unwrap_or(usize::MAX).max(1).min(before.approvers())
}

fn is_of(review: &ReviewRecord, hash: &str) -> bool {
    review.action.is_about_roster()
        && review.outcome == ReviewOutcome::Accepted
        && review.content_hash.as_deref() == Some(hash)
}

/// Evaluates whether a review is an approver's.
fn voice(review: &ReviewRecord, roster: &Roster, demands: &Demands<'_>) -> Result<Voice, String> {
    let by = &review.reviewer_id;
    let Some(person) = roster.find(by).filter(|person| person.is_approver()) else {
        return Err(format!("{by} is not an approver on the roster in force"));
    };
    let mut key = None;
    if demands.signed {
        key = Some(signature::verify_record(review, demands.place, &person.keys_at(review.timestamp))?.key);
    }
    Ok(Voice { reviewer_id: by.clone(), review_id: review.review_id.clone(), at: review.timestamp, key })
}

/// Describes the changes from one roster to another: who is added or removed, who gains or loses a role or a key.
pub fn changes(before: &Roster, after: &Roster) -> Vec<String> {
    let mut said = Vec::new();
    for person in &before.reviewers {
        if after.find(&person.id).is_none() {
            said.push(format!("{} is removed", person.id));
        }
    }
    for person in &after.reviewers {
        let id = &person.id;
        let Some(known) = before.find(id) else {
            let as_what = roles(person).into_iter().collect::<Vec<_>>().join(" and ");
            said.push(match as_what.as_str() {
                "" => format!("{id} is added"),
                roles => format!("{id} is added as {roles}"),
            });
            said.extend(keys(person).iter().map(|key| format!("{id} gains the key {}", named(key))));
            continue;
        };
        if known.name != person.name {
            said.push(format!("the name of {id} is {:?} instead of {:?}", person.name, known.name));
        }
        let (old, new) = (roles(known), roles(person));
        said.extend(new.difference(&old).map(|role| format!("{id} becomes {role}")));
        said.extend(old.difference(&new).map(|role| format!("{id} is no longer {role}")));
        let (old, new) = (keys(known), keys(person));
        said.extend(new.difference(&old).map(|key| format!("{id} gains the key {}", named(key))));
        said.extend(old.difference(&new).map(|key| format!("{id} loses the key {}", named(key))));
    }
    said
}

/// Returns a key as people compare it: its fingerprint and its dates.
fn named(key: &str) -> String {
    let mut words = key.split(' ');
    let line = words.by_ref().take(2).collect::<Vec<_>>().join(" ");
    let dates = words.collect::<Vec<_>>().join(" ");
    let print = signature::fingerprint(&line).unwrap_or(line);
    if dates.is_empty() { print } else { format!("{print} ({dates})") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::intake::submission::ROSTER;
    use crate::rules::lifecycle::signature::Place;
    use crate::testing::sample;

    fn roster(text: &str) -> Roster {
        Roster::parse(text).unwrap()
    }

    fn of(ids: &[&str]) -> Roster {
        let people: String = ids.iter().map(|id| format!("  - {{id: {id}, roles: [approver]}}\n")).collect();
        roster(&format!("reviewers:\n{people}"))
    }

    fn commit(n: u32) -> CommitId {
        CommitId(format!("{n:040}"))
    }

    fn said(n: u32, who: &str, yes: bool, hash: &str) -> ReviewRecord {
        let proposal_id = ROSTER.to_owned();
        ReviewRecord {
            review_id: format!("rev-{n}"),
            action: if yes { ReviewAction::Approve { proposal_id } } else { ReviewAction::Reject { proposal_id } },
            reviewer_id: who.into(),
            timestamp: sample::moment(n),
            content_hash: Some(hash.into()),
            outcome: ReviewOutcome::Accepted,
            refusal: None,
            ..sample::review(1)
        }
    }

    const TWO: Demands<'static> =
        Demands { min_approvals: 2, signed: false, place: Place { store_id: "s", tenant_id: "" } };

    #[test]
    fn a_hash_is_of_what_is_said_not_of_how() {
        const KEY: &str = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAILM+rvN+ot98qgEN796jTiQfZfG1KaT0PtFDJ/XFSqti";
        let one = roster(&format!(
            "reviewers: [{{id: a, roles: [approver, reviewer], ssh_public_keys: ['{KEY} a@laptop']}}, {{id: b}}]"
        ));
        let same = roster(&format!(
            "# b first\nreviewers: [{{id: b}}, {{roles: [reviewer, approver], id: a, ssh_public_keys: ['{KEY}']}}]"
        ));
        assert_eq!(roster_hash("x", &one), roster_hash("x", &same));
        assert_ne!(roster_hash("x", &one), roster_hash("y", &one), "after another roster it is another change");
        for other in [
            "reviewers: [{id: a, roles: [approver, reviewer]}, {id: b}]".to_owned(),
            format!("reviewers: [{{id: a, roles: [approver], ssh_public_keys: ['{KEY}']}}, {{id: b}}]"),
            format!("reviewers: [{{id: a, roles: [approver, reviewer]}}, {{id: b, ssh_public_keys: ['{KEY}']}}]"),
            format!(
                "reviewers: [{{id: a, roles: [approver, reviewer], ssh_public_keys: [{{key: '{KEY}', revoked_at: 2026-01-01T00:00:00Z}}]}}, {{id: b}}]"
            ),
        ] {
            assert_ne!(roster_hash("x", &one), roster_hash("x", &roster(&other)), "{other}");
        }
    }

    #[test]
    fn a_change_is_told_in_words() {
        let before = roster("reviewers: [{id: a, roles: [approver]}, {id: b, name: B, roles: [reviewer]}, {id: c}]");
        let after = roster("reviewers: [{id: a, roles: [reviewer]}, {id: b, name: Ben, roles: [reviewer]}, {id: d}]");
        assert_eq!(
            changes(&before, &after),
            [
                "c is removed",
                "a becomes reviewer",
                "a is no longer approver",
                "the name of b is \"Ben\" instead of \"B\"",
                "d is added"
            ]
        );
    }

    #[test]
    fn an_empty_roster_is_filled_and_a_full_one_asks_its_own() {
        let mut all = Succession::begin(commit(1), Ok(Roster::default()));
        all.step(&commit(2), Ok(of(&["ann"])), Vec::new(), &TWO, &[]);
        assert_eq!((all.in_force().basis, all.in_force().roster.approvers()), (RosterBasis::Filled, 1));
        // One is everyone there is.
        all.step(&commit(3), Ok(of(&["ann", "ben"])), Vec::new(), &TWO, &[]);
        let hash = all.waiting.clone().unwrap().hash;
        all.step(&commit(4), Ok(of(&["ann", "ben"])), vec![said(4, "ben", true, &hash)], &TWO, &[]);
        assert_eq!(all.in_force().roster.approvers(), 1, "whoever comes does not bring himself");
        all.step(&commit(5), Ok(of(&["ann", "ben"])), vec![said(5, "ann", true, &hash)], &TWO, &[]);
        assert_eq!((all.in_force().hash.as_str(), all.in_force().approvals.len()), (hash.as_str(), 1));
        // From now on it takes both; a reverted or unreadable file changes nothing.
        all.step(&commit(6), Ok(of(&["ann", "ben", "cem"])), Vec::new(), &TWO, &[]);
        assert_eq!(all.waiting.as_ref().map(|waiting| (waiting.needed, waiting.commit.clone())), Some((2, commit(6))));
        all.step(&commit(7), Err("rubbish".into()), Vec::new(), &TWO, &[]);
        assert_eq!((all.waiting.is_none(), all.in_force().roster.approvers()), (true, 2));
        all.step(&commit(8), Ok(of(&["ben", "ann"])), Vec::new(), &TWO, &[]);
        assert_eq!((all.waiting.is_none(), all.unreadable.is_none(), all.links().len()), (true, true, 3));
    }

    #[test]
    fn a_no_makes_what_was_said_before_it_void() {
        let mut all = Succession::begin(commit(1), Ok(of(&["ann", "ben", "cem"])));
        let next = || Ok(of(&["ann", "ben"]));
        all.step(&commit(2), next(), Vec::new(), &TWO, &[]);
        let waiting = all.waiting.clone().unwrap();
        let count = |reviews: &[ReviewRecord]| all.count(&waiting, reviews, &TWO).voices.len();
        let [ann, no, ben] = [(3, "ann", true), (4, "cem", false), (5, "ben", true)]
            .map(|(n, who, yes)| said(n, who, yes, &waiting.hash));
        assert_eq!(count(&[ann.clone(), ben.clone()]), 2);
        assert_eq!(count(&[ann.clone(), no.clone(), ben.clone()]), 1);
        assert_eq!(count(&[ann.clone(), no, ben, said(6, "ann", true, &waiting.hash)]), 2);
        assert_eq!(count(&[ann.clone(), said(7, "ann", true, &waiting.hash)]), 1, "one person is one voice");
        assert_eq!(count(&[ann, said(8, "ben", true, "r1:0"), said(9, "eve", true, &waiting.hash)]), 1);
    }
}
