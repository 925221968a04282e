//! The forges whose webhooks are accepted.

use super::webhook_secrets::WebhookSecrets;
use crate::app::forges::deliveries::Forges;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The connected forges, and their webhook secrets.
pub struct Hooks {
    /// The processing of deliveries.
    pub forges: Arc<Forges>,
    /// Locks by forge name.
    pub locks: BTreeMap<String, WebhookSecrets>,
}
