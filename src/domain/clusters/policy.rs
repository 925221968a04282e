//! What decides about grouping and classes, as the configuration says.

use crate::text::language::similarity::Calibration;

/// What decides about grouping and classes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Policy {
    /// Calibrated similarity from which two remarks count as the same, 0 to 1 (specification, "Classification": 0.8).
    pub similar_at: f64,
    /// How many different reviewers make a pattern. 1: a team of one, three remarks by one person suffice.
    pub high_needs_reviewers: u32,
    /// Raw cosine at which a remark joins a group by average link.
    pub group_threshold: f64,
    /// The raw cosine that each pair of a core has at least.
    pub core_pair: f64,
    /// The raw cosine that the pairs of a core have on average at least.
    pub core_mean: f64,
    /// The embedder's calibration.
    pub calibration: Calibration,
}

impl Policy {
    /// The raw cosine from which two remarks by themselves are sure to ask for the same.
    pub fn sure_pair(&self) -> f64 {
        self.calibration.cosine(self.similar_at)
    }
}
