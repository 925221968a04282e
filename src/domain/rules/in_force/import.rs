//! Imports rules from files that people wrote for their tools: list items, and short paragraphs that ask for something.
//!
//! It reads Markdown and does not judge what it finds. Code, bare commands, links, tables of contents, tables,
//! headings, raw HTML, front matter and the daemon's own section are not rules.

use super::export;
use crate::intake::submission::ImportedRule;
use crate::rules::draft::proposal::INSERTION_POINT;
use crate::text::prose;
use crate::text::redact::{clean_text, redact};
use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};
use regex::Regex;
use std::ops::Range;
use std::sync::LazyLock;

/// The maximum number of rules per file.
pub const MAX_RULES: usize = 500;
/// The maximum number of characters per rule.
pub const MAX_CHARS: usize = 500;
/// A longer paragraph is an explanation.
const SHORT: usize = 200;
const MAX_SECTION: usize = 120;

/// The content of a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ImportedFile {
    /// Its rules, in order.
    pub rules: Vec<ImportedRule>,
    /// The number of further rules.
    pub left_out: usize,
}

/// Reads the rules of a Markdown file. Texts are single lines without secrets and hidden characters.
pub fn read(text: &str) -> ImportedFile {
    let options = Options::ENABLE_TABLES | Options::ENABLE_TASKLISTS | Options::ENABLE_YAML_STYLE_METADATA_BLOCKS;
    let ours = export::sections(text);
    let mut reader = Reader { ends: text.match_indices('\n').map(|(at, _)| at).collect(), ..Reader::default() };
    for (event, at) in Parser::new_ext(text, options).into_offset_iter() {
        // An end event has the position of its whole block, so both are skipped or neither.
        if !ours.iter().any(|range| range.contains(&at.start)) {
            reader.take(event, at);
        }
    }
    // An inner item ends before its parent.
    reader.found.rules.sort_by_key(|rule| rule.line);
    reader.found
}

/// The reader's state within the file.
#[derive(Default)]
struct Reader {
    found: ImportedFile,
    section: Option<String>,
    /// The open heading or paragraph outside lists.
    open: Option<Piece>,
    /// The open list items, the innermost last.
    items: Vec<Piece>,
    /// The number of open blocks whose text is not a rule.
    skipping: usize,
    /// The number of open links.
    linked: usize,
    /// The positions of line ends.
    ends: Vec<usize>,
}

/// A text being read.
#[derive(Default)]
struct Piece {
    start: usize,
    text: String,
    /// The number of words outside links and code.
    words: usize,
    /// Whether it begins with a link within the file, like a line of a table of contents.
    points: bool,
    /// Whether it has items below it.
    leads: bool,
}

impl Reader {
    fn take(&mut self, event: Event<'_>, at: Range<usize>) {
        match event {
            Event::Start(tag) => self.start(&tag, at.start),
            Event::End(tag) => self.end(tag),
            Event::Text(text) => {
                self.count(&text);
                self.say(&text);
            }
            Event::Code(code) => self.say(&format!("`{code}`")),
            Event::SoftBreak | Event::HardBreak => self.say(" "),
            _ => {}
        }
    }

    fn start(&mut self, tag: &Tag<'_>, start: usize) {
        match tag {
            _ if is_skipped(tag) => self.skipping += 1,
            Tag::Item => {
                if let Some(outer) = self.items.last_mut() {
                    outer.leads = true;
                }
                self.items.push(Piece { start, ..Piece::default() });
            }
            // Within an item, it is a further paragraph of the item's text, or a heading, which is ignored.
            Tag::Paragraph if !self.items.is_empty() => self.say(" "),
            Tag::Heading { .. } if !self.items.is_empty() => self.skipping += 1,
            Tag::Link { dest_url, .. } => {
                self.linked += 1;
                if let Some(piece) = self.piece().filter(|piece| piece.text.trim().is_empty()) {
                    piece.points |= dest_url.starts_with('#');
                }
            }
            Tag::Paragraph | Tag::Heading { .. } => self.open = Some(Piece { start, ..Piece::default() }),
            _ => {}
        }
    }

    fn end(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::Item => {
                if let Some(mut item) = self.items.pop().filter(|item| !is_lead_in(item)) {
                    if let Some(outer) = self.items.last().filter(|outer| is_lead_in(outer)) {
                        item.text.insert_str(0, &format!("{} ", outer.text));
                        item.words += outer.words;
                    }
                    self.add(&item);
                }
            }
            TagEnd::Heading(_) if !self.items.is_empty() => self.skipping = self.skipping.saturating_sub(1),
            TagEnd::Heading(_) => {
                let heading = self.open.take().map(|piece| clean(&piece.text, MAX_SECTION));
                self.section = heading.filter(|text| !text.is_empty());
            }
            TagEnd::Paragraph if self.items.is_empty() => {
                if let Some(paragraph) = self.open.take().filter(|piece| is_demand(&piece.text)) {
                    self.add(&paragraph);
                }
            }
            TagEnd::Link => self.linked = self.linked.saturating_sub(1),
            TagEnd::CodeBlock | TagEnd::HtmlBlock | TagEnd::Table | TagEnd::MetadataBlock(_) | TagEnd::Image => {
                self.skipping = self.skipping.saturating_sub(1);
            }
            _ => {}
        }
    }

    fn say(&mut self, text: &str) {
        if self.skipping == 0
            && let Some(piece) = self.piece()
        {
            piece.text.push_str(text);
        }
    }

    /// Counts words with content: not those of a link, nor a bare address.
    fn count(&mut self, text: &str) {
        let words =
            text.split_whitespace().filter(|word| word.contains(char::is_alphanumeric) && !word.contains("://"));
        let words = words.count();
        if self.skipping == 0
            && self.linked == 0
            && let Some(piece) = self.piece()
        {
            piece.words += words;
        }
    }

    /// Returns the text being read.
    fn piece(&mut self) -> Option<&mut Piece> {
        self.items.last_mut().or(self.open.as_mut())
    }

    fn add(&mut self, piece: &Piece) {
        let ours = self.section.as_deref() == Some(INSERTION_POINT.trim_start_matches(['#', ' ']));
        let text = clean(&piece.text, MAX_CHARS);
        // A single word names something but asks for nothing.
        let empty = piece.points || piece.words == 0 || (piece.words == 1 && !DEMAND.is_match(&text));
        if ours || empty || text.split(' ').filter(|word| word.chars().any(char::is_alphanumeric)).count() < 2 {
            return;
        }
        if self.found.rules.len() == MAX_RULES {
            self.found.left_out += 1;
            return;
        }
        let before = self.ends.partition_point(|end| *end < piece.start);
        let line = u32::try_from(before + 1).unwrap_or(u32::MAX);
        self.found.rules.push(ImportedRule { line, section: self.section.clone(), text });
    }
}

fn is_skipped(tag: &Tag<'_>) -> bool {
    matches!(tag, Tag::CodeBlock(_) | Tag::HtmlBlock | Tag::Table(_) | Tag::MetadataBlock(_) | Tag::Image { .. })
}

/// Reports whether an item only introduces others: "When you write tests:" is meaningless without the items below it.
fn is_lead_in(item: &Piece) -> bool {
    item.leads && item.text.trim_end().ends_with(':')
}

/// Words that ask for something: anywhere, or at the start of a sentence.
static DEMAND: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"(?ix) \b (?: must | should | shall ) \b
        | (?: ^ | [.!;:]\ ) (?: please\ )?
          (?: never | always | do\ not | don['’]t | only | make\ sure
            | add | ask | avoid | be | call | check | commit | cover | delete | define | describe
            | document | drop | ensure | explain | extract | follow | format | give | handle | include | keep | leave
            | limit | link | list | log | mask | mention | move | name | pin | prefer | provide | put | read | remove
            | rename | replace | return | reuse | run | say | set | show | split | state | stop | test | treat | update
            | use | validate | verify | write ) \b",
    )
    .expect("a constant pattern, which a test uses")
});

fn is_demand(text: &str) -> bool {
    let text = clean(text, MAX_CHARS);
    text.chars().count() <= SHORT && !text.ends_with(':') && DEMAND.is_match(&text)
}

fn clean(text: &str, max: usize) -> String {
    prose::line(&redact(&clean_text(text)).text, max)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn shown(text: &str) -> String {
        let lines = read(text).rules.into_iter();
        lines.map(|r| format!("{} [{}] {}\n", r.line, r.section.unwrap_or_default(), r.text)).collect()
    }

    #[test]
    fn items_and_demands_are_rules() {
        let file = "\
---\ndescription: Rules for x\nglobs: [\"- no rule\"]\n---\n# Style\n\nThis project is a web service that shows invoices.\n\n\
Always run `make check` before you\ncommit.\n\n- Use **tabs**, see [the guide](https://example.org/guide).\n- [ ] Write tests:\n  - for each *bug*\n    that was mended\n  - one per behaviour\n\n\
1. Never log secrets.\n\n   Not even in tests.\n\n   ```sh\n   rm -rf x y\n   ```\n- README\n\n## Tables\n\n| a | b |\n|---|---|\n| never | do this |\n\n\
```\n- not a rule at all\n```\n\n<div>\n- raw item here\n</div>\n\n> - Quoted items count too\n";
        insta::assert_snapshot!(shown(file), @r#"
        9 [Style] Always run `make check` before you commit.
        12 [Style] Use tabs, see the guide.
        14 [Style] Write tests: for each bug that was mended
        16 [Style] Write tests: one per behaviour
        18 [Style] Never log secrets. Not even in tests.
        41 [Tables] Quoted items count too
        "#);
        assert_eq!(shown(&file.replace('\n', "\r\n")), shown(file), "line ends do not matter");
    }

    #[test]
    fn commands_links_and_contents_are_no_rules() {
        let file = "\
# Agent guide

- [Set-up](#set-up)
  - [Tests, and how to run them](#tests)
1. [Style](#style) and what we agreed on

## Commands

- `cargo build --release`
- Build: `make build`
- `npm test`
- Use `uv`
- Run `make check` before each commit

`pytest -q tests`

```sh
make all the things
```

## Links

- [The style guide of the team](https://example.org/style)
- See [the other guide](docs/guide.md)
- https://example.org/never/use/this
- <https://example.org/more>
- Follow [the style guide](https://example.org/style) for names
- [Conventional commits](https://example.org) must be used in subjects
";
        insta::assert_snapshot!(shown(file), @r#"
        12 [Commands] Use `uv`
        13 [Commands] Run `make check` before each commit
        27 [Links] Follow the style guide for names
        28 [Links] Conventional commits must be used in subjects
        "#);
    }

    #[test]
    fn our_own_section_is_skipped() {
        let rules = "## Learned Rules (from feedback)\n\n- Add tests now. (RULE-2026-0001)\n";
        let file = export::merge("- Mine is kept.\n", Some(rules), export::Format::AgentsMd).unwrap();
        assert_eq!(shown(&format!("{file}- Mine as well.\n")), "1 [] Mine is kept.\n11 [] Mine as well.\n");
        assert_eq!(shown(&format!("You write code.\n\n{rules}")), "", "a finished prompt");
    }

    #[test]
    fn texts_are_clean_and_bounded() {
        assert_eq!(shown("- Pin\u{202e} \u{200b}versions\u{1b} <b>always</b>\n"), "1 [] Pin versions always\n");
        let secret = read("- Log in with password=hunter2hunter2 please\n");
        assert!(!secret.rules[0].text.contains("hunter2"), "{secret:?}");
        let many = read(&"- Do the thing.\n".repeat(MAX_RULES + 7));
        assert_eq!((many.rules.len(), many.left_out), (MAX_RULES, 7));
        assert_eq!(many.rules[499].line, 500);
        let long = read(&format!("- {}\n", "word ".repeat(1000)));
        assert!(long.rules[0].text.chars().count() <= MAX_CHARS && long.rules[0].text.ends_with('…'));
    }

    proptest! {
        #[test]
        fn anything_can_be_read(text in "(\\PC|[-#>`|<*_:\n\r\t ]|<!-- feedbackd:(begin|end) -->|- ){0,80}") {
            for rule in read(&text).rules {
                prop_assert!(rule.line >= 1 && rule.line as usize <= text.matches('\n').count() + 1);
                prop_assert!(rule.text.chars().count() <= MAX_CHARS && !rule.text.contains('\n'));
            }
        }
    }
}
