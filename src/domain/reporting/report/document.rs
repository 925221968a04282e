//! A report in words: sections of sentences and tables, also as Markdown. Terminal layout is done elsewhere.
//!
//! External text (names, titles, comments) is kept on one line and cannot become markup.

use super::contents::{
    Acceptance, AgentRates, EdgeCases, Gaps, QuarterRate, QuarterShare, Report, ReviewTime, TimeToRule, Waiting, Week,
};
use super::scope::{GAP_DAYS, HOURS_TO_RULE};
use super::section::Section;
use super::{Share, channels};
use crate::text::prose::{count, one_line};
use jiff::Timestamp;

/// The number of agents with lines of their own; the others are in the JSON.
const AGENTS: usize = 30;

/// The same for reviewers.
const REVIEWERS: usize = 10;

/// The number of quarters shown for each agent.
const QUARTERS: usize = 6;

/// A report for people.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Document {
    /// The first line.
    pub title: String,
    /// The sections below it, in order.
    pub sections: Vec<Section>,
}

impl Document {
    /// Returns the document as Markdown.
    pub fn markdown(&self) -> String {
        let mut text = format!("# {}\n", escape(&self.title));
        for s in &self.sections {
            text.push_str(&format!("\n## {}\n", escape(&s.title)));
            for line in &s.lines {
                text.push_str(&format!("\n{}\n", escape(line)));
            }
            if !s.rows.is_empty() {
                text.push_str(&format!("\n| {} |\n|{}\n", s.header.join(" | "), " --- |".repeat(s.header.len())));
                for row in &s.rows {
                    let cells: Vec<String> = row.iter().map(|c| cell(c)).collect();
                    text.push_str(&format!("| {} |\n", cells.join(" | ")));
                }
            }
            for line in &s.notes {
                text.push_str(&format!("\n{}\n", escape(line)));
            }
        }
        text
    }
}

/// Returns the report in words.
pub fn document(r: &Report) -> Document {
    let whom = r.agent.as_ref().map_or("all agents".to_owned(), |a| format!("the {a}"));
    let since = r.since.map_or("the beginning".to_owned(), |s| format!("{} UTC", minute(s)));
    let title = match &r.week {
        Some(week) => format!("Week of {}: what was learned", week.from.strftime("%Y-%m-%d")),
        None => format!("Report of {} UTC", minute(r.at)),
    };
    let mut sections = vec![overview(r, &format!("About {whom}, from {since} to {} UTC.", minute(r.at)))];
    sections.extend(r.week.as_ref().map(week));
    sections.push(correction_rate(&r.correction_rate, &r.correction_rate_by_agent));
    sections.push(acceptance(&r.acceptance));
    sections.push(time_to_rule(&r.time_to_rule));
    sections.push(edge_cases(&r.edge_cases));
    sections.push(review_time(&r.review_time));
    sections.push(gaps(&r.gaps));
    sections.push(waiting("Pending proposals", "proposal", &r.waiting));
    sections.push(waiting("Pending contradictions", "feedback", &r.tiebreaks));
    sections.push(reviews(r));
    sections.extend(channels::sections(r));
    Document { title, sections }
}

fn overview(r: &Report, about: &str) -> Section {
    let total: u64 = r.classes.iter().map(|c| c.count).sum();
    let row = |c: &super::contents::ClassCount| vec![c.classification.as_str().to_owned(), c.count.to_string()];
    Section {
        title: "Feedback".into(),
        lines: vec![about.to_owned(), format!("{}.", count(total, "decision"))],
        header: vec!["class", "records"],
        rows: r.classes.iter().map(row).collect(),
        ..Section::default()
    }
}

fn week(w: &Week) -> Section {
    let rows = [
        ("decisions", w.decisions),
        ("of these, corrections", w.corrections),
        ("proposals made", w.proposed),
        ("proposals approved", w.approved),
        ("proposals rejected", w.rejected),
        ("proposals expired", w.expired),
        ("rules activated", w.activated),
        ("rules ended", w.ended),
    ];
    Section {
        title: "This week".into(),
        header: vec!["what", "how many"],
        rows: rows.map(|(what, n)| vec![what.to_owned(), n.to_string()]).into(),
        ..Section::default()
    }
}

fn correction_rate(all: &[QuarterRate], by_agent: &[AgentRates]) -> Section {
    let mut rows = vec![];
    let mut put = |agent: &str, quarters: &[QuarterRate]| {
        rows.extend(quarters.iter().skip(quarters.len().saturating_sub(QUARTERS)).map(|q| {
            vec![
                agent.to_owned(),
                format!("{}{}", q.quarter, if q.in_part { "*" } else { "" }),
                of(&q.share),
                rate(&q.share),
                interval(&q.share),
                q.change.map_or("-".to_owned(), signed),
                if q.share.rate.is_none() { judged(None) } else { q.met.map_or("-".to_owned(), |m| judged(Some(m))) },
            ]
        }));
    };
    by_agent.iter().take(AGENTS).for_each(|a| put(&a.agent, &a.quarters));
    if by_agent.len() > 1 {
        put("all agents", all);
    }
    let cut = all.iter().any(|q| q.in_part).then(|| "* This quarter is counted only in part.".to_owned());
    let left = by_agent.len().saturating_sub(AGENTS);
    let more = (left > 0).then(|| format!("{} more: --json shows all.", count(left as u64, "agent")));
    Section {
        title: "Correction rate".into(),
        lines: vec!["Corrections per decision. Target: 20 % fewer than in the previous quarter.".into()],
        header: vec!["agent", "quarter", "corrections", "rate", "95 % interval", "change", "target"],
        rows,
        notes: cut.into_iter().chain(more).collect(),
    }
}

fn acceptance(a: &Acceptance) -> Section {
    let expired = match a.expired {
        0 => String::new(),
        n => format!(
            " {} expired undecided and {} not counted.",
            count(n, "proposal"),
            if n == 1 { "is" } else { "are" }
        ),
    };
    Section {
        title: "Proposal acceptance".into(),
        lines: vec![format!(
            "Approval rate: {}. Target: more than 70 %: {}.{expired}",
            figure(&a.share),
            judged(a.met)
        )],
        ..by_quarter(&a.by_quarter, "approved")
    }
}

fn time_to_rule(t: &TimeToRule) -> Section {
    let times = match (t.median_hours, t.p90_hours) {
        (Some(median), Some(p90)) => format!("median {median} h, 90 % within {p90} h"),
        _ => "too few for a median".to_owned(),
    };
    Section {
        title: "From pattern to active rule".into(),
        lines: vec![format!(
            "{}: {times}. Target: a median under {HOURS_TO_RULE} h: {}.",
            count(t.rules, "rule"),
            judged(t.met)
        )],
        ..Section::default()
    }
}

fn edge_cases(e: &EdgeCases) -> Section {
    Section {
        title: "One-offs".into(),
        lines: vec![
            format!("Share of all corrections: {}. Target: less than 30 %: {}.", figure(&e.share), judged(e.met)),
            format!("{} still open, {} became part of a pattern.", count(e.open, "one-off"), e.promoted),
        ],
        ..by_quarter(&e.by_quarter, "one-offs")
    }
}

fn by_quarter(all: &[QuarterShare], what: &'static str) -> Section {
    let row = |q: &QuarterShare| vec![q.quarter.to_string(), of(&q.share), rate(&q.share), interval(&q.share)];
    Section {
        header: vec!["quarter", what, "rate", "95 % interval"],
        rows: all.iter().skip(all.len().saturating_sub(QUARTERS)).map(row).collect(),
        ..Section::default()
    }
}

fn review_time(t: &ReviewTime) -> Section {
    let times = match (t.median_seconds, t.p95_seconds) {
        (Some(median), Some(p95)) => {
            format!("median {}, 95 % within {}; {} above that", length(median), length(p95), t.over_p95)
        }
        _ => "too few for a median".to_owned(),
    };
    let row = |h: &super::contents::Habit| vec![h.reviewer.clone(), of(&h.rubber_stamps), of(&h.long_reviews)];
    let left = t.by_reviewer.len().saturating_sub(REVIEWERS);
    Section {
        title: "Reviews at the gates".into(),
        lines: vec![
            format!("{} with a known time: {times}.", count(t.measured, "review")),
            format!(
                "Rubber stamps (approved in under {} without a comment): {} of the approvals.",
                length(t.rubber_stamp_seconds),
                figure(&t.rubber_stamps)
            ),
            format!("Long reviews (over {}): {}.", length(t.long_review_seconds), figure(&t.long_reviews)),
        ],
        header: vec!["reviewer", "rubber stamps", "long reviews"],
        rows: t.by_reviewer.iter().take(REVIEWERS).map(row).collect(),
        notes: (left > 0)
            .then(|| format!("{} more: --json shows all.", count(left as u64, "reviewer")))
            .into_iter()
            .collect(),
    }
}

fn gaps(g: &Gaps) -> Section {
    let agent = |a: &super::contents::GapAgent| {
        format!(
            "{}: {} of {} decisions in {GAP_DAYS} days were corrections, about {} different things.",
            a.agent, a.share.part, a.share.of, a.themes
        )
    };
    let mut lines: Vec<String> = g.agents.iter().map(agent).collect();
    if lines.is_empty() {
        lines.push("No agent is corrected for many different things.".into());
    }
    if g.raised > 0 {
        let latest = if g.raised > g.alerts.len() as u64 { ", most recent" } else { "" };
        lines.push(format!("{} raised{latest}:", count(g.raised, "alert")));
    }
    let row = |a: &super::contents::GapAlert| vec![day(a.raised_at), a.agent.clone(), a.message.clone()];
    Section {
        title: "Capability gaps".into(),
        lines,
        header: vec!["raised", "agent", "alert"],
        rows: g.alerts.iter().map(row).collect(),
        ..Section::default()
    }
}

fn waiting(title: &str, what: &'static str, w: &Waiting) -> Section {
    let row = |i: &super::contents::WaitingItem| vec![i.id.clone(), age(i.hours), i.agents.clone(), i.about.clone()];
    let rows: Vec<_> = w.oldest.iter().map(row).collect();
    let first = match (w.count, rows.len() as u64) {
        (0, _) => "None.".to_owned(),
        (1, _) => "1 waits.".to_owned(),
        (all, shown) if all > shown => format!("{all} pending; the oldest {shown}:"),
        (all, _) => format!("{all} wait."),
    };
    Section {
        title: title.to_owned(),
        lines: vec![first],
        header: vec![what, "waits", "agent", "about"],
        rows,
        ..Section::default()
    }
}

fn reviews(report: &Report) -> Section {
    let r = &report.reviews;
    let row = |c: &super::contents::RefusalCount| vec![c.code.as_str().to_owned(), c.count.to_string()];
    Section {
        title: "Reviews of proposals and rules".into(),
        lines: vec![format!("{} accepted, {} refused.", count(r.accepted, "review"), r.refused)],
        header: vec!["refused because", "how often"],
        rows: r.refusals.iter().map(row).collect(),
        ..Section::default()
    }
}

/// Formats the share with its counts and its interval.
fn figure(s: &Share) -> String {
    match s.rate {
        Some(_) => format!("{} ({}, 95 % interval {})", rate(s), of(s), interval(s)),
        None => format!("{} (too few)", of(s)),
    }
}

pub(super) fn of(s: &Share) -> String {
    format!("{} of {}", s.part, s.of)
}

fn rate(s: &Share) -> String {
    s.rate.map_or("too few".to_owned(), percent)
}

fn interval(s: &Share) -> String {
    match (s.low, s.high) {
        (Some(low), Some(high)) => format!("{:.0} to {}", low * 100.0, percent(high)),
        _ => "-".to_owned(),
    }
}

fn percent(value: f64) -> String {
    format!("{:.0} %", value * 100.0)
}

fn signed(value: f64) -> String {
    let whole = (value * 100.0).round();
    if whole == 0.0 { "0 %".to_owned() } else { format!("{whole:+} %") }
}

fn judged(met: Option<bool>) -> String {
    match met {
        Some(true) => "met",
        Some(false) => "missed",
        None => "too few",
    }
    .to_owned()
}

fn age(hours: i64) -> String {
    if hours < 48 { format!("{hours} h") } else { format!("{} days", hours / 24) }
}

fn length(seconds: u64) -> String {
    if seconds < 120 { format!("{seconds} s") } else { format!("{} min", seconds / 60) }
}

fn minute(at: Timestamp) -> String {
    at.strftime("%Y-%m-%d %H:%M").to_string()
}

fn day(at: Timestamp) -> String {
    at.strftime("%Y-%m-%d").to_string()
}

/// Escapes a line so that Markdown shows it verbatim, even at the start of a paragraph.
fn escape(text: &str) -> String {
    let safe = cell(text);
    if safe.starts_with(['#', '+', '-', '>']) { format!("\\{safe}") } else { safe }
}

/// Escapes a line so that Markdown shows it verbatim within a table.
fn cell(text: &str) -> String {
    let line = one_line(text);
    let mut safe = String::with_capacity(line.len());
    let mut before = ' ';
    let mut rest = line.chars().peekable();
    while let Some(c) = rest.next() {
        // An underscore within a word is not markup.
        let within = before.is_alphanumeric() && rest.peek().is_some_and(|n| n.is_alphanumeric());
        if c.is_control() {
            safe.extend(c.escape_unicode());
        } else {
            if matches!(c, '\\' | '|' | '`' | '*' | '<' | '[' | ']' | '&' | '~') || (c == '_' && !within) {
                safe.push('\\');
            }
            safe.push(c);
        }
        before = c;
    }
    safe
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_comes_from_outside_is_no_markup() {
        let hostile = "# a | b\n<script> [x](y) ![z](w) `c` _d_ e_f &amp;\u{1b}";
        assert_eq!(escape(hostile), r"\# a \| b \<script> \[x\](y) !\[z\](w) \`c\` \_d\_ e_f \&amp;\u{1b}");
        assert_eq!([escape("- x"), cell("-40 %")], [r"\- x", "-40 %"]);
    }

    #[test]
    fn numbers_read_well() {
        assert_eq!([signed(-0.251), signed(0.0004), signed(0.2)], ["-25 %", "0 %", "+20 %"]);
        assert_eq!([age(47), age(49)], ["47 h", "2 days"]);
        assert_eq!([length(5), length(1_800)], ["5 s", "30 min"]);
        assert_eq!(figure(&Share::new(1, 4)), "1 of 4 (too few)");
        assert_eq!(figure(&Share::new(8, 10)), "80 % (8 of 10, 95 % interval 49 to 94 %)");
    }
}
