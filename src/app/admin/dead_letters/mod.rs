//! Dead letters: listing them, and restoring and fixing one to send it to its stream again.
//!
//! The store has them redacted and shortened; the entry itself is in the dead letter stream until that drops it.

mod edit;
mod lookup;
mod resend;

pub use crate::ports::{EntryFields, SentAgain};
pub use edit::{EditError, edited, replaced};
pub use lookup::one;
pub use resend::{DeadLetterResender, ResendError};
