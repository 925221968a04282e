//! What was learned, and what people decide about it.

mod clusters;
mod dead_letters;
mod demands;
mod feedback;
mod imports;
mod inbox;
mod people;
mod proposals;
mod rows;
mod rules;
mod signature;

pub use clusters::GROUPS;
pub use dead_letters::DEAD_LETTERS;
pub use demands::DEMANDS;
pub use feedback::FEEDBACK;
pub use imports::IMPORTS;
pub use people::PEOPLE;
pub use proposals::PROPOSALS;
pub use rules::RULES;
