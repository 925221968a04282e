//! Directories of the store as Git keeps them, and the paths that are written.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    feedbackd::adapters::git::fuzz_tree(data);
});
