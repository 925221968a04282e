//! What people say on forges: webhooks of GitHub, GitLab, Gitea, Forgejo and Gerrit, read as reviews.
//!
//! In come the event's name and the JSON that a forge sent; its signature is checked by whoever received it. Out go parts
//! of reviews, what is told of earlier ones, or the reason why nothing is taken; and of the parts of a review one decision.
//! The objects of the forges' APIs have the same shapes, so who asks an API reads them with the same functions.

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
pub use event::{Decided, Kind, Person, Reason, Remark, Review, Said, Told, ToldWhat, Work};
pub use gather::{Part, decision, decision_id, identify};
pub use history::{Pull, group, is_nothing, say};
pub use policy::{ANYONE, Claim, ClaimBy, DELETED, HeardFrom, Policy};
