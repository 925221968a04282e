//! An event as publishers write it, made into [`ActionResult`]s. Lenient with everything that can be understood.
//!
//! Three shapes (specification, "Actions"): one result with its fields; the inference context, whose `local_inferences`
//! become one result each and share what stands around them; and the short form `{"action_failed": "<inference>",
//! "reason": ...}`. Fields of a flat Redis entry may hold JSON as text. It removes no secrets: that is done to the
//! value before.

mod event;
mod value;

pub use event::{Fallback, MAX_INFERENCES, UNSPECIFIED};
