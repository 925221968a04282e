//! The files that decisions name beside them.

/// The files that decisions name in `correction_diff_path`.
pub trait CorrectionFiles: Send + Sync {
    /// The text of a file below the configured directory. The error is the end of a sentence that starts with the
    /// path: "was not found below the configured directory".
    fn read(&self, path: &str) -> Result<String, String>;
}
