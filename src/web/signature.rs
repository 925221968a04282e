//! The text signed for a decision, and whether its signature counts. The daemon checks again when it applies the
//! decision; this check reports problems while the person can still fix them.

use super::problem::Problem;
use super::services::Services;
use crate::app::decisions::submission::understood;
use crate::domain::intake::submission::{Review, Submission};
use crate::domain::records::layout;
use crate::domain::records::origin::StoreIdentity;
use crate::domain::rules::lifecycle::roster::Reviewer;
use crate::domain::rules::lifecycle::signature::{Place, signed_text};
use crate::domain::rules::lifecycle::signer;
use crate::text::yaml;
use axum::http::StatusCode;
use jiff::Timestamp;
use serde_json::Value;

/// A decision as the daemon will read it, and its store.
pub struct Signable {
    /// The decision.
    pub review: Review,
    store_id: String,
    tenant_id: String,
}

/// Completes a decision with its id, time and author. Its time is checked on submission.
///
/// # Errors
/// 422 if it is invalid, 503 if the store cannot be read or has no id.
pub fn signable(services: &Services, payload: &Value) -> Result<Signable, Problem> {
    let unfit = |why: String| Problem::new(StatusCode::UNPROCESSABLE_ENTITY, why);
    let review = match understood("", payload, &services.reviews.limits, Timestamp::MAX) {
        Ok((_, Some(Submission::Review(review)))) => review,
        Ok(_) => return Err(unfit("this is not a decision that can be signed".to_owned())),
        Err(rejection) => return Err(unfit(rejection.message)),
    };
    let away = |why: String| Problem::new(StatusCode::SERVICE_UNAVAILABLE, why);
    let identity = (services.reviews.read)(layout::STORE).map_err(|error| away(error.to_string()))?;
    let identity = identity.and_then(|text| yaml::parse::<StoreIdentity>(&text).ok());
    let identity =
        identity.ok_or_else(|| away("the store has no id yet; start the daemon to create one".to_owned()))?;
    let tenant_id = services.reviews.limits.tenant.clone().unwrap_or_default();
    Ok(Signable { review, store_id: identity.store_id, tenant_id })
}

impl Signable {
    /// Returns the exact text to sign.
    pub fn text(&self) -> String {
        signed_text(&self.review, self.place())
    }

    /// Checks that the decision's signature counts now.
    ///
    /// # Errors
    /// A sentence with the reason.
    pub fn check(&self, services: &Services, person: Option<&Reviewer>, now: Timestamp) -> Result<(), String> {
        signer::check(&self.review, self.place(), person, now, services.asked.signature_window).map(drop)
    }

    fn place(&self) -> Place<'_> {
        Place { store_id: &self.store_id, tenant_id: &self.tenant_id }
    }
}
