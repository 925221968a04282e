//! What a server answers: our reading of it, on whatever the protocol's reader lets through.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    feedbackd::adapters::redis::fuzz_replies(data);
});
