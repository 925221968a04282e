//! The hunk that a comment is about, cut from a file's diff as on forges: from its header down to the line.

use crate::intake::diff::hunk_header;

/// Maximum number of lines in a hunk; lines above are left out, with the header.
const LONGEST: usize = 60;

/// Returns the hunk that ends at a line, given by its number in the new text or, if removed, in the old one.
pub(super) fn hunk(diff: &str, new: Option<u64>, old: Option<u64>) -> Option<String> {
    let (new, old) = (new.map(usize::try_from), old.map(usize::try_from));
    let mut hunk: Vec<&str> = Vec::new();
    // The numbers of the next line; `None` before the first header.
    let mut next: Option<(usize, usize)> = None;
    for line in diff.lines() {
        if let Some((old, new)) = line.strip_prefix("@@ ").and_then(hunk_header) {
            hunk = vec![line];
            next = Some((old.first, new.first));
            continue;
        }
        let Some((old_next, new_next)) = &mut next else { continue };
        hunk.push(line);
        let (is_old, is_new) = match line.as_bytes().first() {
            Some(b'-') => (true, false),
            Some(b'+') => (false, true),
            Some(b'\\') => (false, false),
            _ => (true, true),
        };
        let is_it = match (new, old) {
            (Some(new), _) => is_new && new == Ok(*new_next),
            (None, old) => is_old && old == Some(Ok(*old_next)),
        };
        if is_it {
            let above = hunk.len().saturating_sub(LONGEST);
            return Some(hunk[above..].join("\n"));
        }
        *old_next += usize::from(is_old);
        *new_next += usize::from(is_new);
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    const DIFF: &str =
        "@@ -1,3 +1,3 @@\n one\n-two\n+zwei\n three\n@@ -9,2 +9,3 @@ fn far()\n nine\n+new\n ten\n\\ No newline";

    #[test]
    fn it_ends_at_the_line_on_the_side_that_is_named() {
        assert_eq!(hunk(DIFF, Some(2), None).as_deref(), Some("@@ -1,3 +1,3 @@\n one\n-two\n+zwei"));
        assert_eq!(hunk(DIFF, None, Some(2)).as_deref(), Some("@@ -1,3 +1,3 @@\n one\n-two"));
        let far = "@@ -9,2 +9,3 @@ fn far()\n nine\n+new\n ten";
        assert_eq!(hunk(DIFF, Some(11), Some(10)).as_deref(), Some(far));
    }

    #[test]
    fn a_line_that_the_diff_does_not_show_has_none() {
        for (new, old) in [(Some(5), None), (None, Some(8)), (None, None), (Some(u64::MAX), None), (Some(0), None)] {
            assert_eq!(hunk(DIFF, new, old), None, "{new:?} {old:?}");
        }
        for diff in ["", "Binary files differ", "@@ nonsense\n+x", "+x"] {
            assert_eq!(hunk(diff, Some(1), None), None, "{diff}");
        }
    }

    #[test]
    fn a_long_one_loses_its_beginning() {
        let diff = format!("@@ -0,0 +1,200 @@\n{}", "+x\n".repeat(200));
        let cut = hunk(&diff, Some(150), None).expect("a hunk");
        assert_eq!((cut.lines().count(), cut.starts_with("+x")), (LONGEST, true));
    }
}
