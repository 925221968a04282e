//! The review UI's calls, if enabled.

use super::error::WiringError;
use super::streams::gate_feedback;
use crate::config::Config;
use crate::daemon::{ReviewUi, StandIns};

/// Returns their handler; `None` if disabled.
pub(super) fn review_ui(config: &Config) -> Result<Option<ReviewUi>, WiringError> {
    let section = &config.review_ui;
    if !section.enabled {
        return Ok(None);
    }
    let mapped = section.mapped().flatten().map(|(id, person)| (id.to_owned(), person.to_owned()));
    let people = StandIns {
        loopback: section.takes_loopback(),
        addresses: section.addresses().flatten().collect(),
        token: section.token()?.map(|token| blake3::hash(token.expose().as_bytes())),
        published_by: config.published_by(),
        mapped: mapped.collect(),
        roster_ids: section.roster_ids,
        gate_form_id: section.gate_form_id.clone(),
    };
    Ok(Some(ReviewUi { people, gates: gate_feedback(config)?, listed: Default::default() }))
}
