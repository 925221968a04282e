//! Everything relevant to the decision about a proposal.

use super::evidence::{Evidence, evidence};
use super::near::{NearRule, near};
use super::versions::TextVersion;
use crate::domain::records::record::{ConflictReport, Stopped};
use crate::domain::rules::in_force::prompt;
use crate::queries::{Comparisons, FeedbackLine, Queries, QueryError, RuleFile};
use crate::reports::lineage::{Line, decided};

/// A proposal or rule with everything for and against it.
#[derive(Clone, Debug)]
pub struct ProposalPage {
    /// The proposal or rule.
    pub rule: RuleFile,
    /// The text as it appears, or would appear, in the prompt.
    pub prompt_text: String,
    /// Why it is in no prompt although in force.
    pub stopped: Option<Stopped>,
    /// The first comments that ask for it.
    pub evidence: Vec<Evidence>,
    /// Comments that ask for the opposite.
    pub dissent: Vec<Evidence>,
    /// A few past approvals on which it would have fired wrongly.
    pub wrongly: Vec<FeedbackLine>,
    /// A few past corrections that it would have prevented.
    pub prevented: Vec<FeedbackLine>,
    /// Rules it contradicts.
    pub conflicts: Vec<AtOdds>,
    /// Similar rules.
    pub near: Vec<NearRule>,
    /// Its texts, oldest first.
    pub versions: Vec<TextVersion>,
    /// Decisions about it, in order.
    pub decisions: Vec<Line>,
}

/// A rule that cannot be followed together with another.
#[derive(Clone, Debug, PartialEq)]
pub struct AtOdds {
    /// The reason.
    pub report: ConflictReport,
    /// The other rule, if it is in this store.
    pub rule: Option<RuleFile>,
}

/// Returns everything about one proposal or rule.
///
/// # Errors
/// [`QueryError::NotFound`] if there is none with that id, and if store or index cannot be read.
pub fn proposal(of: &Comparisons<'_>, id: &str) -> Result<ProposalPage, QueryError> {
    let queries = &of.queries;
    let rule = queries.proposal_show(id)?;
    let r = &rule.record;
    let stops = queries.stops()?;
    let card = r.card.clone().unwrap_or_default();
    let conflicts = r.conflicts.iter().map(|report| at_odds(queries, report)).collect::<Result<Vec<_>, _>>()?;
    Ok(ProposalPage {
        prompt_text: if r.action_type.enters_prompt() { prompt::line_of(r) } else { r.rule_content.clone() },
        stopped: stops.of(id).filter(|_| r.status.in_force()).cloned(),
        evidence: evidence(queries, r.created_from_feedback_ids.iter())?,
        dissent: evidence(queries, r.dissent.iter())?,
        wrongly: queries.feedback_lines(&card.would_fire_wrongly_on)?,
        prevented: queries.feedback_lines(&card.would_apply_to)?,
        conflicts,
        near: near(of, r)?,
        versions: TextVersion::of(r),
        decisions: decided(queries, r)?,
        rule,
    })
}

fn at_odds(queries: &Queries<'_>, report: &ConflictReport) -> Result<AtOdds, QueryError> {
    let rule = match queries.proposal_show(&report.with) {
        Ok(rule) => Some(rule),
        Err(QueryError::NotFound { .. }) => None,
        Err(error) => return Err(error),
    };
    Ok(AtOdds { report: report.clone(), rule })
}
