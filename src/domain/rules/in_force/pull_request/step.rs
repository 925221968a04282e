//! The next step: nothing, open, renew or close; and what belongs to people and is left alone.
//!
//! Nothing is remembered outside the forge: the daemon's commits contain the hash of the files in a trailer; its pull
//! requests contain the hashes of their rules and text in a comment at the end.

use super::draft::Draft;
use crate::text::ids::safe_name;
use jiff::Timestamp;

/// The prefix of the daemon's branches. Reviews of what they bring are not evidence.
pub const OWN_BRANCHES: &str = "feedbackd/rules/";
/// The trailer of the daemon's commits; its value is [`Draft::content_hash`].
const TRAILER: &str = "Feedbackd-Rules:";
/// Starts the hashes in the text of a pull request.
const MARK: &str = "<!-- feedbackd-rules:";
/// The tolerance within which an API commit's author and commit times are equal. Amended or moved commits differ more.
const SAME_TIME: i64 = 5;

/// The daemon's branch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Branch {
    /// Its head.
    pub sha: String,
    /// The hash of the files, if its head is the daemon's commit.
    pub content_hash: Option<String>,
}

/// A pull request from the daemon's branch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pull {
    pub number: u64,
    /// Its URL.
    pub page: String,
    /// The target branch.
    pub base: String,
    pub merged: bool,
    pub body: String,
}

/// The hashes in one of the daemon's pull requests.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Marker {
    /// [`Draft::rules_hash`] at that time.
    pub rules: String,
    /// The hash of title and text.
    pub text: String,
}

/// The next step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// Nothing: everything is up to date.
    Nothing,
    /// Nothing, because a person did what must not be undone; why, in words.
    LeaveAlone(String),
    /// Open a pull request, after a commit if the branch does not have these files yet.
    Open { commit: bool },
    /// Update a pull request.
    Renew { number: u64, commit: bool, text: bool },
    /// Close the pull request, if one is open, and remove the branch, if there is one.
    Close { number: Option<u64>, branch: bool },
}

/// Returns the branch for an agent's rules.
pub fn branch_name(agent: &str) -> String {
    format!("{OWN_BRANCHES}{}", safe_name(agent))
}

/// Returns the commit message. It quotes no rule: forges act on words in messages.
pub fn message(agent: &str, draft: &Draft) -> String {
    format!("Update the learned rules for {}\n\n{TRAILER} {}\n", safe_name(agent), draft.content_hash)
}

/// Returns the hash of the files in a commit, if it is an unmodified commit of the daemon's.
pub fn made_by_us(
    message: &str,
    parents: usize,
    written: Option<Timestamp>,
    committed: Option<Timestamp>,
) -> Option<String> {
    let at_once = written?.as_second().abs_diff(committed?.as_second()) <= SAME_TIME.unsigned_abs();
    let hash = message.trim_end().lines().last()?.strip_prefix(TRAILER)?.trim();
    (at_once && parents == 1).then(|| hash.to_owned())
}

impl Marker {
    /// Returns the line for the end of a text.
    pub fn line(&self) -> String {
        format!("{MARK} {} {} -->", self.rules, self.text)
    }

    /// Parses it from a text, if there is one.
    pub fn of(body: &str) -> Option<Marker> {
        let (_, rest) = body.rsplit_once(MARK)?;
        let (hashes, _) = rest.split_once("-->")?;
        let (rules, text) = hashes.trim().split_once(' ')?;
        Some(Marker { rules: rules.to_owned(), text: text.to_owned() })
    }
}

/// Returns the next step for a draft. `marker` is that of the text it would have, `base` the target branch; `open` is
/// the daemon's open pull request, `closed` its last one that is not open.
pub fn step(
    draft: &Draft,
    marker: &Marker,
    base: &str,
    branch: Option<&Branch>,
    open: Option<&Pull>,
    closed: Option<&Pull>,
) -> Step {
    if draft.files.is_empty() && !draft.left_alone.is_empty() {
        return Step::LeaveAlone("none of its files can be updated".to_owned());
    }
    if let (Some(Branch { content_hash: None, sha }), true) = (branch, !draft.files.is_empty() || open.is_some()) {
        return Step::LeaveAlone(format!(
            "another author committed to the branch ({sha}): merge it, or delete the branch"
        ));
    }
    let ours = branch.and_then(|branch| branch.content_hash.as_ref());
    if draft.files.is_empty() {
        return match (open, ours) {
            (None, None) => Step::Nothing,
            (open, ours) => Step::Close { number: open.map(|pull| pull.number), branch: ours.is_some() },
        };
    }
    let commit = ours != Some(&draft.content_hash);
    if let Some(pull) = open {
        let text = Marker::of(&pull.body).as_ref() != Some(marker) || pull.base != base;
        return if commit || text { Step::Renew { number: pull.number, commit, text } } else { Step::Nothing };
    }
    let said = closed.filter(|pull| !pull.merged).and_then(|pull| Some((pull.number, Marker::of(&pull.body)?)));
    match said {
        Some((number, said)) if said.rules == marker.rules => {
            Step::LeaveAlone(format!("pull request {number} was closed; it is reopened when the rules change"))
        }
        _ => Step::Open { commit },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::in_force::export::Format;
    use crate::rules::in_force::pull_request::{BaseFile, draft};

    const RULES: &str = "## Learned Rules (from feedback)\n\n- Add tests. (RULE-2026-0001)\n";

    fn drafted(section: Option<&str>) -> Draft {
        draft(&[(Format::AgentsMd, BaseFile::Text("# Mine\n".to_owned()))], section)
    }

    fn marker(draft: &Draft) -> Marker {
        Marker { rules: draft.rules_hash.clone(), text: "t".to_owned() }
    }

    fn ours(draft: &Draft) -> Branch {
        Branch { sha: "1".to_owned(), content_hash: Some(draft.content_hash.clone()) }
    }

    fn pull(draft: &Draft) -> Pull {
        let body = format!("Text\n\n{}", marker(draft).line());
        Pull { number: 7, page: String::new(), base: "main".to_owned(), merged: false, body }
    }

    #[test]
    fn nothing_is_done_twice() {
        let draft = drafted(Some(RULES));
        let (branch, pull, marker) = (ours(&draft), pull(&draft), marker(&draft));
        let go = |branch, open| step(&draft, &marker, "main", branch, open, None);
        assert_eq!(go(None, None), Step::Open { commit: true });
        assert_eq!(go(Some(&branch), None), Step::Open { commit: false }, "it ended between the two");
        assert_eq!(go(Some(&branch), Some(&pull)), Step::Nothing);
        let edited = Pull { body: "mine".to_owned(), ..pull.clone() };
        assert_eq!(go(Some(&branch), Some(&edited)), Step::Renew { number: 7, commit: false, text: true });
        let other = Branch { content_hash: Some("0".to_owned()), ..branch.clone() };
        assert_eq!(go(Some(&other), Some(&pull)), Step::Renew { number: 7, commit: true, text: false });
    }

    #[test]
    fn what_people_did_stays() {
        let draft = drafted(Some(RULES));
        let (pull, marker) = (pull(&draft), marker(&draft));
        let theirs = Branch { sha: "1".to_owned(), content_hash: None };
        for open in [None, Some(&pull)] {
            let left = step(&draft, &marker, "main", Some(&theirs), open, None);
            assert!(matches!(left, Step::LeaveAlone(why) if why.contains("another author committed")));
        }
        let closed = step(&draft, &marker, "main", None, None, Some(&pull));
        assert!(matches!(closed, Step::LeaveAlone(why) if why.contains("pull request 7")));
        let merged = Pull { merged: true, ..pull.clone() };
        assert_eq!(step(&draft, &marker, "main", None, None, Some(&merged)), Step::Open { commit: true });
        let other = Marker { rules: "other".to_owned(), ..marker };
        assert_eq!(step(&draft, &other, "main", None, None, Some(&pull)), Step::Open { commit: true });
    }

    #[test]
    fn it_is_closed_when_nothing_is_left_to_say() {
        let (before, now) = (drafted(Some(RULES)), drafted(None));
        let (branch, pull) = (ours(&before), pull(&before));
        let go = |branch, open| step(&now, &marker(&now), "main", branch, open, None);
        assert_eq!(go(Some(&branch), Some(&pull)), Step::Close { number: Some(7), branch: true });
        assert_eq!(go(Some(&branch), None), Step::Close { number: None, branch: true }, "it was merged");
        assert_eq!(go(None, None), Step::Nothing);
    }

    #[test]
    fn a_commit_is_ours_as_we_made_it_only() {
        let draft = drafted(Some(RULES));
        let at = |second: i64| Timestamp::from_second(second).ok();
        let text = message("coding-agent", &draft);
        assert_eq!(made_by_us(&text, 1, at(5), at(6)), Some(draft.content_hash.clone()));
        assert_eq!(made_by_us(&text, 1, at(5), at(60)), None, "amended");
        assert_eq!(made_by_us(&text, 2, at(5), at(5)), None, "a merge");
        assert_eq!(made_by_us("Fix it", 1, at(5), at(5)), None);
        assert_eq!(made_by_us(&text, 1, None, at(5)), None);
    }
}
