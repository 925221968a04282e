//! The memory of what was asked for: remarks by agent, and the groups they form.
//!
//! Grouping is online average link: a remark joins the group whose members are, on average, near enough, else it
//! stands alone; a group that grew takes in what came too early (`gather.rs`). What people said goes before: see
//! [`Memory::keep_apart`] and `target.rs`. Finding near vectors is the knowledge store's work; this file never scans.
//! Everything here can be made again from the decision records.

mod apart;
mod concern;
mod gather;
mod pointing;
mod target;

pub use apart::Group;
pub use pointing::Pointing;
pub use target::least_link;

use crate::domain::grouping::evaluation::Classification;
use crate::domain::ids::{Gate, cluster_id};
use crate::domain::language::catalogue::Voiced;
use crate::domain::language::direction::Direction;
use crate::domain::language::similarity::{Calibration, Embedding, VectorSum};
use crate::domain::verdict::Verdict;
use jiff::Timestamp;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// How many similar members a pattern has to which its other members count as similar as well.
const SEVERAL: u64 = 3;

/// What decides about grouping and classes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Policy {
    /// Calibrated similarity from which two remarks count as the same, 0 to 1 (specification, "Classification": 0.8).
    pub similar_at: f64,
    /// How many different reviewers make a pattern. 1: a team of one, three remarks by one person suffice.
    pub high_needs_reviewers: u32,
    /// Raw cosine at which a remark joins a group by average link.
    pub group_threshold: f64,
    /// The embedder's calibration.
    pub calibration: Calibration,
}

/// The key of a member in the memory, and in the knowledge store.
pub type MemberKey = u32;
/// The key of a cluster in the memory.
pub type ClusterKey = u32;

/// One remark that can be compared.
#[derive(Clone, Debug, PartialEq)]
pub struct Member {
    /// The feedback's id.
    pub id: String,
    /// The tenant; empty for the default tenant.
    pub tenant: String,
    /// The agent.
    pub agent: String,
    /// Who said it.
    pub reviewer: String,
    /// The verdict that came with it.
    pub verdict: Verdict,
    /// The gate.
    pub gate: Gate,
    /// When.
    pub at: Timestamp,
    /// Which way it points.
    pub direction: Direction,
    /// The concern it voices, where one was recognised.
    pub voiced: Option<Voiced>,
    /// What was said, shortened to a line.
    pub text: String,
    /// Its record in the store.
    pub path: String,
    /// Its vector.
    pub vector: Embedding,
    /// Its class as it was last written.
    pub classification: Classification,
    /// Its revision as it was last written.
    pub revision: u32,
    /// The edge case it opened.
    pub edge_case: Option<String>,
    /// Its cluster, once there are two members.
    pub cluster: Option<ClusterKey>,
    /// Whether it is similar to another member of its cluster (and not only near to them on average).
    pub tied: bool,
    /// Whether nothing shall be learned from it any more.
    pub withdrawn: bool,
}

/// A group of two or more.
#[derive(Clone, Debug, PartialEq)]
pub struct Cluster {
    /// `CLUSTER-<id>`, a function of its founder.
    pub id: String,
    /// Its members in the order in which they came.
    pub members: Vec<MemberKey>,
    /// The sum of their vectors.
    pub sum: VectorSum,
    /// Which way they point, by the first that shows it.
    pub pointing: Pointing,
    /// Remarks by reviewer.
    pub reviewers: BTreeMap<String, u64>,
    /// Tied remarks by reviewer: what counts for the pattern.
    pub tied_reviewers: BTreeMap<String, u64>,
    /// Remarks by gate.
    pub gates: BTreeMap<Gate, u64>,
    /// The earliest remark.
    pub first_seen: Timestamp,
    /// The latest remark.
    pub last_seen: Timestamp,
    /// Its proposal, where one was made.
    pub proposal: Option<String>,
    /// The review by which people decided that it is a pattern, whatever its numbers.
    pub decided_by: Option<String>,
    /// Why it has no proposal, where that has a reason.
    pub not_proposed: Option<String>,
    /// The cluster that people merged it into.
    pub merged_into: Option<String>,
    /// The review by which people last said what belongs to it: its members are examples of it then.
    pub taught_by: Option<String>,
}

impl Cluster {
    fn new(id: String) -> Cluster {
        Cluster {
            id,
            members: Vec::new(),
            sum: VectorSum::default(),
            pointing: Pointing::default(),
            reviewers: BTreeMap::new(),
            tied_reviewers: BTreeMap::new(),
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

    /// How many of its members are tied.
    pub fn tied(&self) -> u64 {
        self.tied_reviewers.values().sum()
    }

    fn is_all_tied(&self) -> bool {
        self.tied() == self.members.len() as u64
    }

    /// The class of its pattern (specification, "Classification"); `EdgeCase` while no two of its members are similar.
    pub fn class(&self, policy: &Policy) -> Classification {
        let (remarks, reviewers) = (self.tied(), self.tied_reviewers.len() as u64);
        let team_of_one = policy.high_needs_reviewers <= 1 && remarks >= 3;
        let decided = self.decided_by.is_some() && remarks >= 1;
        if decided || team_of_one || reviewers >= u64::from(policy.high_needs_reviewers.max(2)) {
            Classification::GeneralizableHigh
        } else if remarks >= 2 {
            Classification::GeneralizableLow
        } else {
            Classification::EdgeCase
        }
    }

    /// The probability that its members really ask for the same, 0 to 1.
    ///
    /// The calibrated similarity of a pair is the probability that the two mean the same; every further voice
    /// confirms independently. Voices are reviewers, or remarks where there is only one reviewer.
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
        (1.0 - doubt).clamp(0.0, 0.999)
    }
}

/// All remarks that can be compared, and their groups.
#[derive(Clone, Debug, Default)]
pub struct Memory {
    members: Vec<Member>,
    clusters: Vec<Cluster>,
    member_of: HashMap<String, MemberKey>,
    cluster_of: HashMap<String, ClusterKey>,
    /// What people keep apart, by either id.
    apart: BTreeMap<String, BTreeSet<String>>,
}

/// What a new remark changed in the groups.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Joined {
    /// The cluster it is in now.
    pub cluster: Option<ClusterKey>,
    /// Earlier members whose cluster is another one now, or that were not tied before.
    pub moved: Vec<MemberKey>,
    /// Clusters that lost members to it.
    pub left: Vec<ClusterKey>,
    /// Whether the class of the cluster's pattern changed, and with it that of all tied members.
    pub reclassified: bool,
}

impl Memory {
    /// Takes up a remark without grouping it: its cluster is known from its record, or it has none.
    pub fn restore(&mut self, mut member: Member, cluster: Option<&str>) -> MemberKey {
        member.cluster = None;
        let tied = std::mem::take(&mut member.tied);
        let key = self.push(member);
        if let Some(id) = cluster {
            let cluster = self.cluster_key(id);
            self.enter(cluster, key);
            if tied {
                self.tie(key);
            }
        }
        key
    }

    /// Takes up a new remark. `near` are the members it may be grouped with, with their raw cosines, best first.
    pub fn join(&mut self, member: Member, near: &[(MemberKey, f64)], policy: &Policy) -> (MemberKey, Joined) {
        let key = self.push(member);
        let similar_cosine = policy.calibration.cosine(policy.similar_at);
        let near: Vec<(MemberKey, f64)> =
            near.iter().copied().filter(|(other, _)| self.may_join(key, *other)).collect();
        let Some(target) = self.best_target(key, &near, similar_cosine, policy.group_threshold) else {
            return (key, Joined::default());
        };
        let mut joined = Joined::default();
        let cluster = match self.members[target as usize].cluster {
            Some(cluster) => cluster,
            None => {
                let id = cluster_id(&self.members[target as usize].id);
                let cluster = self.cluster_key(&id);
                self.enter(cluster, target);
                joined.moved.push(target);
                cluster
            }
        };
        let before = self.cluster(cluster).class(policy);
        self.enter(cluster, key);
        joined.cluster = Some(cluster);
        let (gathered, left) = self.gather(cluster, &near, policy);
        joined.moved.extend(gathered);
        joined.left = left;
        for (other, cosine) in near {
            if cosine >= similar_cosine && self.members[other as usize].cluster == Some(cluster) {
                self.tie(key);
                if self.tie(other) && !joined.moved.contains(&other) {
                    joined.moved.push(other);
                }
            }
        }
        // Where several are a pattern already, being near to all of them on average is being similar to them. It makes
        // no pattern: a stray remark must not be the second voice.
        let pattern = self.cluster(cluster);
        if pattern.tied() >= SEVERAL && pattern.class(policy) == Classification::GeneralizableHigh {
            self.tie(key);
            if !self.cluster(cluster).is_all_tied() {
                for other in self.cluster(cluster).members.clone() {
                    if self.tie(other) && !joined.moved.contains(&other) {
                        joined.moved.push(other);
                    }
                }
            }
        }
        joined.reclassified = self.cluster(cluster).class(policy) != before;
        (key, joined)
    }

    /// A member.
    pub fn member(&self, key: MemberKey) -> &Member {
        &self.members[key as usize]
    }

    /// All members with their keys, in the order in which they came.
    pub fn members(&self) -> impl Iterator<Item = (MemberKey, &Member)> {
        self.members.iter().enumerate().map(|(key, member)| (key as MemberKey, member))
    }

    /// Notes what was written about a member.
    pub fn note_evaluation(&mut self, key: MemberKey, classification: Classification, revision: u32) {
        let member = &mut self.members[key as usize];
        member.classification = classification;
        member.revision = revision;
    }

    /// Notes the edge case a member opened.
    pub fn note_edge_case(&mut self, key: MemberKey, edge_case: Option<String>) {
        self.members[key as usize].edge_case = edge_case;
    }

    /// The key of a feedback, where it can be compared.
    pub fn key_of(&self, feedback_id: &str) -> Option<MemberKey> {
        self.member_of.get(feedback_id).copied()
    }

    /// A cluster.
    pub fn cluster(&self, key: ClusterKey) -> &Cluster {
        &self.clusters[key as usize]
    }

    /// The key of a cluster.
    pub fn find_cluster(&self, id: &str) -> Option<ClusterKey> {
        self.cluster_of.get(id).copied()
    }

    /// A cluster, to note what people or the proposals' rules decided about it.
    pub fn cluster_mut(&mut self, key: ClusterKey) -> &mut Cluster {
        &mut self.clusters[key as usize]
    }

    /// The key of a cluster by its id; an empty one is made where there is none.
    pub fn cluster_named(&mut self, id: &str) -> ClusterKey {
        self.cluster_key(id)
    }

    /// Gives a cluster exactly these members, as people decided. They leave the clusters they were in, and count as
    /// tied: people say that they ask for the same.
    pub fn assign(&mut self, cluster: ClusterKey, members: &[MemberKey]) {
        let mut sources: Vec<ClusterKey> = members.iter().filter_map(|m| self.member(*m).cluster).collect();
        sources.push(cluster);
        sources.sort_unstable();
        sources.dedup();
        for source in sources {
            let left: Vec<MemberKey> =
                self.cluster(source).members.iter().copied().filter(|m| !members.contains(m)).collect();
            self.regroup(source, if source == cluster { members } else { &left }, source == cluster);
        }
    }

    /// Takes members out of every group, and out of comparison with what others ask for.
    pub fn withdraw(&mut self, members: &[MemberKey]) {
        let mut sources: Vec<ClusterKey> = members.iter().filter_map(|m| self.member(*m).cluster).collect();
        sources.sort_unstable();
        sources.dedup();
        for source in sources {
            let left: Vec<MemberKey> =
                self.cluster(source).members.iter().copied().filter(|m| !members.contains(m)).collect();
            self.regroup(source, &left, false);
        }
        for member in members {
            let member = &mut self.members[*member as usize];
            (member.cluster, member.tied, member.withdrawn) = (None, false, true);
        }
    }

    /// Makes a cluster's figures anew from these members. A member stays tied where it was, or all are.
    fn regroup(&mut self, cluster: ClusterKey, members: &[MemberKey], all_tied: bool) {
        let old = &self.clusters[cluster as usize];
        let fresh = Cluster {
            pointing: if members.is_empty() { old.pointing } else { Pointing::default() },
            proposal: old.proposal.clone(),
            decided_by: old.decided_by.clone(),
            not_proposed: old.not_proposed.clone(),
            merged_into: old.merged_into.clone(),
            taught_by: old.taught_by.clone(),
            ..Cluster::new(old.id.clone())
        };
        self.clusters[cluster as usize] = fresh;
        // Who is left alone asks for nothing together with others, unless people decided that it is a pattern.
        let tied = if all_tied { members.len() } else { members.iter().filter(|m| self.member(**m).tied).count() };
        let lone = tied == 1 && self.clusters[cluster as usize].decided_by.is_none();
        for key in members {
            let tied = self.member(*key).tied || all_tied;
            self.members[*key as usize].tied = false;
            self.enter(cluster, *key);
            if tied && !lone {
                self.tie(*key);
            }
        }
    }

    /// Notes a cluster's proposal.
    pub fn set_proposal(&mut self, key: ClusterKey, proposal: String) {
        self.clusters[key as usize].proposal = Some(proposal);
    }

    /// All clusters with their keys.
    pub fn clusters(&self) -> impl Iterator<Item = (ClusterKey, &Cluster)> {
        self.clusters.iter().enumerate().map(|(key, cluster)| (key as ClusterKey, cluster))
    }

    /// The members that show best what a cluster is about: those nearest to all others, each text once.
    pub fn representatives(&self, key: ClusterKey, count: usize) -> Vec<&Member> {
        // A bounded look: the first members say what the cluster is about, and a file must not cost more to write
        // the larger the cluster is.
        const LOOK_AT: usize = 64;
        let cluster = self.cluster(key);
        let looked_at = cluster.members.iter().take(LOOK_AT).map(|m| self.member(*m));
        let mut ranked: Vec<(f64, &Member)> = looked_at.map(|m| (cluster.sum.mean_cosine(&m.vector), m)).collect();
        ranked.sort_by(|(a_link, a), (b_link, b)| {
            b.tied.cmp(&a.tied).then(b_link.total_cmp(a_link)).then_with(|| a.id.cmp(&b.id))
        });
        let mut seen = std::collections::HashSet::new();
        ranked.into_iter().map(|(_, m)| m).filter(|m| seen.insert(m.text.as_str())).take(count).collect()
    }

    fn push(&mut self, member: Member) -> MemberKey {
        let key = MemberKey::try_from(self.members.len()).unwrap_or(MemberKey::MAX);
        self.member_of.insert(member.id.clone(), key);
        self.members.push(member);
        key
    }

    fn cluster_key(&mut self, id: &str) -> ClusterKey {
        if let Some(key) = self.cluster_of.get(id) {
            return *key;
        }
        let key = ClusterKey::try_from(self.clusters.len()).unwrap_or(ClusterKey::MAX);
        self.clusters.push(Cluster::new(id.to_owned()));
        self.cluster_of.insert(id.to_owned(), key);
        key
    }

    /// What contradicts earlier feedback waits for a person and takes part in no group; a group points one way, unless
    /// people put it together; and what they keep apart stays so.
    fn may_join(&self, key: MemberKey, other_key: MemberKey) -> bool {
        let (member, other) = (self.member(key), self.member(other_key));
        let group = other.cluster.map(|c| self.cluster(c)).filter(|c| c.taught_by.is_none());
        other.classification != Classification::Ambiguous
            && !member.pointing().opposes(other.pointing())
            && !group.is_some_and(|c| member.pointing().opposes(c.pointing))
            && !self.is_kept_from(key, other_key)
    }

    fn enter(&mut self, cluster: ClusterKey, key: MemberKey) {
        let member = &mut self.members[key as usize];
        let cluster_ref = &mut self.clusters[cluster as usize];
        member.cluster = Some(cluster);
        cluster_ref.members.push(key);
        cluster_ref.sum.add(&member.vector);
        if cluster_ref.pointing.direction == Direction::Unclear {
            cluster_ref.pointing = member.pointing();
        }
        *cluster_ref.reviewers.entry(member.reviewer.clone()).or_default() += 1;
        *cluster_ref.gates.entry(member.gate).or_default() += 1;
        cluster_ref.first_seen = cluster_ref.first_seen.min(member.at);
        cluster_ref.last_seen = cluster_ref.last_seen.max(member.at);
    }

    /// Marks a member as similar to another one; true where it was not before.
    fn tie(&mut self, key: MemberKey) -> bool {
        let member = &mut self.members[key as usize];
        let (false, Some(cluster)) = (member.tied, member.cluster) else { return false };
        member.tied = true;
        *self.clusters[cluster as usize].tied_reviewers.entry(member.reviewer.clone()).or_default() += 1;
        true
    }
}

#[cfg(test)]
mod tests;
