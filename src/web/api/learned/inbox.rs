//! A person's pending items, and the calls that answer a question.

use crate::api::request::ApiRequest;
use crate::api::response::{ApiResponse, refused, told};
use crate::app::decisions::inbox::{Inbox, Item, SnoozedItem, Whose, with_questions};
use crate::domain::clusters::question::Inquiry;
use crate::problem::Problem;
use crate::services::Services;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};

/// Pending items.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Waiting {
    /// The person; absent for anyone.
    pub who: Option<String>,
    /// Pending items, most valuable first.
    pub items: Vec<Listed>,
    /// Number of further items pending for others only.
    pub others: u64,
    /// Whether questions about comments were searched for.
    pub questions: bool,
    /// Whether a search for questions about the current store is still under way: ask again in a moment.
    pub looking: bool,
    /// Why nothing can be pending for this person, if so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// Pending items that someone snoozed, next to come back first; omitted if there are none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub snoozed: Vec<SnoozedItem>,
}

/// A pending item.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Listed {
    /// The item.
    #[serde(flatten)]
    pub item: Item,
    /// The possible answers to a question; omitted for everything else.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub answers: Vec<Answer>,
}

/// A call that answers a question.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Answer {
    /// Its meaning.
    pub says: &'static str,
    /// The path below `/api/v1` to post `body` to.
    pub post: &'static str,
    /// The request body; a `reason` may be added. In a list, comments can be moved between `same`, `others`, `nothing`
    /// and `particular`.
    #[schemars(with = "serde_json::Map<String, Value>")]
    pub body: Value,
}

/// `GET /inbox`.
pub fn waiting(services: &Services, asked: &ApiRequest) -> Result<ApiResponse, Problem> {
    let caller = asked.caller.as_ref().map(|caller| caller.reviewer.as_str());
    let who = asked.option("who").or(caller).filter(|who| *who != "*");
    let whose = Whose { who, agent: asked.option("agent") };
    let now = services.channels.clock.now();
    let known = services.questions.ask();
    let found = services.channels.ask(|c| with_questions(&c.queries, whose, &services.asked, &known, now));
    let Inbox { who, items, others, questions, looking, note, snoozed } = found.map_err(refused)?;
    let listed =
        items.into_iter().map(|item| Listed { answers: item.question.as_ref().map_or_else(Vec::new, answers), item });
    told(&Waiting { who, items: listed.collect(), others, questions, looking, note, snoozed })
}

fn answers(inquiry: &Inquiry) -> Vec<Answer> {
    match inquiry {
        Inquiry::Pair(pair) => {
            let body = json!({"a": pair.a.id, "b": pair.b.id});
            let same = Answer { says: "They ask for the same.", post: "/groups/same", body: body.clone() };
            vec![same, Answer { says: "They ask for different things.", post: "/groups/apart", body }]
        }
        Inquiry::List(list) => {
            let ids: Vec<&str> = list.remarks.iter().map(|said| said.feedback_id.as_str()).collect();
            let body = |name: &str| match &list.group {
                Some(group) => json!({name: ids, "into": group.id}),
                None => json!({name: ids}),
            };
            let same = Answer { says: "All ask for the same.", post: "/groups/sort", body: body("same") };
            vec![same, Answer { says: "Each asks for something else.", post: "/groups/sort", body: body("others") }]
        }
    }
}
