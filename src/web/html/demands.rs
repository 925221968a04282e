//! Recurring demands as HTML: part of the daemon's page, or a self-contained file.

use super::strip::Strip;
use super::text::shown;
use crate::domain::reporting::demands::{Demands, Quote, Recurring, web_link};
use crate::text::prose::{count, percent};
use askama::Template;

/// The targets of its links.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Links {
    /// The daemon that shows it.
    Daemon,
    /// Only the forge: a file has no daemon.
    Forge,
}

/// The shared style sheet.
const STYLE: &str = include_str!("../page/assets/page.css");

#[derive(Template)]
#[template(path = "demands_body.html")]
struct Body<'a> {
    d: &'a Demands,
    linked: bool,
    /// The link to more patterns.
    more: &'a str,
    lists: [(&'static str, &'static str, &'static str, &'a [Recurring], u64); 2],
}

/// Renders the page section; `more` links to further patterns.
///
/// # Errors
/// If the template fails.
pub fn demands_body(demands: &Demands, links: Links, more: &str) -> Result<String, askama::Error> {
    let lists = [
        (
            "patterns",
            "What reviewers keep asking for",
            "Several people ask for each of these, or a person confirmed it. A rule is in force once people have \
             approved it.",
            demands.patterns.as_slice(),
            demands.more_patterns,
        ),
        (
            "by-one",
            "What only one person keeps asking for",
            "A second person asking would make each of these a pattern.",
            demands.by_one.as_slice(),
            demands.more_by_one,
        ),
    ];
    Body { d: demands, linked: links == Links::Daemon, more, lists }.render()
}

#[derive(Template)]
#[template(path = "demands_file.html")]
struct Whole<'a> {
    title: &'a str,
    notes: &'a [String],
    body: String,
}

/// Renders a self-contained file: no links into a daemon, no external resources, no scripts.
///
/// # Errors
/// If the template fails.
pub fn demands_file(demands: &Demands, title: &str, notes: &[String]) -> Result<String, askama::Error> {
    Whole { title, notes, body: demands_body(demands, Links::Forge, "")? }.render()
}

/// Returns how many comments besides the first are quoted.
fn others(one: &Recurring) -> String {
    count(one.evidence.len().saturating_sub(1) as u64, "more comment")
}

/// Returns the URL of a comment on the forge.
fn page_of(quote: &Quote) -> Option<&str> {
    quote.url.as_deref().and_then(web_link)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::reporting::demands::{DemandRule, LeftOut, Opposed, Period, Puzzle, Read, Where};
    use crate::domain::testing::sample::moment;

    const HOSTILE: &str = "<script>alert(1)</script><img src=x onerror=alert(1)>\u{202e}\"'";

    fn hostile() -> Demands {
        let quote = |url: &str| Quote {
            feedback_id: HOSTILE.into(),
            reviewer_id: HOSTILE.into(),
            at: moment(1),
            text: HOSTILE.repeat(20),
            file: Some(HOSTILE.into()),
            line: Some(7),
            task: Some(HOSTILE.into()),
            code: None,
            url: Some(url.into()),
        };
        let recurring = Recurring {
            demand: HOSTILE.into(),
            agent: HOSTILE.into(),
            groups: vec![HOSTILE.into()],
            confidence: 0.9,
            remarks: 9,
            people: 2,
            pull_requests: 3,
            tasks: 0,
            first: moment(1),
            last: moment(2),
            share: None,
            periods: vec![Period { period: HOSTILE.into(), remarks: 2 }],
            places: Where::default(),
            rule: Some(DemandRule {
                rule_id: HOSTILE.into(),
                text: HOSTILE.into(),
                state: "proposed".into(),
                paths: vec![HOSTILE.into()],
            }),
            not_proposed: Some(HOSTILE.into()),
            evidence: vec![
                quote("javascript:alert(1)"),
                quote("https://forge.example/7\"onmouseover=\"alert(1)"),
                quote("https://forge.example/7"),
            ],
            more_evidence: 6,
        };
        Demands {
            read: Read { reviews: 9, first: Some(moment(1)), last: Some(moment(2)), shared: 9, ..Read::default() },
            patterns: vec![recurring.clone()],
            by_one: vec![recurring],
            more_patterns: 4,
            contradictions: vec![Opposed {
                feedback_id: HOSTILE.into(),
                agent: HOSTILE.into(),
                text: HOSTILE.into(),
                reviewer_id: HOSTILE.into(),
                other_text: HOSTILE.into(),
                other_reviewer_id: HOSTILE.into(),
                question: HOSTILE.into(),
            }],
            questions: Some(vec![Puzzle {
                id: HOSTILE.into(),
                question: HOSTILE.into(),
                remarks: vec![HOSTILE.into()],
            }]),
            left_out: vec![LeftOut { reason: "bot".into(), why: HOSTILE.into(), count: 3 }],
            ..Demands::default()
        }
    }

    #[test]
    fn nothing_that_was_said_becomes_markup_or_a_link() {
        for links in [Links::Daemon, Links::Forge] {
            let html = demands_body(&hostile(), links, "/demands?limit=100").expect("it is made");
            for bad in ["<script", "<img", "javascript:", "onmouseover", "\u{202e}"] {
                // Allowed in text, not in markup.
                let text = html.replace("&lt;script", "").replace("&lt;img", "");
                assert!(!text.contains(bad), "{bad}: {html}");
            }
            assert!(html.contains("href=\"https://forge.example/7\" rel=\"noopener noreferrer\""), "{html}");
            assert!(!html.contains("NaN") && html.contains("4 more"), "{html}");
        }
    }

    #[test]
    fn a_file_needs_nothing_and_leads_to_the_forge_alone() {
        let html =
            demands_file(&hostile(), "What reviewers of octo/shop ask for", &[HOSTILE.to_owned()]).expect("made");
        assert!(html.starts_with("<!doctype html>") && html.contains("default-src 'none'; style-src 'unsafe-inline'"));
        let links: Vec<&str> = html.split("href=\"").skip(1).filter_map(|rest| rest.split('"').next()).collect();
        assert!(
            links.iter().all(|link| link.starts_with("https://forge.example/") || link.starts_with('#')),
            "{links:?}"
        );
        assert!(!html.contains("src=\"") && !html.contains("url(") && !html.contains("<script"), "{html}");
    }
}
