//! HTTP clients: JSON servers, forge APIs, and OpenID Connect providers.

mod forge;
mod provider;
mod server;

pub use forge::{ForgeServer, ForgeServerOptions};
pub use provider::ask as ask_provider;
pub use server::{RestOptions, RestServer, get};
