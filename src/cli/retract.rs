//! `retract`: withdraws what a source taught; a preview unless `--yes` is given.

use super::context::Context;
use super::exit::{CliError, Exit};
use super::output::Output;
use super::page::{self, count};
use super::submit::{self, Reviewer};
use crate::app::queries::Retraction;
use serde_json::json;
use std::path::PathBuf;

/// What to withdraw.
#[derive(Debug, clap::Args)]
#[command(group(clap::ArgGroup::new("source").required(true).args(["reviewer", "feedback"])))]
pub struct Args {
    /// All feedback from this reviewer
    #[arg(long, value_name = "ID")]
    reviewer: Option<String>,
    /// This feedback
    #[arg(long, value_name = "ID")]
    feedback: Option<String>,
    /// Withdraw it; otherwise it is only shown. Needs --as and --reason
    #[arg(long, requires = "who")]
    yes: bool,
    /// Who you are on the roster (reviewers.yaml)
    #[arg(long = "as", value_name = "ID", env = "FEEDBACKD_REVIEWER")]
    who: Option<String>,
    /// Why, in your words
    #[arg(long, value_name = "TEXT")]
    reason: Option<String>,
    /// Sign with this SSH key, whose public half is on the roster; requires `ssh-keygen`
    #[arg(long, value_name = "KEY", env = "FEEDBACKD_SIGNING_KEY")]
    sign: Option<PathBuf>,
}

/// Withdraws if confirmed; otherwise shows what would be withdrawn.
pub fn run(args: &Args, context: &Context<'_>, out: &mut Output<'_>) -> Result<Exit, CliError> {
    // clap ensures that `--yes` comes with a name.
    match args.who.clone().filter(|_| args.yes) {
        Some(who) => withdraw(args, who, context, out),
        None => {
            let reading = context.reading(out)?;
            let found = reading.queries().retraction(args.reviewer.as_deref(), args.feedback.as_deref())?;
            out.answer(&found, |o| describe(&found, o.list_width()))?;
            Ok(Exit::Ok)
        }
    }
}

fn withdraw(args: &Args, who: String, context: &Context<'_>, out: &mut Output<'_>) -> Result<Exit, CliError> {
    let by = Reviewer { who, reason: args.reason.clone(), sign: args.sign.clone() };
    let mut action = json!({"decision": "RETRACT"});
    if let Some(reviewer) = &args.reviewer {
        action["reviewer"] = json!(reviewer);
    }
    if let Some(feedback) = &args.feedback {
        action["feedback_id"] = json!(feedback);
    }
    submit::review(&context.config()?, &by, action, out)
}

fn describe(found: &Retraction, width: Option<usize>) -> String {
    let mut text = format!("{} would be withdrawn:\n\n", count(found.feedback.len() as u64, "comment"));
    let rows =
        found.feedback.iter().take(20).map(|f| vec![f.feedback_id.clone(), f.reviewer_id.clone(), f.text.clone()]);
    text += &page::list(&["feedback", "reviewer", "remark"], rows.collect(), width);
    if found.feedback.len() > 20 {
        text += &format!("… and {} more (--json lists all)\n", found.feedback.len() - 20);
    }
    text += &format!("\n{} would lose members.\n\n", count(found.clusters.len() as u64, "cluster"));
    if found.rules.is_empty() {
        text += "No proposal or rule is based on them.\n";
    } else {
        let rows = found.rules.iter().map(|r| {
            let left = format!("{} of {}", r.evidence_left, r.evidence_now);
            vec![r.rule_id.clone(), r.status.as_str().to_owned(), left, r.title.clone()]
        });
        text += &page::list(&["rule", "status", "evidence left", "title"], rows.collect(), width);
        text += "\nA proposal whose evidence is no longer a pattern is rejected; such a rule leaves force.\n";
    }
    text + "\nNothing was changed. To do it, add --yes, --as and --reason."
}
