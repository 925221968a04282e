//! The `review` command: starts a session and prints its summary.

use super::keyboard::Terminal;
use super::live::AtWork;
use super::screen::{self, ScreenBackend};
use super::state::Review;
use crate::cli::context::Context;
use crate::cli::exit::{CliError, Exit};
use crate::cli::inbox;
use crate::cli::output::Output;
use crate::cli::submit::Reviewer;
use crate::text::prose::count;
use crate::wiring;
use serde::Serialize;
use std::path::PathBuf;

/// Who reviews, and what.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Who you are on the roster (reviewers.yaml)
    #[arg(long = "as", value_name = "ID", env = "FEEDBACKD_REVIEWER")]
    who: Option<String>,
    /// Only items about this agent
    #[arg(long)]
    agent: Option<String>,
    /// Print pending items instead of asking. The default without a terminal
    #[arg(long)]
    list: bool,
    /// Leave out the questions about comments, which take a moment to find
    #[arg(long)]
    no_questions: bool,
    /// Sign with this SSH key, whose public half is on the roster; requires `ssh-keygen`
    #[arg(long, value_name = "KEY", env = "FEEDBACKD_SIGNING_KEY")]
    sign: Option<PathBuf>,
}

/// The decisions of one session.
#[derive(Serialize)]
struct ReviewSession {
    /// Accepted decisions and their effects.
    done: Vec<String>,
    /// Rejected decisions and the reasons.
    not_done: Vec<String>,
}

/// Shows pending items and lets the person decide.
pub fn run(args: &Args, context: &Context<'_>, out: &mut Output<'_>) -> Result<Exit, CliError> {
    if args.list || out.is_json() || context.answers().is_none() {
        let list =
            inbox::Args { who: args.who.clone(), agent: args.agent.clone(), limit: 0, no_questions: args.no_questions };
        return inbox::run(&list, context, out);
    }
    let Some(who) = args.who.clone() else {
        let hint = "name yourself with --as; --list shows pending items without asking";
        return Err(CliError::new(Exit::Usage, "no reviewer is given", hint));
    };
    let found = inbox::look(context, Some(&who), args.agent.as_deref(), !args.no_questions, wiring::now(), out)?;
    if let Some(note) = &found.note {
        return Err(CliError::new(Exit::Usage, note.clone(), "--as takes an id from reviewers.yaml"));
    }
    let by = Reviewer { who: who.clone(), reason: None, sign: args.sign.clone() };
    let mut desk = AtWork::new(context.config()?, context.reading(out)?, by);
    let mut review = Review::new(&who, found.items);
    let failed = |e: std::io::Error| CliError::new(Exit::Failure, format!("cannot use the terminal: {e}"), "");
    let mut terminal = Terminal::open().map_err(failed)?;
    let ended = screen::run(terminal.screen(), &mut Terminal::keyboard(), &mut desk, &mut review);
    terminal.close();
    // Held-back decisions are being sent: wait for and report them.
    if review.decided > 0 {
        out.notice("recording your decisions");
    }
    let sitting = sitting(&mut desk);
    out.answer(&sitting, |_| said(&sitting))?;
    ended.map_err(failed)?;
    Ok(if sitting.not_done.is_empty() { Exit::Ok } else { Exit::Failure })
}

fn sitting(desk: &mut AtWork) -> ReviewSession {
    desk.finish();
    let mut sitting = ReviewSession { done: Vec::new(), not_done: Vec::new() };
    desk.outcomes();
    for (words, outcome) in std::mem::take(&mut desk.told) {
        match outcome {
            Ok(effect) => sitting.done.push(format!("{words}: {effect}")),
            Err(why) => sitting.not_done.push(format!("{words}: {why}")),
        }
    }
    sitting
}

fn said(sitting: &ReviewSession) -> String {
    let mut text: String = sitting.done.iter().map(|done| format!("{done}\n")).collect();
    sitting.not_done.iter().for_each(|not| text += &format!("NOT DONE: {not}\n"));
    text + &format!("{} sent.\n", count(sitting.done.len() as u64, "decision"))
}
