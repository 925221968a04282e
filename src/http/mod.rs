//! The daemon's HTTP side: `/health`, `/ready` and `/metrics` for everybody, `/api/v1` for those who have a token, and
//! where people log in (specification, "HTTP").
//!
//! The first three have no authentication, so it belongs on a loopback address. What asks changes nothing; what decides
//! goes over the review stream.

mod api;
mod asset;
mod body;
mod deciding;
mod demanding;
mod gate;
mod header;
mod held;
mod hooks;
mod identity;
mod intermediary;
mod last;
mod limits;
mod mcp;
mod mending;
mod origin;
mod page;
mod place;
mod problem;
mod published;
mod redirect;
mod reply;
mod review_ui;
mod router;
mod seats;
mod serve;
mod services;
mod signing;
mod wire;

pub use demanding::{Demanding, Notes};
pub use held::Held;
pub use hooks::{Hooks, Lock};
pub use identity::{
    Ask, BACK, Caller, Claim, GapKey, How, Identity, NotAsked, Oidc, OidcOptions, People, Proxy, Scope,
};
pub use limits::Limits;
pub use page::hand_in_held;
pub use problem::Problem;
pub use published::PublishedSchema;
pub use review_ui::{ReviewUi, StandIns};
pub use router::{Endpoints, router};
pub use serve::serve;
pub use services::Services;
