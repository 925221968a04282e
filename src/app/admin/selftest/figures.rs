//! The figures and how they are computed.

use super::answers;
use crate::comments::evaluator::DetachedComments;
use crate::domain::clusters::purity::Purity;
use crate::domain::records::record::ProposalRecord;
use crate::domain::reporting::score;
use crate::domain::reporting::score::{Agreement, BCubed, Bin, Calibrated, ENOUGH};
use crate::domain::rules::draft::recalibration;
use crate::domain::rules::draft::recalibration::Curve;
use crate::pipeline::clusters::inquiries;
use crate::queries::{Comparisons, Queries, QueryError};
use crate::text::language::similarity::{Calibration, DemandVector};
use serde::Serialize;
use std::collections::{HashMap, HashSet};

/// Returns all figures.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SelfTest {
    /// Number of answers by people on whether comments ask for the same.
    pub answers: u64,
    /// Answers that they do.
    pub same: u64,
    /// Answers that they do not.
    pub different: u64,
    /// Answers about comments that can no longer be compared: withdrawn, or without a known word.
    pub left_out: u64,
    /// Whether there are enough answers for meaningful figures.
    pub enough_answers: bool,
    /// The purity of automatically built clusters implied by the answers; none if no answer concerns one.
    pub purity: Option<Purity>,
    /// Pairs of comments across the two sides of each answer.
    pub pairs: Agreement,
    /// The clustering that the program would build automatically, compared with the one left by people.
    pub grouping: ClusteringPair,
    /// Proposals decided by people.
    pub proposals: DecidedProposals,
}

/// Two clusterings of the same comments.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct ClusteringPair {
    /// Comments that can be compared.
    pub remarks: u64,
    /// B3 over all of them; if people taught nothing, it compares the program with itself.
    pub all: BCubed,
    /// Comments in clusters taught by people.
    pub taught_remarks: u64,
    /// B3 over these comments.
    pub taught: BCubed,
}

/// Proposals by people's decisions.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct DecidedProposals {
    /// Approved.
    pub approved: u64,
    /// Rejected, or approved and rolled back.
    pub rejected: u64,
    /// Whether there are enough proposals.
    pub enough: bool,
    /// The displayed confidence, evaluated as the probability of approval.
    pub probability: Calibrated,
    /// The same, by tenths.
    pub bins: Vec<Bin>,
    /// How the daemon recalibrates the confidence of new proposals.
    pub recalibration: RecalibrationFigures,
}

/// What was learned from people's decisions about proposals.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct RecalibrationFigures {
    /// Number of proposals learned from.
    pub decided: u64,
    /// Minimum number for learning.
    pub needed: u64,
    /// Whether new proposals are recalibrated.
    pub in_use: bool,
    /// The curve; `a` 1 and `b` 0 if they are not.
    #[serde(flatten)]
    pub curve: Curve,
    /// The confidence from the comments alone, as the probability of approval.
    pub before: Calibrated,
    /// The same after recalibration, with each tenth of the proposals predicted from the other nine; equal to before if
    /// not recalibrated.
    pub after: Calibrated,
}

/// Computes all figures; `remembered` must be empty.
///
/// # Errors
/// If store or index cannot be read.
pub fn selftest(comparisons: &Comparisons<'_>, remembered: DetachedComments) -> Result<SelfTest, QueryError> {
    let queries = &comparisons.queries;
    let answers = answers::of_people(queries)?;
    let mut vectors: HashMap<String, DemandVector> = HashMap::new();
    queries.index.each_feedback(&mut |f| {
        if let Some(vector) = f.vector {
            vectors.insert(f.id, vector);
        }
    })?;
    let calibration = Calibration::new(comparisons.understanding.t80());
    let (mut pairs, mut left_out) = (Vec::new(), 0);
    for answer in &answers {
        let across = answer.pairs().into_iter();
        let known = across.filter_map(|(a, b)| Some(calibration.similarity(vectors.get(a)?.cosine(vectors.get(b)?))));
        let before = pairs.len();
        pairs.extend(known.map(|similarity| (similarity, answer.same)));
        left_out += u64::from(pairs.len() == before);
    }
    let count = answers.len() as u64;
    let same = answers.iter().filter(|a| a.same).count() as u64;
    Ok(SelfTest {
        answers: count,
        same,
        different: count - same,
        left_out,
        enough_answers: count - left_out >= ENOUGH,
        purity: queries.purity()?,
        pairs: score::agreement(&pairs, remembered.remarks.policy.similar_at),
        grouping: grouping(queries, remembered)?,
        proposals: decided(queries)?,
    })
}

/// Clusters all comments in chronological order, ignoring people's answers.
fn grouping(queries: &Queries<'_>, mut own: DetachedComments) -> Result<ClusteringPair, QueryError> {
    let clusters = queries.index.clusters()?;
    let taught: HashSet<&str> =
        clusters.iter().filter(|c| c.taught_by.is_some()).map(|c| c.cluster_id.as_str()).collect();
    let mut left: Vec<(String, Option<String>)> = Vec::new();
    for (member, cluster) in inquiries::remarks(queries.index)? {
        left.push((member.id.clone(), cluster));
        own.replay(member)?;
    }
    let named = |id: &str, cluster: Option<&str>| cluster.map_or_else(|| format!("alone {id}"), str::to_owned);
    let by_itself = |id: &str| {
        let member = own.remarks.groups.key_of(id).map(|key| own.remarks.groups.member(key));
        named(id, member.and_then(|m| m.cluster).map(|c| own.remarks.groups.cluster(c).id.as_str()))
    };
    let both = |(id, cluster): &(String, Option<String>)| (named(id, cluster.as_deref()), by_itself(id));
    let of_taught: Vec<_> =
        left.iter().filter(|(_, c)| c.as_deref().is_some_and(|c| taught.contains(c))).map(both).collect();
    Ok(ClusteringPair {
        remarks: left.len() as u64,
        all: score::b_cubed(&left.iter().map(both).collect::<Vec<_>>()),
        taught_remarks: of_taught.len() as u64,
        taught: score::b_cubed(&of_taught),
    })
}

fn decided(queries: &Queries<'_>) -> Result<DecidedProposals, QueryError> {
    let records: Vec<ProposalRecord> = queries.index.proposals()?.into_iter().map(|(_, record)| record).collect();
    let told = |r: &ProposalRecord| Some((r.classification_confidence, recalibration::approved(r)?));
    let said: Vec<(f64, bool)> = records.iter().filter_map(told).collect();
    let approved = said.iter().filter(|(_, approved)| *approved).count() as u64;
    Ok(DecidedProposals {
        approved,
        rejected: said.len() as u64 - approved,
        enough: said.len() as u64 >= ENOUGH,
        probability: score::calibrated(&said),
        bins: score::bins(&said),
        recalibration: recalibrated(&recalibration::decided(&records)),
    })
}

fn recalibrated(raw: &[(f64, bool)]) -> RecalibrationFigures {
    let curve = Curve::of(raw);
    let before = score::calibrated(raw);
    RecalibrationFigures {
        decided: raw.len() as u64,
        needed: recalibration::ENOUGH as u64,
        in_use: curve.is_some(),
        curve: curve.unwrap_or(Curve::IDENTITY),
        before,
        after: curve.map_or(before, |_| score::calibrated(&recalibration::held_out(raw))),
    }
}
