//! Configuration files and environment variables.

#![no_main]

use feedbackd::config::{Environment, load};
use libfuzzer_sys::fuzz_target;
use std::sync::LazyLock;

static FILE: LazyLock<std::path::PathBuf> =
    LazyLock::new(|| std::env::temp_dir().join(format!("feedbackd-fuzz-{}.toml", std::process::id())));

fuzz_target!(|text: &str| {
    std::fs::write(&*FILE, text).expect("a temporary file");
    let said = load(Some(&FILE), &Environment::new()).map(|_| ()).map_err(|error| error.to_string());
    assert!(said.is_ok() || said.is_err_and(|error| !error.is_empty()));
    // The first line once more, as a variable.
    if let Some((name, value)) = text.lines().next().and_then(|line| line.split_once('=')) {
        let name = format!("FEEDBACKD__{}", name.trim().to_uppercase().replace('.', "__"));
        let environment = Environment::from([(name, value.trim().to_owned())]);
        let _ = load(Some(std::path::Path::new("/dev/null")), &environment);
    }
});
