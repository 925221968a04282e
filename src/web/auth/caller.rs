//! The person who sent a request, and how they were identified.

use crate::problem::Problem;
use axum::http::StatusCode;

pub use crate::app::admin::tokens::Scope;

/// A person on the roster. Requests carry an `Extension<Option<Caller>>`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Caller {
    /// Their id on the roster in force.
    pub reviewer: String,
    /// How they were identified.
    pub how: AuthMethod,
    /// What they may do this way.
    pub scope: Scope,
}

/// How a caller was identified.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AuthMethod {
    /// By a personal token.
    Token {
        /// The token's name.
        name: String,
    },
    /// By a configured proxy.
    Proxy,
    /// By a login on the page.
    Session {
        /// The token, or the link, used to log in; none after a provider login.
        token: Option<String>,
    },
}

impl Caller {
    /// Returns the decision's author: this person, whom the request may name as well.
    ///
    /// # Errors
    /// 403 if it names another person, or they may only read this way.
    pub fn decides(&self, named: Option<&str>) -> Result<&str, Problem> {
        self.may(Scope::Decide)?;
        match named.map(str::trim).filter(|named| !named.is_empty() && *named != self.reviewer) {
            Some(named) => {
                let detail = format!(
                    "you are `{}` here, so you cannot decide as `{named}`; leave the name out, or log in as that \
                     person",
                    self.reviewer
                );
                Err(Problem::new(StatusCode::FORBIDDEN, detail))
            }
            None => Ok(&self.reviewer),
        }
    }

    /// Checks that they may do what this scope covers.
    ///
    /// # Errors
    /// 403 if they may not.
    pub fn may(&self, scope: Scope) -> Result<(), Problem> {
        if self.scope >= scope {
            return Ok(());
        }
        let detail = format!(
            "this needs the scope `{}`, but you have `{}`; use a token with that scope",
            scope.as_str(),
            self.scope.as_str()
        );
        Err(Problem::new(StatusCode::FORBIDDEN, detail))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nobody_decides_as_somebody_else_or_with_a_token_for_reading() {
        let ana = |scope| Caller { reviewer: "ana".into(), how: AuthMethod::Token { name: "laptop".into() }, scope };
        let decides = |scope, named| ana(scope).decides(named).map(str::to_owned).map_err(|problem| problem.status());
        assert_eq!(decides(Scope::Decide, None), Ok("ana".to_owned()));
        assert_eq!(decides(Scope::Admin, Some(" ana")), Ok("ana".to_owned()));
        assert_eq!(decides(Scope::Decide, Some("")), Ok("ana".to_owned()));
        assert_eq!(decides(Scope::Admin, Some("ben")), Err(StatusCode::FORBIDDEN));
        assert_eq!(decides(Scope::Read, Some("ana")), Err(StatusCode::FORBIDDEN));
    }
}
