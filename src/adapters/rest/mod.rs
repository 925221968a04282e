//! Servers that are asked over HTTP: ones that take and give JSON, and the APIs of forges.

mod forge;
mod server;

pub use forge::{ForgeServer, ForgeServerOptions};
pub use server::{RestOptions, RestServer, get};
