//! The rules in force and their measured effects, for prompts, exports and lists.

use crate::app::queries::Queries;
use crate::app::reports::effectiveness;
use crate::cli::context::Context;
use crate::cli::exit::CliError;
use crate::domain::records::record::ProposalRecord;
use crate::domain::records::record::RuleState;

/// Returns every rule in force: its file is among the active ones, and its status agrees.
pub fn in_force(queries: &Queries<'_>) -> Result<Vec<ProposalRecord>, CliError> {
    let found = queries.proposals(Some(RuleState::Active), None)?.into_iter();
    Ok(found.map(|file| file.record).filter(|record| record.status.in_force()).collect())
}

/// Returns the rules in force that enter prompts: those not stopped.
pub fn in_prompts(queries: &Queries<'_>) -> Result<Vec<ProposalRecord>, CliError> {
    Ok(crate::app::rules::in_force::in_prompts(queries)?)
}

/// Returns each rule's measured effect by id; 0 if unknown.
pub fn effects(queries: &Queries<'_>, context: &Context<'_>) -> Result<impl Fn(&str) -> f64 + use<>, CliError> {
    let (policy, now) = context.measuring()?;
    let measured = effectiveness::effects(queries.index, &in_force(queries)?, &policy, now)?;
    Ok(move |id: &str| measured.get(id).copied().unwrap_or(0.0))
}
