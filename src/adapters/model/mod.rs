//! A language model at a server: one thread, one request at a time, a short queue, and no waiting for anybody.
//!
//! It sends what the domain's advice words, and hands back what the model says as it is. It judges no answer, keeps no
//! budget and has no cache.

mod advisor;
mod exchange;
mod labels;
mod wire;

pub use advisor::{HttpAdvisor, MAX_ANSWER};
pub use exchange::ModelOptions;
pub use labels::LabelAdvisor;
pub use wire::Dialect;
