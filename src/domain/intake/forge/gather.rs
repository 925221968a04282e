//! Combines the parts of a review into one decision: its text on the whole, and every inline comment. What was deleted
//! or edited before that counts in its current state.

use super::courtesy;
use super::event::{FollowUpEvent, InlineComment, Kind, Review, ReviewVerdict, ToldWhat};
use super::gerrit::words_id;
use crate::intake::comment::Comment;
use crate::text::ids::safe_name;
use crate::text::verdict::Verdict;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// A delivery that awaits its related parts.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Part {
    /// The connection's name in the configuration.
    pub forge: String,
    pub kind: Kind,
    /// The gate for its reviews.
    pub gate: String,
    /// The forge's own id of the delivery.
    pub delivery: String,
    /// The claimed agent.
    #[serde(default)]
    pub agent: String,
    /// The basis of that claim.
    #[serde(default)]
    pub rests_on: String,
    /// The person on the roster, if configured.
    #[serde(default)]
    pub person: Option<String>,
    #[serde(default)]
    pub review: Option<Review>,
    #[serde(default)]
    pub told: Option<FollowUpEvent>,
}

impl Part {
    /// Returns the key shared by all parts of a review.
    pub fn key(&self) -> String {
        let of =
            |work: &super::Work, review: &str| format!("{}/{}/{}/{review}", self.forge, work.repository, work.number);
        match (&self.review, &self.told) {
            (Some(review), _) => of(&review.work, &review.review),
            (None, Some(told)) => of(&told.work, &told.review),
            (None, None) => self.forge.clone(),
        }
    }

    /// Returns its contents by number: each comment, and the review itself. This identifies it, whichever way it
    /// arrives.
    pub fn says(&self) -> Vec<String> {
        let Some(review) = &self.review else { return Vec::new() };
        if self.kind == Kind::Gerrit {
            // Its events place some words differently from its API.
            let vote = (review.decided != ReviewVerdict::Comment).then(|| ITSELF.to_owned());
            let words = review.body.as_deref().map(words_id);
            let remarks = review.remarks.iter().map(|remark| remark.id.clone());
            return vote.into_iter().chain(words).chain(remarks).collect();
        }
        let itself = review.remarks.is_empty() || review.body.is_some() || review.decided != ReviewVerdict::Comment;
        let itself = itself.then(|| ITSELF.to_owned());
        itself.into_iter().chain(review.remarks.iter().map(|remark| remark.id.clone())).collect()
    }
}

/// Represents the review itself in the list of contents.
const ITSELF: &str = "itself";

/// Returns the decision id of these parts; `None` if they include no review.
pub fn identify(parts: &[Part]) -> Option<String> {
    let reviews = || parts.iter().filter_map(|part| part.review.as_ref());
    let part = parts.iter().find(|part| part.review.is_some())?;
    let remarks = reviews().flat_map(|review| &review.remarks).map(|remark| &remark.id);
    // By number: the order of events is meaningless.
    let first = remarks.min_by_key(|id| (id.len(), *id));
    Some(decision_id(&part.key(), first.map(String::as_str)))
}

/// Returns the decision id of a review: the same whenever its parts are sent again. In reviews gathered by person, the
/// first comment distinguishes one from the next. One without comments is an approval, and a person's approval is one
/// thing however often it is given: an API reports neither the revision nor the exact time of the webhook.
pub fn decision_id(key: &str, first: Option<&str>) -> String {
    let id = if key.contains("/by-") { format!("{key}/{}", first.unwrap_or("approved")) } else { key.to_owned() };
    safe_name(&id.replace('/', "-"))
}

/// Returns the decision formed by the parts, as in the decision stream, under this id; `None` if everything was
/// deleted. All must have the same [`Part::key`], in order of arrival.
pub fn decision(parts: &[Part], id: &str, tenant: Option<&str>, now: Timestamp) -> Option<Value> {
    let reviews: Vec<&Review> = parts.iter().filter_map(|part| part.review.as_ref()).collect();
    let (last, part) = (*reviews.last()?, parts.iter().rfind(|part| part.review.is_some())?);
    let decided = reviews.iter().map(|review| review.decided).max()?;
    let mut bodies = reviews.iter().filter_map(|review| review.body.clone());
    let mut body = bodies.next();
    // The same vote again, with other words.
    let again = bodies.filter(|again| Some(again) != body.as_ref());
    let again = again.map(|text| InlineComment { id: words_id(&text), text, ..InlineComment::default() });
    let mut remarks: Vec<InlineComment> = Vec::new();
    let dated = |review: &&Review| {
        let at = review.at;
        review.remarks.clone().into_iter().map(move |remark| InlineComment { at: remark.at.or(at), ..remark })
    };
    for remark in reviews.iter().flat_map(dated).chain(again) {
        if !remarks.iter().any(|known| known.id == remark.id) {
            remarks.push(remark);
        }
    }
    match part.kind {
        // Its ids are random.
        Kind::Gerrit => remarks.sort_by_key(|remark| (remark.file.clone(), remark.line, remark.id.clone())),
        // By number: the order of events is meaningless.
        _ => remarks.sort_by_key(|remark| (remark.id.len(), remark.id.clone())),
    }
    let mut dismissed = false;
    for told in parts.iter().filter_map(|part| part.told.as_ref()) {
        match (told.what, &told.remark) {
            (ToldWhat::Deleted, Some(id)) => remarks.retain(|remark| remark.id != *id),
            (ToldWhat::Edited, Some(id)) => {
                for remark in remarks.iter_mut().filter(|remark| remark.id == *id) {
                    remark.text = told.text.clone().unwrap_or_default();
                }
            }
            (ToldWhat::Deleted, None) => body = None,
            (ToldWhat::Edited, None) => body.clone_from(&told.text),
            (ToldWhat::Dismissed, _) => dismissed = true,
            (ToldWhat::Resolved | ToldWhat::Unresolved, _) => {}
        }
    }
    let decided = if dismissed { ReviewVerdict::Comment } else { decided };
    // What was edited into praise or a command asks for nothing.
    let body =
        body.filter(|body| courtesy::read(body).is_none_or(|courtesy| courtesy.stays_beside(decided, part.kind)));
    remarks.retain(|remark| remark.text.trim().is_empty() || courtesy::read(&remark.text).is_none());
    // Those without words only state a revert's files.
    let (remarks, wordless): (Vec<InlineComment>, Vec<InlineComment>) =
        remarks.into_iter().partition(|remark| !remark.text.trim().is_empty());
    let body = body.filter(|body| !body.trim().is_empty());
    if decided == ReviewVerdict::Comment && body.is_none() && remarks.is_empty() {
        return None;
    }
    // Demands in comments turn an approval into a correction; praise and replies do not.
    let verdict = match decided {
        ReviewVerdict::Reject => Verdict::Rejected,
        ReviewVerdict::Approve => Verdict::Approved,
        ReviewVerdict::Comment => Verdict::ApprovedWithChanges,
    };
    let decided: &'static str = decided.into();
    let kind: &'static str = part.kind.into();
    let at = reviews.iter().filter_map(|review| review.at).max().unwrap_or(now);
    let comments: Vec<Comment> = remarks.into_iter().map(Comment::from).collect();
    let mut payload = json!({
        "decision_id": id,
        "gate_id": part.gate,
        "decision": verdict,
        "reviewer_id": part.person.as_ref().unwrap_or(&last.by.login),
        "timestamp": at.to_string(),
        "agent": part.agent,
        "task_id": format!("{}#{}", last.work.repository, last.work.number),
        "agent_output_sha": reviews.iter().rev().find_map(|review| review.work.revision.as_deref()),
        "reviewer_comment": body,
        "comments": comments,
        "tenant_id": tenant,
        "forge": {
            "name": part.forge,
            "kind": kind,
            "repository": last.work.repository,
            "number": last.work.number,
            "url": reviews.iter().find_map(|review| review.url.as_deref()),
            "decided": decided,
            "author": last.work.author.login,
            "account": last.by.login,
            "mapped": part.person.as_ref().map(|_| true),
            "standing": last.by.standing,
            "agent_claimed_by": part.rests_on,
            "remarks": wordless,
            "deliveries": parts.iter().map(|part| part.delivery.as_str()).collect::<Vec<_>>(),
        },
    });
    if let Value::Object(fields) = &mut payload {
        fields.retain(|_, value| !value.is_null() && *value != json!([]));
        if let Some(Value::Object(forge)) = fields.get_mut("forge") {
            let optional = ["remarks", "mapped", "standing"];
            forge.retain(|name, value| !optional.contains(&name.as_str()) || *value != json!([]) && !value.is_null());
        }
    }
    Some(payload)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::intake::forge::{Person, Work};

    #[test]
    fn who_votes_the_same_again_makes_one_decision_with_all_words() {
        let part = |delivery: &str, decided: ReviewVerdict, body: Option<&str>| Part {
            forge: "gerrit".to_owned(),
            kind: Kind::Gerrit,
            gate: "HITL-4".to_owned(),
            delivery: delivery.to_owned(),
            agent: "coder".to_owned(),
            rests_on: String::new(),
            person: None,
            told: None,
            review: Some(Review {
                review: "said-1".to_owned(),
                by: Person { login: "ann".to_owned(), ..Person::default() },
                decided,
                body: body.map(str::to_owned),
                remarks: Vec::new(),
                at: None,
                work: Work { repository: "a".to_owned(), number: "7".to_owned(), ..Work::default() },
                url: None,
            }),
        };
        let event = part("e", ReviewVerdict::Reject, Some("Handle the error."));
        let parts = [
            event.clone(),
            part("v", ReviewVerdict::Reject, None),
            part("w", ReviewVerdict::Comment, Some("Handle the error.")),
            part("x", ReviewVerdict::Comment, Some("Add a test.")),
        ];
        let made = decision(&parts, "id", None, Timestamp::UNIX_EPOCH).unwrap();
        assert_eq!(
            (&made["decision"], &made["reviewer_comment"], &made["comments"][0]["body"]),
            (&json!("REJECTED"), &json!("Handle the error."), &json!("Add a test."))
        );
        // An event combines the vote and the words that an API reports as two parts.
        assert_eq!(event.says(), [parts[1].says(), parts[2].says()].concat());
    }
}
