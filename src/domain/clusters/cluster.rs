//! A cluster of two or more comments: its figures, its class, and the confidence in it.
//!
//! Membership is decided in `groups`.

use super::evaluation::Classification;
use super::keys::MemberKey;
use super::member::Member;
use super::polarity::Polarity;
use super::policy::Policy;
use crate::intake::voice::is_program;
use crate::text::ids::Gate;
use crate::text::language::direction::Direction;
use crate::text::language::similarity::VectorSum;
use jiff::Timestamp;
use std::collections::BTreeMap;

/// Share of a pattern's members that ask for what the others ask for: if its pairs say little, and if they are certain.
/// Measured on labelled comments of real reviews (`feedbackd eval hitl`): a core is right in nine of ten cases
/// regardless of its pairs, which alone are too conservative.
const CORE: f64 = 0.86;
const CERTAIN: f64 = 0.95;

/// A cluster of two or more.
#[derive(Clone, Debug, PartialEq)]
pub struct Cluster {
    /// `CLUSTER-<id>`, derived from its founder.
    pub id: String,
    /// Its members in order of arrival.
    pub members: Vec<MemberKey>,
    /// The sum of their vectors.
    pub sum: VectorSum,
    /// Which way they point, by the first one that shows it.
    pub pointing: Polarity,
    /// Comments by reviewer.
    pub reviewers: BTreeMap<String, u64>,
    /// Tied comments by reviewer: these count for the pattern.
    pub tied_reviewers: BTreeMap<String, u64>,
    /// Tied comments by task; those of unknown task are under the empty name.
    pub tied_tasks: BTreeMap<String, u64>,
    /// Comments by gate.
    pub gates: BTreeMap<Gate, u64>,
    /// The earliest comment.
    pub first_seen: Timestamp,
    /// The latest comment.
    pub last_seen: Timestamp,
    /// Its proposal, if any.
    pub proposal: Option<String>,
    /// The review by which people declared it a pattern, whatever its numbers.
    pub decided_by: Option<String>,
    /// Why it has no proposal, if there is a reason.
    pub not_proposed: Option<String>,
    /// The cluster into which people merged it.
    pub merged_into: Option<String>,
    /// The review that last set its members, which are then examples of it.
    pub taught_by: Option<String>,
}

impl Cluster {
    pub(super) fn new(id: String) -> Cluster {
        Cluster {
            id,
            members: Vec::new(),
            sum: VectorSum::default(),
            pointing: Polarity::default(),
            reviewers: BTreeMap::new(),
            tied_reviewers: BTreeMap::new(),
            tied_tasks: BTreeMap::new(),
            gates: BTreeMap::new(),
            first_seen: Timestamp::MAX,
            last_seen: Timestamp::MIN,
            proposal: None,
            decided_by: None,
            not_proposed: None,
            merged_into: None,
            taught_by: None,
        }
    }

    /// Returns the number of tied members.
    pub fn tied(&self) -> u64 {
        self.tied_reviewers.values().sum()
    }

    /// Returns how many voices count for the pattern: each person, and all programs together as one more. Programs
    /// alone count as none, however many they are: they report one run of the same work.
    pub fn voices(&self) -> u64 {
        let programs = self.tied_reviewers.keys().filter(|name| is_program(name)).count();
        let people = self.tied_reviewers.len() - programs;
        if people == 0 { 0 } else { (people + programs.min(1)) as u64 }
    }

    /// Returns how many tied members come from people.
    fn said_by_people(&self) -> u64 {
        self.tied_reviewers.iter().filter(|(name, _)| !is_program(name)).map(|(_, count)| count).sum()
    }

    /// Reports whether all tied members are about one task: everything said about one piece of work, however often and
    /// by however many people, is one occasion.
    pub fn is_of_one_task(&self) -> bool {
        self.tied_tasks.len() == 1 && !self.tied_tasks.contains_key("")
    }

    /// Returns the class of its pattern (specification, "Classification"); `EdgeCase` while no two of its members are
    /// similar.
    pub fn class(&self, policy: &Policy) -> Classification {
        let (remarks, reviewers) = (self.tied(), self.voices());
        let team_of_one = policy.high_needs_reviewers <= 1 && self.said_by_people() >= 3;
        let decided = self.decided_by.is_some() && remarks >= 1;
        let shared = team_of_one || reviewers >= u64::from(policy.high_needs_reviewers.max(2));
        if decided || (shared && !self.is_of_one_task()) {
            Classification::GeneralizableHigh
        } else if remarks >= 2 {
            Classification::GeneralizableLow
        } else {
            Classification::EdgeCase
        }
    }

    /// Returns the probability that its members really ask for the same, 0 to 1.
    ///
    /// The calibrated similarity of a pair is the probability that the two mean the same; every further voice confirms
    /// independently. Voices are reviewers, or comments if there is only one reviewer. If there is a core, it says
    /// most.
    pub fn confidence(&self, policy: &Policy) -> f64 {
        if self.decided_by.is_some() {
            return 0.999;
        }
        let pair = policy.calibration.similarity(self.sum.mean_pairwise_cosine());
        let voices = match self.tied_reviewers.len() {
            0 | 1 => self.tied().max(2),
            several => several as u64,
        };
        let doubt = (1.0 - pair).powi(i32::try_from(voices - 1).unwrap_or(i32::MAX));
        let by_pairs = (1.0 - doubt).clamp(0.0, 0.999);
        if self.tied() < 2 { by_pairs } else { CORE + (CERTAIN - CORE) * by_pairs }
    }

    /// Counts one more member.
    pub(super) fn take_in(&mut self, key: MemberKey, member: &Member) {
        self.members.push(key);
        self.sum.add(&member.vector);
        if self.pointing.direction == Direction::Unclear {
            self.pointing = member.pointing();
        }
        *self.reviewers.entry(member.reviewer.clone()).or_default() += 1;
        *self.gates.entry(member.gate).or_default() += 1;
        self.first_seen = self.first_seen.min(member.at);
        self.last_seen = self.last_seen.max(member.at);
    }

    /// Forgets its members but keeps decisions about it. If `for_good`, it keeps its direction.
    pub(super) fn empty(&mut self, for_good: bool) {
        let fresh = Cluster::new(std::mem::take(&mut self.id));
        let old = std::mem::replace(self, fresh);
        self.pointing = if for_good { old.pointing } else { Polarity::default() };
        self.proposal = old.proposal;
        self.decided_by = old.decided_by;
        self.not_proposed = old.not_proposed;
        self.merged_into = old.merged_into;
        self.taught_by = old.taught_by;
    }
}
