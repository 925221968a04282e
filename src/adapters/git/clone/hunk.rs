//! What a forge shows next to a comment: the part of the diff above its line, or the lines themselves.

use git2::{DiffOptions, Oid, Patch, Repository, Tree};
use std::fmt::Write;

/// The largest file that is diffed.
const LARGEST: usize = 1 << 20;
/// How much is kept, in characters, from the end, where the line is.
const LONGEST: usize = 2_000;
/// Lines kept above a line that the commit did not change.
const ABOVE: u64 = 3;

/// Returns the end of the hunk that ends with a line of a commit's file, or of its first parent's for an old line.
pub(super) fn hunk(
    repository: &Repository,
    commit: Oid,
    file: &str,
    line: u64,
    lines: u64,
    old: bool,
) -> Option<String> {
    let commit = repository.find_commit(commit).ok()?;
    let new_tree = commit.tree().ok()?;
    let old_tree = commit.parents().next().and_then(|parent| parent.tree().ok());
    let side = if old { old_tree.as_ref()? } else { &new_tree };
    // Checks both sizes before comparing anything.
    let sizes =
        [old_tree.as_ref(), Some(&new_tree)].into_iter().flatten().filter_map(|tree| size(repository, tree, file));
    if sizes.max()? > LARGEST {
        return None;
    }
    let changed = in_diff(repository, old_tree.as_ref(), &new_tree, file, line, old);
    changed.or_else(|| as_it_is(repository, side, file, line, lines)).map(|hunk| end(&hunk))
}

fn size(repository: &Repository, tree: &Tree<'_>, file: &str) -> Option<usize> {
    let entry = tree.get_path(std::path::Path::new(file)).ok()?;
    Some(repository.odb().ok()?.read_header(entry.id()).ok()?.0)
}

fn in_diff(
    repository: &Repository,
    old_tree: Option<&Tree<'_>>,
    new_tree: &Tree<'_>,
    file: &str,
    line: u64,
    old: bool,
) -> Option<String> {
    let mut options = DiffOptions::new();
    options.pathspec(file).disable_pathspec_match(true).context_lines(3).ignore_submodules(true);
    let diff = repository.diff_tree_to_tree(old_tree, Some(new_tree), Some(&mut options)).ok()?;
    let at = diff.deltas().position(|delta| delta.new_file().path_bytes() == Some(file.as_bytes()))?;
    let patch = Patch::from_diff(&diff, at).ok()??;
    for number in 0..patch.num_hunks() {
        let (hunk, count) = patch.hunk(number).ok()?;
        let mut text =
            format!("@@ -{},{} +{},{} @@", hunk.old_start(), hunk.old_lines(), hunk.new_start(), hunk.new_lines());
        for at in 0..count {
            let shown = patch.line_in_hunk(number, at).ok()?;
            if !matches!(shown.origin(), ' ' | '+' | '-') {
                continue;
            }
            let content = String::from_utf8_lossy(shown.content());
            let _ = write!(text, "\n{}{}", shown.origin(), content.trim_end_matches(['\n', '\r']));
            let found = if old { shown.old_lineno() } else { shown.new_lineno() };
            if found.map(u64::from) == Some(line) {
                return Some(text);
            }
        }
    }
    None
}

/// Returns unchanged lines in the form of a hunk.
fn as_it_is(repository: &Repository, tree: &Tree<'_>, file: &str, line: u64, lines: u64) -> Option<String> {
    let entry = tree.get_path(std::path::Path::new(file)).ok()?;
    let blob = repository.find_blob(entry.id()).ok().filter(|blob| !blob.is_binary())?;
    let text = String::from_utf8_lossy(blob.content());
    let first = line.saturating_sub(lines.max(ABOVE + 1)) + 1;
    let shown: Vec<&str> =
        text.lines().skip(usize::try_from(first - 1).ok()?).take(usize::try_from(line - first + 1).ok()?).collect();
    if shown.len() as u64 != line - first + 1 {
        return None;
    }
    let mut hunk = format!("@@ -{first},{count} +{first},{count} @@", count = shown.len());
    for line in shown {
        let _ = write!(hunk, "\n {line}");
    }
    Some(hunk)
}

/// Returns the end of a text.
fn end(text: &str) -> String {
    let left_out = text.chars().count().saturating_sub(LONGEST);
    text.chars().skip(left_out).collect()
}
