//! Files referenced by decisions.

/// The files that decisions reference in `correction_diff_path`.
pub trait CorrectionFiles: Send + Sync {
    /// Reads a file below the configured directory. The error completes a sentence that starts with the path: "was not
    /// found below the configured directory".
    fn read(&self, path: &str) -> Result<String, String>;
}
