//! `clusters list|show|review|same|different|sort|mark|merge|split|move`: similar feedback, and people's answers on
//! what is the same.

use super::context::Context;
use super::exit::{CliError, Exit};
use super::feedback;
use super::output::Output;
use super::page::{self, Page, count, percent, when};
use super::questions;
use super::submit::{self, Reviewer};
use crate::app::queries::ClusterPage;
use crate::domain::intake::submission::Mark;
use serde_json::json;

/// The subcommands.
#[derive(Debug, clap::Subcommand)]
pub enum Command {
    /// All clusters, largest first
    List {
        /// Only this agent
        #[arg(long)]
        agent: Option<String>,
        /// Maximum number; 0 for all
        #[arg(long, default_value_t = 50)]
        limit: usize,
    },
    /// One cluster with its members
    Show {
        /// Its id
        id: String,
        /// Maximum number of members, latest first; 0 for all
        #[arg(long, default_value_t = 20)]
        limit: usize,
    },
    /// The few most valuable questions: do these two ask for the same thing?
    Review(questions::Args),
    /// Two clusters or feedback ask for the same: they become one cluster
    Same {
        /// A cluster, or a feedback that is in none
        a: String,
        /// Another one
        b: String,
        #[command(flatten)]
        by: Reviewer,
    },
    /// Two clusters or feedback ask for different things: they stay apart and are not asked about again
    Different {
        /// A cluster, or a feedback that is in none
        a: String,
        /// Another one
        b: String,
        #[command(flatten)]
        by: Reviewer,
    },
    /// Sort a list of feedback into what asks for the same and what does not
    Sort {
        /// Feedback that asks for the same as the others given here: they become one cluster; may be given again
        #[arg(long, value_name = "ID")]
        same: Vec<String>,
        /// Feedback that asks for something else
        #[arg(long, value_name = "ID")]
        others: Vec<String>,
        /// Feedback that asks for nothing: praise, a question, a report
        #[arg(long, value_name = "ID")]
        nothing: Vec<String>,
        /// Feedback that is too specific for a rule
        #[arg(long, value_name = "ID")]
        particular: Vec<String>,
        /// The cluster, or the feedback, that they belong to
        #[arg(long, value_name = "ID")]
        into: Option<String>,
        #[command(flatten)]
        by: Reviewer,
    },
    /// One feedback asks for nothing, for something too specific for a rule, or for a concern of the catalogue
    Mark {
        /// The feedback
        feedback: String,
        /// The decision
        #[arg(value_enum)]
        mark: MarkWord,
        /// The concern, with `demand`
        #[arg(required_if_eq("mark", "demand"))]
        concern: Option<String>,
        #[command(flatten)]
        by: Reviewer,
    },
    /// Two clusters ask for the same: the first one's members move to the second
    Merge {
        /// The cluster that ends
        from: String,
        /// The cluster that takes its members
        into: String,
        #[command(flatten)]
        by: Reviewer,
    },
    /// Some members ask for something else: they get their own cluster
    Split {
        /// The cluster
        id: String,
        /// The members
        #[arg(required = true)]
        feedback: Vec<String>,
        #[command(flatten)]
        by: Reviewer,
    },
    /// Word the rule of a cluster that has none: it is proposed and approved like any other
    Word {
        /// The cluster
        id: String,
        /// The text of the rule
        #[arg(long)]
        text: String,
        #[command(flatten)]
        by: Reviewer,
    },
    /// Feedback belongs to another cluster
    Move {
        /// The feedback
        feedback: String,
        /// The cluster it goes to
        into: String,
        #[command(flatten)]
        by: Reviewer,
    },
}

/// The mark given to feedback.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum MarkWord {
    /// It asks for nothing: praise, a question, a report
    Nothing,
    /// It is too specific for a rule
    Particular,
    /// It asks for a concern of the catalogue
    Demand,
}

/// Runs a subcommand.
pub fn run(command: &Command, context: &Context<'_>, out: &mut Output<'_>) -> Result<Exit, CliError> {
    let (by, action) = match command {
        Command::List { agent, limit } => return list(agent.as_deref(), *limit, context, out),
        Command::Show { id, limit } => {
            let page = context.reading(out)?.queries().cluster_show(id, *limit)?;
            out.answer(&page, |o| show(&page, o))?;
            return Ok(Exit::Ok);
        }
        Command::Review(args) => return questions::run(args, context, out),
        Command::Same { a, b, by } => (by, json!({"decision": "SAME", "a": a, "b": b})),
        Command::Different { a, b, by } => (by, json!({"decision": "KEEP_APART", "a": a, "b": b})),
        Command::Sort { same, others, nothing, particular, into, by } => {
            let mut action = json!({"decision": "SORT"});
            for (name, ids) in [("same", same), ("others", others), ("nothing", nothing), ("particular", particular)] {
                if !ids.is_empty() {
                    action[name] = json!(ids);
                }
            }
            if let Some(into) = into {
                action["into"] = json!(into);
            }
            (by, action)
        }
        Command::Mark { feedback, mark, concern, by } => {
            let mark = match mark {
                MarkWord::Nothing => Mark::Nothing,
                MarkWord::Particular => Mark::Particular,
                MarkWord::Demand => Mark::Demand,
            };
            let mut action = json!({"decision": "MARK", "feedback_id": feedback, "mark": mark.as_str()});
            if let Some(concern) = concern {
                action["demand"] = json!(concern);
            }
            (by, action)
        }
        Command::Merge { from, into, by } => (by, json!({"decision": "MERGE_CLUSTERS", "from": from, "into": into})),
        Command::Split { id, feedback, by } => {
            (by, json!({"decision": "SPLIT_CLUSTER", "cluster_id": id, "feedback_ids": feedback}))
        }
        Command::Word { id, text, by } => {
            (by, json!({"decision": "WORD_RULE", "cluster_id": id, "rule_content": text}))
        }
        Command::Move { feedback, into, by } => {
            (by, json!({"decision": "MOVE_FEEDBACK", "feedback_id": feedback, "into": into}))
        }
    };
    submit::review(&context.config()?, by, action, out)
}

fn list(agent: Option<&str>, limit: usize, context: &Context<'_>, out: &mut Output<'_>) -> Result<Exit, CliError> {
    let mut found = context.reading(out)?.queries().clusters(agent)?;
    // A cluster merged into another remains for lookups, but has no members.
    found.retain(|cluster| cluster.record.merged_into.is_none());
    if limit > 0 {
        found.truncate(limit);
    }
    out.answer(&found, |o| {
        if found.is_empty() {
            return "No clusters.".to_owned();
        }
        let rows = found.iter().map(|c| &c.record).map(|c| {
            let (members, reviewers) = (c.members.to_string(), c.reviewer_count.to_string());
            vec![c.cluster_id.clone(), members, reviewers, c.agent.clone(), c.title.clone()]
        });
        page::list(&["cluster", "members", "reviewers", "agent", "about"], rows.collect(), o.list_width())
    })?;
    Ok(Exit::Ok)
}

fn show(found: &ClusterPage, out: &Output<'_>) -> String {
    let shown = found.members.len() as u64;
    let all = found.cluster.record.members;
    let title = match shown < all {
        true => format!("The latest {shown} of {}:", count(all, "member")),
        false => "Members:".to_owned(),
    };
    facts(found, out.page_width()) + &format!("\n{title}\n{}", feedback::list(&found.members, out.list_width()))
}

/// Renders what is known of a cluster, without its members.
pub(super) fn facts(found: &ClusterPage, width: usize) -> String {
    let c = &found.cluster.record;
    let mut page = Page::new(&format!("{}: {}", c.cluster_id, c.title), width);
    page.line("agent", &c.agent);
    page.line("class", format!("{}, {}", c.classification.as_str(), percent(c.confidence)));
    page.line("members", format!("{}, {} of them similar to another", c.members, c.similar_members));
    let voices: Vec<String> = c.reviewers.iter().map(|(who, n)| format!("{who} ({n})")).collect();
    page.line("reviewers", voices.join(", "));
    let gates: Vec<String> = c.gates.iter().map(|(gate, n)| format!("{gate} ({n})")).collect();
    page.line("gates", gates.join(", "));
    page.line("seen", format!("{} to {} UTC", when(c.first_seen), when(c.last_seen)));
    if let Some(rule) = &found.proposal {
        page.line("proposal", format!("{} ({}): {}", rule.record.proposal_id, rule.state.as_str(), rule.record.title));
    }
    page.line("no proposal", c.not_proposed.as_deref().unwrap_or_default());
    if found.may_be_worded() {
        page.line("to write one", format!("feedbackd clusters word {} --text RULE --as YOU", c.cluster_id));
    }
    page.line("decided by", c.decided_by.as_deref().unwrap_or_default());
    page.line("merged into", c.merged_into.as_deref().unwrap_or_default());
    page.line("taught by", c.taught_by.as_deref().unwrap_or_default());
    page.line("kept apart", c.kept_apart.join(", "));
    page.line("file", &found.cluster.path);
    page.finish()
}
