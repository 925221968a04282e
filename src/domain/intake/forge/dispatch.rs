//! Selects the reader for each kind of forge.

use super::event::{EventContent, Kind};
use super::payload::Payload;
use super::{gerrit, gitea, github, gitlab};
use serde_json::Value;

/// Reads a forge's event. `event` is its name from the forge's header; Gerrit has it in the body.
pub fn read(kind: Kind, event: &str, body: &Value) -> EventContent {
    let body = Payload(body);
    match kind {
        Kind::Github => github::read(event, body),
        Kind::Gitlab => gitlab::read(event, body),
        Kind::Gitea | Kind::Forgejo => gitea::read(event, body),
        Kind::Gerrit => gerrit::read(body),
    }
}
