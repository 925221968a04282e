//! The few questions to people that pay most: about a list of remarks, or about two groups.

mod inquiry;
mod list;
mod pair;
mod said;

pub use inquiry::Inquiry;
pub use list::{Known, ListQuestion, lists};
pub use pair::{Question, Side, questions};
pub use said::Said;
