//! What a runner reported, whatever the report's format.

/// Maximum number of failing test names kept.
const MAX_NAMES: usize = 50;

/// Maximum length of a name, in characters.
const MAX_NAME: usize = 200;

/// What a runner reported.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Report {
    /// The runner, in lower case.
    pub(crate) framework: &'static str,
    pub(crate) passed: u64,
    pub(crate) failed: u64,
    pub(crate) errors: u64,
    pub(crate) skipped: u64,
    pub(crate) failing_tests: Vec<String>,
    /// The reasons given in the report itself: the test's name and the reason.
    pub(crate) reasons: Vec<(String, String)>,
    /// The summary in the runner's words; empty if only single results were seen.
    pub(crate) summary: String,
    /// The number of its last line.
    pub(crate) last_line: usize,
}

impl Report {
    /// Reports whether anything did not pass.
    pub(crate) fn failing(&self) -> bool {
        self.failed + self.errors > 0
    }

    pub(super) fn name(&mut self, name: &str) {
        let name: String = name.trim().trim_end_matches(':').chars().take(MAX_NAME).collect();
        if !name.is_empty() && self.failing_tests.len() < MAX_NAMES && !self.failing_tests.contains(&name) {
            self.failing_tests.push(name);
        }
    }
}
