//! The person who sent a request, and how that is known.

use crate::problem::Problem;
use axum::http::StatusCode;

pub use crate::app::admin::tokens::Scope;

/// Somebody of the roster. Requests carry an `Extension<Option<Caller>>`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Caller {
    /// Their id on the roster in force.
    pub reviewer: String,
    /// How that is known.
    pub how: How,
    /// What they may do this way.
    pub scope: Scope,
}

/// How it is known who asks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum How {
    /// By a token of theirs.
    Token {
        /// What the token is called.
        name: String,
    },
    /// A proxy that the configuration names says so.
    Proxy,
    /// They logged in on the page.
    Session {
        /// The token, or the link, that they logged in with; none where a provider knew them.
        token: Option<String>,
    },
}

impl Caller {
    /// Who decides: this person, whom the request may name as well.
    ///
    /// # Errors
    /// 403 where it names somebody else, or they may only read this way.
    pub fn decides(&self, named: Option<&str>) -> Result<&str, Problem> {
        self.may(Scope::Decide)?;
        match named.map(str::trim).filter(|named| !named.is_empty() && *named != self.reviewer) {
            Some(named) => {
                let detail = format!(
                    "you are `{}` here, so you cannot decide as `{named}`; leave the name out, or come as that person",
                    self.reviewer
                );
                Err(Problem::new(StatusCode::FORBIDDEN, detail))
            }
            None => Ok(&self.reviewer),
        }
    }

    /// That they may do what this scope covers.
    ///
    /// # Errors
    /// 403 where they may not.
    pub fn may(&self, scope: Scope) -> Result<(), Problem> {
        if self.scope >= scope {
            return Ok(());
        }
        let detail = format!(
            "this needs the scope `{}`, and you have `{}`; ask for a token with that scope",
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
        let ana = |scope| Caller { reviewer: "ana".into(), how: How::Token { name: "laptop".into() }, scope };
        let decides = |scope, named| ana(scope).decides(named).map(str::to_owned).map_err(|problem| problem.status());
        assert_eq!(decides(Scope::Decide, None), Ok("ana".to_owned()));
        assert_eq!(decides(Scope::Admin, Some(" ana")), Ok("ana".to_owned()));
        assert_eq!(decides(Scope::Decide, Some("")), Ok("ana".to_owned()));
        assert_eq!(decides(Scope::Admin, Some("ben")), Err(StatusCode::FORBIDDEN));
        assert_eq!(decides(Scope::Read, Some("ana")), Err(StatusCode::FORBIDDEN));
    }
}
