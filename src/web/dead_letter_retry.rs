//! Resending dead letters: who may, and the errors. Shared by API and page.

use super::auth::{Caller, Scope};
use super::problem::Problem;
use crate::app::admin::dead_letters::ResendError;
use axum::http::StatusCode;
use serde_json::json;

/// Returns who may fix entries: a person allowed to see an entry as received, with everything redacted from the record.
///
/// # Errors
/// 403 if they may not.
pub fn editor(caller: &Caller) -> Result<&str, Problem> {
    caller.may(Scope::Admin)?;
    Ok(&caller.reviewer)
}

/// Converts a failure to resend to a problem.
pub fn unsent(error: &ResendError) -> Problem {
    let status = match error {
        ResendError::Rejected(_) => StatusCode::UNPROCESSABLE_ENTITY,
        ResendError::Edit(_) | ResendError::NotRead(_) | ResendError::Already(_) => StatusCode::CONFLICT,
        ResendError::Bus(_) => StatusCode::SERVICE_UNAVAILABLE,
    };
    let problem = Problem::new(status, error.to_string());
    match error {
        ResendError::Rejected(rejection) => {
            let field = rejection.field.as_deref().unwrap_or_default();
            let errors = json!([{"pointer": "/fields", "field": field, "detail": rejection.message}]);
            problem.with("code", rejection.code.as_str()).with("errors", errors)
        }
        _ => problem,
    }
}
