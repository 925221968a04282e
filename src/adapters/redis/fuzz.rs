//! Entry points of tests/fuzz into non-public parts. In no other build.

use super::gate_requests::request_id;
use super::reply;

/// Parses bytes as every kind of reply handled here; for the fuzz targets only.
pub fn fuzz_replies(bytes: &[u8]) {
    if let Ok(reply) = redis::parse_redis_value(bytes) {
        let _ = (reply::read(reply.clone()).is_ok(), reply::claimed(reply.clone()).is_ok());
        let _ = (reply::texts(reply.clone()).is_ok(), reply::pairs(reply).is_ok());
    }
    let _ = request_id(&[("data".to_owned(), bytes.to_vec())]);
}
