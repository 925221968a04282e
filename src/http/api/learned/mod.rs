//! What was learned, and what people decide about it.

mod building;
mod feedback;
mod groups;
mod inbox;
mod people;
mod proposals;
mod rules;
mod signing;

pub use feedback::FEEDBACK;
pub use groups::GROUPS;
pub use people::PEOPLE;
pub use proposals::PROPOSALS;
pub use rules::RULES;
