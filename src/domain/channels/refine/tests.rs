//! Test cases from the specification ("Refinement"): tables, templates, priorities, the loop and the example.

use super::*;
use crate::channels::signal::{Observation, Signal, SignalKind};
use jiff::Timestamp;
use proptest::prelude::*;

fn now() -> Timestamp {
    "2026-02-01T10:30:00Z".parse().expect("a timestamp")
}

fn feedback(text: &str) -> Observation<'_> {
    Observation { text, ..Observation::default() }
}

fn run(prompt: &str, text: &str) -> Outcome {
    refine(prompt, &feedback(text), &RefineConfig::default(), 0, now())
}

/// specification, "Refinement: Actions on the prompt": types, descriptions and templates in the order of the lists,
/// with `priority_order`.
#[test]
fn the_table_is_the_specifications() {
    let expected = [
        ("runtime_error", 1, "add_context", "Add error message to prompt context", "Given the error: {error_message}"),
        (
            "runtime_error",
            2,
            "add_constraint",
            "Specify language/framework constraints",
            "Ensure compatibility with {detected_framework}",
        ),
        (
            "runtime_error",
            3,
            "request_approach",
            "Request step-by-step approach",
            "Approach this step by step, validating each change",
        ),
        (
            "verification_failure",
            1,
            "add_test_context",
            "Add test requirements to prompt",
            "Ensure the solution passes: {test_description}",
        ),
        (
            "verification_failure",
            2,
            "specify_behavior",
            "Specify expected behavior explicitly",
            "Expected behavior: {expected_behavior}",
        ),
        (
            "verification_failure",
            3,
            "request_validation",
            "Request validation steps",
            "Include validation that confirms the fix works",
        ),
        (
            "user_rejection",
            1,
            "request_clarification",
            "Ask for clarification on intent",
            "To clarify the goal: {clarification_prompt}",
        ),
        (
            "user_rejection",
            3,
            "offer_alternatives",
            "Offer alternative approaches",
            "Alternative approaches to consider: {alternatives}",
        ),
        (
            "user_rejection",
            2,
            "narrow_scope",
            "Narrow the scope of the task",
            "Focusing specifically on: {narrowed_scope}",
        ),
        (
            "partial_success",
            1,
            "focus_on_gap",
            "Focus on the specific gap",
            "Specifically addressing: {gap_description}",
        ),
        (
            "partial_success",
            2,
            "add_targeted_constraint",
            "Add constraint for the specific issue",
            "Additional constraint: {constraint}",
        ),
        (
            "partial_success",
            3,
            "request_incremental_fix",
            "Request incremental fix",
            "Make minimal changes to address: {issue}",
        ),
    ];
    let table: Vec<_> = REFINEMENT_MAPPING
        .iter()
        .flat_map(|(kind, actions)| {
            actions.iter().map(|a| (kind.as_str(), a.priority, a.kind.as_str(), a.description, a.template))
        })
        .collect();
    assert_eq!(table, expected);
    for (_, actions) in &REFINEMENT_MAPPING {
        for action in actions {
            let braces = action.placeholder.map(|placeholder| format!("{{{}}}", placeholder.name()));
            assert_eq!(action.template.contains('{'), braces.is_some(), "{}", action.template);
            assert!(braces.is_none_or(|braces| action.template.contains(&braces)), "{}", action.template);
        }
    }
}

/// specification, "Refinement: The loop": `user_rejection` does not follow the order of the list.
#[test]
fn actions_come_by_priority() {
    let order = |kind| actions_for(kind).iter().map(|action| action.kind).collect::<Vec<_>>();
    use ActionKind::*;
    assert_eq!(order(SignalKind::RuntimeError), [AddContext, AddConstraint, RequestApproach]);
    assert_eq!(order(SignalKind::VerificationFailure), [AddTestContext, SpecifyBehavior, RequestValidation]);
    assert_eq!(order(SignalKind::UserRejection), [RequestClarification, NarrowScope, OfferAlternatives]);
    assert_eq!(order(SignalKind::PartialSuccess), [FocusOnGap, AddTargetedConstraint, RequestIncrementalFix]);
}

/// specification, "Refinement: Actions on the prompt".
#[test]
fn a_runtime_error_fills_its_templates() {
    let outcome = run(
        "fix the import",
        "Traceback (most recent call last):\n  File \"job.py\", line 1, in <module>\nModuleNotFoundError: No module named 'yaml'",
    );
    assert_eq!(
        outcome.refined_prompt,
        "fix the import\n\nGiven the error: ModuleNotFoundError: No module named 'yaml'\nEnsure compatibility with Python\nApproach this step by step, validating each change"
    );
}

/// specification, "Refinement: Actions on the prompt".
#[test]
fn a_verification_failure_fills_its_templates() {
    let outcome = run(
        "make the cart add up",
        "E   assert 3 == 4\nFAILED tests/test_cart.py::test_total - assert 3 == 4\n= 1 failed in 0.1s =",
    );
    assert_eq!(
        outcome.refined_prompt,
        "make the cart add up\n\nEnsure the solution passes: tests/test_cart.py::test_total: assert 3 == 4\nExpected behavior: 4 (it was: 3)\nInclude validation that confirms the fix works"
    );
}

/// specification, "Refinement: Actions on the prompt".
#[test]
fn a_rejection_fills_its_templates() {
    let outcome = run("cache the sessions", "No, use Redis or Memcached. Focus on src/session.rs");
    let lines: Vec<&str> = outcome.refined_prompt.lines().skip(2).collect();
    assert_eq!(
        lines,
        [
            "To clarify the goal: Use Redis or Memcached. Focus on src/session.rs",
            "Focusing specifically on: src/session.rs",
            "Alternative approaches to consider: Redis or Memcached",
        ]
    );
}

/// An instruction is passed on as such, not as one alternative among others.
#[test]
fn an_instruction_is_passed_on_as_one() {
    let outcome = run("add up the cart", "no, use Decimal not float");
    assert_eq!(outcome.refined_prompt, "add up the cart\n\nTo clarify the goal: Use Decimal, not float");
}

/// Compiler output is passed on as far as space permits, with a count of what is omitted.
#[test]
fn every_failure_is_passed_on_within_a_limit() {
    let error =
        |n: usize| format!("src/cart.ts({n},5): error TS2322: Type 'string' is not assignable to type 'number'.");
    let two = run("type the cart", &format!("{}\n{}\n", error(1), error(2)));
    let line = two.refined_prompt.lines().nth(2).expect("a line");
    assert_eq!(line, format!("Ensure the solution passes: tsc: {}; {}", error(1), error(2)));
    let many: Vec<String> = (1..=73).map(error).collect();
    let many = run("type the cart", &many.join("\n")).refined_prompt;
    let line = many.lines().nth(2).expect("a line");
    let shown = line.matches("TS2322").count();
    assert!(line.ends_with(&format!("; {} more failures left out here", 73 - shown)), "{line}");
    assert!(shown > 20 && line.chars().count() < fill::FAILURES + 100, "{shown}: {line}");
}

/// specification, "Refinement: Actions on the prompt".
#[test]
fn a_partial_success_fills_its_templates() {
    let outcome = run("write the export", "Works, but the header should be in upper case");
    assert_eq!(
        outcome.refined_prompt,
        "write the export\n\nSpecifically addressing: the header should be in upper case\nAdditional constraint: should be in upper case\nMake minimal changes to address: the header should be in upper case"
    );
}

/// specification, "Refinement: The log": the example's prompt, type, signal, action and number.
#[test]
fn the_example_is_logged_as_specified() {
    let outcome = run("review the code", "wrong, I meant security review");
    let entry = &outcome.iterations[0];
    assert_eq!(entry.timestamp, now());
    assert_eq!(entry.original_prompt, "review the code");
    assert_eq!(entry.feedback_type, SignalKind::UserRejection);
    assert_eq!(entry.feedback_signal, "wrong, I meant security review");
    assert_eq!(entry.actions_applied, [ActionKind::RequestClarification]);
    assert_eq!(entry.refined_prompt, "review the code\n\nTo clarify the goal: security review");
    assert_eq!((entry.iteration, entry.success), (1, None));
    let json = serde_json::to_value(entry).expect("serialises");
    let fields: Vec<&String> = json.as_object().expect("an object").keys().collect();
    assert_eq!(
        fields,
        [
            "timestamp",
            "original_prompt",
            "feedback_type",
            "feedback_signal",
            "actions_applied",
            "refined_prompt",
            "iteration",
            "success"
        ]
    );
    assert_eq!(json["timestamp"], "2026-02-01T10:30:00Z");
    let example = r#"{"timestamp":"2026-02-01T10:30:00Z","original_prompt":"review the code","feedback_type":"user_rejection","feedback_signal":"wrong, I meant security review","actions_applied":["request_clarification"],"refined_prompt":"As a security expert, review the code for vulnerabilities","iteration":1,"success":true}"#;
    let read: LogEntry = serde_json::from_str(example).expect("the example of the specification");
    assert_eq!(serde_json::to_string(&read).expect("serialises"), example);
}

/// specification, "Refinement: The loop": "No feedback signal - success or ambiguous: return original_prompt".
#[test]
fn without_a_signal_the_prompt_is_unchanged() {
    for text in ["thanks, great", "", "2 passed in 0.1s", "what does it return?"] {
        let outcome = run("  write it \n", text);
        assert_eq!(outcome.refined_prompt, "  write it \n");
        assert!(outcome.iterations.is_empty() && outcome.signal.is_none());
        assert_eq!(outcome.stopped, StopReason::NoSignal);
    }
}

/// specification, "Refinement: Limits": 3 by default, configurable, bounded.
#[test]
fn iterations_are_limited() {
    assert_eq!(RefineConfig::default(), RefineConfig { max_refinement_iterations: 3, stop_at: 7.0 });
    let with = |max, done| {
        let config = RefineConfig { max_refinement_iterations: max, stop_at: 11.0 };
        refine("do it", &feedback("no"), &config, done, now())
    };
    let none = with(0, 0);
    assert_eq!((none.refined_prompt.as_str(), none.stopped), ("do it", StopReason::MaxIterations));
    assert!(none.iterations.is_empty());
    let last = with(3, 2);
    assert_eq!(last.iterations.iter().map(|entry| entry.iteration).collect::<Vec<_>>(), [3]);
    assert_eq!(last.stopped, StopReason::MaxIterations);
    assert_eq!(with(3, 3).refined_prompt, "do it");
    assert_eq!(with(u32::MAX, HARD_LIMIT).refined_prompt, "do it");
    assert!(with(u32::MAX, 0).iterations.len() <= HARD_LIMIT as usize);
    assert_eq!(with(u32::MAX, u32::MAX).stopped, StopReason::MaxIterations);
}

/// specification, "Refinement: The loop": "if analysis.score >= 7: return refined".
#[test]
fn a_good_prompt_stops_the_loop() {
    let outcome =
        run("fix the parser in src/parse.rs", "thread 'main' panicked at src/parse.rs:4:10:\nindex out of bounds");
    assert_eq!(outcome.stopped, StopReason::GoodEnough);
    assert!(outcome.analysis.score >= 7.0);
    assert_eq!(outcome.iterations.len(), 1);
}

#[test]
fn nothing_is_said_twice() {
    let config = RefineConfig { stop_at: 11.0, ..RefineConfig::default() };
    let first = refine("go", &feedback("it exits with 137"), &config, 0, now());
    let mut lines: Vec<&str> = first.refined_prompt.lines().collect();
    let all = lines.len();
    lines.sort_unstable();
    lines.dedup();
    assert_eq!(lines.len(), all, "{}", first.refined_prompt);
    let again = refine(&first.refined_prompt, &feedback("it exits with 137"), &config, 1, now());
    assert_eq!(again.refined_prompt, first.refined_prompt);
    assert_eq!(again.iterations.len(), 1, "the feedback is logged all the same");
    assert!(again.iterations[0].actions_applied.is_empty());
}

#[test]
fn a_later_iteration_fills_from_the_prompt() {
    let config = RefineConfig { stop_at: 11.0, ..RefineConfig::default() };
    let outcome = refine("write the job in Python 3.12", &feedback("it crashed on startup"), &config, 0, now());
    assert!(!outcome.iterations[0].actions_applied.contains(&ActionKind::AddConstraint));
    assert_eq!(outcome.iterations[1].actions_applied, [ActionKind::AddConstraint]);
    assert!(outcome.refined_prompt.ends_with("Ensure compatibility with Python 3.12"));
    assert_eq!(outcome.iterations[1].original_prompt, outcome.iterations[0].refined_prompt);
}

#[test]
fn what_cannot_be_filled_is_left_out() {
    let outcome = run("review the code", "no");
    assert_eq!(outcome.iterations[0].actions_applied, [ActionKind::RequestClarification]);
    assert!(outcome.refined_prompt.contains("ask which result of \"review the code\" is expected"));
    assert!(!outcome.refined_prompt.contains('{'), "{}", outcome.refined_prompt);
}

#[test]
fn texts_in_the_log_are_bounded() {
    let text = format!("{}\nValueError: ü\n", "größer als alles\n".repeat(20_000));
    let prompt = "prüfe es ".repeat(10_000);
    let outcome = refine(
        &prompt,
        &Observation { text: &text, exit_code: Some(1), ..Observation::default() },
        &RefineConfig::default(),
        0,
        now(),
    );
    let entry = &outcome.iterations[0];
    assert!(entry.feedback_signal.chars().count() <= MAX_SIGNAL_CHARS);
    assert!(entry.feedback_signal.ends_with("ValueError: ü"));
    assert!(entry.refined_prompt.chars().count() <= MAX_PROMPT_CHARS);
    assert!(outcome.refined_prompt.starts_with(prompt.trim_end()), "the prompt itself is not cut");
}

#[test]
fn prompts_are_analysed_by_what_they_say() {
    let points = |prompt: &str, name: &str| {
        analyze(prompt).criteria.into_iter().find(|criterion| criterion.name == name).map(|criterion| criterion.points)
    };
    assert_eq!(analyze("").score, 0.0);
    assert!(analyze("do it").score <= 2.0);
    assert_eq!(points("Fix the login form", "goal"), Some(2.0));
    assert_eq!(points("the login form", "goal"), Some(0.0));
    assert_eq!(points("Fix `parse()` in src/lib.rs", "artifact"), Some(1.5));
    assert_eq!(points("Fix it without new dependencies", "constraints"), Some(1.0));
    assert_eq!(points("Fix it. It should return 404.", "acceptance"), Some(1.5));
    assert_eq!(points("Fix it. Given the error: ValueError", "evidence"), Some(1.0));
    assert_eq!(points("Fix it, only in the parser", "scope"), Some(1.0));
    assert_eq!(points("Fix it step by step", "steps"), Some(1.0));
    assert_eq!(points("make this stuff better somehow please ok", "plain_words"), Some(0.5));
    let full = analyze(
        "Fix `parse()` in src/lib.rs. Currently it fails with ValueError; it should return 404 without new dependencies. Change only the parser, and add a unit test.",
    );
    assert_eq!(full.score, 10.0, "{:?}", full.criteria);
    assert_eq!(full.criteria.iter().map(|criterion| criterion.max).sum::<f64>(), 10.0);
}

fn entry(kind: SignalKind, actions: &[ActionKind], success: Option<bool>) -> LogEntry {
    LogEntry {
        timestamp: now(),
        original_prompt: "a".into(),
        feedback_type: kind,
        feedback_signal: "b".into(),
        actions_applied: actions.to_vec(),
        refined_prompt: "c".into(),
        iteration: 1,
        success,
    }
}

/// Issue 5: "Effectiveness of each action is tracked from the logged successes and shown."
#[test]
fn actions_are_judged_by_logged_successes() {
    use ActionKind::*;
    let kind = SignalKind::RuntimeError;
    let mut entries = vec![entry(kind, &[AddContext], None)];
    entries.extend((0..8).map(|_| entry(kind, &[AddConstraint, RequestApproach], Some(true))));
    entries.extend((0..2).map(|_| entry(kind, &[AddConstraint], Some(false))));
    let effects = Effectiveness::of(&entries);
    let constraint = effects.effect(kind, AddConstraint);
    assert_eq!((constraint.applied, constraint.judged, constraint.succeeded), (10, 10, 8));
    assert_eq!(constraint.rate, Some(0.8));
    // Wilson, 8 of 10 at 95 %.
    assert_eq!((constraint.low, constraint.high), (Some(0.4902), Some(0.9433)));
    let context = effects.effect(kind, AddContext);
    assert_eq!((context.applied, context.judged, context.rate, context.low), (1, 0, None, None));
    let ranked: Vec<ActionKind> = effects.rank(kind).iter().map(|effect| effect.action).collect();
    assert_eq!(ranked, [RequestApproach, AddConstraint, AddContext]);
    assert_eq!(effects.all().len(), 12);
    let none: Vec<ActionKind> =
        Effectiveness::default().rank(SignalKind::UserRejection).iter().map(|e| e.action).collect();
    assert_eq!(none, [RequestClarification, NarrowScope, OfferAlternatives], "the specification's priority");
}

#[test]
fn outcomes_become_known_with_the_next_event() {
    let signal = run("a", "no").signal;
    let settled = |given, next: Option<&Signal>| {
        let mut earlier = entry(SignalKind::UserRejection, &[], None);
        settle(&mut earlier, given, next);
        earlier.success
    };
    assert_eq!(settled(None, None), Some(true));
    assert_eq!(settled(None, signal.as_ref()), Some(false));
    assert_eq!(settled(Some(true), signal.as_ref()), Some(true));
    let mut known = entry(SignalKind::UserRejection, &[], Some(true));
    settle(&mut known, Some(false), None);
    assert_eq!(known.success, Some(true));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn nothing_panics_and_lines_are_only_added(prompt in "(\\PC|\n){0,60}", text in "(\\PC|\n|no, |but |use |FAILED ){0,60}", code in proptest::option::of(0_i32..3), max in 0_u32..5, done in 0_u32..5) {
        let config = RefineConfig { max_refinement_iterations: max, stop_at: 7.0 };
        let seen = Observation { text: &text, exit_code: code, ..Observation::default() };
        let outcome = refine(&prompt, &seen, &config, done, now());
        prop_assert!(outcome.refined_prompt.starts_with(prompt.trim_end()) || prompt.trim().is_empty());
        prop_assert!(outcome.iterations.len() as u32 <= max.saturating_sub(done));
        prop_assert!((0.0..=10.0).contains(&outcome.analysis.score));
    }
}
