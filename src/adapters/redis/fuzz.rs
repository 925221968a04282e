//! What the targets of tests/fuzz reach beyond the public parts. It is in no other build.

use super::gate_requests::request_id;
use super::reply;

/// Reads bytes as every kind of reply that is taken apart here: for the fuzz targets alone.
pub fn fuzz_replies(bytes: &[u8]) {
    if let Ok(reply) = redis::parse_redis_value(bytes) {
        let _ = (reply::read(reply.clone()).is_ok(), reply::claimed(reply.clone()).is_ok());
        let _ = (reply::texts(reply.clone()).is_ok(), reply::pairs(reply).is_ok());
    }
    let _ = request_id(&[("data".to_owned(), bytes.to_vec())]);
}
