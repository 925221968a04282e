//! What was learned, and what people decide about it.

mod building;
mod dead_letters;
mod demands;
mod feedback;
mod groups;
mod imports;
mod inbox;
mod people;
mod proposals;
mod rules;
mod signing;

pub use dead_letters::DEAD_LETTERS;
pub use demands::DEMANDS;
pub use feedback::FEEDBACK;
pub use groups::GROUPS;
pub use imports::IMPORTS;
pub use people::PEOPLE;
pub use proposals::PROPOSALS;
pub use rules::RULES;
