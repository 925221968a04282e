//! A comment as the title of something: one line of plain words, without Markdown and code
//! blocks, and without the person addressed.

use crate::text::prose::line;
use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

/// The longest headline, in characters.
const LONGEST: usize = 100;

/// Returns the title for a comment. A comment without words of its own is named after what it consists of.
pub fn headline(comment: &str) -> String {
    let (mut words, mut skipped, mut has_code) = (String::new(), 0_u32, false);
    for event in Parser::new_ext(comment, Options::ENABLE_STRIKETHROUGH) {
        match event {
            Event::Start(Tag::CodeBlock(_) | Tag::BlockQuote(_) | Tag::HtmlBlock | Tag::Image { .. }) => skipped += 1,
            Event::End(TagEnd::CodeBlock | TagEnd::BlockQuote(_) | TagEnd::HtmlBlock | TagEnd::Image) => {
                skipped = skipped.saturating_sub(1);
                words.push(' ');
            }
            Event::Text(text) if skipped > 0 => has_code |= !text.trim().is_empty(),
            Event::Text(text) | Event::Code(text) => words.push_str(&text),
            other if is_break(&other) => words.push(' '),
            _ => {}
        }
    }
    match line(strip_mention(words.trim()), LONGEST) {
        title if title.chars().any(char::is_alphanumeric) => title,
        _ if has_code => "A suggested change".to_owned(),
        // What is no Markdown with words may still be a word: `<T>`.
        _ => line(comment, LONGEST),
    }
}

/// Reports whether the words before and after are apart.
fn is_break(event: &Event<'_>) -> bool {
    let is_inside =
        matches!(event, Event::End(TagEnd::Emphasis | TagEnd::Strong | TagEnd::Strikethrough | TagEnd::Link));
    matches!(event, Event::SoftBreak | Event::HardBreak | Event::End(_)) && !is_inside
}

/// Removes the person whom the comment addresses.
fn strip_mention(text: &str) -> &str {
    let Some(rest) = text.strip_prefix('@') else { return text };
    let end = rest.find(|c: char| !c.is_alphanumeric() && !matches!(c, '-' | '_' | '/')).unwrap_or(rest.len());
    let after = rest[end..].trim_start_matches([',', ':', ' ']);
    // An annotation is no person.
    let addresses = rest[..end].starts_with(|c: char| c.is_lowercase());
    if addresses && !after.is_empty() { after } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_headline_is_one_line_without_markup() {
        for (comment, title) in [
            ("nit: `final`?", "nit: final?"),
            ("**Please** use [AssertJ](https://assertj.github.io)\n\nhere", "Please use AssertJ here"),
            ("@ana, could this be _static_?", "could this be static?"),
            ("@Nullable is missing", "@Nullable is missing"),
            ("```suggestion\nint a;\n```", "A suggested change"),
            ("Shorter:\n```suggestion\nint a;\n```\nplease", "Shorter: please"),
            ("> an old line\n\nThis is no longer true", "This is no longer true"),
            ("- one thing\n- another one", "one thing another one"),
            ("# Title\ntext", "Title text"),
            ("<T>", "<T>"),
            ("", ""),
        ] {
            assert_eq!(headline(comment), title, "{comment:?}");
        }
        assert!(headline(&"word ".repeat(60)).chars().count() <= LONGEST);
    }
}
