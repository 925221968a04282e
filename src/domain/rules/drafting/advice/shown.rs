//! Remarks as they leave this machine: redacted once more, on one line, and shortened.

use crate::domain::language::guard::harmless;
use crate::domain::prose::line;
use crate::domain::redact::{clean_text, redact};

/// How much of each remark is shown, in characters.
pub(super) const REMARK: usize = 400;

pub(super) fn shown<'r>(remarks: impl Iterator<Item = &'r str>, most: usize) -> Vec<String> {
    let mut shown: Vec<String> = Vec::new();
    for remark in remarks.map(shown_line).filter(|remark| !remark.is_empty()) {
        if shown.len() == most {
            break;
        }
        if !shown.contains(&remark) {
            shown.push(remark);
        }
    }
    shown
}

/// Texts are redacted when they are captured. What leaves this machine is looked at once more.
pub(super) fn shown_line(text: &str) -> String {
    line(&harmless(&redact(&clean_text(text)).text), REMARK)
}
