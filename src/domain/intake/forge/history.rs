//! What a forge's API says of a pull request, in the same words as its webhooks say it: the same reviews under the same
//! numbers, so that what comes both ways is known to be one.
//!
//! Each object of the API is put into the frame in which a webhook sends it, and read as that. Nothing is asked here.

use super::cut::hunk;
use super::dispatch::read;
use super::event::{Kind, Reason, Said};
use super::gather::Part;
use super::gerrit;
use super::payload::Payload;
use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};

/// A pull request or change as an API says it, with what was said of it. What a forge does not have stays empty.
#[derive(Clone, Debug, Default)]
pub struct Pull {
    /// `owner/name`; on Gerrit the project
    pub repository: String,
    /// The pull request, merge request or change itself.
    pub pull: Value,
    /// Its reviews; of GitLab its notes, of Gerrit its messages.
    pub reviews: Vec<Value>,
    /// What is said of places.
    pub remarks: Vec<Value>,
    /// What is said of the whole, outside of reviews.
    pub comments: Vec<Value>,
    /// What it changes, by file, where the API says it apart from the remarks.
    pub diffs: Vec<Value>,
}

impl Pull {
    /// Whether a note of GitLab stands on a line of the present state.
    pub fn shows(&self, note: &Value) -> bool {
        note["position"]["head_sha"].is_string() && note["position"]["head_sha"] == self.pull["sha"]
    }
}

/// What GitLab writes where somebody approves.
const APPROVED: &str = "approved this merge request";

/// All that was said of a pull request, each with what stands for its delivery.
pub fn say(kind: Kind, pull: &Pull) -> Vec<(String, Said)> {
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

/// The reviews that parts are, in order of time, each with its parts. `gather` is how long a reviewer must be quiet where
/// nothing else keeps the parts of a review together.
pub fn group(mut parts: Vec<Part>, gather: SignedDuration) -> Vec<Vec<Part>> {
    let at = |part: &Part| part.review.as_ref().and_then(|review| review.at).unwrap_or(Timestamp::MIN);
    // The order of parts of the same moment stays.
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

fn github(pull: &Pull) -> Vec<(String, Said)> {
    let mut said = Vec::new();
    for review in &pull.reviews {
        let mut review = review.clone();
        // What was dismissed decides nothing any more; what it was before is not said.
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

fn remark_of_github(pull: &Pull, remark: &Value) -> (String, Said) {
    let frame = framed(pull, json!({ "action": "created", "comment": remark }));
    (delivery("remark", remark), read(Kind::Github, "pull_request_review_comment", &frame))
}

/// A webhook says a review without its number and its remarks. So the remarks are a review of their own here, under the
/// number that the API says; else they were lost where the webhook came first.
fn gitea(kind: Kind, pull: &Pull) -> Vec<(String, Said)> {
    let mut said = Vec::new();
    for review in &pull.reviews {
        let decided = match review["state"].as_str() {
            Some("APPROVED") => "pull_request_review_approved",
            Some("REQUEST_CHANGES") => "pull_request_review_rejected",
            Some("COMMENT") => "pull_request_review_comment",
            // Asked for, or not sent yet.
            _ => continue,
        };
        let frame = json!({
            "action": "reviewed",
            "sender": review["user"],
            "commit_id": review["commit_id"],
            "review": { "type": decided, "content": review["body"] },
        });
        let mut one = read(kind, decided, &framed(pull, frame));
        if let Said::Review(found) = &mut one {
            found.at = Payload(review).time(&["/submitted_at"]);
            found.url = Payload(review).text("/html_url").or(found.url.take());
        }
        said.push((delivery("review", review), one));
    }
    for remark in &pull.remarks {
        let number = |place: &str| remark[place].as_u64().filter(|line| *line > 0);
        let mut remark = remark.clone();
        // The line of the new text, or of the old one.
        remark["side"] = json!(if number("position").is_some() { "right" } else { "left" });
        remark["line"] = json!(number("position").or(number("original_position")));
        said.push(remark_of_github(pull, &remark));
    }
    said.extend(conversation(kind, pull));
    said
}

fn gitlab(pull: &Pull) -> Vec<(String, Said)> {
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
        // Who approved, and when, is only said so.
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

/// The part of the diff that a note stands under. Of a note on an earlier state the present diff may show another.
fn hunk_of_note(pull: &Pull, note: &Value) -> Option<String> {
    let position = &note["position"];
    let is_its_file = |diff: &&Value| ["new_path", "old_path"].iter().all(|side| diff[side] == position[side]);
    let diff = pull.diffs.iter().filter(|_| pull.shows(note)).find(is_its_file)?;
    hunk(diff["diff"].as_str()?, position["new_line"].as_u64(), position["old_line"].as_u64())
}

fn conversation(kind: Kind, pull: &Pull) -> impl Iterator<Item = (String, Said)> {
    pull.comments.iter().map(move |comment| {
        let frame = framed(pull, json!({ "action": "created", "issue": { "pull_request": {} }, "comment": comment }));
        (delivery("comment", comment), read(kind, "issue_comment", &frame))
    })
}

/// What is said, with the pull request that it is said of.
fn framed(pull: &Pull, mut said: Value) -> Value {
    said["pull_request"] = pull.pull.clone();
    said["repository"] = json!({ "full_name": pull.repository });
    said
}

fn delivery(what: &str, object: &Value) -> String {
    format!("api-{what}-{}", Payload(object).text("/id").unwrap_or_default())
}

/// Whether nothing is lost where this is left out: it says nothing itself, or is a message of the forge.
pub fn is_nothing(reason: Reason) -> bool {
    matches!(reason, Reason::Empty | Reason::OtherEvent)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::intake::forge::{Decided, Person, Review, Work};

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
        let [(delivery, Said::Review(found))] = said.as_slice() else { panic!("{said:?}") };
        assert_eq!((delivery.as_str(), found.decided), ("api-review-5", Decided::Comment));
        let mut pending = review;
        pending["state"] = json!("PENDING");
        assert_eq!(say(Kind::Github, &pull(pending))[0].1, Said::Nothing(Reason::OtherEvent));
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
            decided: Decided::Comment,
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
