//! Servers that are asked over HTTP: ones that take and give JSON, the APIs of forges,
//! and providers of OpenID Connect.

mod forge;
mod provider;
mod server;

pub use forge::{ForgeServer, ForgeServerOptions};
pub use provider::ask as ask_provider;
pub use server::{RestOptions, RestServer, get};
