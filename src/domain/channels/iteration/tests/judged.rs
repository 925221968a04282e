//! The results of the validation rules for texts, places and verdicts of review documents.

use super::*;

/// Returns findings about the words of an item only.
fn said_of(issue: &str, action: &str, rationale: &str) -> Vec<&'static str> {
    rules_of(&item(issue, action, rationale))
}

#[test]
fn bad_and_good_of_the_schema_descriptions() {
    // Issues, bad and good.
    let bad = said_of("Code could be better", ACTION, RATIONALE);
    assert_eq!(bad, vec!["issue.vague"]);
    assert_eq!(said_of(ISSUE, ACTION, RATIONALE), Vec::<&str>::new());
    // Suggested actions, bad and good.
    assert_eq!(said_of(ISSUE, "Consider improving this", RATIONALE), vec!["suggestion.advisory"]);
    assert_eq!(said_of(ISSUE, ACTION, RATIONALE), Vec::<&str>::new());
}

#[test]
fn every_forbidden_phrase_is_found_and_its_quotation_is_not() {
    use crate::text::language::specificity::phrases::{ISSUE_SPECIFICITY, SUGGESTION_ACTIONABILITY};
    // specification, "Review documents: Specificity".
    assert_eq!(ISSUE_SPECIFICITY.len(), 5);
    for phrase in ISSUE_SPECIFICITY {
        for said in
            [(*phrase).to_owned(), phrase.to_uppercase(), phrase.replacen(' ', "\n", 1), phrase.replacen(' ', "  ", 1)]
        {
            let text = format!("The parser module {said} page limits of endpoints");
            assert_eq!(said_of(&text, ACTION, RATIONALE), vec!["issue.vague"], "{text}");
        }
        for (open, close) in [("“", "”"), ("\"", "\""), ("`", "`"), ("'", "'")] {
            let text = format!("The requirement says {open}{phrase}{close} about page limits, which nobody can test");
            assert_eq!(said_of(&text, ACTION, RATIONALE), Vec::<&str>::new(), "{text}");
        }
    }
    // specification, "Review documents: Actionability".
    assert_eq!(SUGGESTION_ACTIONABILITY.len(), 5);
    for phrase in SUGGESTION_ACTIONABILITY {
        for said in [(*phrase).to_owned(), phrase.to_uppercase(), phrase.replace(' ', "\n"), phrase.replace(' ', "  ")]
        {
            let text = format!("{said} adding input validation to the API handler");
            assert_eq!(said_of(ISSUE, &text, RATIONALE), vec!["suggestion.advisory"], "{text}");
        }
        for (open, close) in [("“", "”"), ("\"", "\""), ("`", "`"), ("'", "'")] {
            let text = format!("Delete the sentence {open}{phrase} caching{close} from section 3.2");
            assert_eq!(said_of(ISSUE, &text, RATIONALE), Vec::<&str>::new(), "{text}");
        }
    }
}

#[test]
fn phrases_are_judged_where_they_stand() {
    for passes in [
        "Rename `consider()` to `evaluate_candidate()` in the scheduler",
        "Rename consider_retry to should_retry in the scheduler",
        "Return Maybe<Token> from parseToken() instead of null",
        "Replace the null return of parseToken() by Maybe.empty()",
        "Move the security considerations into a section of their own",
        "Add a paragraph on privacy consideration to section 4",
        "Replace the word maybe in the summary by a date",
        "Do not consider a token valid before its signature is checked",
        "If you might need more than 10 rows, add a page parameter",
        "Add the query ```consider(x)``` to the list of reserved names",
    ] {
        assert_eq!(said_of(ISSUE, passes, RATIONALE), Vec::<&str>::new(), "{passes}");
    }
    for advises in [
        "Please consider to add a length check to validateToken()",
        "Maybe add a length check to validateToken()",
        "Add a length check to validateToken(), or perhaps a timeout",
        "Cap the input. You might use 1000 characters as the limit",
        "\"Consider adding a length check to validateToken()\"",
        "Con\u{200b}sider adding a length check to validateToken()",
        "We should think about a length check in validateToken()",
    ] {
        assert!(said_of(ISSUE, advises, RATIONALE).contains(&"suggestion.advisory"), "{advises}");
    }
}

#[test]
fn an_action_is_an_instruction_with_an_object() {
    for action in [
        "Add exp claim validation with configurable clock skew tolerance",
        "Add input length check (max 1000 chars) and use linear-time validation instead of regex",
        "In `parse()`, return an error for an empty line",
        "1. Extract the query builder\n2. Inject it into the handler",
        "- Rename x to y in the handler\n- Remove the alias z",
        "When the token is expired, respond with 401",
        "Never log the token; log its id",
        "The handler must return 404 for an unknown id",
        "`limit` should be capped at 100 entries",
        "Memoize the selector of the order list",
        "Hoist `x` out of the loop over orders",
        "Please also move the retry loop into the client",
        "Split this section into “Errors” and “Limits”",
        "To stop the leak, close the file handle in a finally block",
    ] {
        assert_eq!(said_of(ISSUE, action, RATIONALE), Vec::<&str>::new(), "{action}");
    }
    for none in [
        "The error handling of the parser is bad code",
        "Improve the error handling of the parser",
        "Make the parser module better and nicer",
        "Fix all the issues and problems please",
        "This is not good enough for the handlers",
        "Should the handler be async or not at all?",
        "Better names and clearer structure of the code",
        "Refactor the code to be cleaner and more readable",
        "Update the code appropriately so it works better",
        "Address the feedback and fix the issue as discussed",
    ] {
        let said = said_of(ISSUE, none, RATIONALE);
        assert!(said.contains(&"suggestion.no_action"), "{none}: {said:?}");
    }
    assert_eq!(
        said_of(ISSUE, "Eine Längenprüfung in validateToken() ergänzen", RATIONALE),
        vec!["suggestion.action_unclear"]
    );
    assert_eq!(
        said_of(ISSUE, "Add a length check to validateToken() if possible", RATIONALE),
        vec!["suggestion.hedge"]
    );
}

#[test]
fn a_rationale_says_what_improves() {
    for rationale in [
        RATIONALE,
        "Expired tokens should be rejected to prevent replay attacks",
        "Readers find the limits without reading the code",
        "Reducing the copies halves the memory of a large import",
        "A null amount otherwise ends in a 500 for the buyer",
        "Makes the loop easier to read for newcomers",
    ] {
        assert_eq!(said_of(ISSUE, ACTION, rationale), Vec::<&str>::new(), "{rationale}");
    }
    for nothing in [
        "Because this would be better in general.",
        "It is best practice and the standard way",
        "This is the right thing to do here.",
        "12345 67890 12345 67890",
        ACTION,
        ISSUE,
    ] {
        assert!(said_of(ISSUE, ACTION, nothing).contains(&"suggestion.no_outcome"), "{nothing}");
    }
    assert_eq!(
        said_of(ISSUE, ACTION, "Section four of the house style guide for parsers"),
        vec!["issue.no_effect", "suggestion.outcome_unclear"]
    );
}

#[test]
fn words_that_only_judge_are_a_warning_where_something_is_named() {
    let found =
        check(&item("The retry loop of fetchOrders() looks odd: it never sleeps between calls", ACTION, RATIONALE));
    assert_eq!(
        found.iter().map(|f| (f.rule, f.level)).collect::<Vec<_>>(),
        vec![(DocumentRule::IssueLoose, Level::Warning)]
    );
    let found = said_of("This is just not good enough at all", ACTION, RATIONALE);
    assert!(found.contains(&"issue.unspecific"), "{found:?}");
}

fn at(kind: &str, reference: &str) -> Vec<&'static str> {
    let mut value = item(ISSUE, ACTION, RATIONALE);
    value["feedback_items"][0]["location"] = json!({ "type": kind, "reference": reference });
    rules_of(&value)
}

#[test]
fn locations_are_strict() {
    for (kind, reference) in [
        ("line", "42"),
        ("line", "42-48"),
        ("line", "L42"),
        ("line", "line 42"),
        ("line", "42:5"),
        ("line", "around line 42"),
        ("range", "42-48"),
        ("range", "L42-L48"),
        ("range", "lines 42 to 48"),
        ("range", "12..15"),
        ("range", "10–20"),
        ("range", "src/v2/a.ts:42-48"),
        ("range", "src/a.rs#L4-L9"),
        ("range", "3-5, 9-11"),
        ("line", "7-7"),
        ("function", "validateToken()"),
        ("function", "main"),
        ("function", "Foo::bar"),
        ("function", "test"),
        ("function", "function validateToken in auth"),
        ("function", "operator =="),
        ("function", "=="),
        ("function", "here()"),
        ("function", "größe_berechnen"),
        ("section", "3.2 Error handling"),
        ("section", "Tests"),
        ("section", "General"),
        ("section", "Risks"),
        ("section", "First paragraph"),
        ("element", "properties.timeout"),
        ("element", "#login"),
        ("element", "login button"),
        ("path", "src/auth/validate.ts"),
        ("path", "Makefile"),
        ("path", "$.defs.item"),
        ("path", "docs/my notes.md"),
    ] {
        assert_eq!(at(kind, reference), Vec::<&str>::new(), "{kind} {reference}");
    }
    for kind in ["line", "range", "function", "section", "element", "path"] {
        for vague in [
            "somewhere",
            "Somewhere",
            "various places",
            "the code",
            "n/a",
            "N/A",
            "-",
            "",
            "  ",
            "?",
            "everywhere",
            "throughout the file",
            "in several functions",
            "see above",
            "unknown",
            "TBD",
            "multiple files",
            "...",
            "all over the place",
            "the whole document",
            "here",
            "not applicable",
            "`somewhere`",
            "the function",
        ] {
            assert_eq!(at(kind, vague), vec!["location.vague"], "{kind} {vague}");
        }
    }
    for (kind, reference, rule) in [
        ("line", "the login handler", "location.line"),
        ("line", "validateToken()", "location.line"),
        ("line", "0", "location.line"),
        ("range", "48-42", "location.line"),
        ("range", "L48-L42", "location.line"),
        ("range", "3-5, 9-7", "location.line"),
        ("line", "v2", "location.line"),
        ("line", "last line", "location.line"),
        ("line", "-5", "location.line"),
        ("range", "a-b", "location.line"),
        ("function", "the function that validates tokens", "location.function"),
        ("function", "42", "location.function"),
        ("path", "the login file of the shop", "location.path"),
    ] {
        assert_eq!(at(kind, reference), vec![rule], "{kind} {reference}");
    }
}

#[test]
fn verdicts_agree_with_scores_confidence_and_items() {
    let judged = |verdict: &str, score: f64, confidence: Option<f64>, severity: &str| {
        let mut value = item(ISSUE, ACTION, RATIONALE);
        value["feedback_items"][0]["severity"] = json!(severity);
        value["overall_assessment"]["verdict"] = json!(verdict);
        value["overall_assessment"]["score"] = json!(score);
        match confidence {
            Some(c) => value["overall_assessment"]["confidence"] = json!(c),
            None => drop(value["overall_assessment"].as_object_mut().unwrap().remove("confidence")),
        }
        rules_of(&value)
    };
    let none: Vec<&str> = Vec::new();
    assert_eq!(judged("accept", 0.9, Some(0.9), "minor"), none);
    assert_eq!(judged("accept", 0.5, Some(0.5), "minor"), none, "0.5 is not under 0.5");
    assert_eq!(judged("accept", 0.9, Some(0.9), "critical"), vec!["verdict.critical_accepted"]);
    for verdict in ["refine", "reject", "escalate"] {
        assert_eq!(judged(verdict, 0.1, Some(0.9), "critical"), none);
    }
    assert_eq!(judged("accept", 0.49, None, "minor"), vec!["verdict.low_score"]);
    for verdict in ["accept", "refine", "reject"] {
        assert_eq!(judged(verdict, 0.9, Some(0.49), "minor"), vec!["verdict.low_confidence"]);
    }
    assert_eq!(judged("escalate", 0.9, Some(0.1), "minor"), none);
    assert_eq!(judged("accept", 0.1, Some(0.1), "critical").len(), 3);
}

#[test]
fn iterations_count_to_their_maximum() {
    let round = |number: u64, max: u64, phase: &str, verdict: &str| {
        let mut value = example();
        value["iteration"] = json!({ "number": number, "max": max, "phase": phase });
        value["overall_assessment"]["verdict"] = json!(verdict);
        rules_of(&value)
    };
    let none: Vec<&str> = Vec::new();
    assert_eq!(round(1, 5, "initial", "refine"), none);
    assert_eq!(round(2, 5, "refinement", "refine"), none);
    assert_eq!(round(5, 5, "final", "reject"), none);
    assert_eq!(round(1, 1, "initial", "reject"), none);
    assert_eq!(round(1, 1, "final", "reject"), none);
    assert_eq!(round(6, 5, "final", "reject"), vec!["iteration.over_max"]);
    assert_eq!(round(5, 5, "final", "refine"), vec!["iteration.none_left"]);
    assert_eq!(round(1, 5, "refinement", "refine"), vec!["iteration.phase"]);
    assert_eq!(round(3, 5, "final", "refine"), vec!["iteration.phase"]);
    assert_eq!(round(5, 5, "refinement", "reject"), vec!["iteration.phase"]);
}

#[test]
fn all_errors_are_listed_in_the_order_of_the_document() {
    let mut value = example();
    value["overall_assessment"]["verdict"] = json!("Accept");
    value["feedback_items"][1]["suggestion"]["action"] = json!("Maybe add exp claim validation to it");
    value["feedback_items"][0]["location"]["reference"] = json!("somewhere");
    value["feedback_items"][0]["severity"] = json!(3);
    value["id"] = json!("x");
    let paths: Vec<String> = check(&value).into_iter().map(|f| f.path).collect();
    assert_eq!(
        paths,
        [
            "/id",
            "/feedback_items/0/severity",
            "/feedback_items/0/location/reference",
            "/feedback_items/1/suggestion/action",
            "/overall_assessment/verdict"
        ]
    );
}
