//! A hunk as a forge shows it with a comment: it ends at the commented line, and its beginning may be cut off.

use crate::intake::diff::hunk_header;

/// The lines of a hunk, without diff marks.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Hunk<'h> {
    /// The number of the first new line; `None` if the header is cut off.
    first: Option<usize>,
    /// The new lines.
    new: Vec<&'h str>,
    /// The old lines.
    old: Vec<&'h str>,
    /// Whether the last line is common, new, or old.
    last: HunkEnd,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum HunkEnd {
    #[default]
    Both,
    New,
    Old,
}

impl<'h> Hunk<'h> {
    pub(super) fn read(text: &'h str) -> Hunk<'h> {
        let mut hunk = Hunk::default();
        for (at, line) in text.lines().enumerate() {
            match line.as_bytes().first() {
                Some(b'@') if line.starts_with("@@ ") => {
                    // Another hunk begins: the commented lines are in the last one.
                    let header = line.get(3..).and_then(hunk_header);
                    hunk = Hunk { first: header.map(|(_, new)| new.first), ..Hunk::default() };
                }
                Some(b'+') => {
                    hunk.new.push(&line[1..]);
                    hunk.last = HunkEnd::New;
                }
                Some(b'-') => {
                    hunk.old.push(&line[1..]);
                    hunk.last = HunkEnd::Old;
                }
                Some(b'\\') => {}
                // An empty common line may have lost its space in transit.
                Some(b' ') | None => {
                    let both = line.get(1..).unwrap_or_default();
                    hunk.new.push(both);
                    hunk.old.push(both);
                    hunk.last = HunkEnd::Both;
                }
                // The remainder of a truncated line.
                Some(_) if at == 0 => {}
                Some(_) => return Hunk::default(),
            }
        }
        hunk
    }

    /// Returns the last lines on one side: the commented ones. `None` if there are too few, or the hunk ends on the
    /// other side.
    pub(super) fn remarked(&self, count: usize, old: bool) -> Option<&[&'h str]> {
        let (lines, elsewhere) = if old { (&self.old, HunkEnd::New) } else { (&self.new, HunkEnd::Old) };
        let from = lines.len().checked_sub(count)?;
        (count > 0 && self.last != elsewhere).then(|| &lines[from..])
    }

    /// Returns the number of the last new line, if the header is known.
    pub(super) fn last_number(&self) -> Option<usize> {
        Some(self.first?.checked_add(self.new.len())?.saturating_sub(1))
    }

    /// Iterates over all lines of both sides.
    pub(super) fn lines(&self) -> impl Iterator<Item = &'h str> + '_ {
        self.new.iter().chain(&self.old).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lines_that_are_remarked_on_are_the_last_ones() {
        let hunk = Hunk::read("@@ -3,3 +3,4 @@ def go():\n a = 1\n-b = 2\n+b = 3\n+c = 4");
        assert_eq!((hunk.remarked(1, false), hunk.last_number()), (Some(&["c = 4"][..]), Some(5)));
        assert_eq!(hunk.remarked(2, false), Some(&["b = 3", "c = 4"][..]));
        assert_eq!((hunk.remarked(4, false), hunk.remarked(0, false)), (None, None));
        assert_eq!(hunk.remarked(1, true), None, "it ends on the new side");
    }

    #[test]
    fn a_beginning_that_was_cut_off_does_no_harm() {
        let hunk = Hunk::read("t of a line\n x\n-y");
        assert_eq!((hunk.remarked(1, true), hunk.last_number()), (Some(&["y"][..]), None));
        assert_eq!(Hunk::read("@@ -1 +1 @@\n x\nno diff"), Hunk::default());
    }
}
