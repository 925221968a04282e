//! Who asks. Each request carries an `Extension<Option<Caller>>`: the person of the roster who sent it, or nobody.

mod by_provider;
mod caller;
mod cookie;
mod gap;
mod identify;
mod login;
mod login_form;
mod oidc;
mod people;
mod provider;
mod proxy;
mod sessions;

pub use by_provider::BACK;
pub use caller::{Caller, How, Scope};
pub use gap::GapKey;
pub use identify::{Identity, Unwelcome, bearer, identify};
pub use login::router as login;
pub use oidc::{Claim, Oidc, OidcOptions};
pub use people::People;
pub use provider::{Ask, NotAsked};
pub use proxy::Proxy;
