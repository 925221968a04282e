//! External text as shown on a page: escaped, with every invisible character shown by its code.

use crate::app::queries::views::{Change, Piece};
use crate::text::redact::{code_point, hidden_characters};
use askama::filters::HtmlSafe;
use std::fmt::{self, Display, Formatter, Write as _};

/// A text, rendered in HTML as plain text only.
pub struct PlainHtml<'a>(&'a str);

/// Wraps external text.
pub fn shown<T: AsRef<str> + ?Sized>(text: &T) -> PlainHtml<'_> {
    PlainHtml(text.as_ref())
}

impl HtmlSafe for PlainHtml<'_> {}

impl Display for PlainHtml<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let mut from = 0;
        for (at, c) in hidden_characters(self.0).filter(|(_, c)| *c != '\r') {
            escape(&self.0[from..at], f)?;
            write!(f, "<span class=\"unseen\" title=\"an invisible character\">{}</span>", code_point(c))?;
            from = at + c.len_utf8();
        }
        escape(&self.0[from..], f)
    }
}

/// A text with marked additions and removals, announced in words to screen readers.
pub struct DiffHtml<'a>(&'a [Piece]);

/// Wraps pieces of a text.
pub fn marked(pieces: &[Piece]) -> DiffHtml<'_> {
    DiffHtml(pieces)
}

impl HtmlSafe for DiffHtml<'_> {}

impl Display for DiffHtml<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        for piece in self.0 {
            let text = PlainHtml(&piece.text);
            match piece.change {
                Change::Kept => write!(f, "{text}")?,
                Change::Added => write!(f, "<ins><span class=\"heard\">added: </span>{text}</ins>")?,
                Change::Removed => write!(f, "<del><span class=\"heard\">removed: </span>{text}</del>")?,
            }
        }
        Ok(())
    }
}

fn escape(text: &str, f: &mut Formatter<'_>) -> fmt::Result {
    for c in text.chars() {
        match c {
            '&' => f.write_str("&amp;")?,
            '<' => f.write_str("&lt;")?,
            '>' => f.write_str("&gt;")?,
            '"' => f.write_str("&quot;")?,
            '\'' => f.write_str("&#39;")?,
            c => f.write_char(c)?,
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn markup_is_text_and_what_nobody_sees_is_shown() {
        assert_eq!(
            shown("<b onclick='x'>&\u{202e}\u{200b}\"\u{e0041}").to_string(),
            "&lt;b onclick=&#39;x&#39;&gt;&amp;<span class=\"unseen\" title=\"an invisible character\">U+202E</span>\
             <span class=\"unseen\" title=\"an invisible character\">U+200B</span>&quot;\
             <span class=\"unseen\" title=\"an invisible character\">U+E0041</span>"
        );
        assert_eq!(shown("plain, naïve, 日本\nnext").to_string(), "plain, naïve, 日本\nnext");
    }

    proptest! {
        #[test]
        fn no_text_becomes_markup(text: String) {
            let html = shown(&text).to_string();
            let own = ["<span class=\"unseen\" title=\"an invisible character\">", "</span>"];
            let rest = own.iter().fold(html, |html, tag| html.replace(tag, ""));
            prop_assert!(!rest.contains(['<', '>', '"', '\'']));
            prop_assert_eq!(hidden_characters(&rest).filter(|(_, c)| *c != '\r').count(), 0);
        }
    }
}
