//! Test cases for facts, reports and the wording of tools and logs, in our own words.

use super::tests::{CHECK, RUN, check, kind, seen};
use super::*;

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

/// Verification before runtime if a test runner's report is present (specification, "Refinement: Failure signals").
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
fn what_tools_and_logs_write_is_told_apart() {
    let cases: [(&str, &[&str]); 3] = [
        (
            "verification_failure",
            &[
                "FAIL src/cart.test.ts > cart > adds up",
                "make: *** [Makefile:12: all] Error 2",
                "npm error Test failed.  See above for more details.",
                "main.c:3:5: error: 'x' undeclared (first use in this function)",
                "./main.go:5:2: undefined: x",
                "12 examples, 2 failures",
                "Tests run: 5, Failures: 1, Errors: 0, Skipped: 0",
                "Main.java:3: error: cannot find symbol",
                "would reformat a.py\n1 file would be reformatted.",
                "a.py:1:1: F401 'os' imported but unused",
                "1 validation error for User\nname\n  Field required",
                "clippy reports a needless clone",
            ],
        ),
        (
            "runtime_error",
            &[
                "Uncaught TypeError: x is not a function\n    at main.js:3:5",
                "java.lang.IllegalStateException: closed\n\tat app.A.b(A.java:3)",
                "bash: line 1: 1234 Killed   ./train",
                "ssh: connect to host x port 22: Connection refused",
                "docker: Error response from daemon: pull access denied",
                "Process finished with exit code 139 (interrupted by signal 11: SIGSEGV)",
                "machine check interrupt: cache unit parity error",
                "Could not free the container of attempt 3",
                "Timed out waiting for a reply to message 12",
                "Lost executor 4 on host5",
                "{\"level\":\"error\",\"msg\":\"no quorum\"}",
            ],
        ),
        (
            "none",
            &[
                "Deployed 3 services, 0 failed.",
                "README.md: how to handle errors and exceptions",
                "200 OK /api/errors",
                "Compiling failure v0.1.8",
                "def test_error(): ...",
                "failed_count=0 passed=10",
                "INFO failover complete, new leader is node-2",
                "All 12 tests passed, 0 failures",
                "if err != nil { return fmt.Errorf(\"failed to open: %w\", err) }",
                "cache parity error found, attempting to correct",
                "Fix the failing tests of the parser",
            ],
        ),
    ];
    for (label, texts) in cases {
        for text in texts {
            let said = predict_failure(text);
            assert_eq!(said.label, label, "{text}: {}", said.rationale);
        }
    }
}
