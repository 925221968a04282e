//! Dead letters: which there are, and one of them whole and mended, to be sent to its stream again.
//!
//! The store has them redacted and shortened; the entry itself lies in the stream of dead letters, as long as that keeps it.

mod edit;
mod lookup;
mod resend;

pub use crate::ports::{EntryFields, SentAgain};
pub use edit::{MendError, mended, replaced};
pub use lookup::one;
pub use resend::{ResendError, Resending};
