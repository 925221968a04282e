//! `/api/feedback`: the calls of the review UI that exists, field by field as it sends and expects them. They are fixed.
//!
//! It says of nobody who they are but an id of its own, so the configuration says from where it may be called and for whom
//! its ids stand; where it is known otherwise who asks, that person counts.

mod call;
mod decisions;
mod forms;
mod people;
mod proposals;
mod service;
mod shapes;
mod state;

pub use people::StandIns;
pub use service::router;
pub use state::ReviewUi;
