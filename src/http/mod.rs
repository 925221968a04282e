//! The daemon's HTTP side: `/health`, `/ready` and `/metrics`, and `/api/v1` for those who know its token
//! (specification, "HTTP").
//!
//! The first three have no authentication, so it belongs on a loopback address. It reads what is there and changes
//! nothing.

mod api;
mod gate;
mod limits;
mod problem;
mod reply;
mod router;
mod seats;
mod serve;
mod wire;

pub use api::{Api, Services};
pub use limits::Limits;
pub use problem::Problem;
pub use router::{Endpoints, router};
pub use serve::serve;
