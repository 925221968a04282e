//! Detection of reverts, their commits, and the resulting reviews.

use super::super::ident::Ident;
use super::*;
use jiff::Timestamp;

const ID: &str = "4124316da0c55abb58bd81da62d6424cc92f7e59";

fn commit(name: &str, day: i64, message: &str) -> Commit {
    let at = Timestamp::from_second(1_700_000_000 + day * 86_400).ok();
    Commit {
        id: ID.to_owned(),
        parents: vec!["0".repeat(40)],
        author: Ident { name: name.to_owned(), mail: format!("{}@x.org", name.to_lowercase()) },
        written: at,
        committed: at,
        message: message.to_owned(),
    }
}

fn of(message: &str) -> Option<Result<String, SkipReason>> {
    revert(&commit("Ann", 0, message)).map(|found| found.map(|revert| revert.commit))
}

#[test]
fn a_revert_names_one_commit_at_the_beginning_of_a_line() {
    let why = "It loses the deadline on each retry.";
    assert_eq!(of(&format!("Revert \"x\"\n\nThis reverts commit {ID}.\n\n{why}")), Some(Ok(ID.to_owned())));
    assert_eq!(
        of(&format!("cache: revert \"x\"\n\n{why}\n\nThis reverts commit 4124316.")),
        Some(Ok("4124316".to_owned()))
    );
    for (message, left) in [
        (format!("Revert \"x\"\n\nThis reverts commits {ID} and {ID}.\n\n{why}"), SkipReason::NotOneCommit),
        (format!("Revert \"x\"\n\nThis reverts commit {ID} and 1234567.\n\n{why}"), SkipReason::NotOneCommit),
        (
            format!("Revert two\n\nThis reverts commit {ID}.\nThis reverts commit 1234567.\n\n{why}"),
            SkipReason::NotOneCommit,
        ),
        (format!("Revert \"x\"\n\nThis reverts commit {ID}\nand commit 1234567.\n\n{why}"), SkipReason::NotOneCommit),
        (
            format!("Revert \"x\"\n\nThis reverts commit {ID}.\n\n{why} It is a partial revert."),
            SkipReason::NotOneCommit,
        ),
        (format!("Partial revert of \"x\"\n\nThis reverts commit {ID}.\n\n{why}"), SkipReason::NotOneCommit),
        (format!("Revert \"Revert \"x\"\"\n\nThis reverts commit {ID}.\n\n{why}"), SkipReason::Stopgap),
        (format!("Reland \"x\"\n\nThis reverts commit {ID}.\n\n{why}"), SkipReason::Stopgap),
    ] {
        assert_eq!(of(&message), Some(Err(left)), "{message}");
    }
    for message in [
        "Add a cache".to_owned(),
        "Revert the cache by hand".to_owned(),
        // A squashed branch that contained a revert.
        format!("Add a cache\n\n* Add it\n\n* Revert \"y\"\n\nThis reverts commit {ID}.\n"),
        format!("Revert \"x\"\n\n> This reverts commit {ID}.\n"),
        "Revert \"x\"\n\nThis reverts commit zzz.\n".to_owned(),
    ] {
        assert_eq!(of(&message), None, "{message}");
    }
}

fn rejected(by: &Commit, reverted: &Commit, files: &[String]) -> Result<Review, SkipReason> {
    let revert = Revert { commit: ID.to_owned(), reason: "It loses the deadline.".to_owned() };
    rejection("team/shop", (by, &revert), (reverted, reverted), files, &|_| false)
}

#[test]
fn a_revert_rejects_the_work_of_another_in_the_files_it_changed() {
    let (by, work) = (commit("Ann", 3, ""), commit("Eva", 0, "Add a cache\n\nCo-Authored-By: Claude <c@x>\n"));
    let review = rejected(&by, &work, &["src/cache.rs".to_owned()]).unwrap();
    assert_eq!((review.by.login.as_str(), review.work.author.login.as_str()), ("ann@x.org", "eva@x.org"));
    assert_eq!((review.decided, review.work.number.as_str()), (ReviewVerdict::Reject, "4124316da0c5"));
    assert_eq!(review.body.as_deref(), Some("It loses the deadline."));
    assert_eq!(review.remarks[0].file.as_deref(), Some("src/cache.rs"));
    assert!(review.work.description.unwrap().contains("Claude") && review.at == by.committed);
    // For a change of everything, the files are irrelevant.
    let many: Vec<String> = (0..30).map(|number| format!("{number}.rs")).collect();
    assert!(rejected(&by, &work, &many).unwrap().remarks.is_empty());
}

#[test]
fn stopgaps_old_work_and_own_work_are_rejected_by_nobody() {
    let by = commit("Ann", 3, "");
    for subject in ["Temporarily disable the test", "ci: make it non-voting", "Revert \"y\"", "Skip the flaky test"] {
        assert_eq!(rejected(&by, &commit("Eva", 0, subject), &[]).err(), Some(SkipReason::Stopgap), "{subject}");
    }
    assert_eq!(rejected(&commit("Ann", 300, ""), &commit("Eva", 0, "Add"), &[]).err(), Some(SkipReason::LongAfter));
    // The same person under another address: the policy sees one account.
    let mut home = commit("Eva", 3, "");
    home.author.mail = "eva@home.org".to_owned();
    let review = rejected(&home, &commit("Eva", 0, "Add"), &[]).unwrap();
    assert_eq!(review.by, review.work.author);
}

#[test]
fn a_merge_says_its_branch() {
    let branch = |subject: &str| branch_of_merge(&commit("Ann", 0, subject));
    assert_eq!(branch("Merge pull request #12 from octo/codex/fix-it").as_deref(), Some("codex/fix-it"));
    assert_eq!(branch("Merge branch 'codex/fix' into 'main'").as_deref(), Some("codex/fix"));
    assert_eq!(branch("Merge it"), None);
}
