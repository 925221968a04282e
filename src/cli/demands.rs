//! `demands`: what reviewers keep asking for, with the evidence.

use super::comment_source::CommentSource;
use super::context::Context;
use super::exit::{CliError, Exit};
use super::feedback::since;
use super::model::ModelArgs;
use super::output::Output;
use super::page::{count, paragraph};
use super::rehearsal;
use super::source_lesson::{self, Keep, Wanted};
use crate::app::decisions::questions;
use crate::app::forges::history::Tally;
use crate::app::pipeline::clusters::inquiries;
use crate::app::reports::demands::{DemandFilter, Demands, MOST, SHOWN, demands, left_out, puzzles};
use crate::domain::reporting::demands::{Quote, Recurring};
use crate::text::prose::percent;
use crate::wiring;
use jiff::Timestamp;
use serde::Serialize;
use std::path::PathBuf;

/// Filters for demands.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Read the reviews of this repository now, with no store, no Redis and no configuration, and write nothing:
    /// github:OWNER/NAME, gitlab:GROUP/NAME, gitea:URL, forgejo:URL, gerrit:URL, clone:PATH, or the repository's address.
    /// The token is that of GITHUB_TOKEN, GITLAB_TOKEN … or of `gh auth login`
    #[arg(long, value_name = "SOURCE", conflicts_with = "repository")]
    from: Option<CommentSource>,
    /// Only from this repository of a forge, OWNER/NAME
    #[arg(long)]
    repository: Option<String>,
    /// Only about this agent's work
    #[arg(long)]
    agent: Option<String>,
    /// Only from this day or time on (UTC if no offset is given)
    #[arg(long, value_name = "DATE", value_parser = since)]
    since: Option<Timestamp>,
    /// Only before this day or time
    #[arg(long, value_name = "DATE", value_parser = since)]
    until: Option<Timestamp>,
    /// Maximum number of patterns, up to 100
    #[arg(long, default_value_t = SHOWN)]
    limit: usize,
    /// Omit the questions about comments, which take a moment to find
    #[arg(long)]
    no_questions: bool,
    /// With --from: also write it as a self-contained HTML page
    #[arg(long, value_name = "FILE", requires = "from")]
    page: Option<PathBuf>,
    #[command(flatten)]
    model: ModelArgs,
}

/// Runs the command.
pub fn run(args: &Args, context: &Context<'_>, out: &mut Output<'_>) -> Result<Exit, CliError> {
    let filter = DemandFilter {
        repository: args.repository.clone(),
        agent: args.agent.clone(),
        since: args.since,
        until: args.until,
        limit: args.limit.clamp(1, MOST),
    };
    if let Some(source) = &args.from {
        return from_source(args, source, filter, context, out);
    }
    if args.model.is_named() {
        let what = "--model, --no-model and --model-answers belong to --from";
        return Err(CliError::new(Exit::Usage, what, "the daemon asks the model that is configured in [model]"));
    }
    let mut found = if args.no_questions {
        demands(&context.reading(out)?.queries(), &filter)?
    } else {
        let comparing = context.comparing(out)?;
        let remembered = context.remembered(comparing.understanding())?;
        let (agent, now) = (args.agent.as_deref(), wiring::now());
        let asked = inquiries::inquiries(&comparing.comparisons(), remembered, agent, questions::SHOWN, now)?;
        let found = demands(&comparing.reading().queries(), &filter)?;
        Demands { questions: Some(puzzles(&asked)), ..found }
    };
    found.left_out = left_out(&wiring::noted(&context.config()?), args.repository.as_deref());
    out.answer(&found, |o| text(&found, true, o.page_width()))?;
    Ok(Exit::Ok)
}

/// What `demands --from` answers.
#[derive(Serialize)]
struct Answer<'a> {
    source: String,
    repository: &'a str,
    since: Option<Timestamp>,
    #[serde(flatten)]
    tally: &'a Tally,
    demands: &'a Demands,
    notes: Vec<String>,
    /// The page that was written.
    #[serde(skip_serializing_if = "Option::is_none")]
    page: Option<String>,
    /// The command that goes on from here.
    next: String,
}

fn from_source(
    args: &Args,
    source: &CommentSource,
    filter: DemandFilter,
    context: &Context<'_>,
    out: &mut Output<'_>,
) -> Result<Exit, CliError> {
    if args.since.zip(args.until).is_some_and(|(since, until)| until <= since) {
        return Err(CliError::new(Exit::Usage, "--until is before --since", "give a later date"));
    }
    // The source is read from then to then, so nothing else of the filter is left to do.
    let filter = DemandFilter { limit: filter.limit, ..DemandFilter::default() };
    let (since, until, agent) = (args.since, args.until, args.agent.as_deref());
    let wanted = Wanted { source, since, until, agent, model: &args.model, filter };
    let mut lesson = source_lesson::read(&wanted, &context.config()?, Keep::Nothing, out)?;
    if args.no_questions {
        lesson.outcome.demands.questions = None;
    }
    let notes = match lesson.outcome.rejected {
        0 => Vec::new(),
        rejected => vec![format!("{} could not be understood.", count(rejected, "decision"))],
    };
    if let Some(path) = &args.page {
        rehearsal::write(path, &lesson.outcome.demands, &lesson.repository, &notes)?;
    }
    let page = args.page.as_ref().map(|path| std::path::absolute(path).unwrap_or_else(|_| path.clone()));
    let from = lesson.since.map_or_else(String::new, |since| format!(" --since {}", since.strftime("%Y-%m-%d")));
    let answer = Answer {
        source: source.to_string(),
        repository: &lesson.repository,
        since: lesson.since,
        tally: &lesson.tally,
        demands: &lesson.outcome.demands,
        notes,
        page: page.map(|page| page.display().to_string()),
        next: format!("feedbackd init --from {source}{from}"),
    };
    out.answer(&answer, |o| {
        let width = o.page_width();
        let mut said = lesson.told(width) + "\n";
        answer.notes.iter().for_each(|note| said += &paragraph(note, width, 0));
        said += &text(answer.demands, false, width);
        if answer.demands.more_patterns + answer.demands.more_by_one > 0 {
            said += &format!("\n--limit {MOST} shows more patterns.");
        }
        said += "\nNothing was written.";
        if let Some(page) = &answer.page {
            said += &format!(" The page: file://{page}");
        }
        said + &format!("\nTo keep this in a store, and to have rules proposed from it:\n  {}\n", answer.next)
    })?;
    Ok(Exit::Ok)
}

/// Renders everything in lines of this width. What is not `kept` in the store cannot be looked up there.
pub(super) fn text(found: &Demands, kept: bool, width: usize) -> String {
    let mut text = paragraph(&found.summary(), width, 0);
    if found.read.reviews == 0 {
        return text;
    }
    text.push('\n');
    for (n, what) in found.figures() {
        text += &format!("{n:>7}  {what}\n");
    }
    text.push('\n');
    found.caution().iter().for_each(|line| text += &paragraph(line, width, 0));
    text += "\nWhat reviewers keep asking for\n";
    if found.patterns.is_empty() {
        text += "\n  Nothing that two people ask for was found.\n";
    }
    text += &list(&found.patterns, found.more_patterns, kept, width);
    if !found.by_one.is_empty() {
        text += "\nWhat only one person keeps asking for: a second person is missing\n";
        text += &list(&found.by_one, found.more_by_one, kept, width);
    }
    let questions = found.questions.as_deref().unwrap_or_default();
    if !questions.is_empty() {
        text += match kept {
            true => "\nQuestions worth answering: feedbackd clusters review --as YOU\n\n",
            false => "\nQuestions worth answering, once this is in a store\n\n",
        };
        questions.iter().for_each(|one| text += &paragraph(&one.told(), width, 2));
    }
    if !found.contradictions.is_empty() {
        text += "\nWhere reviewers disagree; nothing is learned from these until they are decided\n\n";
        for one in &found.contradictions {
            text += &paragraph(&format!("{} ({})", one.told(), one.feedback_id), width, 2);
        }
        text += &more(found.more_contradictions);
    }
    if !found.left_out.is_empty() {
        text += "\nWhat is not learned from, as far as it was recorded\n\n";
        for one in &found.left_out {
            text += &format!("{:>7}  {}\n", one.count, one.why);
        }
    }
    text
}

fn list(all: &[Recurring], left: u64, kept: bool, width: usize) -> String {
    let mut text = String::new();
    for (n, one) in all.iter().enumerate() {
        text += &format!("\n{}", paragraph(&format!("{}. {}", n + 1, one.demand), width, 2));
        text += &described(one, kept, width);
    }
    text + &more(left)
}

fn described(one: &Recurring, kept: bool, width: usize) -> String {
    let mut lines = vec![format!("{}; {}", one.told(), one.agent)];
    let sure = format!("It is {} likely that they ask for the same thing.", percent(one.confidence));
    lines.push(one.often().map_or_else(|| sure.clone(), |often| format!("{often}. {sure}")));
    if one.periods.len() > 1 {
        lines.push(one.over_time());
    }
    lines.push(one.places.told());
    match (&one.rule, &one.not_proposed) {
        (Some(rule), _) => {
            let paths =
                if rule.paths.is_empty() { String::new() } else { format!(", for {} alone", rule.paths.join(", ")) };
            lines.push(format!("Rule {}, {}{paths}: {}", rule.rule_id, rule.state, rule.text));
        }
        (None, Some(why)) => lines.push(format!("No rule is proposed: {why}")),
        (None, None) => {}
    }
    let told = lines.iter().filter(|line| !line.is_empty());
    let mut text: String = told.map(|line| paragraph(line, width, 5)).collect();
    one.evidence.iter().for_each(|quote| text += &quoted(quote, width));
    if one.more_evidence > 0 {
        let place = if kept { format!(": feedbackd clusters show {}", one.groups.join(" ")) } else { String::new() };
        text += &format!("     and {} more{place}\n", one.more_evidence);
    }
    text
}

fn quoted(quote: &Quote, width: usize) -> String {
    let mut text = paragraph(&format!("“{}”", quote.text), width, 5);
    text += &paragraph(&format!("{} ({})", quote.by(), quote.feedback_id), width, 7);
    if let Some(url) = &quote.url {
        text += &format!("       {url}\n");
    }
    text
}

fn more(left: u64) -> String {
    if left == 0 { String::new() } else { format!("\n  and {left} more\n") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::reporting::demands::{DemandRule, LeftOut, Period, Puzzle, Read, Share, Where};
    use crate::domain::testing::sample::moment;

    #[test]
    fn it_fits_a_terminal() {
        let quote = Quote {
            feedback_id: "github-octo-shop-12-review-7".into(),
            reviewer_id: "ann".into(),
            at: moment(7),
            text: "Handle the error of this call, please; the gateway says no more than once a week.\u{202e}".into(),
            file: Some("src/api.rs".into()),
            line: Some(7),
            task: Some("octo/shop#12".into()),
            code: None,
            url: Some("https://github.com/octo/shop/pull/12#discussion_r7".into()),
        };
        let recurring = Recurring {
            demand: "Give every call that can fail an explicit failure branch.".into(),
            agent: "coding-agent".into(),
            groups: vec!["CLUSTER-aeb8fb970b50".into()],
            confidence: 0.93,
            remarks: 12,
            people: 4,
            pull_requests: 9,
            tasks: 0,
            first: moment(7),
            last: moment(90 * 86_400),
            share: Some(Share { part: 12, of: 312, low: 0.0221, high: 0.0661 }),
            periods: vec![
                Period { period: "2026-01".into(), remarks: 11 },
                Period { period: "2026-02".into(), remarks: 0 },
                Period { period: "2026-03".into(), remarks: 1 },
            ],
            places: Where::default(),
            rule: Some(DemandRule {
                rule_id: "RULE-2026-0001".into(),
                text: "Give every call that can fail (network, file) an explicit failure branch.".into(),
                state: "proposed".into(),
                paths: vec!["*.rs".into()],
            }),
            not_proposed: None,
            evidence: vec![quote],
            more_evidence: 11,
        };
        let read = Read {
            reviews: 312,
            pull_requests: 120,
            people: 9,
            first: Some(moment(0)),
            last: Some(moment(90 * 86_400)),
            shared: 12,
            once: 299,
            particular: 1,
            ..Read::default()
        };
        let questions = vec![Puzzle {
            id: "ASK-1".into(),
            question: "Which of 8 remarks ask for the same?".into(),
            remarks: vec!["Name it better".into(), "The name says little".into()],
        }];
        let left_out = vec![LeftOut { reason: "bot".into(), why: "a program said it".into(), count: 80 }];
        let found = Demands {
            read,
            patterns: vec![recurring],
            more_patterns: 2,
            questions: Some(questions),
            left_out,
            ..Demands::default()
        };
        let text = super::super::output::clean(&text(&found, true, 80)).into_owned();
        assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
        insta::assert_snapshot!(text, @r"
        312 reviews of 120 pull requests by 9 people were read, from 2026-01-12 to
        2026-04-12. Of these 312 ask for something: 12 for one of 3 patterns.

             12  ask for something that another person also asks for
            299  ask for something that no one else was found to ask for
              1  ask for something too specific for a rule

        No one has checked the patterns found here yet. On six real projects 15 of the
        17 patterns found were right, but only 14 of 88 recurring demands were found.
        After people answered 20 questions in each, 32 of 34 were right, and 31 of 88
        were found. So recurring demands may be missing from the list, and your answers
        find more.
        Read the evidence before you trust a pattern.

        What reviewers keep asking for

          1. Give every call that can fail an explicit failure branch.
             12 comments by 4 people on 9 pull requests, from 2026-01-12 to 2026-04-12;
             coding-agent
             12 of 312 reviews of this agent's work ask for it (95 % interval: 2 to 7 of
             100). It is 93 % likely that they ask for the same thing.
             2026-01: 11, 2026-03: 1
             Rule RULE-2026-0001, proposed, for *.rs alone: Give every call that can
             fail (network, file) an explicit failure branch.
             “Handle the error of this call, please; the gateway says no more than once
             a week.\u{202e}”
               ann, 2026-01-12, octo/shop#12, src/api.rs:7
               (github-octo-shop-12-review-7)
               https://github.com/octo/shop/pull/12#discussion_r7
             and 11 more: feedbackd clusters show CLUSTER-aeb8fb970b50

          and 2 more

        Questions worth answering: feedbackd clusters review --as YOU

          Which of 8 remarks ask for the same? “Name it better” “The name says little”

        What is not learned from, as far as it was recorded

             80  a program said it
        ");
    }
}
