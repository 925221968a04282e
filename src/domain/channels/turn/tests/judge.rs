//! The verdict: the specification's steps, signals and examples, and the guards.

use proptest::prelude::*;

use super::*;
use FeedbackType::{Accepted, Neutral, Rejected};

const LAPTOPS: &str = "Here are three business laptops under $1000: the Lenovo ThinkPad E14 at $899, the Dell Latitude 3440 at $949 and the HP ProBook 450 at $799.";

#[track_caller]
fn check(response: &str, text: &str, expect: FeedbackType) {
    let result = judge(&exchange("laptops under $1000", response, text));
    assert_eq!(result.feedback_type, expect, "{text:?} after {response:?}: {result:#?}");
    assert!((0.0..=1.0).contains(&result.confidence));
    assert_eq!(result.correction_type.is_some(), expect == Rejected);
    assert_eq!(result.user_said.is_some(), expect == Rejected);
}

/// specification, "Turns: Detection": the documented base set and its confidences.
#[test]
fn base_priority_order() {
    let similar = |similarity| Exchange {
        similarity: Some(similarity),
        ..exchange("laptops for games", LAPTOPS, "portable computers to play on")
    };
    for (one, feedback, confidence, kind) in [
        (exchange("", LAPTOPS, "No, I meant gaming laptops"), Rejected, 0.9, Some(CorrectionType::Explicit)),
        (similar(0.86), Rejected, 0.86, Some(CorrectionType::Rephrased)),
        (similar(0.8), Neutral, 0.5, None),
        (exchange("", LAPTOPS, "Let me rephrase"), Rejected, 0.85, Some(CorrectionType::Abandonment)),
        (exchange("", LAPTOPS, "Tell me more about these"), Accepted, 0.7, None),
        (exchange("", LAPTOPS, "hm"), Neutral, 0.5, None),
    ] {
        let result = base(&one);
        assert_eq!((result.feedback_type, result.correction_type), (feedback, kind), "{one:?}");
        assert!((result.confidence - confidence).abs() < 1e-12, "{one:?}");
    }
    // Explicit comes before abandonment and continuation.
    let both = base(&exchange("", LAPTOPS, "No, never mind, tell me more"));
    assert_eq!(both.correction_type, Some(CorrectionType::Explicit));
    // A name or a number of the response is a continuation.
    assert_eq!(base(&exchange("", LAPTOPS, "How heavy is the ThinkPad?")).feedback_type, Accepted);
    assert_eq!(base(&exchange("", LAPTOPS, "899 is with tax?")).feedback_type, Accepted);
}

/// specification, "Turns: Rejection": what rejects explicitly.
#[test]
fn explicit_rejections() {
    for text in [
        "No, I meant gaming laptops",
        "That's wrong",
        "Try again",
        "Not what I asked",
        "Not what I asked for.",
        "I meant gaming laptops",
        "You misunderstood",
        "That doesn't help",
        "Not helpful",
        "Not useful",
        "Not what I need",
        "No",
        "Wrong",
        "That's not what I meant",
        "No, I meant gaming laptops not business laptops",
    ] {
        check(LAPTOPS, text, Rejected);
        let result = judge(&exchange("laptops under $1000", LAPTOPS, text));
        assert_eq!(result.correction_type, Some(CorrectionType::Explicit), "{text}");
        assert_eq!(result.user_said.as_deref(), Some(text));
    }
}

/// specification, "Turns: Rejection": abandonment.
#[test]
fn abandonment() {
    for text in ["Never mind", "Forget that", "Let me rephrase", "Start over"] {
        check(LAPTOPS, text, Rejected);
        let result = judge(&exchange("laptops under $1000", LAPTOPS, text));
        assert_eq!(result.correction_type, Some(CorrectionType::Abandonment), "{text}");
    }
}

/// specification, "Turns: Acceptance".
#[test]
fn acceptance() {
    for text in [
        "Tell me more about the first one",
        "Can you explain the difference?",
        "What about the Dell?",
        "Which one has the best screen?",
        "Compare the first two",
        "Between the Lenovo and the Dell, which is lighter?",
        "And the battery life?",
        "Also, do they have touch screens?",
        "What if I need more memory?",
        "Is the ThinkPad still $899?",
        "I'll go with the Lenovo",
        "Thanks, ordering now",
        "I'll go with that one",
        "Thanks",
        // "New unrelated query" = implicit acceptance.
        "What should I feed a hamster?",
    ] {
        check(LAPTOPS, text, Accepted);
    }
}

/// The meaning of "no" depends on how the response ended.
#[test]
fn no_after_what() {
    check("Your table is booked. Is there anything else I can do for you?", "No", Accepted);
    check("Anything else?", "no, that's all, thanks", Accepted);
    check("Please confirm: a table for 2 at Casa Verde tomorrow at 7 pm.", "No, for 4 people", Rejected);
    check("Just to confirm, you want two seats on Monday. Is that right?", "Actually, make it Tuesday", Rejected);
    check("You want a table for 2 at 7 pm, correct?", "Make it 8 pm please", Rejected);
    check("Should I book the table for you?", "No, not now", Neutral);
    check("Would you like to reserve a room?", "no thanks, maybe later", Neutral);
    check("Would you like to reserve a room?", "Yes, please", Accepted);
    check("You want a table for 2 at 7 pm, correct?", "Yes, that's right", Accepted);
}

/// An answer to a question says nothing about the turn that asked: "I want", "I need" and a date are not corrections.
#[test]
fn answers_are_neutral() {
    for (response, text) in [
        ("On which day do you want to leave?", "I want to leave on Tuesday"),
        ("How many people is it for?", "I need it for four people"),
        ("Which city should I search in?", "Lisbon, please"),
        ("What time would you prefer?", "Around 8 in the evening would be good."),
        ("Do you have a preferred airline?", "No, I don't care"),
    ] {
        check(response, text, Neutral);
    }
}

/// Cases in which the base patterns misfire.
#[test]
fn negations_that_are_no_rejection() {
    for text in [
        "no problem at all, thank you",
        "no worries, it runs now",
        "nothing wrong here, please go on",
        "can't complain, works fine",
        "my mistake, your answer was correct",
        "never mind, it works now",
        "don't change anything, it's perfect",
    ] {
        check(LAPTOPS, text, Accepted);
        check("", text, Accepted);
    }
}

/// specification, "Turns: Ambiguous answers": neutral by default.
#[test]
fn unclear_is_neutral() {
    for text in ["", "   ", "hm", "let me think", "one moment", "my name is Ada", "...", "🙂"] {
        check("", text, Neutral);
    }
}

/// specification, "Turns: Rephrasing": similarity above 0.8 and the same intent.
#[test]
fn the_same_question_again() {
    let again = |similarity, text: &str| {
        judge(&Exchange {
            similarity,
            ..exchange("how can I cancel my card payment", "The fees for cards are listed in the tariff.", text)
        })
    };
    let result = again(Some(0.93), "how do I cancel a card payment");
    assert_eq!(result.correction_type, Some(CorrectionType::Rephrased), "{result:#?}");
    assert_eq!(result.feedback_type, Rejected);
    // Dissimilar, or another amount: another question.
    assert_ne!(again(Some(0.2), "what does a savings account earn").correction_type, Some(CorrectionType::Rephrased));
    let other = judge(&Exchange {
        similarity: Some(0.97),
        ..exchange("flights to Rome on Monday", "There are flights from $120.", "flights to Rome on Tuesday")
    });
    assert_ne!(other.correction_type, Some(CorrectionType::Rephrased), "{other:#?}");
}

#[test]
fn a_verdict_says_why() {
    let result = judge(&exchange("laptops", LAPTOPS, "That's wrong, I asked for gaming laptops"));
    assert!(result.rationale.contains("says it is wrong"), "{}", result.rationale);
    assert!(!result.cues.is_empty() && result.cues.iter().all(|cue| cue.weight > 0.0), "{result:#?}");
    assert!(result.cues.windows(2).all(|two| two[0].weight >= two[1].weight));
    assert!(!result.rationale.contains("speaks for it"), "{}", result.rationale);
}

/// "Monday" after a list of laptops: there is a probability, but no basis for it.
#[test]
fn a_verdict_that_rests_on_nothing_says_so() {
    let alone = judge(&exchange("laptops", "", "Zürich"));
    assert!(
        alone.rationale.ends_with("Nothing is seen that speaks for it: it is how such turns mostly go."),
        "{alone:#?}"
    );
    let after = judge(&exchange("laptops", LAPTOPS, "Zürich"));
    assert!(after.rationale.ends_with("Nothing in the text itself speaks for it."), "{after:#?}");
}

#[test]
fn a_long_text_is_kept_short() {
    let text = format!("No, that's wrong. {}", "word ".repeat(400_000));
    let result = judge(&exchange("q", &"answer ".repeat(400_000), &text));
    assert!(result.user_said.is_none_or(|said| said.chars().count() <= 501));
}

/// The committed table is small and readable (all labels, sorted).
#[test]
fn the_tables_are_in_order() {
    for table in [include_str!("../next_turn.tsv"), include_str!("../rephrase.tsv")] {
        let model = crate::text::language::linear::Model::parse(table).unwrap();
        assert_eq!(model.render(), table);
        assert!(table.len() < 200_000 && !model.is_empty());
    }
}

proptest! {
    #[test]
    fn nothing_panics(query in "\\PC{0,80}", response in "\\PC{0,200}", text in "\\PC{0,200}", similarity in any::<Option<f64>>()) {
        let one = Exchange { previous_query: query, previous_response: response, text, similarity };
        let result = judge(&one);
        prop_assert!((0.0..=1.0).contains(&result.confidence));
        prop_assert!(base(&one).confidence.is_finite());
        let _ = demand(&one, &result);
    }
}

/// specification, "Turns: Rejection": it remains one after "anything else?".
#[test]
fn a_correction_is_one_whatever_the_response_ended_with() {
    for text in ["No, I meant a live hamster", "No, I said four people", "no I asked for the blue one"] {
        for end in ["Anything else?", "Is there anything else I can help with?", "Your booking is confirmed.", ""] {
            let result = judge(&Exchange {
                previous_query: "find me one".into(),
                previous_response: format!("Here is what I found. {end}"),
                text: text.into(),
                similarity: None,
            });
            assert_eq!(result.feedback_type, FeedbackType::Rejected, "{end:?}, {text:?}: {}", result.rationale);
            assert_eq!(result.correction_type, Some(CorrectionType::Explicit));
        }
    }
}
