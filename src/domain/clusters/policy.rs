//! The configured parameters of clustering and classification.

use crate::text::language::similarity::Calibration;

/// The parameters of clustering and classification.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Policy {
    /// Calibrated similarity from which two comments count as the same, 0 to 1 (specification, "Classification": 0.8).
    pub similar_at: f64,
    /// Number of different reviewers that make a pattern. 1: a team of one, three comments by one person suffice.
    pub high_needs_reviewers: u32,
    /// Raw cosine at which a comment joins a cluster by average link.
    pub group_threshold: f64,
    /// Minimum raw cosine of each pair of a core.
    pub core_pair: f64,
    /// Minimum average raw cosine of a core's pairs.
    pub core_mean: f64,
    /// The embedder's calibration.
    pub calibration: Calibration,
}

impl Policy {
    /// Returns the raw cosine from which two comments alone surely ask for the same.
    pub fn sure_pair(&self) -> f64 {
        self.calibration.cosine(self.similar_at)
    }
}
