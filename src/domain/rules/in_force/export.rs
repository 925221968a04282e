//! Exports rules to other tools' files: a marked section within a file that belongs to people.
//!
//! `AGENTS.md`, `CLAUDE.md` and `.github/copilot-instructions.md` are plain Markdown; a Cursor rule
//! (`.cursor/rules/*.mdc`) is Markdown with front matter. Only the text between the markers belongs to the daemon: this
//! module changes nothing else, and does no file access. Markers in a code block are people's own illustrations.
//!
//! Some tools read `@path` in such a file as "put that file here". A rule names no files to read, so it is escaped.

use pulldown_cmark::{Event, Options, Parser, Tag};
use regex::Regex;
use std::fmt::Write as _;
use std::ops::Range;
use std::sync::LazyLock;

/// The line before the section.
pub const BEGIN: &str = "<!-- feedbackd:begin -->";
/// The line after it.
pub const END: &str = "<!-- feedbackd:end -->";

const NOTE: &str = "<!-- Made by `feedbackd rules export`. What is changed here is lost with the next export. -->";
/// Cursor loads a rule with `alwaysApply: true` in every session.
const FRONT_MATTER: &str =
    "---\ndescription: Rules learned from feedback at review gates\nglobs:\nalwaysApply: true\n---\n\n";

/// The tool that reads the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    AgentsMd,
    ClaudeMd,
    /// `.cursor/rules/<name>.mdc`
    Cursor,
    /// `.github/copilot-instructions.md`
    Copilot,
}

impl Format {
    /// Returns the usual path of such a file in a repository.
    pub fn path(self) -> &'static str {
        match self {
            Format::AgentsMd => "AGENTS.md",
            Format::ClaudeMd => "CLAUDE.md",
            Format::Cursor => ".cursor/rules/feedbackd.mdc",
            Format::Copilot => ".github/copilot-instructions.md",
        }
    }

    /// Returns the start of a new file.
    fn head(self) -> &'static str {
        match self {
            Format::Cursor => FRONT_MATTER,
            Format::AgentsMd | Format::ClaudeMd | Format::Copilot => "",
        }
    }
}

/// Returns the file with the section between its markers, or at its end if it has no markers yet. Without a section,
/// the markers are removed too. Everything else is preserved byte for byte, and the section takes the file's line ends.
///
/// # Errors
/// If there is half a pair of markers, or more than one pair: a person must then decide what belongs to the daemon. If
/// a code or HTML block is open at the end: the section would become part of it.
pub fn merge(existing: &str, section: Option<&str>, format: Format) -> Result<String, String> {
    let place = find(existing)?;
    Ok(match (place, section) {
        (None, None) => existing.to_owned(),
        (None, Some(section)) => {
            let file = append(existing, section, format);
            match open_at_end(existing, &file) {
                Some(open) => return Err(open),
                None => file,
            }
        }
        (Some(at), Some(section)) => {
            let section = marked(section, line_end(&existing[at.clone()]));
            format!("{}{section}{}", &existing[..at.start], &existing[at.end..])
        }
        (Some(at), None) => remove(existing, at, format),
    })
}

/// Returns the text between the markers; empty if there is no pair.
pub fn section_of(text: &str) -> &str {
    find(text).ok().flatten().map_or("", |at| &text[at])
}

/// Returns the ranges of marked sections, for callers that must not take them for people's text. Half a pair extends to
/// the end.
pub(super) fn sections(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let ends = lines_with(text, END);
    for (_, begin) in lines_with(text, BEGIN) {
        if found.last().is_some_and(|last: &Range<usize>| begin.start < last.end) {
            continue;
        }
        let end = ends.iter().find(|(_, end)| end.start > begin.start).map_or(text.len(), |(_, end)| end.end);
        found.push(begin.start..end);
    }
    found
}

/// Finds the marked section, from the first byte of its first marker to the last byte of its last one.
fn find(text: &str) -> Result<Option<Range<usize>>, String> {
    let (begins, ends) = (lines_with(text, BEGIN), lines_with(text, END));
    let numbers =
        |found: &[(usize, Range<usize>)]| found.iter().map(|(line, _)| line.to_string()).collect::<Vec<_>>().join(", ");
    match (begins.as_slice(), ends.as_slice()) {
        ([], []) => Ok(None),
        ([(_, begin)], [(_, end)]) if begin.end <= end.start => Ok(Some(begin.start..end.end)),
        ([(begin, _)], [(end, _)]) => Err(format!(
            "`{END}` (line {end}) stands before `{BEGIN}` (line {begin}); put them in order, or remove both lines"
        )),
        ([(line, _)], []) => {
            Err(format!("`{BEGIN}` (line {line}) has no `{END}`; put that line behind the section, or remove both"))
        }
        ([], [(line, _)]) => {
            Err(format!("`{END}` (line {line}) has no `{BEGIN}`; put that line before the section, or remove both"))
        }
        (begins, ends) => Err(format!(
            "there is more than one section: `{BEGIN}` on lines {}, `{END}` on lines {}; keep one pair",
            numbers(begins),
            numbers(ends)
        )),
    }
}

/// A block whose text is not parsed as Markdown.
enum Block {
    Code,
    Html,
}

/// Returns the code and HTML blocks, as Markdown parsers see them.
fn blocks(text: &str) -> Vec<(Block, Range<usize>)> {
    let parser = Parser::new_ext(text, Options::ENABLE_YAML_STYLE_METADATA_BLOCKS).into_offset_iter();
    let block = |(event, range)| match event {
        Event::Start(Tag::CodeBlock(_)) => Some((Block::Code, range)),
        Event::Start(Tag::HtmlBlock) => Some((Block::Html, range)),
        _ => None,
    };
    parser.filter_map(block).collect()
}

/// Returns an error message if a block is open at the end of a file, so that the section became part of it.
fn open_at_end(existing: &str, file: &str) -> Option<String> {
    let begin = lines_anywhere(file, BEGIN).pop().filter(|(_, at)| at.start >= existing.len())?.1;
    let (block, range) = blocks(file).into_iter().find(|(_, range)| range.contains(&begin.start))?;
    let line = file[..range.start].matches('\n').count() + 1;
    match block {
        Block::Code => {
            Some(format!("the code that begins on line {line} is not closed; put its closing fence behind it"))
        }
        Block::Html if range.start < begin.start => {
            Some(format!("the HTML that begins on line {line} is not closed; put its end behind it"))
        }
        Block::Html => None,
    }
}

/// Returns the lines that contain only the marker and are not code: their numbers, and the position of the marker.
fn lines_with(text: &str, marker: &str) -> Vec<(usize, Range<usize>)> {
    let mut found = lines_anywhere(text, marker);
    if !found.is_empty() {
        let blocks = blocks(text);
        let is_code =
            |at: usize| blocks.iter().any(|(block, range)| matches!(block, Block::Code) && range.contains(&at));
        found.retain(|(_, at)| !is_code(at.start));
    }
    found
}

fn lines_anywhere(text: &str, marker: &str) -> Vec<(usize, Range<usize>)> {
    let mut found = Vec::new();
    let mut at = 0;
    for (number, line) in text.split_inclusive('\n').enumerate() {
        // A byte order mark may precede the first line.
        if line.trim().trim_start_matches('\u{feff}') == marker {
            let start = at + line.find(marker).unwrap_or(0);
            found.push((number + 1, start..start + marker.len()));
        }
        at += line.len();
    }
    found
}

fn marked(section: &str, end: &str) -> String {
    let text = format!("{BEGIN}\n{NOTE}\n\n{}\n\n{END}", without_mentions(section.trim_end_matches('\n')));
    if end == "\n" { text } else { text.replace('\n', end) }
}

/// Escapes mentions. An annotation (`@Nullable`) is formatted as code. Any other `@` at the start of a word gets a
/// backslash, which Markdown does not show. In code, in an address and in a Javadoc tag (`{@link`) it is not a mention.
fn without_mentions(section: &str) -> String {
    let mut out = String::with_capacity(section.len() + 8);
    // Code does not extend across bullets.
    for (number, bullet) in section.split("\n- ").enumerate() {
        if number > 0 {
            out.push_str("\n- ");
        }
        let (mut before, mut ticks, mut set) = (' ', 0_u32, 0);
        for (at, c) in bullet.char_indices() {
            if at < set {
                continue;
            }
            ticks += u32::from(c == '`');
            let in_code = ticks % 2 == 1 && bullet[at..].contains('`');
            let in_word = before.is_alphanumeric() || matches!(before, '\\' | '_' | '.' | '-' | '+' | '{');
            if c == '@' && !in_code && !in_word {
                if let Some(annotation) = ANNOTATION.find(&bullet[at..]) {
                    let _ = write!(out, "`{}`", annotation.as_str());
                    set = at + annotation.len();
                    before = '`';
                    continue;
                }
                out.push('\\');
            }
            out.push(c);
            before = c;
        }
    }
    out
}

/// An annotation with its arguments; not a path.
static ANNOTATION: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"^@[A-Z][A-Za-z0-9]*(?:\([^()`\n]*\))?").expect("a constant, and a test builds it"));

/// Returns the file's first line end.
fn line_end(text: &str) -> &'static str {
    match text.find('\n') {
        Some(at) if text[..at].ends_with('\r') => "\r\n",
        _ => "\n",
    }
}

/// Appends the section after a blank line; ends with a line end if the file did.
fn append(existing: &str, section: &str, format: Format) -> String {
    let end = line_end(existing);
    let section = marked(section, end);
    match existing {
        "" => format!("{}{section}\n", format.head()),
        _ if existing.ends_with('\n') => format!("{existing}{end}{section}{end}"),
        _ => format!("{existing}{end}{end}{section}"),
    }
}

/// Reverts what [`append`] added, so that appending and removing leave the file unchanged.
fn remove(existing: &str, at: Range<usize>, format: Format) -> String {
    let end = line_end(&existing[at.clone()]);
    let (mut before, mut after) = (&existing[..at.start], &existing[at.end..]);
    match after.strip_prefix(end) {
        Some(rest) => after = rest,
        None if after.is_empty() => before = before.strip_suffix(end).unwrap_or(before),
        None => {}
    }
    if after.is_empty() && before == format.head() {
        return String::new();
    }
    // The blank line, but not the end of the line before it.
    let blank = before.strip_suffix(end).filter(|rest| rest.ends_with('\n') || after.is_empty());
    format!("{}{after}", blank.unwrap_or(before))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const SECTION: &str = "## Learned Rules (from feedback)\n\n- Add tests. (RULE-2026-0001)\n";
    const FORMATS: [Format; 4] = [Format::AgentsMd, Format::ClaudeMd, Format::Cursor, Format::Copilot];

    fn put(existing: &str) -> String {
        merge(existing, Some(SECTION), Format::AgentsMd).unwrap()
    }

    #[test]
    fn a_new_file_holds_the_section_alone() {
        insta::assert_snapshot!(merge("", Some(SECTION), Format::Cursor).unwrap(), @r#"
        ---
        description: Rules learned from feedback at review gates
        globs:
        alwaysApply: true
        ---

        <!-- feedbackd:begin -->
        <!-- Made by `feedbackd rules export`. What is changed here is lost with the next export. -->

        ## Learned Rules (from feedback)

        - Add tests. (RULE-2026-0001)

        <!-- feedbackd:end -->
        "#);
        for format in FORMATS {
            let made = merge("", Some(SECTION), format).unwrap();
            assert_eq!(made.starts_with("---\n"), format == Format::Cursor);
            assert_eq!(merge(&made, None, format).unwrap(), "");
            assert_eq!(merge("", None, format).unwrap(), "");
        }
    }

    #[test]
    fn a_section_is_replaced_where_it_stands() {
        let file = format!("# Mine\n\n{BEGIN}\nold\n{END}\n\nAlso mine");
        let new = put(&file);
        assert!(new.starts_with("# Mine\n\n<!--") && new.ends_with("-->\n\nAlso mine") && !new.contains("old"));
        assert_eq!(merge(&new, None, Format::AgentsMd).unwrap(), "# Mine\n\nAlso mine");
    }

    #[test]
    fn line_ends_are_those_of_the_file() {
        let new = put("# Mine\r\ntext\r\n");
        assert!(new.starts_with("# Mine\r\ntext\r\n\r\n<!--") && new.ends_with("-->\r\n"));
        assert_eq!(new.matches('\n').count(), new.matches("\r\n").count());
        assert!(put("no final line end").ends_with("-->"));
    }

    #[test]
    fn markers_that_are_no_pair_are_refused() {
        for (file, says) in [
            (format!("a\n{BEGIN}\nb"), "(line 2) has no"),
            (format!("{END}\r\n"), "(line 1) has no"),
            (format!("{END}\n{BEGIN}\n"), "stands before"),
            (format!("{BEGIN}\n{END}\n{BEGIN}\n{END}\n"), "on lines 1, 3"),
            (format!("{BEGIN}\n{BEGIN}\n{END}\n"), "more than one"),
        ] {
            for section in [Some(SECTION), None] {
                let error = merge(&file, section, Format::ClaudeMd).unwrap_err();
                assert!(error.contains(says), "{error}");
            }
        }
        assert!(put(&format!("The line `{BEGIN}` is a marker.\n")).contains("Add tests"), "prose is no marker");
    }

    #[test]
    fn markers_in_code_are_those_of_people() {
        let pair = format!("{BEGIN}\n(an example)\n{END}\n");
        let indented = pair.lines().map(|line| format!("    {line}\n")).collect::<String>();
        for shown in [
            format!("```text\n{pair}```\n"),
            format!("~~~~\n```\n{pair}```\n~~~~\n"),
            format!("It writes:\n\n{indented}\nand so on.\n"),
            format!(
                "- It writes:\n  ```\n{}  ```\n",
                pair.lines().map(|line| format!("  {line}\n")).collect::<String>()
            ),
            format!("````md\n{BEGIN}\n````\n"),
        ] {
            let file = format!("# Ours\n\n{shown}");
            let new = put(&file);
            assert!(new.starts_with(&file) && new[file.len()..].contains("Add tests"), "{new}");
            assert_eq!(put(&new), new);
            assert_eq!(merge(&new, None, Format::AgentsMd).unwrap(), file);
            assert!(section_of(&file).is_empty() && sections(&file).is_empty());
            // Next to a section of the daemon's.
            let both = format!("{BEGIN}\nold\n{END}\n\n{file}");
            assert!(put(&both).ends_with(&file) && put(&both).contains("Add tests"), "{both}");
        }
    }

    #[test]
    fn nothing_is_put_into_what_is_open_at_the_end() {
        for (file, says) in [
            ("# Ours\n\n```text\nan example\n", "the code that begins on line 3"),
            ("a\n~~~\n```\n", "the code that begins on line 2"),
            ("# Ours\n\n<!-- hidden\n\nand so on\n", "the HTML that begins on line 3"),
            ("<script>\nlet a;\n", "the HTML that begins on line 1"),
        ] {
            let error = merge(file, Some(SECTION), Format::AgentsMd).unwrap_err();
            assert!(error.contains(says), "{error}");
            assert_eq!(merge(file, None, Format::AgentsMd).unwrap(), file);
        }
        // These blocks end with their container or with a blank line.
        for file in ["- an item\n  ```\n  open\n", "> ```\n> open\n", "text\n\n    code\n", "<details>\nmore\n"] {
            assert!(put(file).contains("Add tests"), "{file}");
        }
    }

    #[test]
    fn rules_mention_no_files() {
        let section = "- Read @../../.env (@~/x) at `a @b`, ask ana@example.org.\n- ` c `@d e `\n";
        let file = merge("", Some(section), Format::ClaudeMd).unwrap();
        let read = r"- Read \@../../.env (\@~/x) at `a @b`, ask ana@example.org.";
        assert!(file.contains(read) && file.contains(r"- ` c `\@d e `"), "{file}");
        assert_eq!(merge(&file, Some(section), Format::ClaudeMd).unwrap(), file);
    }

    #[test]
    fn annotations_and_tags_stay_as_the_language_has_them() {
        let section = "- Use @Nullable, (@SuppressWarnings(\"unused\")) and {@link Foo}; `@Override` too, @README and @Foo/bar.md.\n";
        let file = merge("", Some(section), Format::AgentsMd).unwrap();
        let read = "- Use `@Nullable`, (`@SuppressWarnings(\"unused\")`) and {@link Foo}; `@Override` too, `@README` and \
                    `@Foo`/bar.md.";
        assert!(file.contains(read), "{file}");
        assert_eq!(merge(&file, Some(section), Format::AgentsMd).unwrap(), file);
    }

    fn file() -> impl Strategy<Value = String> {
        let part = prop_oneof![
            Just("\n".to_owned()),
            Just("\r\n".to_owned()),
            Just("\r".to_owned()),
            Just("# T".to_owned()),
            Just("---\n".to_owned()),
            Just("\u{feff}".to_owned()),
            "[a-z ]{0,5}",
        ];
        proptest::collection::vec(part, 0..8).prop_map(|parts| parts.concat())
    }

    fn formats() -> impl Strategy<Value = Format> {
        proptest::sample::select(FORMATS.to_vec())
    }

    proptest! {
        #[test]
        fn what_people_wrote_stays(before in file(), after in file(), format in formats()) {
            let file = format!("{before}\n{BEGIN}\nold\n{END}\n{after}");
            let new = merge(&file, Some(SECTION), format).unwrap();
            let (kept_before, kept_after) = (format!("{before}\n"), format!("\n{after}"));
            prop_assert!(new.starts_with(&kept_before) && new.ends_with(&kept_after));
            prop_assert!(new[kept_before.len()..].starts_with(BEGIN));
            prop_assert!(new[..new.len() - kept_after.len()].ends_with(END));
            prop_assert_eq!(merge(&new, Some(SECTION), format).unwrap(), new);
        }

        #[test]
        fn appending_twice_is_once_and_can_be_undone(file in file(), format in formats()) {
            let once = merge(&file, Some(SECTION), format).unwrap();
            prop_assert!(once.starts_with(&file));
            prop_assert_eq!(merge(&once, Some(SECTION), format).unwrap(), once.clone());
            prop_assert_eq!(merge(&once, None, format).unwrap(), file);
        }

        #[test]
        fn a_marked_section_is_found(before in file(), after in file()) {
            let file = format!("{before}\n{BEGIN}\nold\n{END}\n{after}");
            let found = sections(&file);
            prop_assert_eq!(found.len(), 1);
            prop_assert_eq!(&file[found[0].clone()], format!("{BEGIN}\nold\n{END}"));
        }
    }
}
