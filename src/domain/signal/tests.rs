//! Every pattern, boost and guard of 000 as a case, and what runners write, in our own words.

use super::patterns::{self, PATTERN_SETS};
use super::*;
use proptest::prelude::*;

fn seen(text: &str) -> Observation<'_> {
    Observation { text, ..Observation::default() }
}

fn kind(text: &str) -> Option<SignalKind> {
    detect(&seen(text)).map(|signal| signal.kind)
}

fn check(cases: &[&str], expected: Option<SignalKind>) {
    for text in cases {
        assert_eq!(kind(text), expected, "{text}");
    }
}

const RUN: Option<SignalKind> = Some(SignalKind::RuntimeError);
const CHECK: Option<SignalKind> = Some(SignalKind::VerificationFailure);
const REJECT: Option<SignalKind> = Some(SignalKind::UserRejection);
const PARTIAL: Option<SignalKind> = Some(SignalKind::PartialSuccess);

/// 000, "Detection Patterns": each alternative of each pattern, in the set and the place it stands in.
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

/// 000, "Confidence Boost".
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

/// 000, "Confidence Boost: +0.3 if stack trace or error message present".
#[test]
fn an_error_message_makes_a_runtime_error_surer() {
    let bare = Observation { text: "", exit_code: Some(3), ..Observation::default() };
    let told = Observation { text: "ValueError: bad input", ..bare };
    assert_eq!(detect(&bare).map(|signal| signal.kind), RUN);
    assert!(confidence(&told) > confidence(&bare));
}

/// 000, "Confidence Boost: +0.2 if specific test name mentioned".
#[test]
fn a_test_name_makes_a_verification_failure_surer() {
    let bare = "= 1 failed, 2 passed in 0.10s =";
    let named = "FAILED tests/test_cart.py::test_total - assert 3 == 4\n= 1 failed, 2 passed in 0.10s =";
    assert_eq!((kind(bare), kind(named)), (CHECK, CHECK));
    assert!(confidence(&seen(named)) > confidence(&seen(bare)));
}

/// 000, "Confidence Boost: +0.2 if explicit "try again" or similar".
#[test]
fn try_again_makes_a_rejection_surer() {
    assert!(confidence(&seen("This is wrong, try again")) > confidence(&seen("This is wrong")));
}

/// 000, "Confidence Boost: +0.1 if specific change requested".
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

/// Issue 5: "benign phrases (`0 failed`, `errors=0`, `xfail`) not counted".
#[test]
fn benign_phrases_are_no_failure() {
    check(
        &[
            "0 failed",
            "errors=0 warnings=1",
            "0 errors, 0 warnings",
            "no errors found",
            "finished without errors",
            "error handling improved",
            "1 passed, 1 xfailed in 0.02s",
            "test handles_error ... ok\ntest panics_on_zero - should panic ... ok",
            "ok 1 - throws an error on bad input\n1..1\n# pass 1\n# fail 0",
            "{\"error\": null, \"ok\": true}",
            "the crash reporter is off",
            "retrying after error was handled; recovered",
            "usage: tool [--fail-fast]",
            "wrote src/errors/failed_login.rs",
            "Success: no issues found in 4 source files",
            "HEAD is now at 1234567 Fix crash when the list is empty",
            "",
            "   \n\t\n",
        ],
        None,
    );
}

#[test]
fn programs_that_fail_to_run() {
    check(
        &[
            "Traceback (most recent call last):\n  File \"a.py\", line 3, in <module>\n    1/0\nZeroDivisionError: division by zero",
            "thread 'main' panicked at src/main.rs:7:5:\nattempt to add with overflow",
            "panic: runtime error: index out of range [3] with length 3\n\ngoroutine 1 [running]:",
            "Exception in thread \"main\" java.lang.NullPointerException\n\tat app.Main.run(Main.java:12)",
            "Segmentation fault (core dumped)",
            "bash: frobnicate: command not found",
            "cat: notes.txt: No such file or directory",
            "process exited with code 137",
            "2026-02-01 10:00:00,123 ERROR [main] could not open the journal",
            "\u{1b}[31mFATAL\u{1b}[0m disk is gone",
            "fatal: not a git repository",
            "it crashes on startup",
        ],
        RUN,
    );
}

#[test]
fn checks_that_fail() {
    check(
        &[
            "test result: FAILED. 4 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out",
            "error[E0308]: mismatched types\n --> src/lib.rs:1:17\nerror: could not compile `x` (lib) due to 1 previous error",
            "--- FAIL: TestSum (0.00s)\n    sum_test.go:9: got 3, want 4\nFAIL\nexit status 1\nFAIL\texample.org/sum\t0.004s",
            "Tests:       1 failed, 3 passed, 4 total",
            "  2 passing (5ms)\n  1 failing\n\n  1) cart adds up:",
            "Ran 3 tests in 0.010s\n\nFAILED (failures=1, errors=1)",
            "not ok 1 - adds\n1..1\n# pass 0\n# fail 1",
            "a.py:2: error: Incompatible return value type  [return-value]\nFound 1 error in 1 file (checked 1 source file)",
            "src/a.ts(3,5): error TS2322: Type 'string' is not assignable to type 'number'.",
            "AssertionError: expected 3 got 4",
            "validation failed: schema mismatch at /items/0",
            "BUILD FAILED in 3s",
            "3 of 12 checks are failing",
            "the tests are failing again",
        ],
        CHECK,
    );
}

/// 000 and issue 5: "verification before runtime when a test runner's report is present".
#[test]
fn a_report_goes_before_a_trace() {
    let trace = "Traceback (most recent call last):\n  File \"a.py\", line 3, in test_a\nValueError: x";
    assert_eq!(kind(trace), RUN);
    assert_eq!(kind(&format!("{trace}\n= 1 failed in 0.01s =")), CHECK);
    assert_eq!(kind(&format!("============ test session starts ============\n{trace}")), CHECK);
    let beside = Observation { report: Some("1 failed, 1 passed in 0.02s"), ..seen(trace) };
    assert_eq!(detect(&beside).map(|signal| signal.kind), CHECK);
}

/// Issue 5: "structured facts (exit code, parsed summaries, tool name) before text".
#[test]
fn facts_go_before_words() {
    let with = |text, exit_code, tool| {
        detect(&Observation { text, exit_code: Some(exit_code), tool: Some(tool), ..Observation::default() })
            .map(|signal| signal.kind)
    };
    assert_eq!(with("Traceback (most recent call last): handled", 0, "python job.py"), None);
    assert_eq!(with("1 failed, 2 passed in 0.1s", 0, "pytest | tail"), CHECK, "the pipe hides the exit code");
    assert_eq!(with("", 1, "cargo test"), CHECK);
    assert_eq!(with("", 1, "python job.py"), RUN);
    assert_eq!(with("", 139, "pytest"), RUN, "killed by a signal");
    assert_eq!(with("", 1, "grep -r needle ."), None, "nothing found is an answer");
    assert_eq!(with("grep: no such directory", 2, "grep -r needle nowhere"), RUN);
    assert_eq!(with("3 passed in 0.1s", 1, "pytest --cov-fail-under=90"), CHECK);
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
fn facts_are_read_out() {
    let signal = detect(&seen(
        "E       AssertionError: assert 3 == 4\nFAILED tests/test_cart.py::test_total - assert 3 == 4\nFAILED tests/test_cart.py::test_tax\n=== 2 failed, 5 passed, 1 skipped, 1 error in 0.10s ===",
    ))
    .expect("a failing run");
    let facts = signal.facts;
    assert_eq!(facts.framework.as_deref(), Some("pytest"));
    assert_eq!(facts.language.as_deref(), Some("python"));
    assert_eq!((facts.passed, facts.failed, facts.errors, facts.skipped), (Some(5), Some(2), Some(1), Some(1)));
    assert_eq!(facts.failing_tests, ["tests/test_cart.py::test_total", "tests/test_cart.py::test_tax"]);
    assert_eq!((facts.expected.as_deref(), facts.actual.as_deref()), (Some("4"), Some("3")));

    let signal =
        detect(&seen("thread 'main' panicked at src/main.rs:7:5:\nattempt to divide by zero\n")).expect("a panic");
    assert_eq!(signal.facts.error_message.as_deref(), Some("panicked: attempt to divide by zero"));
    assert_eq!(signal.facts.language.as_deref(), Some("rust"));

    let signal = detect(&seen("it exits with 137 after a minute")).expect("an exit code in a sentence");
    assert_eq!((signal.kind, signal.facts.exit_code), (SignalKind::RuntimeError, Some(137)));

    let jest = "  ● cart › adds up\n\n    expect(received).toBe(expected)\n\n    Expected: 4\n    Received: 3\n\nTests:       1 failed, 3 passed, 4 total";
    let facts = detect(&seen(jest)).expect("a failing run").facts;
    assert_eq!(facts.framework.as_deref(), Some("jest"));
    assert_eq!(facts.failing_tests, ["cart › adds up"]);
    assert_eq!((facts.expected.as_deref(), facts.actual.as_deref()), (Some("4"), Some("3")));
}

#[test]
fn junit_reports_are_read() {
    let xml = r#"<?xml version="1.0"?><testsuites><testsuite name="cart" tests="4" failures="1" errors="1" skipped="1">
        <testcase classname="cart.Total" name="adds"/>
        <testcase classname="cart.Total" name="tax"><failure message="a &lt; b">trace > here</failure></testcase>
        <testcase classname="cart.Total" name="db"><error message="down"/><system-err/></testcase>
        <testcase classname="cart.Total" name="later"><skipped/></testcase><!-- <testcase><failure/></testcase> -->
        </testsuite></testsuites>"#;
    let signal = detect(&Observation { report: Some(xml), ..seen("done") }).expect("failures");
    assert_eq!(signal.kind, SignalKind::VerificationFailure);
    let facts = signal.facts;
    assert_eq!((facts.passed, facts.failed, facts.errors, facts.skipped), (Some(1), Some(1), Some(1), Some(1)));
    assert_eq!(facts.failing_tests, ["cart.Total.tax", "cart.Total.db"]);
    assert_eq!(facts.framework.as_deref(), Some("junit"));

    let counts_only = r#"<testsuite tests="3" failures="0" errors="0" skipped="0"></testsuite>"#;
    assert_eq!(detect(&Observation { report: Some(counts_only), ..seen("") }), None);
    let cut = r#"<testsuite tests="9" failures="2"><testcase name="a"/><testcase name="b"#;
    assert_eq!(detect(&Observation { report: Some(cut), ..seen("") }).map(|signal| signal.kind), CHECK);
}

#[test]
fn green_reports_silence_what_tests_print() {
    check(
        &[
            "test_errors (app.Tests) ... ok\nERROR: this line is printed by a test\nRan 2 tests in 0.1s\n\nOK",
            "running 2 tests\ntest a ... ok\ntest b - should panic ... ok\n\ntest result: ok. 2 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out",
            "ok  \texample.org/sum\t0.004s",
            "collected 2 items\nCaptured:\n1 failed in 0.01s\n===== 2 passed in 0.30s =====",
        ],
        None,
    );
}

#[test]
fn a_failing_session_is_not_hidden_by_a_green_one() {
    let two = "test result: FAILED. 1 passed; 1 failed; 0 ignored; 0 measured\n\ntest result: ok. 3 passed; 0 failed; 0 ignored; 0 measured";
    let facts = detect(&seen(two)).expect("one fails").facts;
    assert_eq!((facts.passed, facts.failed), (Some(4), Some(1)));
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
fn failures_are_predicted_from_text_alone() {
    for (text, label) in [
        ("Killed", "runtime_error"),
        ("mypy: Found 2 errors in 1 file", "verification_failure"),
        ("lint passed, no errors", "none"),
        ("3 ddr error(s) detected and corrected", "none"),
        ("daemon: failed to read the control stream", "runtime_error"),
        ("No, this is wrong", "none"),
    ] {
        assert_eq!(predict_failure(text).label, label, "{text}");
    }
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

/// The committed table is what the committed remarks teach.
#[test]
fn the_stance_table_can_be_trained_again() {
    let remarks = include_str!("../../../assets/training/stance.jsonl");
    let table = train_stance(remarks).expect("a training set").render();
    assert_eq!(table, include_str!("../../../assets/training/stance.tsv"));
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
