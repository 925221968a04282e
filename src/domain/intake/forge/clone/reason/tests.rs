//! Which revert messages state a reason, and what is kept of them.

use super::*;

const SAYS: &str = "This reverts commit 4124316da0c55abb58bd81da62d6424cc92f7e59";

fn of(rest: &str) -> Result<String, SkipReason> {
    reason(&format!("Revert \"cache: drop the context\"\n\n{rest}\n"))
}

fn said(rest: &str) -> String {
    of(rest).unwrap_or_else(|left| panic!("{left:?}: {rest}"))
}

#[test]
fn the_reason_is_what_is_left_of_the_message() {
    for (rest, reason) in [
        (
            format!(
                "{SAYS}.\n\nReason for revert: creates a long linked list\nof contexts!\n\nFixes golang/go#64011\n\nChange-Id: Ib9\nReviewed-by: Ann <ann@x>"
            ),
            "creates a long linked list of contexts!",
        ),
        (
            format!("{SAYS}.\n\nIt loses the caller's deadline on each retry."),
            "It loses the caller's deadline on each retry.",
        ),
        (format!("{SAYS} because it loses the deadline."), "because it loses the deadline."),
        (format!("{SAYS} (CL 538778)\n\nReason for revert: left in logging statements"), "left in logging statements"),
        (
            format!(
                "{SAYS}, reversing\nchanges made to 0df0ca0f43117120bd7cc900ebf765f9b799438a.\n\nThe lock is taken twice on Windows."
            ),
            "The lock is taken twice on Windows.",
        ),
        (format!("The lock is taken twice on Windows.\n\n{SAYS}.\n"), "The lock is taken twice on Windows."),
        (
            format!("{SAYS}, golang.org/cl/201220.\n\nReason for revert: <Produces unusable results.>"),
            "Produces unusable results.",
        ),
        (
            format!(
                "{SAYS}.\n\nReason for revert: breaks the build\n\nOriginal change's description:\n> Make it fast\n>\n> Because it is slow as it is\nBUG=7"
            ),
            "breaks the build",
        ),
        (
            format!(
                "{SAYS}.\n\nIt panics for empty lists:\n\n    panic: index out of range\n\n- no test covers them\n- the caller cannot tell"
            ),
            "It panics for empty lists:\n\n- no test covers them\n- the caller cannot tell",
        ),
    ] {
        assert_eq!(said(&rest), reason, "{rest}");
    }
}

#[test]
fn a_revert_without_a_reason_says_none() {
    for rest in [
        format!("{SAYS}."),
        String::new(),
        format!("{SAYS}.\n\nChange-Id: Ib0b0bc8668ec3151c11cf5be1949523f95511d26\nReviewed-by: Ann <ann@x>"),
        format!("{SAYS}.\n\nReverts octo/shop#12"),
        format!("{SAYS}.\n\nReason for revert: https://example.org/issues/22171#issuecomment-339125376"),
        format!("{SAYS}.\n\nFixes #12\nTBR=ann@x\nBUG=1"),
        format!("{SAYS}.\n\n> Original: make everything faster by caching the whole list"),
        format!("{SAYS}.\n\n* Revert \"cache: drop the context\"\n\n* bump the version for the machine once more"),
        format!("{SAYS}.\n\nReason for revert: See octo/shop#22171 for reasoning."),
        format!("{SAYS}.\r\n\r\nBroken."),
        format!("{SAYS}.\n\n(cherry picked from commit 0df0ca0f43117120bd7cc900ebf765f9b799438a)"),
    ] {
        assert_eq!(of(&rest), Err(SkipReason::NoReason), "{rest}");
    }
}

#[test]
fn what_is_not_about_the_work_is_no_reason() {
    for why in [
        "accidentally submitted before CL 268539",
        "merged by mistake, needs another look",
        "The 1.15 tree is not open yet.",
        "workaround no longer needed.",
        "telemetry races have been fixed in another change",
        "needed to cleanly revert the change before it",
        "Speculative revert to see if this fixes the bots",
        "Seems to have caused some flakes.",
        "Merge conflicts for Rob's stack",
        "let's do this after the next release instead",
        "This may be causing the failures on the waterfall",
    ] {
        assert_eq!(of(&format!("{SAYS}.\n\nReason for revert: {why}")), Err(SkipReason::OtherReason), "{why}");
    }
}

#[test]
fn a_long_or_odd_message_is_bounded() {
    let long = said(&format!("{SAYS}.\n\n{}", "It leaks the handle of every file. ".repeat(200)));
    assert_eq!(long.chars().count(), LONGEST);
    let odd = said(&format!("{SAYS}.\n\nIt prints \u{1b}[2J\u{7}to the terminal of the user."));
    assert_eq!(odd, "It prints [2Jto the terminal of the user.");
}
