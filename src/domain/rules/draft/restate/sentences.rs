//! The sentences of a Markdown prompt, with their lines.
//!
//! Which of them are rules is decided elsewhere.

use crate::text::prose::one_line;
use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

/// A sentence of a prompt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sentence {
    /// The line on which it begins, from 1.
    pub line: u32,
    /// The sentence on one line, without Markdown.
    pub text: String,
}

/// Returns the sentences of a Markdown prompt: those of paragraphs, bullets and tables; no headings, code or comments.
pub fn sentences(text: &str) -> Vec<Sentence> {
    let mut reader = Reader { text, block: Vec::new(), out: Vec::new(), skipping: 0 };
    let options = Options::ENABLE_TABLES | Options::ENABLE_YAML_STYLE_METADATA_BLOCKS | Options::ENABLE_TASKLISTS;
    for (event, range) in Parser::new_ext(text, options).into_offset_iter() {
        reader.take_in(event, range.start);
    }
    reader.flush();
    reader.out
}

/// Collects the characters of a block with their positions.
struct Reader<'a> {
    text: &'a str,
    block: Vec<(char, usize)>,
    out: Vec<Sentence>,
    skipping: u32,
}

impl Reader<'_> {
    fn take_in(&mut self, event: Event<'_>, at: usize) {
        match event {
            Event::Start(Tag::CodeBlock(_) | Tag::Heading { .. } | Tag::HtmlBlock | Tag::MetadataBlock(_)) => {
                self.flush();
                self.skipping += 1;
            }
            Event::End(TagEnd::CodeBlock | TagEnd::Heading(_) | TagEnd::HtmlBlock | TagEnd::MetadataBlock(_)) => {
                self.block.clear();
                self.skipping = self.skipping.saturating_sub(1);
            }
            Event::Start(Tag::Paragraph | Tag::Item | Tag::List(_) | Tag::TableRow | Tag::BlockQuote(_))
            | Event::End(TagEnd::Paragraph | TagEnd::Item | TagEnd::TableRow | TagEnd::TableHead) => self.flush(),
            Event::Text(words) | Event::Code(words) if self.skipping == 0 => {
                self.block.extend(words.char_indices().map(|(i, c)| (c, at + i)));
            }
            Event::SoftBreak | Event::HardBreak | Event::End(TagEnd::TableCell) => self.block.push((' ', at)),
            _ => {}
        }
    }

    fn flush(&mut self) {
        let block = std::mem::take(&mut self.block);
        let mut start = 0;
        for end in 0..block.len() {
            let next = block.get(end + 1).map(|(c, _)| *c);
            let stop = matches!(block[end].0, '.' | '!' | '?' | ';' | '。') && next.is_none_or(char::is_whitespace);
            if stop && !abbreviates(&block[..=end]) {
                self.sentence(&block[start..=end]);
                start = end + 1;
            }
        }
        self.sentence(&block[start..]);
    }

    fn sentence(&mut self, chars: &[(char, usize)]) {
        let Some(first) = chars.iter().find(|(c, _)| !c.is_whitespace()) else { return };
        let whole: String = chars.iter().map(|(c, _)| *c).collect();
        let text = one_line(&whole);
        let above = self.text.as_bytes().iter().take(first.1).filter(|b| **b == b'\n').count();
        if text.contains(' ') {
            self.out.push(Sentence { line: u32::try_from(above + 1).unwrap_or(u32::MAX), text });
        }
    }
}

/// Reports whether a full stop belongs to "e.g." or a similar abbreviation.
fn abbreviates(block: &[(char, usize)]) -> bool {
    let tail: String = block.iter().rev().take(5).rev().map(|(c, _)| c.to_ascii_lowercase()).collect();
    ["e.g.", "i.e.", " cf.", " vs.", "etc."].iter().any(|short| tail.ends_with(short))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const PROMPT: &str = "---\ntitle: x y\n---\n# Coding agent rules\n\nValidate input, e.g. page numbers. Keep functions\nunder 40 lines.\n\n\
        - Never log personal data.\n- Use `cargo fmt`:\n  - Run it before commits; always\n\n```sh\nrun this thing\n```\n<!-- a comment -->\n\n> Pin all versions\n";

    #[test]
    fn a_prompt_is_read_in_sentences_with_their_lines() {
        let read: Vec<_> = sentences(PROMPT).into_iter().map(|s| (s.line, s.text)).collect();
        let expected = [
            (6, "Validate input, e.g. page numbers."),
            (6, "Keep functions under 40 lines."),
            (9, "Never log personal data."),
            (10, "Use cargo fmt:"),
            (11, "Run it before commits;"),
            (18, "Pin all versions"),
        ];
        assert_eq!(read, expected.map(|(line, text)| (line, text.to_owned())));
    }

    proptest! {
        #[test]
        fn any_prompt_can_be_read(text in "(?s)[\\PC\n`*#>-]{0,200}") {
            let lines = u32::try_from(text.lines().count().max(1)).unwrap();
            for sentence in sentences(&text) {
                prop_assert!(sentence.line >= 1 && sentence.line <= lines + 1);
                prop_assert!(sentence.text.contains(' '));
            }
        }
    }
}
