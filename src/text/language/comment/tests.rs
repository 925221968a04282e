//! Comments and what is read from them; all texts are the project's own.

use super::*;
use proptest::prelude::*;

#[test]
fn wrapping_is_taken_off() {
    for (remark, plain) in [
        ("nit: name it", "name it"),
        ("@coder again: name it, cc @lead", "name it"),
        ("Blocking. name it Happy to pair on it.", "name it"),
        ("2nd time I say this: name it (src/a.rs:12)", "name it"),
        ("In section 5, name it. Otherwise ok", "name it"),
        ("name it. Thanks!", "name it"),
        ("src/api.rs:12: name it See src/api.rs:12.", "name it"),
        ("name it! See the runbook", "name it"),
        ("minor, but name it", "name it"),
        ("I keep asking for this: name it", "name it"),
        ("I say this: name it wdyt?", "name it"),
        ("same as before: name it (T11)", "name it"),
        ("As in the last round: name it :)", "name it"),
        ("in FR-12, name it (sprint 4)", "name it"),
        ("row 8: name it. Can be a follow-up.", "name it"),
        ("Hi, chapter 5: name it /cc @team-billing", "name it"),
        ("To be fixed: name it. This blocks me.", "name it"),
        ("[must fix] imho name it (the sequence diagram)", "name it"),
        ("- name it. Happy to talk.", "name it"),
        ("suggestion (non-blocking): name it", "name it"),
        ("nochmal: benenne es. Danke!", "benenne es"),
        ("encore : nomme-le. Merci d'avance", "nomme-le"),
        ("otra vez: ponle nombre, gracias", "ponle nombre"),
        ("de novo: dê um nome, obrigada", "dê um nome"),
        ("quick question: name it, please fix asap", "name it"),
        ("Sorry to be a pain, name it", "name it"),
        ("sorry to bother you again: name it", "name it"),
        ("Sorry to see it go, name it", "Sorry to see it go, name it"),
        ("q: name it", "name it"),
        ("thanks", "thanks"),
        ("again", "again"),
        ("name (the thing)", "name (the thing)"),
        ("minor versions break", "minor versions break"),
        ("I cannot see it otherwise", "I cannot see it otherwise"),
        ("I cannot see section 3", "I cannot see section 3"),
        ("lines 3, 5 and 7 are too long", "lines 3, 5 and 7 are too long"),
        ("api.py, schema.sql and main.py are missing", "api.py, schema.sql and main.py are missing"),
        ("T3, T4 and T5 are too big", "T3, T4 and T5 are too big"),
        ("lines 42 and 57: name it", "name it"),
        ("UTF-8: declare it", "UTF-8: declare it"),
        ("what if it fails? (line 4)", "what if it fails?"),
        ("all at once? no thanks", "all at once? no thanks"),
    ] {
        assert_eq!(unwrap(remark), plain, "{remark}");
    }
}

#[test]
fn what_was_pasted_is_set_aside() {
    use SurroundingPart::{Code, Diff, Quote, Trace};
    for (pasted, kind) in [
        ("> The shop takes vouchers.\n> And cards.", Quote),
        ("On Monday, the lead wrote:", Quote),
        ("```rust\nfn main() {}\n```", Code),
        ("~~~\nplain words\n~~~", Code),
        ("    total = sum(lines)", Code),
        ("for (const x of xs) {\n}", Code),
        ("--- a/x.py\n+++ b/x.py\n@@ -1,2 +1,2 @@\n-old words here\n+new words here\n context", Diff),
        ("diff --git a/x b/x\nindex 83db48f..bf2a1c3 100644", Diff),
        (
            "Traceback (most recent call last):\n  File \"/x/api.py\", line 8, in place\n    order.close()\nValueError: order 7",
            Trace,
        ),
        (
            "java.lang.IllegalStateException: booking 44\n\tat shop.Service.confirm(Service.java:212)\n\t... 12 more",
            Trace,
        ),
        ("Error: expect(received).toBe(expected)\n    at Object.<anonymous> (checkout.test.ts:19:22)", Trace),
        ("thread 'main' panicked at src/main.rs:4:5:\nnote: run with `RUST_BACKTRACE=1` environment variable", Trace),
        ("panic: runtime error\ngoroutine 1 [running]:\nmain.main()\n\t/app/main.go:12 +0x1d", Trace),
        ("ERROR 2026-03-30 10:14:02 worker[17] exited with code 1\n2026-03-30 10:14:03 restarting", Trace),
    ] {
        for text in [format!("{pasted}\nname the flag"), format!("name the flag\n{pasted}")] {
            let read = read(&text);
            assert_eq!(read.demand, "name the flag", "{text}");
            assert!(!read.set_aside.is_empty() && read.set_aside.iter().all(|a| a.kind == kind), "{read:?}");
        }
    }
}

#[test]
fn a_paste_that_was_put_on_the_same_line_is_set_aside() {
    for text in [
        "name the flag ``` + line 0",
        "name the flag @@ -12,2 +12,2 @@ class A - state = load(id)",
        "name the flag - state = load(id)",
        "name the flag Traceback (most recent call last): File \"/x.py\", line 8",
    ] {
        assert_eq!(read(text).demand, "name the flag", "{text}");
    }
}

#[test]
fn the_reviewers_own_words_stay() {
    for text in [
        "`data2` and `tmpList`, really?",
        "return 404 here (not 200)",
        "> 90 % coverage please",
        "SELECT * without a limit",
        "rename process() -> settle()",
        "use a - b instead of b - a",
    ] {
        assert_eq!(read(text).demand, text);
        assert_eq!(read(text).set_aside, []);
    }
}

#[test]
fn where_nothing_else_is_said_the_paste_is_the_remark() {
    assert_eq!(read("> name the flag").demand, "name the flag");
    assert_eq!(read("```\nname the flag\n```").demand, "name the flag");
    assert_eq!(read("[REDACTED:github-token]").demand, "[REDACTED:github-token]");
    assert_eq!(read(" \n ").demand, "");
    assert_eq!(read("??").demand, "??");
}

#[test]
fn marks_of_what_was_redacted_are_not_compared() {
    assert_eq!(compared("nit: remove [REDACTED:github-token] here"), "remove here");
    assert_eq!(compared("name it. Used [REDACTED:aws-access-key] to reproduce"), "name it");
}

#[test]
fn a_long_demand_is_cut_at_a_word() {
    let demand = read(&"word ".repeat(3_000)).demand;
    assert!(demand.chars().count() <= 400 && demand.ends_with("word"), "{demand}");
}

#[test]
fn languages_are_told_by_script_words_and_letters() {
    for (text, code, sure) in [
        ("リリースノートが更新されていません", "ja", true),
        ("断言太弱了，只检查了非空", "zh", true),
        ("테스트가 없습니다", "ko", true),
        ("нет тестов для ошибок", "ru", true),
        ("Es fehlen Tests für die Fehlerfälle", "de", true),
        ("Bitte hier die Kommentare entfernen", "de", true),
        ("Il manque les tests pour ce cas", "fr", true),
        ("Que voit le client quand la liste est vide ?", "fr", true),
        ("¿Qué pasa si se cae la base de datos?", "es", true),
        ("Quem pode aprovar um desconto?", "pt", true),
        ("Mancano i test per questo caso, non si capisce", "it", true),
        ("Er ontbreekt een test voor dit geval", "nl", true),
        ("There are no tests for the error branch", "en", true),
        ("KPIs missing again", "en", false),
        ("Kubernetes Deployment Manifest", "en", false),
        ("naïve cache", "en", false),
        ("", "en", false),
    ] {
        assert_eq!(read(text).language, Language { code, sure }, "{text}");
    }
}

#[test]
fn several_demands_are_told_apart() {
    for (text, parts) in [
        ("Remove the old helper. Also, document the new flag.", ["Remove the old helper", "document the new flag"]),
        (
            "There is no owner. Besides, the dates in row 3 overlap.",
            ["There is no owner", "the dates in row 3 overlap"],
        ),
        (
            "Name the flag after its effect, and add a test for the default",
            ["Name the flag after its effect", "add a test for the default"],
        ),
        (
            "The limit is not documented, and who may raise quotas isn't stated",
            ["The limit is not documented", "who may raise quotas isn't stated"],
        ),
        (
            "Please:\n- remove the old helper\n- document the new flag",
            ["remove the old helper", "document the new flag"],
        ),
        ("1) remove the old helper 2) document the new flag", ["remove the old helper", "document the new flag"]),
        (
            "nit:\n1. remove the old helper\n2. document the new flag",
            ["remove the old helper", "document the new flag"],
        ),
        (
            "Es fehlt ein Test für den Abbruch. Außerdem fehlt die Angabe der Einheit.",
            ["Es fehlt ein Test für den Abbruch", "fehlt die Angabe der Einheit"],
        ),
    ] {
        assert_eq!(read(text).demands, parts, "{text}");
    }
}

#[test]
fn a_complaint_with_its_reason_or_its_remedy_is_one_demand() {
    for text in [
        "no paging. findAll() loads everything, add a limit",
        "This is hard to read. Extract a helper",
        "Restrict the export, and say to whom",
        "the mock is never reset, and that leaks into the next test",
        "add a test for the empty list and the full one",
        "Too slow. Also it blocks the loop",
        "Why Kafka? The ADR doesn't say",
        "limit the retries, 3 and not 30",
    ] {
        assert_eq!(read(text).demands, [read(text).demand], "{text}");
    }
}

#[test]
fn at_most_four_demands_are_told_apart() {
    let items: String = (0..9).map(|i| format!("- document the flag number {i}\n")).collect();
    assert_eq!(read(&items).demands.len(), 4);
}

#[test]
fn sentences_end_at_sentence_ends() {
    assert_eq!(sentence("No. The handlers.ts file is 2.5 MB. Split it."), "The handlers.ts file is 2.5 MB.");
    assert_eq!(sentence("name it"), "name it");
}

#[test]
fn messy_remarks_are_read_part_by_part() {
    let shown: Vec<String> = [
        "@coder_agent nit: `limit` is never checked (src/api.rs:12)\n```rust\nfn list(limit: i64) {}\n```",
        "> The shop supports vouchers.\nWhat if a voucher is used twice? wdyt? cc @lead",
        "Hi, 2nd time I say this: no retries on timeouts. This blocks me.",
        "In FR-12, who may cancel?  Thanks!\n",
        "the charge runs twice\n@@ -1,2 +1,2 @@\n-  charge(id)\n+  charge(order.id)\nTraceback (most recent call last):\n  File \"/srv/api.py\", line 8, in f\n    charge(id)\nValueError: 7",
        "Noch einmal: Es fehlt der Rückweg für die Migration. Danke!",
        "- drop the old helper\n- the texts should come from the locale files\nRest is fine.",
        "minor, but the total is rounded twice. Used [REDACTED:bearer-token] to reproduce",
        "[optional] 時区が考慮されていません。 See section 2.3.",
        "see above",
    ]
    .iter()
    .map(|text| {
        let read = read(text);
        let aside: Vec<_> = read.set_aside.iter().map(|a| format!("{:?} {}", a.kind, a.text)).collect();
        let sure = if read.language.sure { "" } else { "?" };
        format!("{}{sure} {} | {}", read.language.code, read.demands.join(" + "), aside.join("; ")).trim_end().to_owned()
    })
    .collect();
    insta::assert_snapshot!(shown.join("\n"), @r#"
    en? `limit` is never checked | Code ```rust fn list(limit: i64) {} ```; Address @coder_agent; Marker nit:; Location (src/api.rs:12)
    en What if a voucher is used twice? | Quote > The shop supports vouchers.; Address cc @lead; Marker wdyt?
    en no retries on timeouts | Address Hi,; Marker 2nd time I say this:; Marker This blocks me
    en? who may cancel? | Location In FR-12,; Marker Thanks
    en? the charge runs twice | Diff @@ -1,2 +1,2 @@ - charge(id) + charge(order.id); Trace Traceback (most recent call last): File "/srv/api.py", line 8, in f charge(id)
    de Es fehlt der Rückweg für die Migration | Marker Noch einmal:; Marker Danke
    en drop the old helper + the texts should come from the locale files | Marker Rest is fine
    en the total is rounded twice | Marker minor, but; Marker Used [REDACTED:bearer-token] to reproduce
    ja 時区が考慮されていません | Marker [optional]; Location See section 2.3
    en? see above |
    "#);
}

proptest! {
    #[test]
    fn something_is_left(text in "(?s).{1,200}") {
        prop_assert_eq!(unwrap(&text).is_empty(), text.trim().is_empty());
        prop_assert!(text.contains(unwrap(&text)) && text.contains(sentence(&text)));
    }

    #[test]
    fn any_text_is_read_and_what_was_read_stays(
        text in "(\\PC{0,20}|[\n`\"> .,!?:;()@-]{1,4}|nit: |again: |see |line 4|thanks|cc @a|```|@@ -1 \\+1 @@\n|[+-]x = f\\(y\\)|1\\) |also, |, and |[A-Z]-7|\\[REDACTED:x\\]|add a test | - | {4}){0,24}",
    ) {
        let first = read(&text);
        prop_assert_eq!(first.demand.is_empty(), text.trim().is_empty());
        prop_assert!(first.demand.chars().count() <= 400);
        prop_assert!((1..=4).contains(&first.demands.len()));
        prop_assert!(first.set_aside.iter().all(|a| a.text.chars().count() <= 80));
        let second = read(&first.demand);
        prop_assert_eq!(&second.demand, &first.demand);
    }
}
