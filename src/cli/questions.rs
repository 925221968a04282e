//! `clusters review`: the few most valuable questions about the clusters, one at a time or as a list.
//!
//! Every answer is an ordinary review. The clusters are reloaded after each one, so the next question builds on it.

use super::context::Context;
use super::exit::{CliError, Exit};
use super::output::Output;
use super::page::{count, paragraph, percent};
use super::question_lists;
use super::submit::{self, Reviewer};
use crate::app::comments::analyzer::Analyzer;
use crate::app::pipeline::clusters::inquiries;
use crate::domain::clusters::question::{Inquiry, ListQuestion, Question, Side, is_same};
use crate::domain::records::record::RefusalCode;
use crate::text::language::catalogue::CompiledCatalogue;
use crate::wiring;
use serde::Serialize;
use serde_json::Value;
use std::collections::HashSet;
use std::io::BufRead;
use std::path::PathBuf;
use std::sync::Arc;

/// Maximum number of reviewers named per side.
const VOICES: usize = 5;

/// What to ask, and who answers.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Only about this agent
    #[arg(long)]
    agent: Option<String>,
    /// Maximum number of questions; 0 for all
    #[arg(long, default_value_t = 20)]
    limit: usize,
    /// Print the questions and the commands that answer them instead of asking. The default without a terminal
    #[arg(long)]
    list: bool,
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

/// A question with the commands that answer it.
#[derive(Serialize)]
#[serde(untagged)]
enum QuestionAnswer {
    Pair {
        #[serde(flatten)]
        question: Question,
        /// If they ask for the same.
        same: String,
        /// If they do not.
        different: String,
    },
    List {
        #[serde(flatten)]
        list: ListQuestion,
        /// If all ask for the same; `--others`, `--nothing` and `--particular` take the exceptions.
        sort: String,
    },
}

impl QuestionAnswer {
    fn new(inquiry: Inquiry, who: &str) -> QuestionAnswer {
        match inquiry {
            Inquiry::Pair(question) => {
                let command =
                    |word: &str| format!("feedbackd clusters {word} {} {} --as {who}", question.a.id, question.b.id);
                QuestionAnswer::Pair { same: command("same"), different: command("different"), question }
            }
            Inquiry::List(list) => QuestionAnswer::List { sort: question_lists::command(&list, who), list },
        }
    }

    fn page(&self, catalogue: &CompiledCatalogue, width: usize) -> String {
        match self {
            QuestionAnswer::Pair { question, same, different } => {
                format!("{}{}   {same}\n   {different}\n", head(question), both(question, width))
            }
            QuestionAnswer::List { list, sort } => {
                let others = "--others ID, --nothing ID, --particular ID take those that do not.";
                format!("{}   {sort}\n   {others}\n", question_lists::page(list, Some(catalogue), width))
            }
        }
    }
}

/// Asks the questions, or prints them.
pub fn run(args: &Args, context: &Context<'_>, out: &mut Output<'_>) -> Result<Exit, CliError> {
    let comparing = context.comparing(out)?;
    let limit = if args.limit == 0 { usize::MAX } else { args.limit };
    if !args.list
        && !out.is_json()
        && let Some(answers) = context.answers()
    {
        let Some(who) = args.who.clone() else {
            let hint = "name yourself with --as; --list shows the questions without asking";
            return Err(CliError::new(Exit::Usage, "no reviewer is named", hint));
        };
        let by = Reviewer { who, reason: args.reason.clone(), sign: args.sign.clone() };
        let session = Session { agent: args.agent.as_deref(), by, context };
        return session.ask(limit, answers, out);
    }
    let understanding = comparing.understanding();
    let remembered = context.remembered(understanding)?;
    let found =
        inquiries::inquiries(&comparing.comparisons(), remembered, args.agent.as_deref(), limit, wiring::now())?;
    let who = args.who.as_deref().unwrap_or("YOU");
    let listed: Vec<QuestionAnswer> = found.into_iter().map(|inquiry| QuestionAnswer::new(inquiry, who)).collect();
    out.answer(&listed, |o| {
        if listed.is_empty() {
            return "Nothing to ask.".to_owned();
        }
        let one = |(n, l): (usize, &QuestionAnswer)| {
            format!("{}. {}", n + 1, l.page(understanding.catalogue(), o.page_width()))
        };
        listed.iter().enumerate().map(one).collect::<Vec<_>>().join("\n")
    })?;
    Ok(Exit::Ok)
}

/// A person's session.
struct Session<'a> {
    agent: Option<&'a str>,
    by: Reviewer,
    context: &'a Context<'a>,
}

enum Answer {
    /// These reviews.
    Said(Vec<Value>),
    NotSure,
    Quit,
}

impl Session<'_> {
    fn ask(&self, limit: usize, mut answers: Box<dyn BufRead>, out: &mut Output<'_>) -> Result<Exit, CliError> {
        let (mut asked, mut recorded) = (0, 0);
        let mut left_open: HashSet<Vec<String>> = HashSet::new();
        while asked < limit {
            let Some((inquiry, understanding)) = self.next(&left_open)? else { break };
            asked += 1;
            let (width, catalogue) = (out.page_width(), understanding.catalogue());
            let actions = match &inquiry {
                Inquiry::Pair(question) => {
                    out.answer(question, |_| format!("\n{asked}. {}{}", head(question), both(question, width)))?;
                    answer(answers.as_mut(), question, out)?
                }
                Inquiry::List(list) => {
                    out.answer(list, |_| format!("\n{asked}. {}", question_lists::page(list, Some(catalogue), width)))?;
                    sorted(answers.as_mut(), list, out)?
                }
            };
            let actions = match actions {
                Answer::Said(actions) => actions,
                Answer::NotSure => {
                    left_open.insert(names(&inquiry));
                    continue;
                }
                Answer::Quit => break,
            };
            let mut counted = false;
            for action in actions {
                match self.submit(action, out)? {
                    true => counted = true,
                    // The clusters changed while the person was thinking.
                    false => {
                        left_open.insert(names(&inquiry));
                    }
                }
            }
            recorded += u64::from(counted);
        }
        let done = format!("\n{} recorded.", count(recorded, "answer"));
        let nothing = if asked == 0 { "Nothing to ask." } else { &done };
        out.answer(&recorded, |_| nothing.to_owned())?;
        Ok(Exit::Ok)
    }

    /// Submits an answer and prints its effect; returns false if it came too late.
    fn submit(&self, action: Value, out: &mut Output<'_>) -> Result<bool, CliError> {
        let submitted = self.context.submit(&submit::payload(&self.by, action, Some(&self.context.config()?))?)?;
        match &submitted.refusal {
            None => out.answer(&submitted, |_| submitted.effect.clone()).map(|()| true),
            Some(refusal)
                if matches!(
                    refusal.code,
                    RefusalCode::UnknownId | RefusalCode::Impossible | RefusalCode::AlreadyDecided
                ) =>
            {
                out.notice(&refusal.message);
                Ok(false)
            }
            Some(refusal) => Err(submit::refused(&submitted.id, refusal)),
        }
    }

    /// Returns the best question not yet skipped, and the understanding used to find it.
    fn next(&self, left_open: &HashSet<Vec<String>>) -> Result<Option<(Inquiry, Arc<Analyzer>)>, CliError> {
        let comparing = self.context.comparing_silently()?;
        let limit = left_open.len() + 1;
        let understanding = Arc::clone(comparing.understanding());
        let remembered = self.context.remembered(&understanding)?;
        let found = inquiries::inquiries(&comparing.comparisons(), remembered, self.agent, limit, wiring::now())?;
        let best = found.into_iter().find(|inquiry| !left_open.contains(&names(inquiry)));
        Ok(best.map(|best| (best, understanding)))
    }
}

/// Reads until a list is answered. End of input counts as quit.
fn sorted(answers: &mut dyn BufRead, list: &ListQuestion, out: &mut Output<'_>) -> Result<Answer, CliError> {
    loop {
        let Some(line) = typed(answers, question_lists::HELP, out)? else { return Ok(Answer::Quit) };
        match line.trim().to_ascii_lowercase().as_str() {
            "n" | "not sure" => return Ok(Answer::NotSure),
            "q" | "quit" => return Ok(Answer::Quit),
            line => match question_lists::read(line, list.remarks.len()) {
                Ok(marks) => return Ok(Answer::Said(list.answered(&marks))),
                Err(why) => out.raw(format!("{why}\n").as_bytes())?,
            },
        }
    }
}

/// Reads until there is an answer. End of input counts as quit.
fn answer(answers: &mut dyn BufRead, question: &Question, out: &mut Output<'_>) -> Result<Answer, CliError> {
    const ASK: &str = "Do these two ask for the same thing? s = same, d = different, n = not sure, q = quit: ";
    let said = |same: bool| Answer::Said(vec![is_same(&question.a.id, &question.b.id, same)]);
    loop {
        let Some(line) = typed(answers, ASK, out)? else { return Ok(Answer::Quit) };
        match line.trim().to_ascii_lowercase().as_str() {
            "s" | "same" => return Ok(said(true)),
            "d" | "different" => return Ok(said(false)),
            "n" | "not sure" => return Ok(Answer::NotSure),
            "q" | "quit" => return Ok(Answer::Quit),
            _ => {}
        }
    }
}

/// Reads a typed line; `None` at the end of input.
fn typed(answers: &mut dyn BufRead, ask: &str, out: &mut Output<'_>) -> Result<Option<String>, CliError> {
    out.raw(ask.as_bytes())?;
    let mut line = String::new();
    let read = answers.read_line(&mut line);
    if read.map_err(|e| CliError::new(Exit::Failure, format!("cannot read the answer: {e}"), ""))? == 0 {
        out.raw(b"\n")?;
        return Ok(None);
    }
    Ok(Some(line))
}

/// Returns what identifies a question.
fn names(inquiry: &Inquiry) -> Vec<String> {
    match inquiry {
        Inquiry::Pair(question) => vec![question.a.id.clone(), question.b.id.clone()],
        Inquiry::List(list) => list.remarks.iter().map(|said| said.feedback_id.clone()).collect(),
    }
}

/// Formats the two sides for display.
pub(super) fn pair(question: &Question, width: usize) -> String {
    head(question) + &both(question, width)
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
    let title = format!("{}, {} by {}{others}", side.id, count(side.size, "comment"), named.join(", "));
    let remarks = side.remarks.iter().map(|said| paragraph(&format!("“{}”", said.text), width, 5));
    paragraph(&title, width, 3) + &remarks.collect::<String>()
}
