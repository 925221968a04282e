//! The daemon's HTTP side: `/health`, `/ready` and `/metrics`, and `/api/v1` for those who know its token
//! (specification, "HTTP").
//!
//! The first three have no authentication, so it belongs on a loopback address. It reads what is there and changes
//! nothing.

mod api;
mod deciding;
mod gate;
mod identity;
mod limits;
mod origin;
mod problem;
mod reply;
mod review_ui;
mod router;
mod seats;
mod serve;
mod services;
mod wire;

pub use identity::{Caller, How, Identity, People, Proxy, Scope};
pub use limits::Limits;
pub use problem::Problem;
pub use review_ui::{Callers, ReviewUi};
pub use router::{Endpoints, router};
pub use serve::serve;
pub use services::Services;
