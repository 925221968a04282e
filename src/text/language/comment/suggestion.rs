//! Suggestion blocks: replacement lines proposed by a reviewer, as in GitHub and GitLab.

use std::borrow::Cow;

/// The content of a suggestion.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Suggestion<'s> {
    /// The replacement lines; empty to delete.
    pub lines: Vec<&'s str>,
    /// The lines above and below the commented one that it also replaces, if specified, as in GitLab's.
    pub around: Option<(usize, usize)>,
}

/// Returns the only suggestion of a comment; `None` if there is none, more than one, or it is unterminated.
pub fn suggestion(remark: &str) -> Option<Suggestion<'_>> {
    let mut found = None;
    let mut lines = remark.lines();
    while let Some(line) = lines.next() {
        let Some((fence, told)) = begins(line) else { continue };
        let mut inside = Vec::new();
        loop {
            let line = lines.next()?;
            if ends(line, fence) {
                break;
            }
            inside.push(line);
        }
        if found.is_some() {
            return None;
        }
        found = Some(Suggestion { lines: inside, around: around(told) });
    }
    found
}

/// Returns the text besides the suggestions; `None` if there is none.
pub fn beside_suggestions(remark: &str) -> Option<Cow<'_, str>> {
    if !remark.lines().any(|line| begins(line).is_some()) {
        return Some(Cow::Borrowed(remark));
    }
    let (mut kept, mut open) = (Vec::new(), None);
    for line in remark.lines() {
        match open {
            Some(fence) if ends(line, fence) => open = None,
            Some(_) => {}
            None => match begins(line) {
                Some((fence, _)) => open = Some(fence),
                None => kept.push(line),
            },
        }
    }
    let kept = kept.join("\n");
    kept.contains(char::is_alphanumeric).then(|| Cow::Owned(kept.trim().to_owned()))
}

/// Returns the length of the fence that opens a suggestion, and its line range.
fn begins(line: &str) -> Option<(usize, &str)> {
    let line = line.trim_start();
    let fence = line.len() - line.trim_start_matches('`').len();
    let told = line[fence..].strip_prefix("suggestion").filter(|_| fence >= 3)?.trim();
    (told.is_empty() || told.starts_with(':')).then_some((fence, told))
}

fn ends(line: &str, fence: usize) -> bool {
    let line = line.trim();
    line.len() >= fence && line.chars().all(|c| c == '`')
}

/// `:-1+2`
fn around(told: &str) -> Option<(usize, usize)> {
    let (above, below) = told.strip_prefix(":-")?.split_once('+')?;
    Some((above.parse().ok()?, below.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_to_write_is_read() {
        let found = suggestion("Set one.\n\n```suggestion\n    get(url, timeout=5)\n```\nThanks").unwrap();
        assert_eq!((found.lines, found.around), (vec!["    get(url, timeout=5)"], None));
        let found = suggestion("````suggestion:-1+2\n```\n````").unwrap();
        assert_eq!((found.lines, found.around), (vec!["```"], Some((1, 2))));
        assert_eq!(suggestion("```suggestion\n```").unwrap().lines, Vec::<&str>::new());
    }

    #[test]
    fn what_is_said_beside_them() {
        let beside = |text| beside_suggestions(text).map(Cow::into_owned);
        assert_eq!(beside("Set one.\n```suggestion\nx = 1\n```\nThanks").as_deref(), Some("Set one.\nThanks"));
        assert_eq!(beside("Why?\n```rust\nx\n```").as_deref(), Some("Why?\n```rust\nx\n```"));
        assert_eq!(beside("```suggestion\nx = 1\n```"), None);
    }

    #[test]
    fn other_blocks_are_none() {
        for text in [
            "",
            "```rust\nx\n```",
            "```suggestion\nno end",
            "a suggestion: x",
            "```suggestion\na\n```\n```suggestion\nb\n```",
        ] {
            assert_eq!(suggestion(text), None, "{text}");
        }
    }
}
