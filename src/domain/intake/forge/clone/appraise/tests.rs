//! git-appraise notes, line by line.

use super::super::ident::Ident;
use super::*;
use serde_json::json;

fn commit() -> Commit {
    let author = Ident { name: "Eva".to_owned(), mail: "eva@x.org".to_owned() };
    Commit { id: "ab".repeat(20), author, message: "Add it".to_owned(), ..Commit::default() }
}

const REQUEST: &str = r#"{"timestamp":"1430000000","requester":"eva@x.org","reviewRef":"refs/heads/codex/x","targetRef":"refs/heads/main","description":"Add it"}"#;

fn read(lines: &[String]) -> Discussion {
    discussion("team/shop", &commit(), &NoteText::Text(REQUEST.to_owned()), &NoteText::Text(lines.join("\n\n")))
}

fn id(line: &str) -> String {
    hex(&Sha1::digest(line.as_bytes()))
}

#[test]
fn comments_have_their_place_and_conversation_and_acceptance_is_an_approval() {
    let first = json!({
        "timestamp": "1430000100", "author": "ann@x.org", "description": "Handle the error.",
        "location": { "commit": "cd".repeat(20), "path": "src/a.rs", "range": { "startLine": 3, "endLine": 5 } },
    })
    .to_string();
    let answer = json!({
        "timestamp": "1430000200", "author": "ben@x.org", "parent": id(&first), "description": "And test it.", "resolved": false,
        "location": { "commit": "cd".repeat(20), "path": "src/a.rs" },
    })
    .to_string();
    let accepted = json!({ "timestamp": "1430000300", "author": "ann@x.org", "resolved": true }).to_string();
    let refused = json!({
        "timestamp": "1430000400", "author": "ben@x.org", "resolved": false, "description": "Not without a test.",
    })
    .to_string();
    let found = read(&[first.clone(), answer, accepted, refused]);
    assert_eq!(found.left, []);
    let [one, two, three, four] = found.reviews.as_slice() else { panic!("{found:?}") };
    let remark = &one.remarks[0];
    assert_eq!((remark.file.as_deref(), remark.line, remark.lines), (Some("src/a.rs"), Some(5), Some(3)));
    assert_eq!(
        (one.decided, one.body.as_deref(), one.work.branch.as_deref()),
        (ReviewVerdict::Comment, None, Some("codex/x"))
    );
    assert_eq!(one.at.unwrap().as_second(), 1_430_000_100);
    assert_eq!((two.decided, two.remarks[0].thread.clone()), (ReviewVerdict::Comment, Some(id(&first))));
    assert_eq!((three.decided, three.body.as_deref()), (ReviewVerdict::Approve, None));
    assert_eq!((four.decided, four.body.as_deref()), (ReviewVerdict::Reject, Some("Not without a test.")));
}

#[test]
fn what_was_written_anew_or_twice_counts_once() {
    let old =
        json!({ "timestamp": "1430000100", "author": "ann@x.org", "description": "Handle teh error." }).to_string();
    let new = json!({
        "timestamp": "1430000200", "author": "ann@x.org", "description": "Handle the error.", "original": id(&old),
    })
    .to_string();
    let again =
        json!({ "timestamp": "1430000300", "author": "ann", "description": "Handle the error.\r\n" }).to_string();
    let found = read(&[old, new, again]);
    let texts: Vec<_> = found.reviews.iter().filter_map(|review| review.body.as_deref()).collect();
    assert_eq!(texts, ["Handle the error."]);
}

#[test]
fn who_asked_is_the_author_under_either_name() {
    let found = read(&[json!({ "author": "eva", "description": "Done, I think." }).to_string()]);
    assert_eq!(found.reviews[0].by, found.reviews[0].work.author);
}

#[test]
fn lines_that_are_something_else_are_counted() {
    let good = json!({ "author": "ann@x.org", "description": "Handle the error." }).to_string();
    let found = read(&["{".to_owned(), "[]".to_owned(), good.clone(), json!({ "v": 9, "author": "a" }).to_string()]);
    assert_eq!((found.reviews.len(), found.left.as_slice()), (1, [SkipReason::Unreadable; 3].as_slice()));
    let nobody = NoteText::Text(String::new());
    let found = discussion("team/shop", &commit(), &nobody, &NoteText::Text(good));
    assert_eq!((found.reviews.len(), found.left.as_slice()), (0, [SkipReason::Incomplete].as_slice()));
    let odd = discussion("team/shop", &commit(), &NoteText::Unreadable, &NoteText::TooLarge);
    assert_eq!(odd.left, [SkipReason::TooLarge]);
}
