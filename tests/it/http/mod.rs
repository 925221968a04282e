//! The HTTP side over real sockets.

pub mod api;
mod dead_letters;
mod endpoints;
mod history;
mod hooks;
mod identity;
mod imports;
mod inbox;
mod offering;
mod oidc;
mod page;
mod places;
mod proposals;
mod published;
mod questions;
mod review_ui;
mod signing;
mod speaking;
mod visitor;
