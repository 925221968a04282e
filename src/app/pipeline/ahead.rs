//! What comes next is read while the batch before it is made: reading a remark needs nothing but the remark, and is half of
//! the work.
//!
//! It only fills what is read already ([`Understanding::read_ahead`]). Whatever is missing there, or came out otherwise
//! because of a person's push, is read when its batch is made.

use super::decode::Incoming;
use super::settings::Settings;
use crate::app::understanding::InUse;
use crate::domain::intake::capture::{CaptureContext, CorrectionInput, capture};
use crate::domain::intake::decode::DecodeLimits;
use crate::domain::intake::event::RawEntry;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Reads ahead.
pub struct Ahead {
    in_use: Arc<InUse>,
    decode: DecodeLimits,
    capture: CaptureContext,
    /// Counts what was asked for: who reads for an earlier one stops.
    asked: AtomicU64,
}

impl Ahead {
    pub(super) fn new(in_use: Arc<InUse>, settings: &Settings) -> Ahead {
        let (decode, capture) = (settings.decode.clone(), settings.capture.clone());
        Ahead { in_use, decode, capture, asked: AtomicU64::new(0) }
    }

    /// Reads entries beside everything else, until the next ones are asked for; returns at once.
    pub fn start(self: &Arc<Self>, entries: Arc<Vec<RawEntry>>) {
        let number = self.asked.fetch_add(1, Ordering::Relaxed) + 1;
        let own = Arc::clone(self);
        // On a thread that stays, where the patterns' states are warm.
        rayon::spawn(move || own.read(&entries, number));
    }

    fn read(&self, entries: &[RawEntry], number: u64) {
        let understanding = self.in_use.get();
        for entry in entries.chunks(1) {
            for (_, decision) in Incoming::decode(entry, &self.decode).decisions {
                if self.asked.load(Ordering::Relaxed) != number {
                    return;
                }
                understanding.read_ahead(&capture(decision, CorrectionInput::None, &self.capture));
            }
        }
    }
}
