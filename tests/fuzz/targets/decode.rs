//! Entries of every stream, in each encoding: whatever comes is understood, ignored or refused with a reason.

#![no_main]

use feedbackd::domain::intake::decode::{DecodeLimits, Decoded, decode, from_json_line};
use feedbackd::domain::intake::event::{RawEntry, StreamKind};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let Some((first, rest)) = data.split_first() else { return };
    let kind = StreamKind::ALL[usize::from(*first) % StreamKind::ALL.len()];
    let limits = DecodeLimits { max_entry_bytes: 1 << 16, ..DecodeLimits::default() };
    // Names and values in turn, a NUL between them; where there is none it is the one field of a JSON event.
    let mut parts = rest.split(|byte| *byte == 0);
    let mut fields = Vec::new();
    while let (Some(name), Some(value)) = (parts.next(), parts.next()) {
        fields.push((String::from_utf8_lossy(name).into_owned(), value.to_vec()));
    }
    if fields.is_empty() {
        fields.push(("data".to_owned(), rest.to_vec()));
    }
    let entry = |fields| RawEntry {
        stream: kind.usual_key(),
        kind,
        id: "1768000000000-1".to_owned(),
        fields,
        oversize: None,
        gate_request: None,
    };
    told(&decode(&entry(fields), &limits, jiff::Timestamp::MAX));
    if let Ok(line) = std::str::from_utf8(rest) {
        told(&decode(&from_json_line(line, 1, &limits), &limits, jiff::Timestamp::MAX));
    }
});

fn told(decoded: &Decoded) {
    if let Decoded::Rejected(rejection) = decoded {
        assert!(!rejection.message.is_empty() && rejection.message.len() < 10_000, "{rejection:?}");
        assert!(!rejection.message.chars().any(|c| c.is_control() && c != '\n'), "{rejection:?}");
    }
}
