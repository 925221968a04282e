//! Who asks. Each request carries an `Extension<Option<Caller>>`: the person of the roster who sent it, or nobody.

mod caller;
mod cookie;
mod gap;
mod identify;
mod login;
mod people;
mod proxy;
mod sessions;

pub use caller::{Caller, How, Scope};
pub use gap::GapKey;
pub use identify::{Identity, Unwelcome, bearer, identify};
pub use login::router as login;
pub use people::People;
pub use proxy::Proxy;
