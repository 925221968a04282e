//! What people and programs hand in as text: diffs, review documents, patches with conflicts.

#![no_main]

use feedbackd::domain::channels::iteration::{self, Document};
use feedbackd::domain::intake::diff::read_diff;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let _ = read_diff(text);
    if let Ok(documents) = iteration::parse(text) {
        for value in &documents {
            let findings = iteration::check(value);
            if !iteration::is_refused(&findings)
                && let Ok(document) = Document::of(value)
            {
                let _ = iteration::demands(&document);
            }
        }
    }
});
