//! `proposals list|show`: rules offered for review, and what became of them.

use super::exit::{CliError, Exit};
use super::output::Output;
use super::page::{self, Page, count, percent, when};
use crate::app::queries::{Queries, RuleFile};
use crate::domain::takeup::RuleState;

/// The subcommands.
#[derive(Debug, clap::Subcommand)]
pub enum Command {
    /// All proposals and rules, the latest first
    List {
        /// Only those in this state
        #[arg(long, value_enum)]
        state: Option<State>,
        /// Only this agent's
        #[arg(long)]
        agent: Option<String>,
        /// At most so many; 0 for all
        #[arg(long, default_value_t = 50)]
        limit: usize,
    },
    /// One proposal with its evidence
    Show {
        /// Its id, e.g. RULE-2026-0001
        id: String,
    },
}

/// Where a rule stands.
#[derive(Clone, Copy, Debug, clap::ValueEnum)]
pub enum State {
    /// Awaits its reviewers
    Proposed,
    /// In force
    Active,
    /// Turned down
    Rejected,
    /// No longer in force
    Retired,
}

/// Runs one of them.
pub fn run(command: &Command, queries: &Queries<'_>, out: &mut Output<'_>) -> Result<Exit, CliError> {
    match command {
        Command::List { state, agent, limit } => {
            let mut found = queries.proposals(state.map(RuleState::from), agent.as_deref())?;
            if *limit > 0 {
                found.truncate(*limit);
            }
            out.answer(&found, |o| {
                if found.is_empty() {
                    return "No proposals.".to_owned();
                }
                let rows = found.iter().map(|f| {
                    let (r, state) = (&f.record, f.state.as_str().to_owned());
                    let confidence = percent(r.classification_confidence);
                    vec![r.proposal_id.clone(), state, confidence, r.affected_agents.join(", "), r.title.clone()]
                });
                page::list(&["proposal", "state", "confidence", "agents", "title"], rows.collect(), o.list_width())
            })?;
        }
        Command::Show { id } => {
            let found = queries.proposal_show(id)?;
            out.answer(&found, |o| show(&found, o.page_width()))?;
        }
    }
    Ok(Exit::Ok)
}

fn show(found: &RuleFile, width: usize) -> String {
    let r = &found.record;
    let mut page = Page::new(&format!("{}: {}", r.proposal_id, r.title), width);
    page.line("state", format!("{}, version {}", found.state.as_str(), r.version));
    page.line("rule", &r.rule_content);
    page.line("agents", r.affected_agents.join(", "));
    page.line("where", &r.insertion_point);
    page.line("confidence", percent(r.classification_confidence));
    page.line("why", &r.evidence_summary);
    page.line("asked for by", r.reviewers.join(", "));
    let shown = r.created_from_feedback_ids.iter().take(10).cloned().collect::<Vec<_>>().join(", ");
    page.line("evidence", format!("{}: {shown}{}", count(r.evidence_count, "remark"), more(r.evidence_count)));
    page.line("cluster", &r.cluster_id);
    page.line("also", r.merged_clusters.join(", "));
    for c in &r.conflicts {
        page.line("conflict", format!("with {}: {}", c.with, c.reason));
    }
    page.line("made", format!("{} UTC", when(r.created_at)));
    page.line("content hash", &r.content_hash);
    page.line("file", &found.path);
    page.finish()
}

fn more(evidence: u64) -> &'static str {
    if evidence > 10 { ", … (--json shows all)" } else { "" }
}

impl From<State> for RuleState {
    fn from(state: State) -> RuleState {
        match state {
            State::Proposed => RuleState::Proposed,
            State::Active => RuleState::Active,
            State::Rejected => RuleState::Rejected,
            State::Retired => RuleState::Retired,
        }
    }
}
