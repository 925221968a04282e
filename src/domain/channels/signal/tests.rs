//! Test cases for every pattern, boost and guard of the specification ("Refinement"), and for runners' output, in our
//! own words.

use super::patterns::{self, PATTERN_SETS};
use super::*;
use proptest::prelude::*;

pub(super) fn seen(text: &str) -> Observation<'_> {
    Observation { text, ..Observation::default() }
}

pub(super) fn kind(text: &str) -> Option<SignalKind> {
    detect(&seen(text)).map(|signal| signal.kind)
}

pub(super) fn check(cases: &[&str], expected: Option<SignalKind>) {
    for text in cases {
        assert_eq!(kind(text), expected, "{text}");
    }
}

pub(super) const RUN: Option<SignalKind> = Some(SignalKind::RuntimeError);
pub(super) const CHECK: Option<SignalKind> = Some(SignalKind::VerificationFailure);
const REJECT: Option<SignalKind> = Some(SignalKind::UserRejection);
const PARTIAL: Option<SignalKind> = Some(SignalKind::PartialSuccess);

/// specification, "Refinement: Failure signals": each alternative of each pattern, in its set and position.
#[test]
fn every_alternative_of_every_pattern_is_found() {
    let words: [(SignalKind, [&[&str]; 3]); 4] = [
        (
            SignalKind::RuntimeError,
            [
                &["error", "exception", "failed", "crash", "traceback", "stacktrace", "segfault", "panic"],
                &["exit code 1", "non-zero exit", "command failed"],
                &["undefined", "null pointer", "type error", "syntax error"],
            ],
        ),
        (
            SignalKind::VerificationFailure,
            [
                &["test failed", "tests failing", "assertion failed", "expect it to", "should pass but"],
                &["validation error", "schema mismatch", "type check failed"],
                &["build failed", "compile error", "lint error"],
            ],
        ),
        (
            SignalKind::UserRejection,
            [
                &["no", "wrong", "incorrect", "not what I", "try again", "that's not"],
                &["doesn't work", "won't work", "not working", "still broken"],
                &["completely wrong", "misunderstood", "missed the point"],
            ],
        ),
        (
            SignalKind::PartialSuccess,
            [
                &["almost", "close but", "except for", "mostly", "nearly"],
                &["just need to", "one thing", "small change", "minor issue"],
                &["good but", "works but", "fine except"],
            ],
        ),
    ];
    for (kind, rows) in words {
        let set = PATTERN_SETS.iter().find(|set| set.kind == kind).expect("a set for each type");
        for (pattern, row) in set.patterns.iter().zip(rows) {
            for words in row {
                let text = format!("Well, {} it is", words.to_uppercase());
                assert!(patterns::regex(pattern).is_match(&text), "{pattern} on {words}");
                assert!(patterns::base(kind, &text).is_some(), "{words}");
            }
        }
        assert_eq!(patterns::base(kind, "a calm sentence"), None);
    }
}

/// specification, "Refinement: Failure signals".
#[test]
fn boosts_are_those_of_the_specification() {
    let boosts: Vec<(SignalKind, f64)> = PATTERN_SETS.iter().map(|set| (set.kind, set.boost)).collect();
    assert_eq!(
        boosts,
        [
            (SignalKind::RuntimeError, 0.3),
            (SignalKind::VerificationFailure, 0.2),
            (SignalKind::UserRejection, 0.2),
            (SignalKind::PartialSuccess, 0.1)
        ]
    );
    assert_eq!(SignalKind::ALL.map(patterns::boost), [0.3, 0.2, 0.2, 0.1]);
}

fn confidence(observation: &Observation<'_>) -> f64 {
    detect(observation).map_or(0.0, |signal| signal.confidence)
}

/// specification, "Refinement: Failure signals".
#[test]
fn an_error_message_makes_a_runtime_error_surer() {
    let bare = Observation { text: "", exit_code: Some(3), ..Observation::default() };
    let told = Observation { text: "ValueError: bad input", ..bare };
    assert_eq!(detect(&bare).map(|signal| signal.kind), RUN);
    assert!(confidence(&told) > confidence(&bare));
}

/// specification, "Refinement: Failure signals".
#[test]
fn a_test_name_makes_a_verification_failure_surer() {
    let bare = "= 1 failed, 2 passed in 0.10s =";
    let named = "FAILED tests/test_cart.py::test_total - assert 3 == 4\n= 1 failed, 2 passed in 0.10s =";
    assert_eq!((kind(bare), kind(named)), (CHECK, CHECK));
    assert!(confidence(&seen(named)) > confidence(&seen(bare)));
}

/// specification, "Refinement: Failure signals": "try again" and similar phrases.
#[test]
fn try_again_makes_a_rejection_surer() {
    assert!(confidence(&seen("This is wrong, try again")) > confidence(&seen("This is wrong")));
}

/// specification, "Refinement: Failure signals".
#[test]
fn a_specific_change_makes_a_partial_success_surer() {
    assert!(confidence(&seen("nit, please rename it")) > confidence(&seen("nit, whatever")));
}

#[test]
fn people_reject_in_many_words() {
    check(
        &[
            "wrong, I meant security review",
            "No.",
            "no, the other way round",
            "that's not what I asked for",
            "This doesn't work, the list stays empty",
            "it won't work with two replicas",
            "still broken",
            "You completely misunderstood the ticket",
            "you missed the point",
            "try again, but shorter",
            "please revert this",
            "I disagree with this approach",
            "the whole thing is completely wrong",
            "Das ist falsch, nochmal bitte",
            "Non, ça ne marche pas",
            "No funciona, inténtalo de nuevo",
        ],
        REJECT,
    );
}

#[test]
fn praise_with_an_adjustment_is_a_partial_success_not_a_rejection() {
    check(
        &[
            "almost there, only the title is wrong",
            "close, but the order is wrong",
            "Looks good, except for the wrong colour of the link",
            "mostly right, one thing: no tabs please",
            "good but no comments please",
            "works but it is slow",
            "LGTM once the changelog is updated",
            "nit: trailing whitespace",
            "fine except the last line",
            "Gut, aber der Name ist falsch",
        ],
        PARTIAL,
    );
}

#[test]
fn idioms_quotations_and_negations_are_no_rejection() {
    check(
        &[
            "no problem, thanks",
            "No, thank you!",
            "no need to change anything",
            "No, that's all. Thanks!",
            "nothing wrong with that",
            "it doesn't look wrong to me",
            "not wrong at all, thanks",
            "the message `wrong password` is shown twice",
            "the label says \"this is completely wrong\" on purpose",
            "not bad at all!",
            "I was wrong, your version is right",
            "thanks, works now",
            "What does this function return?",
        ],
        None,
    );
}

#[test]
fn who_speaks_decides_what_is_read() {
    let by = |text, from_user| detect(&Observation { text, from_user, ..Observation::default() }).map(|s| s.kind);
    assert_eq!(by("No.", Some(false)), None);
    assert_eq!(by("No.", Some(true)), REJECT);
    assert_eq!(by("there was an exception", Some(true)), RUN, "the base set counts where a person speaks");
    assert_eq!(by("there was an exception", Some(false)), None);
    let output = Observation { text: "no", exit_code: Some(0), ..Observation::default() };
    assert_eq!(detect(&output), None);
}

#[test]
fn verdicts_say_why() {
    let signal = detect(&seen("this is wrong, try again")).expect("a rejection");
    assert!(signal.rationale.starts_with("user_rejection at "), "{}", signal.rationale);
    assert!(signal.rationale.contains("\"try again\" (reject.again)"), "{}", signal.rationale);
    assert!(signal.cues.windows(2).all(|pair| pair[0].weight >= pair[1].weight));
    let none = predict_failure("all is well");
    assert_eq!(none.label, "none");
    assert!(none.rationale.contains("no cue"));
}

#[test]
fn stances_are_predicted() {
    for (text, label) in [
        ("LGTM, nice work", "accepted"),
        ("Good catch, thanks! Corrected.", "accepted"),
        ("Looks good, but please add the ticket number.", "partial_success"),
        ("nit: double space", "partial_success"),
        ("This is wrong. The old order was on purpose.", "user_rejection"),
        ("-1, this breaks every caller", "user_rejection"),
        ("Why do we copy the list here?", "none"),
        ("Please move this to the helper.", "none"),
    ] {
        let said = predict_stance(text);
        assert_eq!(said.label, label, "{text}: {}", said.rationale);
        assert!(!said.rationale.is_empty() && (0.0..=1.0).contains(&said.confidence));
    }
    assert!(STANCE_LABELS.contains(&predict_stance("").label.as_str()));
}

/// Training on the committed comments reproduces the committed table.
#[test]
fn the_stance_table_can_be_trained_again() {
    let remarks = include_str!("../../../../assets/training/stance.jsonl");
    let table = train_stance(remarks).expect("a training set").render();
    assert_eq!(table, include_str!("../../../../assets/training/stance.tsv"));
    assert!(train_stance("{}").is_err());
}

#[test]
fn signals_round_trip() {
    let signal = detect(&seen("1 failed in 0.1s")).expect("a failure");
    let json = serde_json::to_string(&signal).expect("serialises");
    assert!(json.contains("\"kind\":\"verification_failure\""), "{json}");
    assert_eq!(serde_json::from_str::<Signal>(&json).expect("parses"), signal);
    let schema = serde_json::to_value(schemars::schema_for!(Signal)).expect("a schema");
    assert_eq!(schema["properties"]["facts"]["$ref"], "#/$defs/Facts");
}

#[test]
fn very_long_texts_are_read_at_their_ends() {
    let noise = "all fine here, nothing to see\n".repeat(60_000);
    assert_eq!(kind(&format!("{noise}= 1 failed, 3 passed in 2.00s =\n")), CHECK);
    assert_eq!(kind(&noise), None);
    let one_line = "x".repeat(3_000_000);
    assert_eq!(kind(&one_line), None);
    assert_eq!(kind(&"<".repeat(500_000)), None);
    assert_eq!(kind(&"<testsuite ".repeat(50_000)), None);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn nothing_panics(text in "(\\PC|[\n\r\t\u{1b}<>&\"'`]|[a-z ]{0,9}|error|failed|FAILED |no, |test ){0,80}", code in proptest::option::of(-2_i32..300), user in proptest::option::of(any::<bool>())) {
        let seen = Observation { text: &text, exit_code: code, tool: Some(&text), report: Some(&text), from_user: user };
        if let Some(signal) = detect(&seen) {
            prop_assert!((0.0..=1.0).contains(&signal.confidence));
            prop_assert!(signal.cues.len() <= MAX_CUES);
            prop_assert_eq!(detect(&seen), Some(signal));
        }
        prop_assert!(predict_failure(&text).confidence <= 1.0);
        prop_assert!(predict_stance(&text).confidence <= 1.0);
    }
}
