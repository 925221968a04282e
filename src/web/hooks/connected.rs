//! The forges whose webhooks are taken.

use super::lock::Lock;
use crate::app::forges::deliveries::Forges;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The forges that are connected, and what opens their addresses.
pub struct Hooks {
    /// The way of what they send.
    pub forges: Arc<Forges>,
    /// By the forge's name.
    pub locks: BTreeMap<String, Lock>,
}
