//! The parts of a review become one decision: what it says of the whole, and every remark as a comment. What was deleted
//! or edited before that counts as it stands now.

use super::courtesy;
use super::event::{Decided, Kind, Remark, Review, Told, ToldWhat};
use super::gerrit::words_id;
use crate::intake::comment::Comment;
use crate::text::ids::safe_name;
use crate::text::verdict::Verdict;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// A delivery that waits for what belongs to it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Part {
    /// What the connection is called in the configuration.
    pub forge: String,
    pub kind: Kind,
    /// The gate at which its reviews count.
    pub gate: String,
    /// The forge's own id of the delivery.
    pub delivery: String,
    /// Whose work it is said to be.
    #[serde(default)]
    pub agent: String,
    /// What that rests on.
    #[serde(default)]
    pub rests_on: String,
    /// Who on the roster speaks, where the configuration says it.
    #[serde(default)]
    pub person: Option<String>,
    #[serde(default)]
    pub review: Option<Review>,
    #[serde(default)]
    pub told: Option<Told>,
}

impl Part {
    /// What all parts of a review have in common.
    pub fn key(&self) -> String {
        let of =
            |work: &super::Work, review: &str| format!("{}/{}/{}/{review}", self.forge, work.repository, work.number);
        match (&self.review, &self.told) {
            (Some(review), _) => of(&review.work, &review.review),
            (None, Some(told)) => of(&told.work, &told.review),
            (None, None) => self.forge.clone(),
        }
    }

    /// What it says, by number: each remark, and the review itself. So it is known again, whichever way it comes.
    pub fn says(&self) -> Vec<String> {
        let Some(review) = &self.review else { return Vec::new() };
        if self.kind == Kind::Gerrit {
            // Its events have some words in another place than its API has them.
            let vote = (review.decided != Decided::Comment).then(|| ITSELF.to_owned());
            let words = review.body.as_deref().map(words_id);
            let remarks = review.remarks.iter().map(|remark| remark.id.clone());
            return vote.into_iter().chain(words).chain(remarks).collect();
        }
        let itself = review.remarks.is_empty() || review.body.is_some() || review.decided != Decided::Comment;
        let itself = itself.then(|| ITSELF.to_owned());
        itself.into_iter().chain(review.remarks.iter().map(|remark| remark.id.clone())).collect()
    }
}

/// What stands for the review itself where it is said what was said.
const ITSELF: &str = "itself";

/// The id of the decision that these parts are; none where there is no review among them.
pub fn identify(parts: &[Part]) -> Option<String> {
    let reviews = || parts.iter().filter_map(|part| part.review.as_ref());
    let part = parts.iter().find(|part| part.review.is_some())?;
    let remarks = reviews().flat_map(|review| &review.remarks).map(|remark| &remark.id);
    // By number: in which order the events come means nothing.
    let first = remarks.min_by_key(|id| (id.len(), *id));
    Some(decision_id(&part.key(), first.map(String::as_str)))
}

/// The id of the decision that a review is: the same whenever its parts are sent again. Of what is gathered by person, the
/// first remark tells one review from the next. One without remarks approves, and somebody's approval is one thing however
/// often it is given: an API says of it neither the revision nor exactly the time that a webhook says.
pub fn decision_id(key: &str, first: Option<&str>) -> String {
    let id = if key.contains("/by-") { format!("{key}/{}", first.unwrap_or("approved")) } else { key.to_owned() };
    safe_name(&id.replace('/', "-"))
}

/// The decision that the parts are, as the stream of decisions takes it, under this id; none where everything that was said
/// is deleted. All must have the same [`Part::key`], in the order in which they came.
pub fn decision(parts: &[Part], id: &str, tenant: Option<&str>, now: Timestamp) -> Option<Value> {
    let reviews: Vec<&Review> = parts.iter().filter_map(|part| part.review.as_ref()).collect();
    let (last, part) = (*reviews.last()?, parts.iter().rfind(|part| part.review.is_some())?);
    let decided = reviews.iter().map(|review| review.decided).max()?;
    let mut bodies = reviews.iter().filter_map(|review| review.body.clone());
    let mut body = bodies.next();
    // Who votes the same once more, with other words.
    let again = bodies.filter(|again| Some(again) != body.as_ref());
    let again = again.map(|text| Remark { id: words_id(&text), text, ..Remark::default() });
    let mut remarks: Vec<Remark> = Vec::new();
    let dated = |review: &&Review| {
        let at = review.at;
        review.remarks.clone().into_iter().map(move |remark| Remark { at: remark.at.or(at), ..remark })
    };
    for remark in reviews.iter().flat_map(dated).chain(again) {
        if !remarks.iter().any(|known| known.id == remark.id) {
            remarks.push(remark);
        }
    }
    match part.kind {
        // Its ids are made by chance.
        Kind::Gerrit => remarks.sort_by_key(|remark| (remark.file.clone(), remark.line, remark.id.clone())),
        // By number: in which order the events come means nothing.
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
    let decided = if dismissed { Decided::Comment } else { decided };
    // What was edited into praise or an order asks for nothing.
    let body =
        body.filter(|body| courtesy::read(body).is_none_or(|courtesy| courtesy.stays_beside(decided, part.kind)));
    remarks.retain(|remark| remark.text.trim().is_empty() || courtesy::read(&remark.text).is_none());
    // Those without words only say which files a revert is about.
    let (remarks, wordless): (Vec<Remark>, Vec<Remark>) =
        remarks.into_iter().partition(|remark| !remark.text.trim().is_empty());
    let body = body.filter(|body| !body.trim().is_empty());
    if decided == Decided::Comment && body.is_none() && remarks.is_empty() {
        return None;
    }
    // What comments ask for under an approval makes it a correction; praise and answers do not.
    let verdict = match decided {
        Decided::Reject => Verdict::Rejected,
        Decided::Approve => Verdict::Approved,
        Decided::Comment => Verdict::ApprovedWithChanges,
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
        let part = |delivery: &str, decided: Decided, body: Option<&str>| Part {
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
        let event = part("e", Decided::Reject, Some("Handle the error."));
        let parts = [
            event.clone(),
            part("v", Decided::Reject, None),
            part("w", Decided::Comment, Some("Handle the error.")),
            part("x", Decided::Comment, Some("Add a test.")),
        ];
        let made = decision(&parts, "id", None, Timestamp::UNIX_EPOCH).unwrap();
        assert_eq!(
            (&made["decision"], &made["reviewer_comment"], &made["comments"][0]["body"]),
            (&json!("REJECTED"), &json!("Handle the error."), &json!("Add a test."))
        );
        // The vote and the words of an event are those of the two parts by which an API says them.
        assert_eq!(event.says(), [parts[1].says(), parts[2].says()].concat());
    }
}
