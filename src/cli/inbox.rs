//! `inbox`: items awaiting a person, most valuable first.

use super::context::Context;
use super::exit::{CliError, Exit};
use super::output::Output;
use super::page::{self, paragraph};
use crate::app::decisions::inbox::{Inbox, Item, Whose, inbox};
use crate::app::decisions::questions::SHOWN;
use crate::app::pipeline::clusters::inquiries;
use crate::domain::clusters::question::Inquiry;
use crate::text::prose;
use crate::text::prose::age;
use crate::wiring;
use crate::wiring::asked;
use jiff::Timestamp;

/// Whose inbox to show, and how much of it.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Whose: an id on the roster (reviewers.yaml). Default: items awaiting any person
    #[arg(long = "as", value_name = "ID", env = "FEEDBACKD_REVIEWER")]
    pub who: Option<String>,
    /// Only items about this agent
    #[arg(long)]
    pub agent: Option<String>,
    /// Maximum number; 0 for all
    #[arg(long, default_value_t = 9)]
    pub limit: usize,
    /// Leave out the questions about comments, which take a moment to find
    #[arg(long)]
    pub no_questions: bool,
}

/// Shows the inbox.
pub fn run(args: &Args, context: &Context<'_>, out: &mut Output<'_>) -> Result<Exit, CliError> {
    let now = wiring::now();
    let mut found = look(context, args.who.as_deref(), args.agent.as_deref(), !args.no_questions, now, out)?;
    let all = found.items.len();
    if args.limit > 0 && !out.is_json() {
        found.items.truncate(args.limit);
    }
    out.answer(&found, |o| show(&found, all, now, o.list_width()))?;
    Ok(Exit::Ok)
}

/// Returns what currently awaits a person.
pub(super) fn look(
    context: &Context<'_>,
    who: Option<&str>,
    agent: Option<&str>,
    with_questions: bool,
    now: Timestamp,
    out: &mut Output<'_>,
) -> Result<Inbox, CliError> {
    let (whose, asked) = (Whose { who, agent }, asked(&context.config()?));
    if !with_questions {
        return Ok(inbox(&context.reading(out)?.queries(), whose, &asked, None, now)?);
    }
    let comparing = context.comparing(out)?;
    let remembered = context.remembered(comparing.understanding())?;
    let questions: Vec<Inquiry> = inquiries::inquiries(&comparing.comparisons(), remembered, agent, SHOWN, now)?;
    Ok(inbox(&comparing.reading().queries(), whose, &asked, Some(&questions), now)?)
}

/// Formats an item's approvals: how many of how many.
pub(super) fn progress(item: &Item) -> String {
    item.progress.map_or_else(String::new, |progress| format!("{} of {}", progress.have, progress.needed))
}

/// Two lines per item on a terminal, so that nothing essential is cut; otherwise one line per record.
fn show(found: &Inbox, all: usize, now: Timestamp, width: Option<usize>) -> String {
    let mut text = match (&found.note, found.items.is_empty()) {
        (Some(note), _) => format!("{note}.\n"),
        (None, true) => {
            format!("Nothing waits{}.\n", found.who.as_ref().map_or(String::new(), |who| format!(" for {who}")))
        }
        (None, false) => String::new(),
    };
    let numbered = || found.items.iter().enumerate().map(|(at, item)| (at + 1, item));
    match width {
        None if !found.items.is_empty() => {
            let rows = numbered().map(|(n, item)| {
                let (kind, age) = (item.kind.word().to_owned(), age(item.since, now));
                vec![n.to_string(), kind, item.id.clone(), age, progress(item), item.title.clone(), item.why.clone()]
            });
            text += &page::list(&["", "kind", "id", "waits", "yes", "about", "why"], rows.collect(), None);
        }
        None => {}
        Some(width) => numbered().for_each(|(n, item)| text += &lines(n, item, now, width)),
    }
    let left = all - found.items.len();
    let mut more = Vec::new();
    if left > 0 {
        more.push(format!("{left} more (--limit 0)"));
    }
    if found.others > 0 {
        let wait = if found.others == 1 { "waits" } else { "wait" };
        more.push(format!("{} {wait} for others only", found.others));
    }
    match found.snoozed.len() {
        0 => {}
        1 => more.push("1 is snoozed".to_owned()),
        several => more.push(format!("{several} are snoozed")),
    }
    if !more.is_empty() {
        text += &format!("\n{}.\n", more.join("; "));
    }
    if let Some(who) = found.who.as_ref().filter(|_| !found.items.is_empty()) {
        text += &format!("{}To decide: feedbackd review --as {who}\n", if more.is_empty() { "\n" } else { "" });
    }
    text
}

fn lines(n: usize, item: &Item, now: Timestamp, width: usize) -> String {
    let (kind, id, waits) = (item.kind.word(), &item.id, age(item.since, now));
    let facts = format!("{n:>2}  {kind:13}  {id:20}  {waits:10}  {:6}", progress(item));
    let head = format!("{facts}  {}", prose::line(&item.agent, width.saturating_sub(facts.len() + 2).max(8)));
    let evidence = item.evidence.map_or_else(String::new, |evidence| format!("; {}", evidence.told()));
    let said = format!("{}: {}{evidence}", short(&item.title, width), item.why);
    let rule = item.text.as_ref().map_or_else(String::new, |text| paragraph(text, width, 6));
    format!("{}\n", head.trim_end()) + &paragraph(&said, width, 4) + &rule
}

/// Shortens a title to at most half a line.
fn short(title: &str, width: usize) -> String {
    prose::line(title.trim_end_matches('.'), (width / 2).max(20))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::decisions::inbox::{Kind, Progress};
    use crate::domain::testing::sample::moment;

    fn item(kind: Kind, id: &str, title: &str, why: &str, progress: Option<Progress>) -> Item {
        Item { why: why.into(), since: moment(0), progress, ..Item::new(kind, id, "coder", title) }
    }

    fn found() -> Inbox {
        let one = Some(Progress { have: 1, needed: 2 });
        Inbox {
            who: Some("ana".into()),
            items: vec![
                item(
                    Kind::Proposal,
                    "RULE-2026-0001",
                    "Give every call that can fail an explicit failure branch and a log line.",
                    "your approval is the last one it needs",
                    one,
                ),
                item(
                    Kind::MixedGroup,
                    "CLUSTER-aeb8fb970b50",
                    "Tests\u{202e}",
                    "3 of its 5 members are like no other",
                    None,
                ),
            ],
            others: 1,
            questions: true,
            looking: false,
            note: None,
            snoozed: vec![],
        }
    }

    #[test]
    fn it_fits_a_terminal() {
        let text = show(&found(), 3, moment(3 * 86_400), Some(80));
        assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
        insta::assert_snapshot!(text, @r"
         1  proposal       RULE-2026-0001        3 days      1 of 2  coder
            Give every call that can fail an…: your approval is the last one it needs
         2  mixed cluster  CLUSTER-aeb8fb970b50  3 days              coder
            Tests\u{202e}: 3 of its 5 members are like no other

        1 more (--limit 0); 1 waits for others only.
        To decide: feedbackd review --as ana
        ");
    }

    #[test]
    fn in_a_pipe_each_has_a_line() {
        let text = show(&found(), 2, moment(7200), None);
        insta::assert_snapshot!(text, @r"
           kind           id                    waits    yes     about                                                                     why
        1  proposal       RULE-2026-0001        2 hours  1 of 2  Give every call that can fail an explicit failure branch and a log line.  your approval is the last one it needs
        2  mixed cluster  CLUSTER-aeb8fb970b50  2 hours          Tests\u{202e}                                                             3 of its 5 members are like no other

        1 waits for others only.
        To decide: feedbackd review --as ana
        ");
    }

    #[test]
    fn who_has_nothing_to_do_is_told() {
        let nothing = Inbox { items: vec![], others: 2, ..found() };
        insta::assert_snapshot!(show(&nothing, 0, moment(0), Some(80)), @r"
        Nothing waits for ana.

        2 wait for others only.
        ");
    }
}
