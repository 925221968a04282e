//! `proposals list|show|approve|reject|modify`: rules offered for review, and what becomes of them.

use super::exit::{CliError, Exit};
use super::output::Output;
use super::page::{self, Page, count, percent, when};
use super::submit::{self, Reviewer};
use crate::app::queries::{Queries, RuleFile};
use crate::config::Config;
use crate::domain::takeup::RuleState;
use serde_json::json;

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
    /// One proposal with its evidence and its card
    Show {
        /// Its id, e.g. RULE-2026-0001
        id: String,
    },
    /// Say yes to a proposal as it stands now; once it is approved, to the rule its card says would leave for it
    Approve {
        /// Its id, e.g. RULE-2026-0001
        id: String,
        /// Only if its text still has this hash, as `show` prints it
        #[arg(long, value_name = "HASH")]
        content_hash: Option<String>,
        #[command(flatten)]
        by: Reviewer,
    },
    /// Turn a proposal down; one no suffices. Needs --reason
    Reject {
        /// Its id
        id: String,
        #[command(flatten)]
        by: Reviewer,
    },
    /// Give a proposal another text: a new version, earlier approvals are void
    Modify {
        /// Its id
        id: String,
        /// The new text
        #[arg(long, value_name = "TEXT")]
        text: String,
        #[command(flatten)]
        by: Reviewer,
    },
}

/// Submits a decision about a proposal; `None` where the command only reads.
pub fn decide(
    command: &Command,
    config: &Config,
    queries: &Queries<'_>,
    out: &mut Output<'_>,
) -> Option<Result<Exit, CliError>> {
    let (id, by, mut action, seen) = match command {
        Command::List { .. } | Command::Show { .. } => return None,
        Command::Approve { id, content_hash, by } => (id, by, json!({"decision": "APPROVE"}), content_hash.clone()),
        Command::Reject { id, by } => (id, by, json!({"decision": "REJECT"}), None),
        Command::Modify { id, text, by } => (id, by, json!({"decision": "MODIFY", "modified_content": text}), None),
    };
    action["proposal_id"] = json!(id);
    // A decision is about the text that stands there now. An unknown id is refused, and recorded, like on the stream.
    if let Some(hash) = seen.or_else(|| queries.proposal_show(id).ok().map(|found| found.record.content_hash)) {
        action["content_hash"] = json!(hash);
    }
    Some(submit::review(config, by, action, out))
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
        // `decide` has done these.
        Command::Approve { .. } | Command::Reject { .. } | Command::Modify { .. } => {}
    }
    Ok(Exit::Ok)
}

fn show(found: &RuleFile, width: usize) -> String {
    let r = &found.record;
    let mut page = Page::new(&format!("{}: {}", r.proposal_id, r.title), width);
    page.line("state", format!("{} ({}), version {}", found.state.as_str(), r.status.as_str(), r.version));
    page.line("kind", r.action_type.as_str());
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
    if let Some(card) = &r.card {
        let of = |n: u64, all: u64, noun: &str| format!("{n} of {all} past {noun}");
        let named = |ids: &[String]| if ids.is_empty() { String::new() } else { format!(": {}", ids.join(", ")) };
        let applies = of(card.would_apply, card.corrections, "corrections");
        page.line("would apply", format!("to {applies}{}", named(&card.would_apply_to)));
        let wrongly = of(card.would_fire_wrongly, card.approvals, "approvals");
        page.line("fires wrongly", format!("on {wrongly}{}", named(&card.would_fire_wrongly_on)));
        if let (Some(id), Some(why)) = (&card.displaces, &card.displaces_because) {
            page.line("displaces", format!("{id}: {why}"));
        }
        page.line("in the prompt", &card.prompt_text);
    }
    page.line("stands for", r.consolidates.join(", "));
    page.line("about rule", r.target_rule.clone().unwrap_or_default());
    page.line("against it", r.dissent.join(", "));
    for a in &r.approvals {
        let evidence = if a.wrote_evidence { ", who wrote part of the evidence" } else { "" };
        page.line("approved by", format!("{}{evidence}, {} UTC ({})", a.reviewer_id, when(a.at), a.review_id));
    }
    page.line("reason", r.reason.clone().unwrap_or_default());
    page.line("flagged", r.flag.as_ref().map(|f| f.reason.clone()).unwrap_or_default());
    for v in &r.earlier_versions {
        page.line(
            &format!("version {}", v.version),
            format!("{} (until {} UTC, {})", v.rule_content, when(v.replaced_at), v.replaced_by),
        );
    }
    for e in &r.history {
        let by = e.by.as_deref().map(|by| format!(" {by}")).unwrap_or_default();
        let note = e.note.as_deref().map(|note| format!(": {note}")).unwrap_or_default();
        page.line("history", format!("{} UTC {}{by}{note}", when(e.at), e.event));
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
