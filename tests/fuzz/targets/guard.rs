//! The guard of texts for prompts: what it finds lies within the text.

#![no_main]

use feedbackd::text::language::guard::{orders, shapes};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let _ = format!("{:?}", orders(text).len());
    for range in shapes(text, |_| false) {
        assert!(text.get(range.clone()).is_some(), "{range:?} of {text:?}");
    }
});
