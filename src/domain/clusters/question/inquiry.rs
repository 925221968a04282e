//! Questions to people of either kind.

use super::comment::ShownComment;
use super::list::{ListQuestion, lists};
use super::pair::{Question, questions};
use crate::clusters::keys::MemberKey;
use crate::clusters::member::Member;
use crate::clusters::state::Clusters;
use crate::intake::submission::ReviewAction;
use crate::text::ids::short_hash;
use schemars::JsonSchema;
use serde::Serialize;

/// A question to people.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum Inquiry {
    /// Which of a list ask for the same?
    List(ListQuestion),
    /// Do these two ask for the same?
    Pair(Question),
}

impl Inquiry {
    /// Returns an id that stays the same as long as it asks about the same comments.
    pub fn id(&self) -> String {
        let mut ids: Vec<&str> = self.remarks().into_iter().map(|said| said.feedback_id.as_str()).collect();
        ids.sort_unstable();
        format!("ASK-{}", short_hash(&ids))
    }

    /// Returns the agent it is about.
    pub fn agent(&self) -> &str {
        match self {
            Inquiry::List(list) => &list.agent,
            Inquiry::Pair(pair) => &pair.agent,
        }
    }

    /// Returns the comments that it shows and is about.
    pub fn remarks(&self) -> Vec<&ShownComment> {
        match self {
            Inquiry::List(list) => list.remarks.iter().collect(),
            Inquiry::Pair(pair) => pair.a.remarks.iter().chain(&pair.b.remarks).collect(),
        }
    }

    /// Reports whether a review concerns a comment or cluster that it asks about, so that it must be recomputed.
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

/// Returns what to ask people, about one agent or all, at most `limit`: lists first, because they tell most, then
/// pairs. `near` finds the comments nearest to one, as needed by [`questions`].
///
/// # Errors
/// Errors from `near`.
pub fn inquiries<E>(
    groups: &Clusters,
    agent: Option<&str>,
    limit: usize,
    near: &dyn Fn(&Member) -> Result<Vec<MemberKey>, E>,
) -> Result<Vec<Inquiry>, E> {
    let lists = lists(groups, agent, limit);
    let rest = limit - lists.len();
    let pairs = if rest > 0 { questions(groups, agent, rest, near)? } else { Vec::new() };
    Ok(lists.into_iter().map(Inquiry::List).chain(pairs.into_iter().map(Inquiry::Pair)).collect())
}
