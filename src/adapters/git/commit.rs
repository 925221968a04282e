//! The text of a commit object. Any input becomes a message that Git parses back the same way.

use super::object::ObjectId;
use crate::ports::ChangeSet;
use crate::text::prose;

/// The committer.
pub const IDENTITY: &str = "feedbackd <feedbackd@localhost>";

/// Renders the commit's content; `seconds` since 1970, in UTC.
pub fn render(tree: ObjectId, parent: Option<ObjectId>, seconds: i64, change: &ChangeSet) -> Vec<u8> {
    let parent = parent.map_or_else(String::new, |id| format!("parent {id}\n"));
    // Git has no dates before 1970.
    let seconds = seconds.max(0);
    format!(
        "tree {tree}\n{parent}author {IDENTITY} {seconds} +0000\ncommitter {IDENTITY} {seconds} +0000\n\n{}",
        message(change)
    )
    .into_bytes()
}

/// Renders the merge of commits made elsewhere into the branch. Its author is theirs, who answers for what it brings in.
pub fn render_merge(tree: ObjectId, [ours, theirs]: [ObjectId; 2], author: &str, seconds: i64) -> Vec<u8> {
    let seconds = seconds.max(0);
    // What ends a header's line or a name would forge another header.
    let author = clean(author);
    let short = theirs.to_commit_id();
    format!(
        "tree {tree}\nparent {ours}\nparent {theirs}\nauthor {author} {seconds} +0000\ncommitter {IDENTITY} {seconds} \
         +0000\n\nMerge {} from the Git host\n",
        short.short()
    )
    .into_bytes()
}

/// Renders subject, blank line, body, blank line, trailers.
fn message(change: &ChangeSet) -> String {
    let subject = one_line(&change.subject);
    let body: Vec<String> = change.body.lines().map(|line| clean(line).trim_end().to_owned()).collect();
    let body = body.join("\n");
    let trailers: Vec<String> =
        change.trailers.iter().map(|(key, value)| format!("{}: {}", trailer_key(key), one_line(value))).collect();
    let mut parts = vec![if subject.is_empty() { "Update the store".to_owned() } else { subject }];
    parts.extend([body.trim_matches('\n').to_owned(), trailers.join("\n")].into_iter().filter(|part| !part.is_empty()));
    parts.join("\n\n") + "\n"
}

fn one_line(text: &str) -> String {
    prose::one_line(&clean(text))
}

/// Drops control characters, which could end a line or the message.
fn clean(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}

/// Keeps only letters, digits and hyphens, as Git requires of a trailer.
fn trailer_key(key: &str) -> String {
    let key: String = key.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect();
    if key.is_empty() { "Note".to_owned() } else { key }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn change(subject: &str, body: &str, trailers: &[(&str, &str)]) -> ChangeSet {
        ChangeSet {
            subject: subject.into(),
            body: body.into(),
            trailers: trailers.iter().map(|(k, v)| ((*k).into(), (*v).into())).collect(),
            ..ChangeSet::default()
        }
    }

    #[test]
    fn a_commit_reads_well() {
        let c = change(
            "Record 2 decisions",
            "One more\nline.\n",
            &[("Source", "asdlc:events:hitl_decisions 1700-3"), ("Batch", "2")],
        );
        let text = String::from_utf8(render(ObjectId::ZERO, Some(ObjectId::ZERO), 1_700_000_000, &c)).unwrap();
        insta::assert_snapshot!(text, @r"
        tree 0000000000000000000000000000000000000000
        parent 0000000000000000000000000000000000000000
        author feedbackd <feedbackd@localhost> 1700000000 +0000
        committer feedbackd <feedbackd@localhost> 1700000000 +0000

        Record 2 decisions

        One more
        line.

        Source: asdlc:events:hitl_decisions 1700-3
        Batch: 2
        ");
    }

    #[test]
    fn hostile_texts_stay_in_their_place() {
        let c = change("a\nb\0c", "x\0y\r\nz", &[("Bad key", "1\n\nSource: forged"), ("", "2")]);
        assert_eq!(message(&c), "a b c\n\nx y\nz\n\nBad-key: 1 Source: forged\nNote: 2\n");
        assert_eq!(message(&change("", "", &[])), "Update the store\n");
        let ancient = render(ObjectId::ZERO, None, -5, &c);
        assert!(String::from_utf8(ancient).unwrap().contains("> 0 +0000\n"));
    }
}
