//! Title and text of the pull request: which rules are added, changed and removed, and why.
//!
//! Text from people and files is formatted as code, so that no forge turns it into a mention, a link, an issue or HTML.

use super::draft::{Change, Draft};
use super::step::Marker;
use crate::text::ids::{safe_name, short_hash};
use crate::text::prose::{beginning, count, one_line};
use crate::text::redact::clean_text;
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// The maximum length of a text, in bytes: GitHub takes 65,536 characters.
const LONGEST: usize = 60_000;
/// The displayed length of a rule, in characters; the change itself shows all of it.
const SHOWN: usize = 400;
/// The maximum number of approvers and gates named.
const NAMED: usize = 6;

/// Why a rule is in force, or why it no longer is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RuleFacts {
    /// The number of comments that ask for it.
    pub remarks: u64,
    /// The number of their authors.
    pub reviewers: usize,
    /// The gates at which they were made.
    pub gates: Vec<String>,
    pub approved_by: Vec<String>,
    /// How it left force, for example “retired on 2026-11-20”, and why.
    pub ended: Option<(String, Option<String>)>,
}

/// The title and body of a pull request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Text {
    pub title: String,
    /// With the marker at its end.
    pub body: String,
    pub marker: Marker,
}

/// Builds the text for a draft. `facts` are those of rules by id; `pages` is where people can read about them, if there
/// is such a place.
pub fn text(agent: &str, draft: &Draft, facts: &BTreeMap<String, RuleFacts>, pages: Option<&str>) -> Text {
    let changes = &draft.changes;
    let kinds = [("new", changes.came.len()), ("changed", changes.changed.len()), ("gone", changes.gone.len())];
    let told: Vec<String> = kinds.iter().filter(|(_, n)| *n > 0).map(|(kind, n)| format!("{n} {kind}")).collect();
    let told = if told.is_empty() { "section rebuilt".to_owned() } else { told.join(", ") };
    let title = format!("Learned rules for {}: {told}", safe_name(agent));
    let files: Vec<String> = draft.files.iter().map(|file| code(file.path)).collect();
    let mut body = format!(
        "The rules in force for {}, for agents to read in {}. Each comes from reviewers' comments and was approved by \
         people. Only the section between the markers changes.\n",
        code(agent),
        files.join(", ")
    );
    let mut left_out = 0;
    for (heading, changes) in [("New", &changes.came), ("Changed", &changes.changed), ("Gone", &changes.gone)] {
        for (number, change) in changes.iter().enumerate() {
            let mut entry = if number == 0 { format!("\n### {heading}\n\n") } else { String::new() };
            entry += &told_of(change, facts.get(&change.rule_id), pages);
            if left_out == 0 && body.len() + entry.len() <= LONGEST {
                body += &entry;
            } else {
                left_out += 1;
            }
        }
    }
    if left_out > 0 {
        let _ = write!(body, "\n{} more: see the diff for all of them.\n", count(left_out, "rule"));
    }
    if !draft.left_alone.is_empty() {
        body += "\n### Not changed\n\n";
        for (path, why) in &draft.left_alone {
            let _ = writeln!(body, "- {}: {}", code(path), code(why));
        }
    }
    body += "\n---\nIf you merge it, agents read the rules. If you close it, it stays closed until the rules change. \
             It is updated automatically until you commit to its branch.\n";
    let marker = Marker { rules: draft.rules_hash.clone(), text: short_hash(&["text", &title, &body]) };
    let _ = writeln!(body, "\n{}", marker.line());
    Text { title, body, marker }
}

/// Returns the text of a pull request closed because it is empty. It has no marker: no one rejected it.
pub fn closing_text(agent: &str) -> String {
    format!("Closed: the files contain exactly the rules in force for {}.\n", code(agent))
}

fn told_of(change: &Change, facts: Option<&RuleFacts>, pages: Option<&str>) -> String {
    // The id of a removed rule was read from a file.
    let id = safe_name(&change.rule_id);
    let named = match pages.filter(|_| facts.is_some()) {
        Some(pages) => format!("[`{id}`](<{}/rules/{id}>)", pages.trim_end_matches('/')),
        None => format!("`{id}`"),
    };
    let said = change.after.as_deref().or(change.before.as_deref()).map(rule).unwrap_or_default();
    let mut entry = format!("- {named} {said}\n");
    if let (Some(before), Some(_)) = (&change.before, &change.after) {
        let _ = writeln!(entry, "  Before: {}", rule(before));
    }
    let why = match (facts, &change.after) {
        (Some(facts), Some(_)) => because(facts),
        (facts, None) => match facts.and_then(|facts| facts.ended.as_ref()) {
            Some((how, Some(why))) => format!("It was {how}: {}", code(why)),
            Some((how, None)) => format!("It was {how}."),
            None => "It is not in force for this agent.".to_owned(),
        },
        (None, Some(_)) => String::new(),
    };
    if !why.is_empty() {
        let _ = writeln!(entry, "  {why}");
    }
    entry
}

fn because(facts: &RuleFacts) -> String {
    let mut why = count(facts.remarks, "comment");
    if facts.reviewers > 0 {
        let _ = write!(why, " by {}", count(facts.reviewers as u64, "reviewer"));
    }
    if !facts.gates.is_empty() {
        let _ = write!(why, " at {}", named(&facts.gates));
    }
    if facts.approved_by.is_empty() {
        return why + ".";
    }
    format!("{why}; approved by {}.", named(&facts.approved_by))
}

fn named(names: &[String]) -> String {
    let mut all: Vec<String> = names.iter().take(NAMED).map(|name| code(name)).collect();
    if names.len() > NAMED {
        all.push(format!("{} more", names.len() - NAMED));
    }
    all.join(", ")
}

/// Returns a rule as in a file: within code, mentions need no backslash.
fn rule(text: &str) -> String {
    code(&text.replace("\\@", "@"))
}

/// Formats a line as code, with a fence longer than any run of backticks in it.
fn code(text: &str) -> String {
    let line = one_line(&clean_text(text));
    let shown = beginning(&line, SHOWN);
    let shown = if shown.len() < line.len() { format!("{shown}…") } else { shown.to_owned() };
    let longest = shown.split(|c| c != '`').map(str::len).max().unwrap_or_default();
    let fence = "`".repeat(longest + 1);
    // Empty code would be two backticks, and backticks at an end would belong to the fence.
    let gap = if shown.is_empty() || shown.starts_with('`') || shown.ends_with('`') { " " } else { "" };
    format!("{fence}{gap}{shown}{gap}{fence}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::in_force::export::{Format, merge};
    use crate::rules::in_force::pull_request::{BaseFile, draft};
    use proptest::prelude::*;
    use pulldown_cmark::{Event, Parser, Tag};

    fn section(rules: &[(u32, &str)]) -> String {
        let bullet = |(n, text): &(u32, &str)| format!("- {text} (RULE-2026-{n:04})\n");
        format!("## Learned Rules (from feedback)\n\n{}", rules.iter().map(bullet).collect::<String>())
    }

    fn facts(n: u64) -> RuleFacts {
        RuleFacts {
            remarks: n + 2,
            reviewers: 2,
            gates: vec!["HITL-4".to_owned()],
            approved_by: vec!["ana".to_owned(), "ben".to_owned()],
            ended: None,
        }
    }

    fn ten() -> Text {
        let old = section(&[(1, "Add a test for every bug."), (2, "Handle errors."), (9, "Use tabs.")]);
        let old = merge("# Shop\n", Some(&old), Format::AgentsMd).unwrap();
        let rules = [
            (1, "Add a test for every bug."),
            (2, "Handle the errors of every call of the API, and say in the message which call it was."),
            (3, "Name the units of every timeout."),
            (4, "For files matching `src/api/**`: Validate input before it is used."),
            (5, "Write @ana's name nowhere, see #12 and <b>https://example.org</b>."),
            (6, "Do not log secrets."),
            (7, "Document public functions with a docstring."),
            (8, "Keep functions below 50 lines."),
            (10, "Close what you open."),
            (11, "Prefer Decimal to float for money."),
        ];
        let draft = draft(
            &[(Format::AgentsMd, BaseFile::Text(old)), (Format::ClaudeMd, BaseFile::Other("it is a link"))],
            Some(&section(&rules)),
        );
        let mut known: BTreeMap<String, RuleFacts> =
            rules.iter().map(|(n, _)| (format!("RULE-2026-{n:04}"), facts(u64::from(*n)))).collect();
        let ended = Some(("retired on 2026-11-20".to_owned(), Some("the formatter does it, @all".to_owned())));
        known.insert("RULE-2026-0009".to_owned(), RuleFacts { ended, ..facts(9) });
        text("coding-agent", &draft, &known, Some("https://rules.example.org/"))
    }

    #[test]
    fn the_text_for_ten_rules_is_readable() {
        let text = ten();
        insta::assert_snapshot!(text.title, @"Learned rules for coding-agent: 8 new, 1 changed, 1 gone");
        insta::assert_snapshot!(text.body, @r"
        The rules in force for `coding-agent`, for agents to read in `AGENTS.md`. Each comes from reviewers' comments and was approved by people. Only the section between the markers changes.

        ### New

        - [`RULE-2026-0003`](<https://rules.example.org/rules/RULE-2026-0003>) `Name the units of every timeout.`
          5 comments by 2 reviewers at `HITL-4`; approved by `ana`, `ben`.
        - [`RULE-2026-0004`](<https://rules.example.org/rules/RULE-2026-0004>) ``For files matching `src/api/**`: Validate input before it is used.``
          6 comments by 2 reviewers at `HITL-4`; approved by `ana`, `ben`.
        - [`RULE-2026-0005`](<https://rules.example.org/rules/RULE-2026-0005>) `Write @ana's name nowhere, see #12 and <b>https://example.org</b>.`
          7 comments by 2 reviewers at `HITL-4`; approved by `ana`, `ben`.
        - [`RULE-2026-0006`](<https://rules.example.org/rules/RULE-2026-0006>) `Do not log secrets.`
          8 comments by 2 reviewers at `HITL-4`; approved by `ana`, `ben`.
        - [`RULE-2026-0007`](<https://rules.example.org/rules/RULE-2026-0007>) `Document public functions with a docstring.`
          9 comments by 2 reviewers at `HITL-4`; approved by `ana`, `ben`.
        - [`RULE-2026-0008`](<https://rules.example.org/rules/RULE-2026-0008>) `Keep functions below 50 lines.`
          10 comments by 2 reviewers at `HITL-4`; approved by `ana`, `ben`.
        - [`RULE-2026-0010`](<https://rules.example.org/rules/RULE-2026-0010>) `Close what you open.`
          12 comments by 2 reviewers at `HITL-4`; approved by `ana`, `ben`.
        - [`RULE-2026-0011`](<https://rules.example.org/rules/RULE-2026-0011>) `Prefer Decimal to float for money.`
          13 comments by 2 reviewers at `HITL-4`; approved by `ana`, `ben`.

        ### Changed

        - [`RULE-2026-0002`](<https://rules.example.org/rules/RULE-2026-0002>) `Handle the errors of every call of the API, and say in the message which call it was.`
          Before: `Handle errors.`
          4 comments by 2 reviewers at `HITL-4`; approved by `ana`, `ben`.

        ### Gone

        - [`RULE-2026-0009`](<https://rules.example.org/rules/RULE-2026-0009>) `Use tabs.`
          It was retired on 2026-11-20: `the formatter does it, @all`

        ### Not changed

        - `CLAUDE.md`: `it is a link`

        ---
        If you merge it, agents read the rules. If you close it, it stays closed until the rules change. It is updated automatically until you commit to its branch.

        <!-- feedbackd-rules: 450d4f70185c 1e15ad8c34b5 -->
        ");
        assert_eq!(Marker::of(&text.body), Some(text.marker));
    }

    #[test]
    fn a_text_is_never_longer_than_a_forge_takes() {
        let long = "word ".repeat(90);
        let rules: Vec<(u32, &str)> = (1..=400).map(|n| (n, long.as_str())).collect();
        let draft = draft(&[(Format::AgentsMd, BaseFile::Missing)], Some(&section(&rules)));
        let text = text("coding-agent", &draft, &BTreeMap::new(), None);
        assert!(text.body.len() < 65_536 && text.body.contains("more: see the diff for all of them"));
        assert!(Marker::of(&text.body).is_some());
    }

    proptest! {
        #[test]
        fn what_people_said_works_nowhere(said in "[`a@#<>/1 \\[\\]()!&;\n-]{0,40}") {
            let made = format!("x {} y", code(&said));
            let events: Vec<Event<'_>> = Parser::new(&made).collect();
            let shown: String = events.iter().filter_map(|event| match event {
                Event::Text(text) => Some(text.as_ref()),
                _ => None,
            }).collect();
            prop_assert_eq!(shown, "x  y");
            let only_code = events.iter().all(|event| match event {
                Event::Start(tag) => *tag == Tag::Paragraph,
                Event::Html(_) | Event::InlineHtml(_) => false,
                _ => true,
            });
            prop_assert!(only_code, "{:?}", events);
        }
    }
}
