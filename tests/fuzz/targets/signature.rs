//! Signatures of reviews and the keys of the roster, both as text: nothing that is made up is good.

#![no_main]

use feedbackd::domain::intake::decode::{DecodeLimits, Decoded, decode};
use feedbackd::domain::intake::event::{RawEntry, StreamKind};
use feedbackd::domain::intake::submission::Submission;
use feedbackd::domain::rules::lifecycle::signature::{Place, verify};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let (key, signature) = text.split_once('\0').unwrap_or((text, text));
    let event = serde_json::json!({
        "review_id": "r-1", "reviewer_id": "ann", "timestamp": "2026-01-13T09:00:00Z", "decision": "APPROVE",
        "proposal_id": "RULE-2026-0001", "signature": signature,
    });
    let entry = RawEntry {
        stream: StreamKind::MetaHitl.usual_key(),
        kind: StreamKind::MetaHitl,
        id: "1-1".to_owned(),
        fields: vec![("data".to_owned(), event.to_string().into_bytes())],
        oversize: None,
        gate_request: None,
    };
    let Decoded::Submission(submission) = decode(&entry, &DecodeLimits::default(), jiff::Timestamp::MAX) else { return };
    let Submission::Review(review) = *submission else { return };
    let place = Place { store_id: "s", tenant_id: "" };
    assert!(verify(&review, place, &[key, signature]).is_err(), "a forged signature is good");
});
