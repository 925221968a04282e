//! Who asks. Each request carries an `Extension<Option<Caller>>`: the person of the roster who sent it, or nobody.

mod caller;
mod identify;

pub use caller::{Caller, How, Scope};
pub use identify::{Identity, bearer, identify};
