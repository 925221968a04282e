//! Rule files of other programs (Markdown with front matter): read, and our section put in and taken out again.

#![no_main]

use feedbackd::domain::rules::in_force::export::{Format, merge};
use feedbackd::domain::rules::in_force::import::read;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let imported = read(text);
    for rule in &imported.rules {
        assert!(!rule.text.contains('\n') && rule.line >= 1, "{rule:?}");
    }
    if let Ok(with) = merge(text, Some("- Name the units.\n"), Format::AgentsMd) {
        // Ours is no rule of theirs.
        assert_eq!(read(&with).rules.len(), imported.rules.len(), "{with:?}");
        let again = merge(&with, Some("- Name the units.\n"), Format::AgentsMd).expect("it has its markers");
        assert_eq!(again, with);
        merge(&with, None, Format::AgentsMd).expect("it has its markers");
    }
});
