//! A text in the form that is checked: quotations and code blanked out, and the context of a phrase.
//!
//! Blanking preserves byte offsets, so offsets in the checked text are offsets in the original.

use regex::Regex;
use std::ops::Range;
use std::sync::LazyLock;

/// Replaces a byte within a quotation.
pub(super) const QUOTE: char = '\u{1}';
/// Replaces a byte within code.
pub(super) const CODE: char = '\u{2}';

/// A text with its blanked-out parts.
pub(super) struct View<'a> {
    pub(super) original: &'a str,
    /// Lower case (ASCII), quotations and code blanked out; their marks stay.
    pub(super) own: String,
    /// Lower case (ASCII), code blanked out.
    pub(super) said: String,
    /// The contents of quotations, in order.
    pub(super) quotes: Vec<Range<usize>>,
}

impl<'a> View<'a> {
    pub(super) fn of(original: &'a str) -> View<'a> {
        let mut said = original.to_ascii_lowercase();
        for found in CODE_SPAN.captures_iter(original) {
            // A fence includes its marks: a remaining one was never closed.
            let fence = found.get(1).and(found.get(0));
            if let Some(inside) = fence.or_else(|| found.iter().skip(2).flatten().next()) {
                blank(&mut said, inside.range(), CODE);
            }
        }
        let quotes = quotations(&said);
        let mut own = said.clone();
        for inside in &quotes {
            blank(&mut own, inside.clone(), QUOTE);
        }
        View { original, own, said, quotes }
    }

    /// Returns the original words at a position of the checked text.
    pub(super) fn words(&self, at: Range<usize>) -> String {
        self.original.get(at).unwrap_or_default().trim().to_owned()
    }
}

fn blank(text: &mut String, range: Range<usize>, with: char) {
    let filler = with.to_string().repeat(range.len());
    text.replace_range(range, &filler);
}

static CODE_SPAN: LazyLock<Regex> = LazyLock::new(|| regex(r"(?s)((?:```.+?```|~~~.+?~~~))|``(.+?)``|`([^`\n]+)`"));

static QUOTATION: LazyLock<Regex> = LazyLock::new(|| {
    regex(
        r#"“([^”\n]+)”|„([^“”\n]+)[“”]|«([^»\n]+)»|"([^"\n]+)"|(?:^|[\s(\[,:])(?:'((?:[^'\n]|'\w)+)'|‘((?:[^‘’\n]|’\w)+)’)"#,
    )
});

/// Returns the contents of quotations. An unclosed mark or an apostrophe within a word quotes nothing.
fn quotations(text: &str) -> Vec<Range<usize>> {
    let inside = |c: regex::Captures<'_>| c.iter().skip(1).flatten().next().map(|m| m.range());
    QUOTATION.captures_iter(text).filter_map(inside).collect()
}

/// Returns the start of the sentence around a position: a stop inside a name or a number (`api.py`, `2.5`) does not end
/// it.
fn sentence_start(text: &str, at: usize) -> usize {
    let ends = |(i, c): (usize, char)| {
        let next = text[i + c.len_utf8()..].chars().next();
        (c == '\n' || (matches!(c, '.' | ';' | ':' | '!' | '?') && next.is_some_and(char::is_whitespace)))
            .then_some(i + c.len_utf8())
    };
    text[..at].char_indices().filter_map(ends).next_back().unwrap_or(0)
}

static BAN: LazyLock<Regex> = LazyLock::new(|| {
    regex(
        r"\b(?:do not|don['’]t|never|avoid|stop|must not|mustn['’]t|may not|cannot|can['’]t|should not|shouldn['’]t|refuse|reject|remove|delete|replace|forbid|ban|strike|flag|instead of|rather than|free of|without)\b",
    )
});
static UNBAN: LazyLock<Regex> =
    LazyLock::new(|| regex(r"^ (?:only|just)\b|\b(?:forget|hesitate|fail|neglect|omit|skip|unless|until|but)\b"));
static LISTS: LazyLock<Regex> =
    LazyLock::new(|| regex(r"\b(?:such as|like|words?|phrases?|terms?|hedges?|wordings?|nor|verbs?|says?)\b"));

/// Reports whether a position is within what a ban forbids: "do not think about …", "never say maybe".
pub(super) fn is_banned(text: &str, at: usize) -> bool {
    let before = &text[sentence_start(text, at)..at];
    BAN.find_iter(before).any(|ban| {
        let between = &before[ban.end()..];
        !UNBAN.is_match(between) && (!between.contains(',') || LISTS.is_match(between))
    })
}

static SUBORDINATE: LazyLock<Regex> = LazyLock::new(|| {
    regex(
        r"\b(?:that|which|who|whose|what|whatever|where|wherever|when|whenever|if|because|since|so|how|whether|unless|before|after|until|while|as|than|anything|everything|everyone|nobody|nothing)\b",
    )
});

/// Reports whether a position is within a clause that states a fact: "values that could contain input".
pub(super) fn is_subordinate(text: &str, at: usize) -> bool {
    let start = sentence_start(text, at);
    let start = text[start..at].rfind([',', '—', '–']).map_or(start, |comma| start + comma + 1);
    SUBORDINATE.is_match(&text[start..at])
}

/// Returns the sentences of a checked text.
pub(super) fn sentences(text: &str) -> Vec<Range<usize>> {
    let mut out = Vec::new();
    let mut start = 0;
    for (i, c) in text.char_indices() {
        let end = i + c.len_utf8();
        let next = text[end..].chars().next();
        let ends = matches!(c, '.' | ';' | '!' | '?') && next.is_none_or(|n| n.is_whitespace());
        if c == '\n' || ends {
            out.push(start..i);
            start = end;
        }
    }
    out.push(start..text.len());
    out.retain(|range| !text[range.clone()].trim().is_empty());
    out
}

static CLAUSE_END: LazyLock<Regex> = LazyLock::new(|| regex(r",\s+|\s+(?:and|or|then|but)\s+|\s+[-–—]\s+|:\s+"));
static CLAUSE_LEAD: LazyLock<Regex> = LazyLock::new(|| {
    regex(
        r"^(?:(?:please|always|also|just|and|then|or|you|we|agents?|must|should|have to|has to|need to|needs to|remember to|make sure to|be sure to|let's|let us|to|first|generally|in general|overall)\s+)+",
    )
});

/// Returns the clauses of a sentence, each without the lead-in to its verb.
pub(super) fn clauses(text: &str, sentence: &Range<usize>) -> Vec<Range<usize>> {
    let whole = &text[sentence.clone()];
    let mut out = Vec::new();
    let mut start = 0;
    let ends = CLAUSE_END.find_iter(whole).map(|m| (m.start(), m.end())).chain([(whole.len(), whole.len())]);
    for (end, next) in ends {
        let clause = &whole[start..end];
        let skip = clause.len() - clause.trim_start().len();
        let lead = CLAUSE_LEAD.find(clause.trim_start()).map_or(0, |m| m.end());
        let from = sentence.start + start + skip + lead;
        let to = sentence.start + start + clause.trim_end().len();
        if from < to {
            out.push(from..to);
        }
        start = next;
    }
    out
}

fn regex(pattern: &str) -> Regex {
    Regex::new(pattern).expect("the patterns are constants and a test compiles them")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn quotations_and_code_are_blanked_out() {
        for (text, own) in [
            ("say “maybe” less", "say “_____” less"),
            ("call `consider()` once", "call `~~~~~~~~~~` once"),
            ("don't say 'it isn't ok' or 'no'", "don't say '___________' or '__'"),
            ("the users' data, not the clients' data", "the users' data, not the clients' data"),
            ("an \"open mark", "an \"open mark"),
        ] {
            let shown = View::of(text).own.replace(QUOTE, "_").replace(CODE, "~");
            assert_eq!(shown, own);
        }
    }

    #[test]
    fn bans_reach_to_the_end_of_their_clause() {
        let banned = |text: &str| is_banned(text, text.find("maybe").unwrap());
        assert!(banned("never say maybe"));
        assert!(banned("avoid words such as perhaps, maybe and could"));
        assert!(!banned("never log secrets, maybe mask them"));
        assert!(!banned("do not forget to maybe log"));
        assert!(!banned("avoid delays. maybe log"));
    }

    proptest! {
        #[test]
        fn every_byte_keeps_its_place(text in "(?s)[a-z`'\"“”„«»‘’ .,é\n]{0,80}") {
            let view = View::of(&text);
            prop_assert_eq!(view.own.len(), text.len());
            prop_assert_eq!(view.said.len(), text.len());
            for range in sentences(&view.own) {
                for clause in clauses(&view.own, &range) {
                    prop_assert!(view.own.get(clause).is_some());
                }
            }
        }
    }
}
