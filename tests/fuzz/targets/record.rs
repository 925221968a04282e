//! Files of the store, of every kind of record: what can be read can be written, and says the same then.

#![no_main]

use feedbackd::domain::records::record::{Stored, StoredKind};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let Some((first, rest)) = data.split_first() else { return };
    let Ok(text) = std::str::from_utf8(rest) else { return };
    let kind = StoredKind::ALL[usize::from(*first) % StoredKind::ALL.len()];
    let Ok(record) = Stored::read(kind, text) else { return };
    let path = record.path();
    let _ = record.check(&path);
    let _ = record.row(&path);
    let written = record.text().expect("what was read can be written");
    let again = Stored::read(kind, &written).unwrap_or_else(|error| panic!("{error}: {written}"));
    assert_eq!(again.text().expect("written"), written);
});
