//! What reviewers keep asking for, as text for a terminal.

use super::page::paragraph;
use crate::app::reports::demands::Demands;
use crate::domain::reporting::demands::{Quote, Recurring};
use crate::text::prose::percent;

/// Renders everything in lines of this width. What is not `kept` in the store cannot be looked up there.
pub fn text(found: &Demands, kept: bool, width: usize) -> String {
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
