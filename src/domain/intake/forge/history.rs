//! A pull request from a forge's API, in the form of its webhooks: the same reviews under the same numbers, so that
//! duplicates are recognised.
//!
//! Each API object is put into the frame of a webhook, and read as such. No requests are made here.

use super::cut::hunk;
use super::dispatch::read;
use super::event::{EventContent, Kind, Reason};
use super::gather::Part;
use super::gerrit;
use super::payload::Payload;
use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};

/// A pull request or change from an API, with its discussion. What a forge lacks stays empty.
#[derive(Clone, Debug, Default)]
pub struct Pull {
    /// `owner/name`; on Gerrit the project
    pub repository: String,
    /// The pull request, merge request or change itself.
    pub pull: Value,
    /// Its reviews; on GitLab its notes, on Gerrit its messages.
    pub reviews: Vec<Value>,
    /// Inline comments.
    pub remarks: Vec<Value>,
    /// Comments on the whole, outside of reviews.
    pub comments: Vec<Value>,
    /// Its changes by file, if the API returns them separately from the comments.
    pub diffs: Vec<Value>,
}

impl Pull {
    /// Reports whether a GitLab note is on a line of the present state.
    pub fn shows(&self, note: &Value) -> bool {
        note["position"]["head_sha"].is_string() && note["position"]["head_sha"] == self.pull["sha"]
    }
}

/// GitLab's message for an approval.
const APPROVED: &str = "approved this merge request";

/// Returns everything said about a pull request, each with a substitute for its delivery id.
pub fn say(kind: Kind, pull: &Pull) -> Vec<(String, EventContent)> {
    match kind {
        Kind::Github => github(pull),
        Kind::Gitea | Kind::Forgejo => gitea(kind, pull),
        Kind::Gitlab => gitlab(pull),
        Kind::Gerrit => gerrit::say(&gerrit::Change {
            repository: &pull.repository,
            change: &pull.pull,
            messages: &pull.reviews,
            comments: &pull.remarks,
        }),
    }
}

/// Groups parts into reviews, in chronological order. `gather` is how long a reviewer must be quiet if nothing else
/// connects the parts of a review.
pub fn group(mut parts: Vec<Part>, gather: SignedDuration) -> Vec<Vec<Part>> {
    let at = |part: &Part| part.review.as_ref().and_then(|review| review.at).unwrap_or(Timestamp::MIN);
    // Parts of the same moment keep their order.
    parts.sort_by_key(at);
    let mut groups: Vec<Vec<Part>> = Vec::new();
    for part in parts {
        let key = part.key();
        let is_near = |last: &Part| !key.contains("/by-") || at(&part).duration_since(at(last)) < gather;
        let belongs = |group: &&mut Vec<Part>| group.last().is_some_and(|last| last.key() == key && is_near(last));
        match groups.iter_mut().find(belongs) {
            Some(group) => group.push(part),
            None => groups.push(vec![part]),
        }
    }
    groups
}

fn github(pull: &Pull) -> Vec<(String, EventContent)> {
    let mut said = Vec::new();
    for review in &pull.reviews {
        let mut review = review.clone();
        // A dismissed review no longer decides anything; its former state is not reported.
        if review["state"] == "DISMISSED" {
            review["state"] = json!("commented");
        }
        let frame = framed(pull, json!({ "action": "submitted", "review": review }));
        said.push((delivery("review", &review), read(Kind::Github, "pull_request_review", &frame)));
    }
    said.extend(pull.remarks.iter().map(|remark| remark_of_github(pull, remark)));
    said.extend(conversation(Kind::Github, pull));
    said
}

fn remark_of_github(pull: &Pull, remark: &Value) -> (String, EventContent) {
    let frame = framed(pull, json!({ "action": "created", "comment": remark }));
    (delivery("remark", remark), read(Kind::Github, "pull_request_review_comment", &frame))
}

/// A webhook reports a review without its number and its comments. The comments are therefore a separate review here,
/// under the API's number; otherwise they would be lost if the webhook came first.
fn gitea(kind: Kind, pull: &Pull) -> Vec<(String, EventContent)> {
    let mut said = Vec::new();
    for review in &pull.reviews {
        let decided = match review["state"].as_str() {
            Some("APPROVED") => "pull_request_review_approved",
            Some("REQUEST_CHANGES") => "pull_request_review_rejected",
            Some("COMMENT") => "pull_request_review_comment",
            // Requested, or not submitted yet.
            _ => continue,
        };
        let frame = json!({
            "action": "reviewed",
            "sender": review["user"],
            "commit_id": review["commit_id"],
            "review": { "type": decided, "content": review["body"] },
        });
        let mut one = read(kind, decided, &framed(pull, frame));
        if let EventContent::Review(found) = &mut one {
            found.at = Payload(review).time(&["/submitted_at"]);
            found.url = Payload(review).text("/html_url").or(found.url.take());
        }
        said.push((delivery("review", review), one));
    }
    for remark in &pull.remarks {
        let number = |place: &str| remark[place].as_u64().filter(|line| *line > 0);
        let mut remark = remark.clone();
        // The line of the new text, or the old one.
        remark["side"] = json!(if number("position").is_some() { "right" } else { "left" });
        remark["line"] = json!(number("position").or(number("original_position")));
        said.push(remark_of_github(pull, &remark));
    }
    said.extend(conversation(kind, pull));
    said
}

fn gitlab(pull: &Pull) -> Vec<(String, EventContent)> {
    let merge_request = json!({
        "iid": pull.pull["iid"],
        "author_id": pull.pull["author"]["id"],
        "source_branch": pull.pull["source_branch"],
        "description": pull.pull["description"],
        "url": pull.pull["web_url"],
        "last_commit": { "id": pull.pull["sha"] },
    });
    let note = |note: &Value| {
        let frame = |attributes: Value| {
            json!({
                "object_kind": "note",
                "user": note["author"],
                "project": { "path_with_namespace": pull.repository },
                "object_attributes": attributes,
                "merge_request": merge_request,
            })
        };
        let mut attributes = note.clone();
        attributes["note"] = note["body"].clone();
        attributes["hunk"] = json!(hunk_of_note(pull, note));
        attributes["url"] = match (pull.pull["web_url"].as_str(), note["id"].as_u64()) {
            (Some(page), Some(id)) => json!(format!("{page}#note_{id}")),
            _ => Value::Null,
        };
        let mut said = frame(attributes);
        // The only record of who approved, and when.
        if note["system"] == true && note["body"] == APPROVED {
            let mut attributes = merge_request.clone();
            attributes["action"] = json!("approval");
            attributes["updated_at"] = note["created_at"].clone();
            said = frame(attributes);
            said["object_kind"] = json!("merge_request");
        }
        (delivery("note", note), read(Kind::Gitlab, "", &said))
    };
    let is_said = |note: &&Value| note["system"] != true || note["body"] == APPROVED;
    pull.reviews.iter().filter(is_said).map(note).collect()
}

/// Returns the part of the diff above a note. For a note on an earlier state, the present diff may differ.
fn hunk_of_note(pull: &Pull, note: &Value) -> Option<String> {
    let position = &note["position"];
    let is_its_file = |diff: &&Value| ["new_path", "old_path"].iter().all(|side| diff[side] == position[side]);
    let diff = pull.diffs.iter().filter(|_| pull.shows(note)).find(is_its_file)?;
    hunk(diff["diff"].as_str()?, position["new_line"].as_u64(), position["old_line"].as_u64())
}

fn conversation(kind: Kind, pull: &Pull) -> impl Iterator<Item = (String, EventContent)> {
    pull.comments.iter().map(move |comment| {
        let frame = framed(pull, json!({ "action": "created", "issue": { "pull_request": {} }, "comment": comment }));
        (delivery("comment", comment), read(kind, "issue_comment", &frame))
    })
}

/// Adds the pull request to an object.
fn framed(pull: &Pull, mut said: Value) -> Value {
    said["pull_request"] = pull.pull.clone();
    said["repository"] = json!({ "full_name": pull.repository });
    said
}

fn delivery(what: &str, object: &Value) -> String {
    format!("api-{what}-{}", Payload(object).text("/id").unwrap_or_default())
}

/// Reports whether nothing is lost by leaving this out: it is empty, or a message of the forge.
pub fn is_nothing(reason: Reason) -> bool {
    matches!(reason, Reason::Empty | Reason::OtherEvent)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::intake::forge::{Person, Review, ReviewVerdict, Work};

    fn pull(review: Value) -> Pull {
        let pull = json!({ "number": 7, "user": { "login": "eva" }, "head": { "ref": "x", "sha": "abc" } });
        Pull { repository: "a/b".to_owned(), pull, reviews: vec![review], ..Pull::default() }
    }

    #[test]
    fn of_a_review_that_was_dismissed_the_words_stay() {
        let review = json!({
            "id": 5, "user": { "login": "ann" }, "state": "DISMISSED", "body": "Handle the error.",
            "submitted_at": "2025-01-01T00:00:00Z",
        });
        let said = say(Kind::Github, &pull(review.clone()));
        let [(delivery, EventContent::Review(found))] = said.as_slice() else { panic!("{said:?}") };
        assert_eq!((delivery.as_str(), found.decided), ("api-review-5", ReviewVerdict::Comment));
        let mut pending = review;
        pending["state"] = json!("PENDING");
        assert_eq!(say(Kind::Github, &pull(pending))[0].1, EventContent::Nothing(Reason::OtherEvent));
    }

    #[test]
    fn parts_of_a_review_stay_together_and_those_of_a_person_as_long_as_they_follow_each_other() {
        let part = |review: &str, second: i64| Part {
            review: Some(Review {
                review: review.to_owned(),
                at: Timestamp::from_second(second).ok(),
                ..review_of_nobody()
            }),
            ..part_of_nobody()
        };
        let parts = vec![
            part("by-ann", 100),
            part("review-1", 105),
            part("by-ann", 109),
            part("by-ann", 118),
            part("by-ann", 128),
            part("review-1", 900),
        ];
        let groups = group(parts, SignedDuration::from_secs(10));
        assert_eq!(groups.iter().map(Vec::len).collect::<Vec<_>>(), [3, 2, 1]);
    }

    fn review_of_nobody() -> Review {
        Review {
            review: String::new(),
            by: Person::default(),
            decided: ReviewVerdict::Comment,
            body: None,
            remarks: Vec::new(),
            at: None,
            work: Work::default(),
            url: None,
        }
    }

    fn part_of_nobody() -> Part {
        Part {
            forge: "f".to_owned(),
            kind: Kind::Gitlab,
            gate: "HITL-4".to_owned(),
            delivery: String::new(),
            agent: String::new(),
            rests_on: String::new(),
            person: None,
            review: None,
            told: None,
        }
    }
}
