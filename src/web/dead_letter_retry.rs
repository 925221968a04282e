//! Sending dead letters again: who may, and what is answered where that cannot be. API and page do it alike.

use super::auth::{Caller, Scope};
use super::problem::Problem;
use crate::app::admin::dead_letters::ResendError;
use axum::http::StatusCode;
use serde_json::json;

/// Whoever mends: somebody who may see an entry as it came, with all that was taken out of the record.
///
/// # Errors
/// 403 where they may not.
pub fn mends(caller: &Caller) -> Result<&str, Problem> {
    caller.may(Scope::Admin)?;
    Ok(&caller.reviewer)
}

/// Why nothing was sent.
pub fn unsent(error: &ResendError) -> Problem {
    let status = match error {
        ResendError::Rejected(_) => StatusCode::UNPROCESSABLE_ENTITY,
        ResendError::Mend(_) | ResendError::NotRead(_) | ResendError::Already(_) => StatusCode::CONFLICT,
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
