//! Rules edited in Git: who made the edit, and what the earlier text was.

use super::{RULE, rule, with_proposal};
use crate::harness::run::{Run, git};
use feedbackd::domain::records::layout;

/// Changes a file and pushes it as a person.
fn commit_as(run: &Run, who: &str, path: &str, edit: impl FnOnce(&str) -> String) {
    let dir = tempfile::tempdir().unwrap();
    git(&["clone", "-q", run.config.store.path.to_str().unwrap(), "."], dir.path());
    let file = dir.path().join(path);
    let text = edit(&std::fs::read_to_string(&file).unwrap_or_default());
    std::fs::create_dir_all(file.parent().unwrap()).unwrap();
    std::fs::write(&file, text).unwrap();
    git(&["add", "-A"], dir.path());
    let (name, mail) = (format!("user.name={who}"), format!("user.email={who}@example.org"));
    git(&["-c", &name, "-c", &mail, "commit", "-qm", "Edit"], dir.path());
    git(&["push", "-q"], dir.path());
}

/// Returns the file with another text of the rule.
fn reworded(file: &str, text: &str) -> String {
    let mut lines = Vec::new();
    let mut inside = false;
    for line in file.lines() {
        inside = line.starts_with("rule_content:") || (inside && line.starts_with(' '));
        if line.starts_with("rule_content:") {
            lines.push(format!("rule_content: {text}"));
        } else if !inside {
            lines.push(line.to_owned());
        }
    }
    lines.join("\n") + "\n"
}

#[test]
fn an_edit_is_of_who_wrote_the_text_that_stands_there() {
    let mut run = with_proposal();
    let (path, before) = rule(&run, RULE);
    commit_as(&run, "Ann", &path, |file| reworded(file, "Handle the errors of some calls."));
    commit_as(&run, "Bob", &path, |file| reworded(file, "Handle the errors of all calls."));
    // Neither adding a note to the file nor committing something else is an edit of the rule.
    commit_as(&run, "Cleo", &path, |file| format!("# looked at on Monday\n{file}"));
    commit_as(&run, "Dora", "notes.md", |_| "Monday".into());
    run.tick();
    let (_, edited) = rule(&run, RULE);
    assert_eq!((edited.version, edited.rule_content.as_str()), (2, "Handle the errors of all calls."));
    assert_eq!(edited.earlier_versions[0].replaced_by, "Bob");
    assert_eq!(edited.earlier_versions[0].rule_content, before.rule_content);
}

/// If the earlier text is not found, the edit is not attributed to the author of the store's first commit.
#[test]
fn an_edit_whose_earlier_text_is_not_found_is_of_who_made_it() {
    let mut run = with_proposal();
    let (path, before) = rule(&run, RULE);
    commit_as(&run, "Dora", "notes.md", |_| "Monday".into());
    run.tick();
    commit_as(&run, "Bob", &path, |file| {
        reworded(file, "Handle the errors of all calls.")
            .replace(&before.content_hash, &before.content_hash.replace('0', "1"))
    });
    commit_as(&run, "Dora", "notes.md", |_| "Tuesday".into());
    run.tick();
    let (path, edited) = rule(&run, RULE);
    assert!(path.starts_with(layout::PROPOSED));
    assert_eq!((edited.version, edited.earlier_versions[0].replaced_by.as_str()), (2, "Bob"));
    assert!(edited.earlier_versions[0].rule_content.contains("history of this file"));
}
