//! Classes of causes, and failures that share a signature.

use super::*;

#[test]
fn every_class_is_shown_by_its_words() {
    for (text, class) in [
        ("case metadata manager not initialized", Cause::NotInitialised),
        ("Can't resolve path - case not set", Cause::NotInitialised),
        ("the session has not been started yet", Cause::NotInitialised),
        ("No active case", Cause::NotInitialised),
        ("database connection isn't configured", Cause::NotInitialised),
        ("No paths found", Cause::NotFound),
        ("FileNotFoundError: [Errno 2] No such file or directory: 'a.pdf'", Cause::NotFound),
        ("HTTP 404", Cause::NotFound),
        ("document does not exist", Cause::NotFound),
        ("Permission denied: /secure/doc.pdf", Cause::Permission),
        ("403 Forbidden", Cause::Permission),
        ("EACCES: open '/x'", Cause::Permission),
        ("500 Internal Server Error", Cause::Network),
        ("invalid access token", Cause::Permission),
        ("invalid token at line 3", Cause::Validation),
        ("access token expired", Cause::Permission),
        ("Ambiguous reference", Cause::Ambiguous),
        ("found 4 possible matches", Cause::Ambiguous),
        ("ReadTimeout: request timed out after 30s", Cause::Timeout),
        ("connection timed out", Cause::Timeout),
        ("429 Too Many Requests, retry after 30s", Cause::RateLimit),
        ("quota exceeded", Cause::RateLimit),
        ("OCR failed - document is encrypted", Cause::Format),
        ("unsupported file format", Cause::Format),
        ("Connection refused", Cause::Network),
        ("could not resolve host api.example.org", Cause::Network),
        ("status 503", Cause::Network),
        ("ValidationError: field `amount` is required", Cause::Validation),
        ("expected int, got str", Cause::Validation),
        ("document already exists", Cause::Conflict),
        ("database is locked", Cause::Conflict),
    ] {
        let found = classify_text(text).unwrap_or_else(|| panic!("nothing in {text}"));
        assert_eq!(found.class, class, "{text}: {:?}", found.cue);
        assert!(text.to_lowercase().contains(&found.cue.unwrap()), "{text}");
    }
    for text in ["something went wrong", "", "42", "it just did not work"] {
        assert_eq!(classify_text(text), None, "{text}");
    }
}

#[test]
fn denied_words_show_nothing() {
    assert_eq!(classify_text("this was not a timeout"), None);
    assert_eq!(classify_text("not a timeout but permission denied").unwrap().class, Cause::Permission);
}

#[test]
fn the_first_text_with_a_cue_counts_then_the_name() {
    let class = |more: Value| classify(&result(1, "action_failed", more));
    assert_eq!(class(json!({ "reason": "it failed", "error": "permission denied" })).class, Cause::Permission);
    assert_eq!(class(json!({ "reason": "timed out", "error": "permission denied" })).class, Cause::Timeout);
    // If no case is involved, an unset one explains nothing.
    let other = class(json!({ "inference": "module_not_found", "state": { "available_tools": ["pip"] } }));
    assert_eq!(other.class, Cause::NotFound);
    let named = class(json!({ "inference": "unresolved_document_ids" }));
    assert_eq!((named.class, named.cue.as_deref()), (Cause::NotFound, Some("inference: unresolved")));
    assert_eq!(classify(&result(1, "action", json!({ "reason": "permission denied" }))).class, Cause::Unknown);
}

fn same(a: &str, b: &str) -> bool {
    let of = |text: &str| signature(&result(1, "action_failed", json!({ "error": text }))).id;
    of(a) == of(b)
}

#[test]
fn volatile_parts_make_no_difference() {
    for (a, b) in [
        (
            "could not resolve KYC-2026-001_DOC_001.pdf: case not set",
            "Could not resolve KYC-2027-004_DOC_002.pdf: case not set",
        ),
        ("Permission denied: /secure/doc.pdf", "permission denied: /other/place/file.docx"),
        ("Permission denied: C:\\data\\a.pdf", "Permission denied: /data/a.pdf"),
        ("timed out after 30s at 2026-01-01T10:00:00Z", "timed out after 31.5s at 2027-03-04T11:12:13+02:00"),
        ("no document 'Passport' in case", "no document 'Invoice' in case"),
        ("4 documents in case", "12 documents in case"),
        ("cannot decode object 0xdeadbeef", "cannot decode object 0x00ff12"),
        (
            "request 7f9c24e5-2f0a-4f3c-9a58-1c7d9b8a6e01 refused",
            "request 0a9c24e5-2f0a-4f3c-9a58-1c7d9b8a6eff refused",
        ),
        ("Mentioned document IDs: ['A_1.pdf']", "Mentioned document IDs: ['B_2.pdf', 'C_3.pdf']"),
        ("isn't initialised", "is not initialized"),
        (
            "GET https://a.example/x?y=1 failed: connection refused",
            "GET http://b.example:80/ failed: connection refused",
        ),
        ("mail to ann@example.org bounced", "mail to bob@example.com bounced"),
    ] {
        assert!(same(a, b), "{a} / {b}");
    }
}

#[test]
fn other_causes_stay_apart() {
    for (a, b) in [
        ("case not set", "case set"),
        ("metadata manager not initialized", "index manager not initialized"),
        ("utf8 expected", "base64 expected"),
        ("permission denied", "permission granted late"),
        ("cannot read the scan", "cannot write the scan"),
    ] {
        assert!(!same(a, b), "{a} / {b}");
    }
    let of = |more: Value| signature(&result(1, "action_failed", more)).id;
    assert_ne!(of(json!({ "error": "x y" })), of(json!({ "error": "x y", "agent": "other" })));
    assert_ne!(of(json!({ "error": "x y" })), of(json!({ "error": "x y", "inference": "other" })));
    // The approach is not part of it.
    assert_eq!(of(json!({ "error": "x y" })), of(json!({ "error": "x y", "action": "direct_path" })));
}

#[test]
fn of_a_trace_its_error_counts() {
    let trace = |line: u32| {
        format!(
            "Traceback (most recent call last):\n  File \"/app/x.py\", line {line}, in run\n    open(p)\nPermissionError: [Errno 13] Permission denied: '/s/{line}.pdf'\n"
        )
    };
    assert!(same(&trace(7), &trace(930)));
    assert_eq!(
        signature(&result(1, "action_failed", json!({ "error": trace(7) }))).cause,
        "permissionerror permission denied"
    );
}

#[test]
fn a_case_is_not_any_case() {
    let offers = |reason: &str| {
        let failed = json!({ "inference": "step_failed", "user_input": "run it", "reason": reason });
        answer(&event(1, "action_failed", failed)).suggestions.iter().any(|s| s.action == "switch_case")
    };
    assert!(offers("the case was not set"));
    assert!(!offers("the test case was not initialized") && !offers("database not initialized"));
}
