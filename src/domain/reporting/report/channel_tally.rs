//! Counts of events on channels other than gate decisions.

use crate::channels::iteration::{Rates, RatesTally};
use crate::channels::refine::{ActionEffect, Effectiveness};

/// The counts of the channels.
#[derive(Clone, Debug, Default)]
pub(super) struct ChannelTally {
    pub(super) iterations: RatesTally,
    pub(super) refinements: Effectiveness,
}

impl ChannelTally {
    pub(super) fn iterations(&self) -> Option<Rates> {
        Some(self.iterations.rates()).filter(|rates| rates.documents > 0)
    }

    pub(super) fn refinements(&self) -> Vec<ActionEffect> {
        self.refinements.all().into_iter().filter(|effect| effect.applied > 0).collect()
    }
}
