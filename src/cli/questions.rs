//! `clusters review`: the few questions about the grouping that pay most, one after the other or as a list.
//!
//! Every answer is a review like any other. After each one the groups are read anew: the next question builds on it.

use super::context::Context;
use super::exit::{CliError, Exit};
use super::output::Output;
use super::page::{count, paragraph, percent};
use super::submit::{self, Reviewer};
use crate::app::pipeline::asking;
use crate::domain::grouping::question::{Question, Side};
use crate::domain::records::record::RefusalCode;
use crate::wiring;
use serde::Serialize;
use serde_json::json;
use std::collections::HashSet;
use std::io::BufRead;
use std::path::PathBuf;

/// How many reviewers of a side are named.
const VOICES: usize = 5;

/// What to ask, and who answers.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Only about this agent
    #[arg(long)]
    agent: Option<String>,
    /// At most so many questions; 0 for all
    #[arg(long, default_value_t = 20)]
    limit: usize,
    /// Print the questions, and the commands that answer them, instead of asking. So it is done without a terminal
    #[arg(long)]
    list: bool,
    /// Who you are on the roster (reviewers.yaml)
    #[arg(long = "as", value_name = "ID", env = "FEEDBACKD_REVIEWER")]
    who: Option<String>,
    /// Why, in your words
    #[arg(long, value_name = "TEXT")]
    reason: Option<String>,
    /// Sign with this SSH key, whose public half stands on the roster; takes `ssh-keygen`
    #[arg(long, value_name = "KEY", env = "FEEDBACKD_SIGNING_KEY")]
    sign: Option<PathBuf>,
}

/// A question with the commands that answer it.
#[derive(Serialize)]
struct Listed {
    #[serde(flatten)]
    question: Question,
    /// If they ask for the same.
    same: String,
    /// If they do not.
    different: String,
}

/// Asks, or prints what would be asked.
pub fn run(args: &Args, context: &Context<'_>, out: &mut Output<'_>) -> Result<Exit, CliError> {
    let comparing = context.comparing(out)?;
    let limit = if args.limit == 0 { usize::MAX } else { args.limit };
    if !args.list
        && !out.is_json()
        && let Some(answers) = context.answers()
    {
        let Some(who) = args.who.clone() else {
            let hint = "name yourself with --as; --list shows the questions without asking";
            return Err(CliError::new(Exit::Usage, "nobody is named who answers", hint));
        };
        let by = Reviewer { who, reason: args.reason.clone(), sign: args.sign.clone() };
        let session = Session { agent: args.agent.as_deref(), by, context };
        return session.ask(limit, answers, out);
    }
    let remembered = context.remembered(comparing.understanding())?;
    let found = asking::questions(&comparing.comparisons(), remembered, args.agent.as_deref(), limit, wiring::now())?;
    let who = args.who.as_deref().unwrap_or("YOU");
    let listed = found.into_iter().map(|question| {
        let command = |word: &str| format!("feedbackd clusters {word} {} {} --as {who}", question.a.id, question.b.id);
        Listed { same: command("same"), different: command("different"), question }
    });
    let listed: Vec<Listed> = listed.collect();
    out.answer(&listed, |o| {
        if listed.is_empty() {
            return "Nothing to ask.".to_owned();
        }
        let one = |(n, l): (usize, &Listed)| {
            let (q, width) = (&l.question, o.page_width());
            format!("{}. {}{}   {}\n   {}\n", n + 1, head(q), both(q, width), l.same, l.different)
        };
        listed.iter().enumerate().map(one).collect::<Vec<_>>().join("\n")
    })?;
    Ok(Exit::Ok)
}

/// One sitting of a person.
struct Session<'a> {
    agent: Option<&'a str>,
    by: Reviewer,
    context: &'a Context<'a>,
}

enum Answer {
    Same,
    Different,
    NotSure,
    Quit,
}

impl Session<'_> {
    fn ask(&self, limit: usize, mut answers: Box<dyn BufRead>, out: &mut Output<'_>) -> Result<Exit, CliError> {
        let (mut asked, mut recorded) = (0, 0);
        let mut left_open: HashSet<(String, String)> = HashSet::new();
        while asked < limit {
            let Some(question) = self.next(&left_open)? else { break };
            asked += 1;
            let width = out.page_width();
            out.answer(&question, |_| format!("\n{asked}. {}{}", head(&question), both(&question, width)))?;
            let decision = match answer(answers.as_mut(), out)? {
                Answer::Same => "SAME",
                Answer::Different => "KEEP_APART",
                Answer::NotSure => {
                    left_open.insert(names(&question));
                    continue;
                }
                Answer::Quit => break,
            };
            let action = json!({"decision": decision, "a": question.a.id, "b": question.b.id});
            let submitted = self.context.submit(&submit::payload(&self.by, action)?)?;
            match &submitted.refusal {
                None => {
                    recorded += 1;
                    out.answer(&submitted, |_| submitted.effect.clone())?;
                }
                Some(refusal)
                    if matches!(
                        refusal.code,
                        RefusalCode::UnknownId | RefusalCode::Impossible | RefusalCode::AlreadyDecided
                    ) =>
                {
                    // The groups changed while the person was thinking.
                    out.notice(&refusal.message);
                    left_open.insert(names(&question));
                }
                Some(refusal) => return Err(submit::refused(&submitted.id, refusal)),
            }
        }
        let done = format!("\n{} recorded.", count(recorded, "answer"));
        let nothing = if asked == 0 { "Nothing to ask." } else { &done };
        out.answer(&recorded, |_| nothing.to_owned())?;
        Ok(Exit::Ok)
    }

    /// The best question that was not left open.
    fn next(&self, left_open: &HashSet<(String, String)>) -> Result<Option<Question>, CliError> {
        let comparing = self.context.comparing_silently()?;
        let limit = left_open.len() + 1;
        let remembered = self.context.remembered(comparing.understanding())?;
        let found = asking::questions(&comparing.comparisons(), remembered, self.agent, limit, wiring::now())?;
        Ok(found.into_iter().find(|question| !left_open.contains(&names(question))))
    }
}

/// Reads until there is an answer. The end of the input is a quit.
fn answer(answers: &mut dyn BufRead, out: &mut Output<'_>) -> Result<Answer, CliError> {
    loop {
        out.raw(b"Do these two ask for the same thing? s = same, d = different, n = not sure, q = quit: ")?;
        let mut line = String::new();
        let read = answers.read_line(&mut line);
        if read.map_err(|e| CliError::new(Exit::Failure, format!("cannot read the answer: {e}"), ""))? == 0 {
            out.raw(b"\n")?;
            return Ok(Answer::Quit);
        }
        match line.trim().to_ascii_lowercase().as_str() {
            "s" | "same" => return Ok(Answer::Same),
            "d" | "different" => return Ok(Answer::Different),
            "n" | "not sure" => return Ok(Answer::NotSure),
            "q" | "quit" => return Ok(Answer::Quit),
            _ => {}
        }
    }
}

fn names(question: &Question) -> (String, String) {
    (question.a.id.clone(), question.b.id.clone())
}

fn head(question: &Question) -> String {
    format!("{}, {} likely to ask for the same:\n", question.agent, percent(question.probability))
}

fn both(question: &Question, width: usize) -> String {
    side(&question.a, width) + &side(&question.b, width)
}

fn side(side: &Side, width: usize) -> String {
    let mut voices: Vec<(&String, &u64)> = side.reviewers.iter().collect();
    voices.sort_by(|a, b| b.1.cmp(a.1).then(a.0.cmp(b.0)));
    let named: Vec<String> = voices.iter().take(VOICES).map(|(who, n)| format!("{who} ({n})")).collect();
    let others = voices.len().saturating_sub(VOICES);
    let others = if others == 0 { String::new() } else { format!(" and {others} more") };
    let title = format!("{}, {} by {}{others}", side.id, count(side.size, "remark"), named.join(", "));
    let remarks = side.remarks.iter().map(|said| paragraph(&format!("“{}”", said.text), width, 5));
    paragraph(&title, width, 3) + &remarks.collect::<String>()
}
