//! A language model on a server: a few questions at once, a short queue, never blocking; or its recorded answers.
//!
//! It sends the prompts of the domain's advice, and returns the model's text unchanged. It judges no answer, keeps no
//! budget and has no cache.

mod address;
mod advisor;
mod exchange;
mod recorded;
mod server_profile;
mod wire;

pub use address::{address, own_key_header};
pub use advisor::{HttpAdvisor, MAX_ANSWER, Probe, probe};
pub use exchange::{FIELDS, ModelOptions};
pub use recorded::RecordedAdvisor;
pub use wire::Dialect;
