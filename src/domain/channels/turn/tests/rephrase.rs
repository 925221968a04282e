//! The same question in other words.

use proptest::prelude::*;

use super::*;

/// A changed slot, number, date, name or negation is a new question, however near it is.
#[test]
fn a_changed_detail_is_another_question() {
    for (before, now) in [
        ("flights to Rome on Monday", "flights to Rome on Tuesday"),
        ("a table for two tonight", "a table for 4 tonight"),
        ("hotels in Porto", "hotels in Lisbon"),
        ("show me the sales of 2023", "show me the sales of 2024"),
        ("does it work with docker", "does it not work with docker"),
    ] {
        let found = rephrased(before, now, Some(0.99));
        assert!(!found.is && found.confidence < 0.5, "{before} / {now}: {found:?}");
    }
}

#[test]
fn the_same_in_other_words() {
    for (before, now, similarity) in [
        ("how do I reset my password", "how can I reset the password", 0.95),
        ("my card payment was declined", "why was my card payment declined", 0.93),
        ("Where can I change my address?", "How do I change my address", 0.9),
    ] {
        let found = rephrased(before, now, Some(similarity));
        assert!(found.is && found.confidence > 0.5, "{before} / {now}: {found:?}");
    }
}

#[test]
fn other_questions() {
    for (before, now, similarity) in [
        ("how do I reset my password", "what is the weather tomorrow", 0.05),
        ("find me a hotel near the lake", "what is the address of this hotel", 0.75),
        ("", "anything", 0.0),
        ("the same", "", 0.0),
    ] {
        assert!(!rephrased(before, now, Some(similarity)).is, "{before} / {now}");
        assert!(!rephrased(before, now, None).is, "{before} / {now}");
    }
}

proptest! {
    #[test]
    fn nearer_is_never_less_probable(low in 0.0..1.0f64, more in 0.0..1.0f64) {
        let p = |similarity| rephrased("how do I close my account", "closing the account", Some(similarity)).confidence;
        prop_assert!(p((low + more).min(1.0)) >= p(low) - 0.02);
    }

    #[test]
    fn nothing_panics(a in "\\PC{0,120}", b in "\\PC{0,120}", similarity in any::<Option<f64>>()) {
        prop_assert!((0.0..=1.0).contains(&rephrased(&a, &b, similarity).confidence));
    }
}
