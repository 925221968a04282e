//! Creating, listing, revoking and checking tokens.

use super::error::TokenError;
use super::scope::Scope;
use super::token::{Kind, SECRET_BYTES, Token, read, written};
use crate::ports::{PrivateFile, Stamp};
use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};
use std::sync::{Arc, Mutex, PoisonError};

/// How long a dead token is kept.
const KEPT: SignedDuration = SignedDuration::from_hours(24 * 90);
/// The file's format version.
const VERSION: u32 = 1;

/// Returns the path of the token file.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Book {
    version: u32,
    tokens: Vec<Token>,
}

/// A request for a token.
#[derive(Clone, Debug)]
pub struct TokenRequest {
    /// Whether it is reusable.
    pub kind: Kind,
    /// The person it identifies.
    pub reviewer: String,
    /// Its name.
    pub name: String,
    /// What it allows.
    pub scope: Scope,
    /// Its lifetime.
    pub lasts: SignedDuration,
}

/// All tokens. Changes by other processes are seen immediately.
pub struct Tokens {
    file: Box<dyn PrivateFile>,
    seen: Mutex<Option<(Stamp, Arc<Book>)>>,
}

impl Tokens {
    /// Opens the tokens in a file.
    pub fn new(file: Box<dyn PrivateFile>) -> Tokens {
        Tokens { file, seen: Mutex::new(None) }
    }

    /// Returns all of them, latest first.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn all(&self) -> Result<Vec<Token>, TokenError> {
        let mut all = self.book()?.tokens.clone();
        all.reverse();
        Ok(all)
    }

    /// Creates a token. Its text exists only in the result.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn create(&self, wanted: &TokenRequest, now: Timestamp) -> Result<(String, Token), TokenError> {
        let mut random = [0_u8; SECRET_BYTES + 4];
        getrandom::fill(&mut random).map_err(|error| TokenError::Random(error.to_string()))?;
        let (id, text) = written(wanted.kind, &random);
        let token = Token {
            id,
            kind: wanted.kind,
            hash: blake3::hash(text.as_bytes()).to_string(),
            reviewer: wanted.reviewer.clone(),
            name: wanted.name.clone(),
            scope: wanted.scope,
            created_at: now,
            expires_at: now.saturating_add(wanted.lasts).unwrap_or(Timestamp::MAX),
            used_at: None,
            revoked_at: None,
        };
        self.change(now, |tokens| {
            tokens.push(token.clone());
            Ok(())
        })?;
        Ok((text, token))
    }

    /// Revokes a token and every session that began with it.
    ///
    /// # Errors
    /// If there is none with this id, or the file cannot be written.
    pub fn revoke(&self, id: &str, now: Timestamp) -> Result<Token, TokenError> {
        self.change(now, |tokens| {
            let found = tokens.iter_mut().find(|token| token.id == id);
            let token = found.ok_or_else(|| TokenError::NoSuchId(id.to_owned()))?;
            token.revoked_at.get_or_insert(now);
            Ok(token.clone())
        })
    }

    /// Returns the presented token if it is valid.
    ///
    /// # Errors
    /// Why it is not valid.
    pub fn check(&self, shown: &str, now: Timestamp) -> Result<Token, TokenError> {
        let token = known(&self.book()?.tokens, shown)?.clone();
        match token.kind {
            Kind::Token => valid(&token, now).map(|()| token),
            Kind::Link => Err(TokenError::OnlyLogin),
        }
    }

    /// Returns the token that a login would use. Changes nothing.
    ///
    /// # Errors
    /// As [`Tokens::log_in`].
    pub fn would_log_in(&self, shown: &str, now: Timestamp) -> Result<Token, TokenError> {
        let token = known(&self.book()?.tokens, shown)?.clone();
        unused(&token, now).map(|()| token)
    }

    /// Returns the token used for a login. A link is then used up.
    ///
    /// # Errors
    /// Why it is not valid.
    pub fn log_in(&self, shown: &str, now: Timestamp) -> Result<Token, TokenError> {
        if !matches!(read(shown), Some((Kind::Link, _))) {
            return self.check(shown, now);
        }
        self.change(now, |tokens| {
            let id = known(tokens, shown)?.id.clone();
            let Some(token) = tokens.iter_mut().find(|token| token.id == id) else { return Err(TokenError::Unknown) };
            unused(token, now)?;
            token.used_at = Some(now);
            Ok(token.clone())
        })
    }

    /// Reports whether a session begun with this token may continue.
    pub fn holds(&self, id: &str, now: Timestamp) -> bool {
        let Ok(book) = self.book() else { return false };
        book.tokens.iter().find(|token| token.id == id).is_some_and(|token| match token.kind {
            Kind::Token => valid(token, now).is_ok(),
            Kind::Link => token.revoked_at.is_none(),
        })
    }

    fn book(&self) -> Result<Arc<Book>, TokenError> {
        let stamp = self.file.stamp()?;
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, book)) = seen.as_ref().filter(|(at, _)| *at == stamp) {
            return Ok(Arc::clone(book));
        }
        let book = Arc::new(parsed(self.file.read()?.as_deref())?);
        *seen = Some((stamp, Arc::clone(&book)));
        Ok(book)
    }

    fn change<T>(
        &self,
        now: Timestamp,
        change: impl FnOnce(&mut Vec<Token>) -> Result<T, TokenError>,
    ) -> Result<T, TokenError> {
        let (mut change, mut done, mut failed) = (Some(change), None, None);
        self.file.change(&mut |text| {
            let changed = parsed(text).and_then(|mut book| {
                book.tokens.retain(|token| token.expires_at.saturating_add(KEPT).is_ok_and(|end| now < end));
                done = change.take().map(|change| change(&mut book.tokens)).transpose()?;
                serde_json::to_string_pretty(&book).map_err(|error| TokenError::Unreadable(error.to_string()))
            });
            match changed {
                Ok(text) => Some(text + "\n"),
                Err(error) => {
                    failed = Some(error);
                    None
                }
            }
        })?;
        match (failed, done) {
            (Some(error), _) => Err(error),
            (None, Some(done)) => Ok(done),
            (None, None) => Err(TokenError::Unreadable("it did not change".to_owned())),
        }
    }
}

fn parsed(text: Option<&str>) -> Result<Book, TokenError> {
    let Some(text) = text else { return Ok(Book { version: VERSION, tokens: Vec::new() }) };
    let book: Book = serde_json::from_str(text).map_err(|error| TokenError::Unreadable(error.to_string()))?;
    match book.version {
        VERSION => Ok(book),
        other => Err(TokenError::Unreadable(format!("it has version {other}, but only {VERSION} is supported"))),
    }
}

fn known<'a>(tokens: &'a [Token], shown: &str) -> Result<&'a Token, TokenError> {
    let (kind, id) = read(shown).ok_or(TokenError::Unknown)?;
    let found = tokens.iter().find(|token| token.id == id && token.kind == kind && token.is(shown));
    found.ok_or(TokenError::Unknown)
}

/// Checks that a token can be used to log in.
fn unused(token: &Token, now: Timestamp) -> Result<(), TokenError> {
    valid(token, now)?;
    match token.used_at.filter(|_| token.kind == Kind::Link) {
        Some(at) => Err(TokenError::Used { id: token.id.clone(), at }),
        None => Ok(()),
    }
}

fn valid(token: &Token, now: Timestamp) -> Result<(), TokenError> {
    if let Some(at) = token.revoked_at {
        return Err(TokenError::Revoked { id: token.id.clone(), at });
    }
    if token.expires_at <= now {
        return Err(TokenError::Expired { id: token.id.clone(), at: token.expires_at });
    }
    Ok(())
}
