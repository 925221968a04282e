//! A language model at a server: some questions at once, a short queue, and no waiting for anybody; or its recorded answers.
//!
//! It sends what the domain's advice words, and hands back what the model says as it is. It judges no answer, keeps no
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
