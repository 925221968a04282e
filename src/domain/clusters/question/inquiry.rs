//! What people are asked: one question of either kind.

use super::comment::Said;
use super::list::{ListQuestion, lists};
use super::pair::{Question, questions};
use crate::clusters::keys::MemberKey;
use crate::clusters::member::Member;
use crate::clusters::state::Groups;
use crate::intake::submission::ReviewAction;
use crate::text::ids::short_hash;
use schemars::JsonSchema;
use serde::Serialize;

/// What people are asked.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum Inquiry {
    /// Which of a list ask for the same?
    List(ListQuestion),
    /// Do these two ask for the same?
    Pair(Question),
}

impl Inquiry {
    /// An id that is the same as long as it asks about the same remarks.
    pub fn id(&self) -> String {
        let mut ids: Vec<&str> = self.remarks().into_iter().map(|said| said.feedback_id.as_str()).collect();
        ids.sort_unstable();
        format!("ASK-{}", short_hash(&ids))
    }

    /// The agent it is about.
    pub fn agent(&self) -> &str {
        match self {
            Inquiry::List(list) => &list.agent,
            Inquiry::Pair(pair) => &pair.agent,
        }
    }

    /// The remarks that it is about and shows.
    pub fn remarks(&self) -> Vec<&Said> {
        match self {
            Inquiry::List(list) => list.remarks.iter().collect(),
            Inquiry::Pair(pair) => pair.a.remarks.iter().chain(&pair.b.remarks).collect(),
        }
    }

    /// Whether somebody said something of a remark or a group that it asks about, so that it must be looked for anew.
    pub fn is_touched_by(&self, action: &ReviewAction) -> bool {
        let groups: Vec<&str> = match self {
            Inquiry::List(list) => list.group.iter().map(|group| group.id.as_str()).collect(),
            Inquiry::Pair(pair) => vec![&pair.a.id, &pair.b.id],
        };
        let remarks = self.remarks();
        action
            .teaches_about()
            .iter()
            .any(|id| groups.contains(id) || remarks.iter().any(|said| said.feedback_id == *id))
    }
}

/// What to ask people, about one agent or about all, at most `limit`: lists first, for one look at them tells most, then
/// pairs. `near` finds the remarks nearest to one, as [`questions`] needs them.
///
/// # Errors
/// What `near` fails with.
pub fn inquiries<E>(
    groups: &Groups,
    agent: Option<&str>,
    limit: usize,
    near: &dyn Fn(&Member) -> Result<Vec<MemberKey>, E>,
) -> Result<Vec<Inquiry>, E> {
    let lists = lists(groups, agent, limit);
    let rest = limit - lists.len();
    let pairs = if rest > 0 { questions(groups, agent, rest, near)? } else { Vec::new() };
    Ok(lists.into_iter().map(Inquiry::List).chain(pairs.into_iter().map(Inquiry::Pair)).collect())
}
