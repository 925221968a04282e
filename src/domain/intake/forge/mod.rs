//! What people say on forges: webhooks of GitHub, GitLab, Gitea, Forgejo and Gerrit, read as reviews.
//!
//! The input is the event's name and JSON from a forge; the receiver checks its signature. The output is parts of
//! reviews, follow-ups to earlier ones, or the reason why nothing is taken; the parts of a review become one decision.
//! The objects of the forges' APIs have the same shapes, so the same functions read them.

mod bot_commands;
pub mod clone;
mod courtesy;
mod cut;
mod dispatch;
mod event;
mod gather;
mod gerrit;
mod gitea;
mod github;
mod gitlab;
mod history;
mod payload;
mod policy;
mod pull;

pub use courtesy::without_courtesy;
pub use dispatch::read;
pub use event::{
    EventContent, FollowUpEvent, InlineComment, Kind, Person, Reason, Review, ReviewVerdict, ToldWhat, Work,
};
pub use gather::{Part, decision, decision_id, identify};
pub use history::{Pull, group, is_nothing, say};
pub use policy::{ANYONE, Claim, ClaimBy, DELETED, HeardFrom, Policy};
