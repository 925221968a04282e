//! Comments and their expected readings; all texts are the project's own.

use super::classify::{is_request, read_stance};
use crate::language::direction::Direction;
use crate::language::direction::Direction::{Less, More, Unclear};
use crate::verdict::Verdict;
use crate::verdict::Verdict::{Approved, ApprovedWithChanges, Rejected};
use proptest::prelude::*;

fn check(verdict: Verdict, cases: &[(&str, bool, Direction)]) {
    let wrong: Vec<String> = cases
        .iter()
        .filter_map(|(text, demand, direction)| {
            let read = read_stance(verdict, Some(text), None);
            ((read.demand, read.direction) != (*demand, *direction)).then(|| format!("{text:?} -> {read:?}"))
        })
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_cue_is_found_without_its_accents_and_shown_with_them() {
    for (text, direction, cue) in [
        ("Diese Kommentare sind überflüssig – weg damit", Less, "überflüssig"),
        ("日本語のテスト、please add one", More, "add"),
        ("À ajouter : des tests", More, "ajouter"),
    ] {
        let stance = read_stance(Rejected, Some(text), None);
        assert_eq!((stance.direction, stance.cue.as_deref()), (direction, Some(cue)), "{text}");
    }
}

#[test]
fn approvals_that_ask_for_nothing() {
    let texts = [
        "",
        "LGTM",
        "ok",
        "👍",
        "🎉🎉",
        "thanks!",
        "Looks good to me, merging.",
        "No concerns from me.",
        "nothing wrong here",
        "No problems on my side",
        "Exactly right, do not change a thing",
        "not a single nit",
        "No further comments.",
        "Great tests, and the error handling is clear.",
        "Thanks for adding the tests!",
        "Nothing missing.",
        "The missing tests are there now, great",
        "Very readable.",
        "Works like it should.",
        "Ran it twice on staging.",
        "I had doubts, but you convinced me.",
        "Sieht sehr gut aus",
        "Parfait, merci",
        "Muy bien, gracias",
        "no changes needed",
        "Approved without objections",
        "I wouldn't change anything",
        "Not a single nit today, I must be getting old",
        "You'd have to be very picky to dislike this",
        "No need for more tests here, the existing ones cover it",
        "Deployment plan is clear, back-out steps tested on staging",
        "We should be proud of this one.",
        "Rename makes a huge difference, it says it all.",
        "All tests pass.",
        "nice one 🚀",
        "Reads well now.",
        "Happy to see this land",
        "This is what we agreed on",
        "Good call on the queue",
        "all my points are addressed",
        "tiny change, big win",
        "Great job on removing the duplication",
        "Checked the totals, they add up",
        "良いです、進めてください",
        // A complaint without a reservation, under an approval: indistinguishable from what was fixed.
        "Only two of five cases are exercised",
        "just a rename",
        "no more sleeps in the tests",
        "constants everywhere, nothing to add",
        "nice that you check for the empty list",
        "I was afraid of the move, but the rehearsal went well",
        "rien à redire",
        "nada que añadir",
    ];
    check(Approved, &texts.map(|text| (text, false, Unclear)));
}

#[test]
fn approvals_that_ask_for_something() {
    check(
        Approved,
        &[
            ("looks good, but add tests for the parser", true, More),
            ("Fine. Please remove the debug output though.", true, Less),
            ("Approved, though the timeout case is missing", true, More),
            ("nit: rename the helper", true, Unclear),
            ("Great work! Next time please write the release notes earlier", true, More),
            ("OK for now, the retry budget has to be documented later", true, More),
            ("approved but the log level is wrong", true, Unclear),
            ("Good, just shorten the intro", true, Less),
            ("The diagram shows an older layout. Otherwise ok.", true, Unclear),
            ("Good work. However, there are too many parameters.", true, Less),
        ],
    );
}

#[test]
fn a_waiver_takes_the_side_opposite_to_the_demand() {
    check(
        Approved,
        &[
            ("no need for error handling here", true, Less),
            ("Missing tests are acceptable here.", true, Less),
            ("fine without docs", true, Less),
            ("Docs are not needed for a script", true, Less),
            ("No error handling needed in the API handler", true, Less),
            ("no benchmark is required for this one", true, Less),
            ("This doesn't need a changelog entry", true, Less),
            ("we can skip the benchmark for now", true, Less),
            ("LGTM, no tests is fine for a prototype", true, Less),
            ("hard-coded timeout is ok", true, More),
            ("The duplicated mapping is acceptable for this release", true, More),
            ("the long parameter list can stay", true, More),
            ("The comments are good as is", true, More),
            ("keep the verbose logging", true, More),
        ],
    );
}

#[test]
fn what_waives_and_what_does_not() {
    for (verdict, text, waives) in [
        (Rejected, "no tests needed here", true),
        (Rejected, "hardcoded is fine", true),
        (Rejected, "can skip the changelog", true),
        (Approved, "Docs are not needed for a script", true),
        (Approved, "the long parameter list can stay", true),
        (ApprovedWithChanges, "the benchmark can wait for now", true),
        (ApprovedWithChanges, "We don't need a changelog entry for this", true),
        (Rejected, "can we skip the tests? no!", false),
        (Rejected, "Can we skip the tests?", false),
        (Rejected, "This wrapper is not needed", false),
        (Rejected, "there is no reason to fetch them one by one", false),
        (Rejected, "users can skip the payment step", false),
        (Rejected, "column order must stay as it was", false),
        (Rejected, "don't skip the changelog", false),
        (Rejected, "add tests", false),
        (Rejected, "add a test, no docs needed here", false),
        (Approved, "lgtm", false),
    ] {
        let stance = read_stance(verdict, Some(text), None);
        assert_eq!(stance.waives, waives, "{text}: {stance:?}");
    }
    assert_eq!(read_stance(Rejected, Some("can we skip the tests? no!"), None).direction, More);
    assert_eq!(read_stance(Rejected, Some("Do we need this flag? No."), None).direction, Less);
}

#[test]
fn complaints_with_a_word_of_praise_in_them_are_demands() {
    let texts = [
        "Works on one machine, breaks on the other",
        "The plan assumes perfect weather",
        "Fine on paper but the lock leaks",
        "who may cancel isn't said",
    ];
    for text in texts {
        assert!(read_stance(Rejected, Some(text), None).demand, "{text}");
    }
}

#[test]
fn rejections_without_content() {
    let texts = [
        "No.",
        "??",
        "needs work",
        "hmm",
        "not there yet",
        "This feels off",
        "I'm not convinced",
        "please redo",
        "see my comments",
        "Can we talk?",
        "let's discuss offline",
        "I don't like it",
        "wrong",
        "Not good enough.",
        "",
        "see above",
        "same as last time",
        "see my mail",
        "we talked about it",
        "As discussed in the call.",
        "cf. earlier comment",
        "ditto",
        "confusing",
        "siehe oben",
        "comme discuté",
    ];
    check(Rejected, &texts.map(|text| (text, false, Unclear)));
    assert!(!read_stance(Rejected, None, None).demand);
}

#[test]
fn corrections_and_their_direction() {
    check(
        Rejected,
        &[
            ("add a test for the empty list", true, More),
            ("No tests for the retry path", true, More),
            ("The plan has no rollback step", true, More),
            ("ships without a migration guide", true, More),
            ("You forgot the licence header", true, More),
            ("where is the threat model?", true, More),
            ("error handling is missing", true, More),
            ("too few comments", true, More),
            ("more examples please", true, More),
            ("The timeout isn't handled", true, More),
            ("I don't see any metrics", true, More),
            ("don't forget the changelog", true, More),
            ("never tested against an old client", true, More),
            ("there should be at least one alternative", true, More),
            ("must have an owner", true, More),
            ("remove the commented-out code", true, Less),
            ("too many comments", true, Less),
            ("Please don't log request bodies", true, Less),
            ("stop mocking the clock", true, Less),
            ("fewer abstractions", true, Less),
            ("avoid nested conditionals", true, Less),
            ("This paragraph is unnecessary", true, Less),
            ("the wrapper is overkill", true, Less),
            ("The requirements should not name tables", true, Less),
            ("never store tokens in the client", true, Less),
            ("drop the beta flag", true, Less),
            ("please no emoji in log lines", true, Less),
            ("Es fehlen Tests für leere Listen", true, More),
            ("Bitte die Kommentare entfernen", true, Less),
            ("Il manque les tests", true, More),
            ("Trop de commentaires", true, Less),
            ("Faltan pruebas", true, More),
            ("demasiados comentarios", true, Less),
            ("The port collides with the printer", true, Unclear),
            ("rename the module", true, Unclear),
        ],
    );
}

#[test]
fn code_and_quotations_are_not_read() {
    check(
        Rejected,
        &[
            ("`remove_all()` is called twice", true, Unclear),
            ("handle() has grown into a god method", true, Unclear),
            ("Order.remove(id) has no owner", true, More),
            ("```\nadd(x)\nremove(y)\n```\nThe port collides with the printer", true, Unclear),
            ("The text \"please add more\" has a typo in it", true, Unclear),
            ("> add tests\nThe port collides with the printer", true, Unclear),
            ("The port collides with the printer\n@@ -1 +1 @@\n-  remove(x)\n+  drop the x", true, Unclear),
        ],
    );
}

#[test]
fn the_summary_of_a_person_is_read_as_well() {
    let stance = read_stance(ApprovedWithChanges, None, Some("Added the missing timeout"));
    assert_eq!((stance.demand, stance.direction), (true, More));
    assert_eq!(stance.cue.as_deref(), Some("added"));
    let stance = read_stance(ApprovedWithChanges, Some("thanks"), Some("Removed three comments"));
    assert_eq!((stance.demand, stance.direction), (true, Less));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn any_text_is_read_and_always_alike(text in "(\\PC{0,30}|[\n`\"> .,!?]{1,4}|no |add |but |don't |fine ){0,20}") {
        for verdict in [Approved, Rejected, ApprovedWithChanges] {
            let first = read_stance(verdict, Some(&text), Some(&text));
            prop_assert_eq!(&first, &read_stance(verdict, Some(&text), Some(&text)));
            prop_assert!(first.cue.is_none() || first.demand);
        }
    }
}

#[test]
fn a_request_is_told_from_a_complaint() {
    for (remark, request) in [
        ("Do not log a line when a job is skipped", true),
        ("Please remove the mocks", true),
        ("Error handling is not needed in the API handler", true),
        ("New dependency without approval", false),
        ("I can't find the actual fix among all the whitespace noise", false),
        ("the export misses the totals", false),
    ] {
        let cue = read_stance(Rejected, Some(remark), None).cue;
        assert_eq!(cue.as_deref().is_some_and(is_request), request, "{remark}: {cue:?}");
    }
}

/// Comments on approvals in seven languages, written by a person who did not know the cues: how many without a demand
/// are taken for one, and how many demands are detected.
#[test]
fn an_approval_is_an_approval() {
    let (mut praise, mut taken, mut asked, mut heard) = (0, Vec::new(), 0, 0);
    for line in include_str!("../../../../tests/data/approvals.tsv").lines().filter(|line| !line.starts_with('#')) {
        let [_, label, said] = line.split('\t').collect::<Vec<_>>()[..] else { panic!("{line}") };
        let demand = read_stance(Approved, Some(said), None).demand;
        match label {
            "praise" => {
                praise += 1;
                taken.extend(demand.then_some(said));
            }
            _ => {
                asked += 1;
                heard += usize::from(demand);
            }
        }
    }
    println!("{} of {praise} taken for a demand, {heard} of {asked} demands heard: {taken:#?}", taken.len());
    assert!(taken.len() <= 10, "{} of {praise}: {taken:#?}", taken.len());
    assert!(heard >= 165, "{heard} of {asked}");
}
