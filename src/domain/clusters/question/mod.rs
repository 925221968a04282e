//! The few most valuable questions to people: about a list of comments, or about two clusters.

mod answer;
mod comment;
mod inquiry;
mod list;
mod pair;

pub use answer::{Marks, is_same, sorted};
pub use comment::ShownComment;
pub use inquiry::{Inquiry, inquiries};
pub use list::{ListQuestion, NamedCluster, lists};
pub use pair::{Question, Side, questions};
