//! The roster and the list of stops.

#![no_main]

use feedbackd::domain::records::record::StopsRecord;
use feedbackd::domain::rules::lifecycle::roster::Roster;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    if let Err(error) = Roster::parse(text) {
        assert!(!error.is_empty());
    }
    let _ = StopsRecord::parse(text);
});
