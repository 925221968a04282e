//! Parsing of published events into [`ActionResult`]s. Lenient with everything that can be understood.
//!
//! There are three shapes (specification, "Actions"): one result with its fields; the inference context, whose
//! `local_inferences` become one result each and share the surrounding fields; and the short form
//! `{"action_failed": "<inference>", "reason": ...}`. Fields of a flat Redis entry may hold JSON as text. Secrets must
//! already have been removed from the value.

mod event;
mod value;

pub use event::{Fallback, MAX_INFERENCES, UNSPECIFIED};
