//! The answer of a call, and its tag.

use crate::app::queries::QueryError;
use crate::problem::Problem;
use axum::http::StatusCode;
use serde::Serialize;

/// An answer.
#[derive(Clone, Debug)]
pub struct ApiResponse {
    /// JSON text.
    pub body: Vec<u8>,
    /// The hash of the text that a decision about this must name, if it has one.
    pub version: Option<String>,
}

impl ApiResponse {
    /// Wraps existing JSON text.
    pub fn json(body: Vec<u8>) -> ApiResponse {
        ApiResponse { body, version: None }
    }

    /// Adds the hash of the text that a decision about this must name.
    pub fn of_version(self, hash: &str) -> ApiResponse {
        ApiResponse { version: Some(hash.to_owned()), ..self }
    }

    /// Returns its strong tag, unique to the answer. With a version, it begins with that.
    pub fn tag(&self) -> String {
        let hash = blake3::hash(&self.body).to_hex();
        match &self.version {
            Some(version) => format!("\"{version}/{}\"", &hash[..16]),
            None => format!("\"{}\"", &hash[..32]),
        }
    }
}

/// Serializes an answer as JSON.
///
/// # Errors
/// 500 if it cannot be serialized.
pub fn told(answer: &impl Serialize) -> Result<ApiResponse, Problem> {
    serde_json::to_vec(answer).map(ApiResponse::json).map_err(|error| {
        Problem::new(StatusCode::INTERNAL_SERVER_ERROR, format!("the answer cannot be written: {error}"))
    })
}

/// Converts a query error to a problem.
pub fn refused(error: QueryError) -> Problem {
    let (status, hint) = match &error {
        QueryError::NotFound { nearest, .. } if nearest.is_empty() => (StatusCode::NOT_FOUND, String::new()),
        QueryError::NotFound { nearest, .. } => (StatusCode::NOT_FOUND, format!("; near: {}", nearest.join(", "))),
        QueryError::NoWords => (StatusCode::UNPROCESSABLE_ENTITY, String::new()),
        QueryError::Unreadable { .. } => {
            (StatusCode::INTERNAL_SERVER_ERROR, "; fix the file in a clone of the store and push it".to_owned())
        }
        QueryError::Store(_) | QueryError::Index(_) | QueryError::Embed(_) | QueryError::Knowledge(_) => {
            (StatusCode::SERVICE_UNAVAILABLE, "; try again later".to_owned())
        }
    };
    Problem::new(status, format!("{error}{hint}"))
}

/// Reports whether a header lists a tag. Weak ones and `*` match nothing.
pub fn lists(header: &str, tag: &str) -> bool {
    header.split(',').any(|listed| listed.trim() == tag)
}

/// Returns the versions in `If-Match`: the tag of a proposal up to its `/`, or the hash alone.
pub fn versions(header: &str) -> impl Iterator<Item = &str> {
    let tags = header.split(',').filter_map(|tag| tag.trim().strip_prefix('"')?.strip_suffix('"'));
    tags.map(|tag| tag.split('/').next().unwrap_or(tag)).filter(|version| !version.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tag_tells_the_version_and_changes_with_the_answer() {
        let (one, other) = (
            ApiResponse::json(b"{}".to_vec()).of_version("v2:ab"),
            ApiResponse::json(b"[]".to_vec()).of_version("v2:ab"),
        );
        assert_ne!(one.tag(), other.tag());
        assert_eq!(versions(&one.tag()).collect::<Vec<_>>(), ["v2:ab"]);
        assert_eq!(versions("\"v2:ab\", W/\"v2:cd\", *, \"\"").collect::<Vec<_>>(), ["v2:ab"]);
        assert!(lists(&format!("\"x\", {}", one.tag()), &one.tag()) && !lists("*", &one.tag()));
    }
}
