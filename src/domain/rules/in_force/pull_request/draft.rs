//! The files as they should be, and how their rules differ from the present ones.

use crate::rules::in_force::export::{Format, merge, section_of};
use crate::rules::in_force::prompt::bullets;
use crate::text::ids::short_hash;
use std::collections::BTreeMap;

/// A file on the base branch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BaseFile {
    /// It does not exist.
    Missing,
    Text(String),
    /// Something that is not written to, and why.
    Other(&'static str),
}

/// A file to change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileChange {
    pub path: &'static str,
    /// Its content on the base branch; `None` if it is missing.
    pub before: Option<String>,
    /// Its new content; `None` if nothing of it is left.
    pub after: Option<String>,
}

/// The change of one rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    pub rule_id: String,
    /// Its text in the files; `None` if it is not in them.
    pub before: Option<String>,
    /// Its new text; `None` if it is removed.
    pub after: Option<String>,
}

/// The changes of the rules, each list in the section's order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Changes {
    pub came: Vec<Change>,
    pub changed: Vec<Change>,
    pub gone: Vec<Change>,
}

/// The changes for a pull request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Draft {
    /// The files that differ; empty if the base branch is up to date.
    pub files: Vec<FileChange>,
    /// All writable files as they should be; `None` if there should be none.
    pub wanted: Vec<(&'static str, Option<String>)>,
    /// Files left alone, and why.
    pub left_alone: Vec<(&'static str, String)>,
    pub changes: Changes,
    /// Changes when the files are to contain other rules.
    pub rules_hash: String,
    /// Changes when the files are to have other content.
    pub content_hash: String,
}

/// Computes the changes needed for the files to have `section` and nothing else of the daemon's. People's text is
/// preserved byte for byte; a file whose markers are not a pair is left alone.
pub fn draft(found: &[(Format, BaseFile)], section: Option<&str>) -> Draft {
    let (mut files, mut wanted, mut left_alone) = (Vec::new(), Vec::new(), Vec::new());
    for (format, found) in found {
        let path = format.path();
        let before = match found {
            BaseFile::Missing => None,
            BaseFile::Text(text) => Some(text.as_str()),
            BaseFile::Other(why) => {
                left_alone.push((path, (*why).to_owned()));
                continue;
            }
        };
        let after = match merge(before.unwrap_or_default(), section, *format) {
            // A file that was empty before stays; one with nothing but the section is removed.
            Ok(after) => Some(after).filter(|after| !after.is_empty() || before == Some("")),
            Err(why) => {
                left_alone.push((path, why));
                continue;
            }
        };
        if after.as_deref() != before {
            files.push(FileChange { path, before: before.map(str::to_owned), after: after.clone() });
        }
        wanted.push((path, after));
    }
    let paths: Vec<&str> = found.iter().map(|(format, _)| format.path()).collect();
    let rules_hash = short_hash(&["rules", section.unwrap_or_default(), &paths.join("\n")]);
    let mut parts = vec!["content"];
    for (path, after) in &wanted {
        parts.extend([*path, if after.is_some() { "is" } else { "gone" }, after.as_deref().unwrap_or("")]);
    }
    let content_hash = short_hash(&parts);
    Draft { changes: changes(&files), files, wanted, left_alone, rules_hash, content_hash }
}

/// Returns the changes: a rule missing from any file is added; one that should be in no file is removed.
fn changes(files: &[FileChange]) -> Changes {
    let rules = |text: Option<&str>| bullets(section_of(text.unwrap_or_default()));
    let mut changes = Changes::default();
    let Some(any) = files.first() else { return changes };
    let before: Vec<BTreeMap<String, String>> =
        files.iter().map(|file| rules(file.before.as_deref()).into_iter().collect()).collect();
    // All files get the same section.
    let after = rules(any.after.as_deref());
    for (rule_id, text) in &after {
        let stood: Vec<Option<&String>> = before.iter().map(|rules| rules.get(rule_id)).collect();
        let change = |before: Option<String>| Change { rule_id: rule_id.clone(), before, after: Some(text.clone()) };
        if stood.iter().any(Option::is_none) {
            changes.came.push(change(None));
        } else if let Some(Some(other)) = stood.iter().find(|stood| **stood != Some(text)) {
            changes.changed.push(change(Some((*other).clone())));
        }
    }
    for (rule_id, text) in files.iter().flat_map(|file| rules(file.before.as_deref())) {
        let is_known = changes.gone.iter().any(|change| change.rule_id == rule_id);
        if !is_known && !after.iter().any(|(other, _)| *other == rule_id) {
            changes.gone.push(Change { rule_id, before: Some(text), after: None });
        }
    }
    changes
}

#[cfg(test)]
mod tests {
    use super::*;

    fn section(rules: &[(u32, &str)]) -> String {
        let bullet = |(n, text): &(u32, &str)| format!("- {text} (RULE-2026-{n:04})\n");
        format!("## Learned Rules (from feedback)\n\n{}", rules.iter().map(bullet).collect::<String>())
    }

    fn with(rules: &[(u32, &str)], format: Format) -> String {
        merge("# Mine\n", Some(&section(rules)), format).unwrap()
    }

    fn ids(changes: &[Change]) -> Vec<&str> {
        changes.iter().map(|change| change.rule_id.as_str()).collect()
    }

    #[test]
    fn rules_come_change_and_go_and_what_people_wrote_stays() {
        let old = with(&[(1, "Add tests."), (2, "Handle errors."), (3, "Log less.")], Format::AgentsMd);
        let new = section(&[(2, "Handle all errors."), (3, "Log less."), (4, "Name units.")]);
        let draft = draft(&[(Format::AgentsMd, BaseFile::Text(old))], Some(&new));
        assert_eq!(ids(&draft.changes.came), ["RULE-2026-0004"]);
        assert_eq!(ids(&draft.changes.changed), ["RULE-2026-0002"]);
        assert_eq!(draft.changes.changed[0].before.as_deref(), Some("Handle errors."));
        assert_eq!(ids(&draft.changes.gone), ["RULE-2026-0001"]);
        let after = draft.files[0].after.as_deref().unwrap();
        assert!(after.starts_with("# Mine\n\n<!--") && after.contains("Name units."), "{after}");
    }

    #[test]
    fn what_stands_there_already_is_no_change() {
        let rules = [(1, "Add tests."), (2, "Handle errors.")];
        let found = [
            (Format::AgentsMd, BaseFile::Text(with(&rules, Format::AgentsMd))),
            (Format::Cursor, BaseFile::Text(with(&rules, Format::Cursor))),
        ];
        let same = draft(&found, Some(&section(&rules)));
        assert_eq!((same.files.len(), &same.changes), (0, &Changes::default()));
        // A second file without any of the rules gets all of them.
        let found = [found[0].clone(), (Format::Copilot, BaseFile::Missing)];
        let more = draft(&found, Some(&section(&rules)));
        assert_eq!(more.files.iter().map(|file| file.path).collect::<Vec<_>>(), [".github/copilot-instructions.md"]);
        assert_eq!(ids(&more.changes.came), ["RULE-2026-0001", "RULE-2026-0002"]);
        assert_ne!((&same.rules_hash, &same.content_hash), (&more.rules_hash, &more.content_hash));
    }

    #[test]
    fn a_file_that_was_made_for_the_rules_goes_with_the_last_of_them() {
        let made = merge("", Some(&section(&[(1, "Add tests.")])), Format::Cursor).unwrap();
        let gone = draft(&[(Format::Cursor, BaseFile::Text(made))], None);
        assert_eq!(gone.files[0].after, None);
        assert_eq!(ids(&gone.changes.gone), ["RULE-2026-0001"]);
        assert_eq!(draft(&[(Format::Cursor, BaseFile::Missing)], None).files, []);
    }

    #[test]
    fn broken_markers_and_what_is_no_text_are_left_alone_and_told() {
        let found = [
            (Format::AgentsMd, BaseFile::Text("<!-- feedbackd:begin -->\nhalf\n".to_owned())),
            (Format::ClaudeMd, BaseFile::Other("it is a link")),
            (Format::Copilot, BaseFile::Text("# Mine\n".to_owned())),
        ];
        let draft = draft(&found, Some(&section(&[(1, "Add tests.")])));
        assert_eq!(draft.files.len(), 1);
        let told: Vec<&str> = draft.left_alone.iter().map(|(path, _)| *path).collect();
        assert_eq!(told, ["AGENTS.md", "CLAUDE.md"]);
    }
}
