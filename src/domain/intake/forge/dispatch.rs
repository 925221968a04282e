//! Each kind of forge by its own reader.

use super::event::{Kind, Said};
use super::payload::Payload;
use super::{gerrit, gitea, github, gitlab};
use serde_json::Value;

/// What a forge sent, read. `event` is its name as the forge's header says it; Gerrit says it in the body.
pub fn read(kind: Kind, event: &str, body: &Value) -> Said {
    let body = Payload(body);
    match kind {
        Kind::Github => github::read(event, body),
        Kind::Gitlab => gitlab::read(event, body),
        Kind::Gitea | Kind::Forgejo => gitea::read(event, body),
        Kind::Gerrit => gerrit::read(body),
    }
}
