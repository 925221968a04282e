//! The caller. Each request carries an `Extension<Option<Caller>>`: the person of the roster who sent it, or none.

mod authenticator;
mod caller;
mod cookie;
mod identify;
mod login;
mod login_form;
mod oauth2_proxy_signature;
mod oidc;
mod oidc_login;
mod provider;
mod proxy;
mod sessions;

pub use authenticator::People;
pub use caller::{AuthMethod, Caller, Scope};
pub use identify::{Identity, Unwelcome, bearer, identify};
pub use login::router as login;
pub use oauth2_proxy_signature::GapKey;
pub use oidc::{Claim, Oidc, OidcOptions};
pub use oidc_login::BACK;
pub use provider::{RequestError, SendRequest};
pub use proxy::Proxy;
