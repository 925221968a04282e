//! Common parts of Gerrit's events and change messages: the words, the vote, the person, and the identity of a review.

use crate::intake::forge::event::Person;
use crate::intake::forge::payload::Payload;
use crate::text::ids::short_hash;

/// The label by which programs report a successful build: not a reviewer's judgement.
const CHECKED: &str = "Verified";
/// Begins what Gerrit adds to a vote on an older patch set.
const COPIED: &str = "Copied votes on follow-up patch sets have been updated:";

/// Reports whether a vote on this label is a judgement of the work.
pub fn judges(label: &str) -> bool {
    label != CHECKED
}

/// Returns what a person wrote, without Gerrit's line with the patch set and the votes, and without its counts and
/// additions.
pub fn words(comment: &str) -> Option<String> {
    let mut lines = comment.lines().peekable();
    if lines.peek().is_some_and(|first| first.starts_with("Patch Set ")) {
        lines.next();
    }
    let (mut text, mut copied) = (Vec::new(), false);
    for line in lines {
        copied = line == COPIED || copied && line.starts_with("* ");
        if !copied && !is_count(line) {
            text.push(line);
        }
    }
    Some(text.join("\n").trim().to_owned()).filter(|text| !text.is_empty())
}

/// Detects `(3 comments)`, or `(1 inline comment)` of old versions.
fn is_count(line: &str) -> bool {
    let counted = line.strip_prefix('(').and_then(|rest| rest.split_once(' '));
    counted.is_some_and(|(number, what)| {
        number.parse::<u64>().is_ok() && what.strip_prefix("inline ").unwrap_or(what).starts_with("comment")
    })
}

/// Returns the vote in a message's first line, such as `Patch Set 3: Code-Review-1 Verified+1`: the lowest of those
/// that judge, and 0 for a retracted one.
pub fn vote(message: &str) -> Option<i64> {
    let (_, votes) = message.lines().next()?.strip_prefix("Patch Set ")?.split_once(':')?;
    votes.split_whitespace().filter_map(voted).min()
}

fn voted(word: &str) -> Option<i64> {
    let (label, value) = match word.strip_prefix('-') {
        Some(label) => (label, 0),
        None => {
            let (label, value) = word.split_at(word.rfind(['+', '-'])?);
            (label, value.parse().ok()?)
        }
    };
    let is_label = label.starts_with(|c: char| c.is_ascii_alphabetic())
        && label.chars().all(|c| c.is_ascii_alphanumeric() || c == '-');
    (is_label && judges(label)).then_some(value)
}

/// Returns the identity of a review, whichever way it arrives: the person, the patch set, and the vote or, without a
/// vote, the words. Timestamps do not help, since an event's differs from its message's; nor do the words of a vote,
/// since events may have different ones.
pub fn review_id(login: &str, patch_set: &str, vote: Option<i64>, words: Option<&str>) -> String {
    let vote = vote.filter(|vote| *vote != 0).map(|vote| vote.to_string());
    let words = if vote.is_some() { None } else { words };
    format!("said-{}", short_hash(&[login, patch_set, &vote.unwrap_or_default(), words.unwrap_or_default()]))
}

/// Returns the id of these words in a review's list of contents.
pub fn words_id(words: &str) -> String {
    format!("words-{}", short_hash(&[words.trim()]))
}

/// Returns the account at a path.
pub fn person(body: Payload<'_>, place: &str) -> Person {
    let of = |name: &str| body.text(&format!("{place}/{name}"));
    let bot = body.items(&format!("{place}/tags")).any(|tag| tag.0.as_str() == Some("SERVICE_USER"));
    let number = of("_account_id");
    // An inactive account, or one that never had a name, only has its number.
    let names = [of("username"), of("email"), of("name"), number.clone()];
    Person { login: names.into_iter().flatten().next().unwrap_or_default(), number, bot, ..Person::default() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words_are_what_a_person_wrote() {
        let table = [
            ("Patch Set 3: Code-Review-1\n\n(2 comments)\n\nHandle the error.", Some("Handle the error.")),
            ("Patch Set 3:\n\nOne.\n\nTwo (3 comments) more.", Some("One.\n\nTwo (3 comments) more.")),
            ("Patch Set 3: Code-Review+2", None),
            ("Patch Set 2:\n\n(1 inline comment)", None),
            ("No line of Gerrit's.", Some("No line of Gerrit's.")),
            (
                "Patch Set 1: Code-Review+1\n\nCopied votes on follow-up patch sets have been updated:\n\
                 * Code-Review+1 has been copied to patch set 2.\n\n(1 comment)\n\n* a list\n* of mine",
                Some("* a list\n* of mine"),
            ),
            ("", None),
        ];
        for (message, expected) in table {
            assert_eq!(words(message).as_deref(), expected, "{message}");
        }
    }

    #[test]
    fn the_lowest_vote_that_judges_counts() {
        let table = [
            ("Patch Set 3: Code-Review-1", Some(-1)),
            ("Patch Set 3: Code-Review+2 Verified-1\n\nwords", Some(2)),
            ("Patch Set 3: Code-Review+2 Workflow-1", Some(-1)),
            ("Patch Set 3: -Code-Review", Some(0)),
            ("Patch Set 3: Verified+1", None),
            ("Patch Set 3:\n\nCode-Review-1", None),
            ("Patch Set 3: (2 comments)", None),
            ("Patch Set 1: I would prefer -1 or +1 a-b- -", None),
            ("Uploaded patch set 3: Code-Review-1", None),
            ("Patch Set 3: Code-Review-99999999999999999999", None),
        ];
        for (message, expected) in table {
            assert_eq!(vote(message), expected, "{message}");
        }
    }

    #[test]
    fn a_review_is_known_by_its_vote_or_else_by_its_words() {
        let id = |vote, words| review_id("ann", "3", vote, words);
        assert_eq!(id(Some(-1), Some("x")), id(Some(-1), None));
        assert_ne!(id(Some(-1), None), id(Some(-2), None));
        assert_eq!(id(Some(0), Some("x")), id(None, Some("x")));
        assert_ne!(id(None, Some("x")), id(None, Some("y")));
        assert_ne!(id(None, Some("-1")), id(Some(-1), None));
        assert_ne!(id(None, Some("x")), review_id("ann", "4", None, Some("x")));
    }
}
