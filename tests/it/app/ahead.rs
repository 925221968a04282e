//! Reading ahead while the previous batch is processed.

use crate::harness::words::Words;
use feedbackd::app::comments::analyzer::{Analyzer, Told, Understood};
use feedbackd::domain::records::restore;
use feedbackd::domain::testing::sample;
use feedbackd::ports::{EmbedError, Embedder};
use feedbackd::text::language::catalogue::Catalogue;
use feedbackd::text::language::similarity::Embedding;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// An embedder that counts its calls.
struct Counting(Arc<AtomicUsize>);

impl Embedder for Counting {
    fn embed(&self, texts: &[String]) -> Result<Vec<Option<Embedding>>, EmbedError> {
        self.0.fetch_add(1, Ordering::Relaxed);
        Words.embed(texts)
    }
    fn id(&self) -> &str {
        Words.id()
    }
}

fn demand(told: Told) -> Understood {
    let Told::Demand(understood) = told else { panic!("{told:?}") };
    *understood
}

#[test]
fn what_was_read_ahead_is_taken_once_and_is_the_same() {
    let calls = Arc::new(AtomicUsize::new(0));
    let understanding = Analyzer::new(Arc::new(Counting(Arc::clone(&calls))), Catalogue::default()).unwrap();
    let counted = || calls.load(Ordering::Relaxed);
    let feedback = restore::feedback(&sample::decision(1));
    understanding.read_ahead(&feedback);
    let before = counted();
    let ahead = demand(understanding.feedback(&feedback).unwrap());
    assert_eq!(counted(), before, "it was read ahead");
    let now = demand(understanding.feedback(&feedback).unwrap());
    assert_eq!(counted(), before + 1, "and is read again where it comes again");
    assert_eq!((ahead.vector, ahead.direction), (now.vector, now.direction));
    understanding.read_ahead(&feedback);
    let mut record = sample::decision(1);
    record.reviewer_comment = Some("Nobody owns the story".to_owned());
    let other = restore::feedback(&record);
    let before = counted();
    understanding.feedback(&other).unwrap();
    assert_eq!(counted(), before + 1, "another remark is read by itself");
}
