//! `/api/feedback`: the calls of the existing review UI, field by field as it sends and expects them. They are fixed.
//!
//! It identifies people only by its own ids, so the configuration defines from where it may call and whom its ids
//! represent; a caller identified otherwise takes precedence.

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
