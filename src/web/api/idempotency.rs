//! `Idempotency-Key`: a repeated call gets the same answer and has no further effect. Kept in RAM, for the latest keys.

use super::response::ApiResponse;
use crate::header::once;
use crate::problem::Problem;
use axum::http::{HeaderMap, StatusCode};
use lru::LruCache;
use std::num::NonZeroUsize;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Number of keys kept, of all callers together.
const KEPT: NonZeroUsize = NonZeroUsize::new(2_000).expect("more than none");
/// The name of the header.
pub const NAME: &str = "Idempotency-Key";
/// The format of a key: ASCII characters, and not blank.
pub const PATTERN: &str = "^[!-~]([ -~]*[!-~])?$";
/// Maximum length of a key.
pub const MAX_CHARS: usize = 255;

/// Answers by key. Each principal has its own keys.
#[derive(Clone)]
pub struct Once {
    by: Arc<Mutex<LruCache<[u8; 32], StoredAnswer>>>,
}

struct StoredAnswer {
    /// The hash of the request.
    payload: [u8; 32],
    /// The answer; none while the call is running.
    answer: Option<Result<ApiResponse, Problem>>,
}

/// What to do with a call.
pub enum Turn {
    /// It is new: run it and report the result.
    Go(RunningCall),
    /// It was done before.
    Done(Result<ApiResponse, Problem>),
}

/// A running call. If it ends without an answer, it may be sent again.
pub struct RunningCall {
    once: Once,
    key: Option<[u8; 32]>,
}

impl Default for Once {
    fn default() -> Self {
        Once { by: Arc::new(Mutex::new(LruCache::new(KEPT))) }
    }
}

impl Once {
    /// Decides how to handle a call by `principal` with this key and payload: method, path, conditions and body.
    ///
    /// # Errors
    /// 409 while the same call is running, 422 if another call had this key.
    pub fn begin(&self, principal: &str, key: &str, payload: [u8; 32]) -> Result<Turn, Problem> {
        let key = *blake3::hash(format!("{principal}\0{key}").as_bytes()).as_bytes();
        let mut by = self.lock();
        match by.get(&key) {
            Some(kept) if kept.payload != payload => Err(Problem::new(
                StatusCode::UNPROCESSABLE_ENTITY,
                "this Idempotency-Key was sent with another call; use a new key for a new call",
            )),
            Some(StoredAnswer { answer: None, .. }) => Err(Problem::new(
                StatusCode::CONFLICT,
                "the same call is in progress; send it again in a moment for its answer",
            )),
            Some(StoredAnswer { answer: Some(answer), .. }) => Ok(Turn::Done(answer.clone())),
            None => {
                by.put(key, StoredAnswer { payload, answer: None });
                Ok(Turn::Go(RunningCall { once: self.clone(), key: Some(key) }))
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, LruCache<[u8; 32], StoredAnswer>> {
        self.by.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl RunningCall {
    /// Stores the result. Calls that failed on our side may be retried.
    pub fn ended(mut self, answer: &Result<ApiResponse, Problem>) {
        if answer.as_ref().is_err_and(|problem| problem.status().is_server_error()) {
            return;
        }
        if let Some(key) = self.key.take()
            && let Some(kept) = self.once.lock().get_mut(&key)
        {
            kept.answer = Some(answer.clone());
        }
    }
}

impl Drop for RunningCall {
    fn drop(&mut self) {
        if let Some(key) = self.key {
            self.once.lock().pop(&key);
        }
    }
}

/// Returns the key of a request; `None` if it has none.
///
/// # Errors
/// 400 if there are two, or it is too long.
pub fn key(headers: &HeaderMap) -> Result<Option<&str>, Problem> {
    match once(headers, NAME) {
        Ok(None) => Ok(None),
        Ok(Some(text)) if !text.is_empty() && text.len() <= MAX_CHARS => Ok(Some(text)),
        _ => {
            let detail = format!("`Idempotency-Key` must be sent exactly once, with 1 to {MAX_CHARS} ASCII characters");
            Err(Problem::new(StatusCode::BAD_REQUEST, detail))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn status(turn: Result<Turn, Problem>) -> Option<u16> {
        turn.err().map(|problem| problem.status().as_u16())
    }

    #[test]
    fn a_call_is_made_once_for_each_principal() {
        let once = Once::default();
        let Ok(Turn::Go(running)) = once.begin("ana", "k", [1; 32]) else { panic!("it is new") };
        assert_eq!(status(once.begin("ana", "k", [1; 32])), Some(409));
        running.ended(&Ok(ApiResponse::json(b"1".to_vec())));
        let Ok(Turn::Done(Ok(told))) = once.begin("ana", "k", [1; 32]) else { panic!("it was made") };
        assert_eq!(told.body, b"1");
        assert_eq!(status(once.begin("ana", "k", [2; 32])), Some(422));
        assert!(matches!(once.begin("ben", "k", [2; 32]), Ok(Turn::Go(_))));
    }

    #[test]
    fn what_failed_on_our_side_may_be_sent_again() {
        let once = Once::default();
        for _ in 0..2 {
            let Ok(Turn::Go(running)) = once.begin("ana", "k", [1; 32]) else { panic!("it is new") };
            running.ended(&Err(Problem::new(StatusCode::SERVICE_UNAVAILABLE, "away")));
        }
        let Ok(Turn::Go(dropped)) = once.begin("ana", "k", [1; 32]) else { panic!("it is new") };
        drop(dropped);
        assert!(matches!(once.begin("ana", "k", [1; 32]), Ok(Turn::Go(_))));
    }
}
