//! Records as YAML text, and back.
//!
//! Typed structs only. A record that people may have edited is never overwritten by rendering: [`edit`] replaces the
//! top-level blocks that changed and leaves the rest of the text, including comments, unchanged.

use serde::{Serialize, de::DeserializeOwned};

/// Renders a record as stored.
///
/// # Errors
/// A sentence that states what could not be written.
pub fn render<T: Serialize>(record: &T) -> Result<String, String> {
    serde_saphyr::to_string(record).map(with_indicators).map_err(|e| e.to_string())
}

/// Adds an indentation indicator to a block of text that begins with a tab, as code does: libyaml, and so PyYAML and
/// Ruby, cannot parse such a block otherwise.
fn with_indicators(text: String) -> String {
    if !text.contains('\t') {
        return text;
    }
    let mut out = String::with_capacity(text.len() + 8);
    let mut inside: Option<usize> = None;
    let mut lines = text.split_inclusive('\n').peekable();
    while let Some(line) = lines.next() {
        let indent = line.len() - line.trim_start_matches(' ').len();
        let is_empty = line.trim_end_matches('\n').len() == indent;
        if inside.is_some_and(|least| is_empty || indent >= least) {
            out.push_str(line);
            continue;
        }
        let header = line.trim_end_matches('\n');
        let key = indent + header[indent..].len() - header[indent..].trim_start_matches("- ").len();
        let style = ["|", "|-", "|+", ">", ">-", ">+"].into_iter().find(|style| {
            header.strip_suffix(style).is_some_and(|before| before.ends_with(": ") || before.ends_with("- "))
        });
        let next = style.and(lines.peek());
        let within = next.map(|next| next.len() - next.trim_start_matches(' ').len());
        inside = within.filter(|within| *within > 0);
        // A list item has no key: the block is indented from its dash.
        let parent = if key + style.map_or(0, str::len) == header.len() { key.saturating_sub(2) } else { key };
        match (style, next, within) {
            (Some(style), Some(next), Some(within)) if next[within..].starts_with('\t') && within > parent => {
                let (before, chomping) = (&header[..header.len() - style.len()], &style[1..]);
                out.extend([before, &style[..1], &(within - parent).to_string(), chomping, "\n"]);
            }
            _ => out.push_str(line),
        }
    }
    out
}

/// Parses a record.
///
/// # Errors
/// A sentence that states what is wrong and where.
pub fn parse<T: DeserializeOwned>(text: &str) -> Result<T, String> {
    serde_saphyr::from_str(text).map_err(|e| e.to_string())
}

/// Returns the text of a record after a change: top-level blocks that differ between `before` and `after`, both as
/// written by [`render`], are replaced, appended or removed; everything else in `text` stays byte for byte.
pub fn edit(text: &str, before: &str, after: &str) -> String {
    let (before, after) = (blocks(before), blocks(after));
    let changed = |key: &str| find(&before, key) != find(&after, key);
    let mut out = String::with_capacity(text.len() + 256);
    let mut written = Vec::new();
    for block in blocks(text) {
        match block.key {
            Some(key) if changed(key) => {
                out.push_str(find(&after, key).unwrap_or_default());
                written.push(key);
            }
            _ => out.push_str(block.text),
        }
    }
    for block in &after {
        let Some(key) = block.key else { continue };
        if changed(key) && !written.contains(&key) {
            if !out.is_empty() && !out.ends_with('\n') {
                out.push('\n');
            }
            out.push_str(block.text);
        }
    }
    out
}

/// A top-level key with its value, or the comments and blank lines between two keys.
struct Block<'a> {
    key: Option<&'a str>,
    text: &'a str,
}

fn find<'a>(blocks: &[Block<'a>], key: &str) -> Option<&'a str> {
    blocks.iter().find(|b| b.key == Some(key)).map(|b| b.text)
}

/// Splits a block mapping at its top-level keys. A value's lines are indented, or begin with `-`.
fn blocks(text: &str) -> Vec<Block<'_>> {
    let mut found: Vec<Block<'_>> = Vec::new();
    let (mut start, mut key, mut at) = (0, None, 0);
    for line in text.split_inclusive('\n') {
        let begins = match top_level_key(line) {
            Some(new) => Some(Some(new)),
            None if line.starts_with('#') => Some(None),
            None => None,
        };
        if let Some(new) = begins {
            if at > start {
                found.push(Block { key, text: &text[start..at] });
            }
            (start, key) = (at, new);
        }
        at += line.len();
    }
    if at > start {
        found.push(Block { key, text: &text[start..at] });
    }
    found
}

fn top_level_key(line: &str) -> Option<&str> {
    let end = line.find(':')?;
    let key = &line[..end];
    let plain = !key.is_empty() && key.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
    let ends = matches!(line.as_bytes().get(end + 1), None | Some(b' ' | b'\n' | b'\r'));
    (plain && ends).then_some(key)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde::Deserialize;

    #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
    struct Sample {
        a: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        b: Option<String>,
        #[serde(default)]
        c: Vec<String>,
    }

    fn sample(a: &str, b: Option<&str>, c: &[&str]) -> Sample {
        Sample { a: a.into(), b: b.map(Into::into), c: c.iter().map(|s| (*s).into()).collect() }
    }

    #[test]
    fn an_edit_keeps_what_people_wrote() {
        let text = "# mine\na: one\n# about c\nc:\n  - x # why\nnote: kept\n";
        let before = render(&sample("one", None, &["x"])).unwrap();
        let after = render(&sample("two", Some("new"), &["x"])).unwrap();
        let edited = edit(text, &before, &after);
        assert_eq!(edited, "# mine\na: two\n# about c\nc:\n  - x # why\nnote: kept\nb: new\n");
    }

    #[test]
    fn code_that_begins_with_a_tab_says_how_far_it_is_indented() {
        let record = sample("\tif (x) {\n+\t\ty();", Some("x: |-\n\tnot a block"), &["\ta\nb", "c"]);
        let text = render(&record).unwrap();
        assert_eq!(parse::<Sample>(&text), Ok(record));
        insta::assert_snapshot!(text, @r"
        a: |2-
          	if (x) {
          +		y();
        b: |-
          x: |-
          	not a block
        c:
        - |2-
          	a
          b
        - c
        ");
    }

    proptest! {
        #[test]
        fn every_text_survives(a in "\\PC{0,60}|[\\t\\n :#'\"|>&*!%@`,\\[\\]{}?-]{0,12}|(?s).{0,80}", b in proptest::option::of("(?s).{0,40}"), c in prop::collection::vec("(?s).{0,20}", 0..4)) {
            let record = Sample { a, b, c };
            let text = render(&record).unwrap();
            prop_assert_eq!(parse::<Sample>(&text), Ok(record));
        }

        #[test]
        fn an_edit_of_our_own_text_is_a_rendering(a1 in "[a-z\\n :#-]{0,20}", a2 in "[a-z\\n :#-]{0,20}", b1 in proptest::option::of("[a-z\\n#]{0,9}"), b2 in proptest::option::of("[a-z\\n#]{0,9}"), c2 in prop::collection::vec("[a-z\\n#:]{0,9}", 0..4)) {
            let before = Sample { a: a1, b: b1, c: vec!["x".into()] };
            let after = Sample { a: a2, b: b2, c: c2 };
            let (old, new) = (render(&before).unwrap(), render(&after).unwrap());
            let edited = edit(&old, &old, &new);
            prop_assert_eq!(parse::<Sample>(&edited), Ok(after));
        }
    }
}
