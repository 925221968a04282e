//! The figures, and how they are made.

use super::answers;
use crate::comments::evaluator::Remembered;
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

/// All figures.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SelfTest {
    /// How often people said that remarks ask for the same, or for different things.
    pub answers: u64,
    /// Those that said the same.
    pub same: u64,
    /// Those that said different.
    pub different: u64,
    /// Answers about remarks that cannot be compared any more: withdrawn, or without a known word.
    pub left_out: u64,
    /// Whether there are answers enough for the figures to say something.
    pub enough_answers: bool,
    /// What the answers imply for the groups that the program makes by itself; nothing where none bears on one.
    pub purity: Option<Purity>,
    /// Pairs of remarks across the two sides of each answer.
    pub pairs: Agreement,
    /// The grouping that the program would make by itself against the one that people left.
    pub grouping: Grouping,
    /// Proposals that people decided.
    pub proposals: Decided,
}

/// Two groupings of the same remarks.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Grouping {
    /// Remarks that can be compared.
    pub remarks: u64,
    /// B3 over all of them; where nobody taught anything it compares the program with itself.
    pub all: BCubed,
    /// Remarks in groups that people taught.
    pub taught_remarks: u64,
    /// B3 over these.
    pub taught: BCubed,
}

/// Proposals by what people decided.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Decided {
    /// Approved.
    pub approved: u64,
    /// Rejected, or approved and rolled back.
    pub rejected: u64,
    /// Whether there are enough of them.
    pub enough: bool,
    /// The confidence that they were shown as the probability of an approval.
    pub probability: Calibrated,
    /// The same by tenths.
    pub bins: Vec<Bin>,
    /// What the daemon makes of the confidence of new proposals.
    pub recalibration: Recalibrated,
}

/// What was learned from what people decided about proposals.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Recalibrated {
    /// Proposals that it is learned from.
    pub decided: u64,
    /// From how many on something is.
    pub needed: u64,
    /// Whether new proposals are recalibrated.
    pub in_use: bool,
    /// How; `a` 1 and `b` 0 where they are not.
    #[serde(flatten)]
    pub curve: Curve,
    /// The confidence by the remarks alone as the probability of an approval.
    pub before: Calibrated,
    /// The same after it was recalibrated, each tenth of the proposals by what the other nine teach; as before where it is
    /// not.
    pub after: Calibrated,
}

/// Makes all figures; `remembered` remembers nothing yet.
///
/// # Errors
/// When store or index cannot be read.
pub fn selftest(comparisons: &Comparisons<'_>, remembered: Remembered) -> Result<SelfTest, QueryError> {
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

/// Every remark in the order of time, grouped as if nobody had said what belongs together.
fn grouping(queries: &Queries<'_>, mut own: Remembered) -> Result<Grouping, QueryError> {
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
    Ok(Grouping {
        remarks: left.len() as u64,
        all: score::b_cubed(&left.iter().map(both).collect::<Vec<_>>()),
        taught_remarks: of_taught.len() as u64,
        taught: score::b_cubed(&of_taught),
    })
}

fn decided(queries: &Queries<'_>) -> Result<Decided, QueryError> {
    let records: Vec<ProposalRecord> = queries.index.proposals()?.into_iter().map(|(_, record)| record).collect();
    let told = |r: &ProposalRecord| Some((r.classification_confidence, recalibration::approved(r)?));
    let said: Vec<(f64, bool)> = records.iter().filter_map(told).collect();
    let approved = said.iter().filter(|(_, approved)| *approved).count() as u64;
    Ok(Decided {
        approved,
        rejected: said.len() as u64 - approved,
        enough: said.len() as u64 >= ENOUGH,
        probability: score::calibrated(&said),
        bins: score::bins(&said),
        recalibration: recalibrated(&recalibration::decided(&records)),
    })
}

fn recalibrated(raw: &[(f64, bool)]) -> Recalibrated {
    let curve = Curve::of(raw);
    let before = score::calibrated(raw);
    Recalibrated {
        decided: raw.len() as u64,
        needed: recalibration::ENOUGH as u64,
        in_use: curve.is_some(),
        curve: curve.unwrap_or(Curve::IDENTITY),
        before,
        after: curve.map_or(before, |_| score::calibrated(&recalibration::held_out(raw))),
    }
}
