//! What comes next is read while the batch before it is made: reading a remark needs nothing but the remark, and is half of
//! the work.
//!
//! It only fills what is read already ([`Understanding::read_ahead`]). Whatever is missing there, or came out otherwise
//! because of a person's push, is read when its batch is made.
//!
//! [`Understanding::read_ahead`]: crate::comments::analyzer::Understanding::read_ahead

use super::decode::Incoming;
use crate::comments::analyzer::InUse;
use crate::domain::intake::capture::{CaptureContext, CorrectionInput, capture, capture_comments};
use crate::domain::intake::decode::DecodeLimits;
use crate::domain::intake::event::RawEntry;
use crate::pipeline::settings::Settings;
use jiff::Timestamp;
use std::sync::Arc;

/// Reads comments ahead of their batch.
pub struct Prefetch {
    in_use: Arc<InUse>,
    decode: DecodeLimits,
    capture: CaptureContext,
}

impl Prefetch {
    pub(crate) fn new(in_use: Arc<InUse>, settings: &Settings) -> Prefetch {
        Prefetch { in_use, decode: settings.decode.clone(), capture: settings.capture.clone() }
    }

    /// Reads the comments of an entry.
    pub fn read(&self, entry: &RawEntry) {
        let understanding = self.in_use.get();
        // The result is discarded; whether the timestamp is acceptable is checked when the batch is processed.
        let decoded = Incoming::decode(std::slice::from_ref(entry), &self.decode, Timestamp::MAX);
        for (_, decision) in decoded.decisions {
            let mut whole = capture(decision, CorrectionInput::None, &self.capture);
            let comments = capture_comments(&mut whole);
            std::iter::once(&whole).chain(&comments).for_each(|feedback| understanding.read_ahead(feedback));
        }
    }
}
