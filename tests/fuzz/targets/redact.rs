//! Secrets out of any text: a second pass changes nothing, nothing is left to be found, and no character is hidden.

#![no_main]

use feedbackd::text::redact::{clean_text, find, is_hidden, redact, redact_json};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    for secret in find(text) {
        let _ = format!("{secret:?}");
    }
    let once = redact(text).text;
    assert_eq!(redact(&once).text, once, "of {text:?}");
    let clean = clean_text(text);
    assert_eq!(clean_text(&clean), clean);
    assert!(!clean.chars().any(is_hidden), "{clean:?}");
    if let Ok(mut value) = serde_json::from_str::<serde_json::Value>(text) {
        redact_json("notes", &mut value);
        let before = value.clone();
        redact_json("notes", &mut value);
        assert_eq!(value, before);
    }
});
