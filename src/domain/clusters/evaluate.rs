//! The classification of one feedback, and its rationale (specification, "Classification").
//!
//! The evaluator sees neighbours with their similarity and stance, never vectors. Clusters are decided in `cluster`.

use super::cluster::Cluster;
use super::evaluation::{Classification, MAX_SIMILAR, SimilarFeedback};
use super::member::Member;
use super::polarity::Polarity;
use super::policy::Policy;
use crate::identity;
use crate::intake::feedback::{Feedback, is_comment};
use crate::text::language::model_reading::ModelReading;
use crate::text::prose::{line, list, round};
use crate::text::verdict::Verdict;

/// An earlier comment near this one.
#[derive(Clone, Copy, Debug)]
pub struct Neighbour<'a> {
    /// The earlier comment.
    pub member: &'a Member,
    /// Calibrated similarity, 0 to 1.
    pub similarity: f64,
}

/// What the feedback is on its own, before clustering.
#[derive(Clone, Debug, PartialEq)]
pub enum Judgement {
    /// Approved, and nothing is asked for.
    Positive,
    /// A correction that does not say what should change, so it cannot be compared.
    Silent,
    /// It contradicts earlier feedback.
    Contradiction,
    /// A correction that can be clustered.
    Correction,
}

/// Calibrated similarity that suffices if both are known to be about the same thing: for contrary comments, and for a
/// rule and its subject. They need not be similar otherwise: people who want more of something and people who want less
/// use different words.
const SAME_AXIS_AT: f64 = 0.8;

/// The same if it is unknown what one of them is about and they point different ways: "no error handling needed"
/// differs from "missing error handling" only in direction.
const CONTRARY_WORDS_AT: f64 = 0.6;

/// Returns the calibrated similarity from which the two are compared, given their directions.
pub fn alike_at(one: Polarity, other: Polarity, policy: &Policy) -> f64 {
    let known = one.axis.is_some() && one.axis == other.axis;
    let wanted = match (known, one.opposes(other)) {
        (true, _) => SAME_AXIS_AT,
        (false, true) => CONTRARY_WORDS_AT,
        (false, false) => policy.similar_at,
    };
    wanted.min(policy.similar_at)
}

/// Applies the first rules of specification, "Classification": approval, contradiction, or a correction to be
/// clustered.
///
/// `member` is what the feedback becomes, if it can be compared. `same` are neighbours that may ask for the same,
/// `opposing` those that ask for the contrary; best first.
pub fn judge(
    feedback: &Feedback,
    member: Option<&Member>,
    same: &[Neighbour<'_>],
    opposing: &[Neighbour<'_>],
) -> Judgement {
    if !feedback.is_correction() {
        return Judgement::Positive;
    }
    if !feedback.stance.demand {
        return Judgement::Silent;
    }
    match member {
        Some(member) if contradicts(member, same, opposing) => Judgement::Contradiction,
        _ => Judgement::Correction,
    }
}

/// Reports whether a person has to decide: two people outright want opposites of the same thing, in the same kind of
/// place. Of each pair of demands, one contradiction is pending at a time: its resolution applies to the others.
fn contradicts(member: &Member, same: &[Neighbour<'_>], opposing: &[Neighbour<'_>]) -> bool {
    let waits = |n: &Neighbour<'_>| {
        n.member.classification == Classification::Ambiguous && n.member.pointing().axis == member.pointing().axis
    };
    member.outright
        && !same.iter().chain(opposing).any(waits)
        && opposing.iter().any(|other| is_contrary(member, other.member))
}

/// Reports whether one states outright the contrary of what another person states outright. Line comments are not
/// compared with each other: what one line lacks, another may have too much of, and both are right.
pub fn is_contrary(member: &Member, other: &Member) -> bool {
    let on_code = [member, other].iter().any(|one| one.place.is_some() || is_comment(&one.id));
    other.outright && !on_code && !identity::same(&member.reviewer, &other.reviewer)
}

/// Returns the similar neighbours, as cited in an evaluation.
pub fn cite(neighbours: &[Neighbour<'_>], policy: &Policy) -> Vec<SimilarFeedback> {
    cited(neighbours.iter().filter(|n| n.similarity >= policy.similar_at))
}

/// Returns the contrary ones, as cited in an evaluation.
pub fn cite_contrary(opposing: &[Neighbour<'_>]) -> Vec<SimilarFeedback> {
    cited(opposing.iter())
}

fn cited<'n, 'm: 'n>(neighbours: impl Iterator<Item = &'n Neighbour<'m>>) -> Vec<SimilarFeedback> {
    neighbours
        .take(MAX_SIMILAR)
        .map(|n| SimilarFeedback { feedback_id: n.member.id.clone(), similarity: round(n.similarity) })
        .collect()
}

/// Returns the probability that a comment is a one-off: one minus the calibrated similarity to the nearest one that may
/// mean the same.
pub fn edge_case_confidence(same: &[Neighbour<'_>]) -> f64 {
    round((1.0 - same.first().map_or(0.0, |n| n.similarity)).clamp(0.2, 0.95))
}

/// Explains why an approval is positive, with its confidence.
pub fn explain_positive(feedback: &Feedback) -> (String, f64) {
    match &feedback.decision.reviewer_comment {
        _ if feedback.comment.is_some() => ("The comment asks for nothing.".to_owned(), 0.9),
        None => ("Approved without a comment.".to_owned(), 0.99),
        Some(_) => ("Approved; the comment asks for nothing.".to_owned(), 0.9),
    }
}

/// Explains why a correction that says nothing is a one-off.
pub fn explain_silent(feedback: &Feedback) -> String {
    let said = match feedback.decision.verdict {
        Verdict::Rejected => "Rejected",
        Verdict::ApprovedWithChanges => "Approved with changes",
        Verdict::Approved => "Approved",
    };
    match &feedback.decision.reviewer_comment {
        None if feedback.comments == 1 => format!("{said}; what it asks for is in its comment."),
        None if feedback.comments > 1 => {
            format!("{said}; what it asks for is in its {} comments.", feedback.comments)
        }
        None => format!("{said} without a comment, so there is nothing to compare with other feedback."),
        Some(_) => format!("{said}, but the comment does not say what should change, so it cannot be compared."),
    }
}

/// Explains why a correction without a vector is a one-off.
pub fn explain_unreadable(agent: &str) -> String {
    format!("The comment has no words to compare with earlier feedback to {agent}.")
}

/// Explains why a correction is in no cluster if it was read as asking for nothing, or for nothing beyond the case.
pub fn explain_read(reading: &ModelReading) -> String {
    if reading.none {
        return "It was read as not asking for any change, so it is in no cluster.".to_owned();
    }
    format!("It was read as too specific for a rule (“{}”), so it is in no cluster.", line(&reading.demand, 120))
}

/// Explains why a correction is a one-off.
pub fn explain_edge_case(agent: &str, same: &[Neighbour<'_>], policy: &Policy) -> String {
    match same.iter().find(|n| n.member.classification != Classification::Ambiguous) {
        None => format!("No one has asked {agent} for anything like this before."),
        Some(n) if n.similarity < policy.similar_at => format!(
            "No one has asked {agent} for this before. The nearest other comment is {} ({}), below {:.0} %.",
            name(n.member),
            percent(n.similarity),
            policy.similar_at * 100.0,
        ),
        Some(n) => format!(
            "One other comment is similar, {} ({}), but most of its cluster is about something else.",
            name(n.member),
            percent(n.similarity)
        ),
    }
}

/// Explains why feedback is part of a pattern: which earlier feedback, how similar, which reviewers.
pub fn explain_pattern(reviewer: &str, same: &[Neighbour<'_>], cluster: &Cluster, policy: &Policy) -> String {
    let cited: Vec<String> = same
        .iter()
        .filter(|n| n.similarity >= policy.similar_at && n.member.classification != Classification::Ambiguous)
        .take(3)
        .map(|n| format!("{}, {}", name(n.member), percent(n.similarity)))
        .collect();
    let mut words = if cited.is_empty() {
        format!("Similar comments are in {}.", cluster.id)
    } else {
        format!("The same was asked for in {}.", cited.join("; "))
    };
    let (remarks, reviewers) = (cluster.tied(), cluster.tied_reviewers.len());
    let voices = list(cluster.tied_reviewers.keys().map(String::as_str), 4);
    match cluster.class(policy) {
        Classification::GeneralizableHigh if cluster.decided_by.is_some() => {
            let review = cluster.decided_by.as_deref().unwrap_or_default();
            words += &format!(" People decided that it applies generally (review {review}).");
        }
        Classification::GeneralizableHigh if reviewers > 1 => {
            words +=
                &format!(" That makes {remarks} comments by {reviewers} different reviewers ({voices}): a pattern.");
        }
        Classification::GeneralizableHigh => {
            words += &format!(" That makes {remarks} comments by {reviewer}, which is enough in a team of one.");
        }
        _ if reviewers > 1 && cluster.is_of_one_task() => {
            words += &format!(" All {remarks} comments are on one task: a second task is needed.");
        }
        _ if cluster.voices() == 0 => {
            words += &format!(" All {remarks} comments are by programs ({voices}): a person's comment is needed.");
        }
        _ => words += &format!(" All {remarks} comments are by {voices}: a second person is needed."),
    }
    words
}

/// Explains why feedback is ambiguous, citing both sides.
pub fn explain_contradiction(feedback: &Feedback, opposing: &[Neighbour<'_>]) -> String {
    let cited: Vec<String> = opposing
        .iter()
        .take(3)
        .map(|n| {
            format!(
                "{} ({}, {}): “{}”",
                name(n.member),
                n.member.verdict.as_str(),
                percent(n.similarity),
                n.member.text
            )
        })
        .collect();
    format!(
        "It contradicts earlier feedback to {}. Here, {} ({}): “{}”. Before, {}. A person has to decide which \
         applies.",
        feedback.agent,
        feedback.decision.reviewer_id,
        feedback.decision.verdict.as_str(),
        line(feedback.text().as_deref().unwrap_or_default(), 120),
        cited.join("; ")
    )
}

fn name(member: &Member) -> String {
    format!("{} by {}", member.id, member.reviewer)
}

fn percent(similarity: f64) -> String {
    // Rounded down: values below a threshold must not appear to reach it.
    format!("{:.0} % similar", (similarity * 100.0 + 1e-9).floor())
}
