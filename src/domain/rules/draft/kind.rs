//! The kind of change that a pattern asks for: a rule, another wording of the prompt, a step of a procedure, or a note.
//!
//! Uses a few cues, which most of the comments must show: a rule is the default, because people can most easily undo
//! it. The text of the change is up to `proposal`.

use super::proposal::Draft;
use crate::clusters::evaluation::ActionType;
use crate::text::language::specificity::lint;
use crate::text::language::stance::read_stance;
use crate::text::verdict::Verdict;
use regex::Regex;
use std::sync::LazyLock;

/// Returns the words of a comment that indicate a kind.
type CueOf = fn(&str) -> Option<String>;

/// Returns the kind of change that comments ask for, and why in words.
pub fn kind_of(texts: &[&str], draft: &Draft) -> (ActionType, String) {
    if let Some(finding) = lint(&draft.content).into_iter().next() {
        let why = format!("No comment says clearly enough what to do to become a rule ({}).", finding.message);
        return (ActionType::DocumentOnly, why.replace(".).", ")."));
    }
    let kinds: [(ActionType, &str, CueOf); 3] = [
        (ActionType::UpdateSkill, "ask for a step of a procedure or for a tool", procedure),
        (ActionType::RefinePrompt, "are about the words the agent uses or was given", wording),
        (ActionType::DocumentOnly, "state a fact and ask for nothing", fact),
    ];
    for (kind, they, cue_of) in kinds {
        let cues: Vec<String> = texts.iter().filter_map(|text| cue_of(text)).collect();
        // A demand mistaken for a fact is lost, while a fact mistaken for a demand is rejected: all must agree.
        let enough =
            if kind == ActionType::DocumentOnly { cues.len() == texts.len() } else { cues.len() * 2 > texts.len() };
        if let Some(cue) = cues.first().filter(|_| enough) {
            return (kind, format!("{} of {} remarks {they}: “{cue}”.", cues.len(), texts.len()));
        }
    }
    (ActionType::CreateRule, "The comments ask for something in the work itself.".to_owned())
}

fn wording(text: &str) -> Option<String> {
    cue(&WORDING, text)
}

fn procedure(text: &str) -> Option<String> {
    cue(&PROCEDURE, text)
}

/// Returns the cue of a fact: announced as one, with no other demand.
fn fact(text: &str) -> Option<String> {
    let found = FACT.find(text)?;
    let rest = [&text[..found.start()], &text[found.end()..]].concat();
    let asks = rest.contains('?') || read_stance(Verdict::Rejected, Some(&rest), None).cue.is_some();
    let told = rest.split_whitespace().count() >= 3;
    (told && !asks).then(|| found.as_str().trim_matches([' ', ',', ':', '.']).to_owned())
}

fn cue(pattern: &Regex, text: &str) -> Option<String> {
    pattern.find(text).map(|found| found.as_str().trim().to_owned())
}

/// The tone, terms and form of the agent's output or instructions.
static WORDING: LazyLock<Regex> = LazyLock::new(|| {
    regex(&[
        r"\bprompt (?:says|said|tells|asks|wants|should say|contradicts|does not say|doesn['’]t say|lacks)\b",
        r"\b(?:its|your|the agent['’]s) instructions (?:say|tell|contradict|ask|lack)\b",
        r"\b(?:wrong|friendly|formal|informal|sober|neutral|polite|marketing|sales|right|of voice|the|its|your) tone\b|\btone (?:is|of|should|sounds)\b",
        r"\b(?:re)?phrase (?:it|this|them|these|that|the|each|every)\b|\bphrasing\b|\breword\b|\bword(?:ing|ed) (?:is|of|should|as|like|too|so)\b|\bthe wording\b",
        r"\bcall (?:it|them|this|these|the \w+|\w+) [^.;?]{1,40}?(?:, not\b|\bnot\b|\binstead of\b|\brather than\b)",
        r"\bterminolog\w+|\bglossary\b|\bjargon\b|\bbuzzwords?\b",
        r"\b(?:one|a single|the same|pick one|another) (?:word|term)\b|\buse the (?:word|term)s?\b",
        r"\b(?:present|past|future) tense\b|\b(?:active|passive) voice\b|\b(?:first|second|third) person\b",
        r"\b(?:british|american|plain|simple) (?:english|spelling|language)\b",
    ])
});

/// Steps and tools.
static PROCEDURE: LazyLock<Regex> = LazyLock::new(|| {
    regex(&[
        r"\b(?:run|execute|call|invoke) [^.;?]{1,50}?\b(?:before|first|every time|each time|prior to)\b",
        r"\b(?:always|first|start by) (?:open|read|load|fetch|query|pull|look(?:ing)? at|run|check|opening|reading|running)\b[^.;?]{1,50}?\b(?:first|before)\b",
        r"\bbefore (?:you|it|the agent) (?:commits?|push(?:es)?|merges?|hands?|submits?|starts?|writes?|plans?|opens?|edits?|changes?)\b",
        r"\bbefore (?:committing|pushing|submitting|handing (?:it |anything )?in|opening a (?:pr|pull request)|writing any|editing)\b",
        r"\buse (?:the|our) [\w./`-]+(?: [\w./`-]+)? (?:tool|command|script|linter|generator|cli|skill|formatter|checker|scaffold)\b|\buse the (?:tool|command|script|linter|generator|skill)\b",
        r"\brun (?:the |our )?(?:linter|formatter|type ?checker|test suite|unit tests|tests|`[^`]+`|make \w+|cargo \w+|npm (?:run )?\w+|pytest)\b",
        r"\b(?:go through|work through|follow|use) (?:the|our|your) (?:\w+ )?(?:checklist|workflow|procedure|playbook)\b",
    ])
});

/// Information, not a request.
static FACT: LazyLock<Regex> = LazyLock::new(|| {
    regex(&[
        r"^\s*(?:fyi|for your information|for the record|just so you know|heads[- ]up|for context|background)\b[:,.]?",
        r"\b(?:no action|nothing to do|no change|nothing to change)(?: is)?(?: needed| required| necessary| here)?\b",
        r"\bjust (?:for the record|for information|noting)\b",
    ])
});

fn regex(rows: &[&str]) -> Regex {
    Regex::new(&format!("(?i){}", rows.join("|"))).expect("the patterns are constants and a test compiles them")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::records::record::RuleType;

    fn of(content: &str) -> Draft {
        Draft {
            title: String::new(),
            content: content.to_owned(),
            rule_type: RuleType::Guideline,
            concern: None,
            why: None,
            example: None,
        }
    }

    fn kind(texts: &[&str]) -> ActionType {
        kind_of(texts, &of("Add input validation to handlers.")).0
    }

    #[test]
    fn kinds_are_told_apart_by_their_cues() {
        use ActionType::{CreateRule, DocumentOnly, RefinePrompt, UpdateSkill};
        for (text, expected) in [
            ("the prompt says users, we say clients", RefinePrompt),
            ("the tone is too salesy for a design document", RefinePrompt),
            ("phrase it as a question to the customer", RefinePrompt),
            ("call it client, not customer", RefinePrompt),
            ("terminology is all over the place", RefinePrompt),
            ("write the release notes in present tense", RefinePrompt),
            ("run the linter before handing in", UpdateSkill),
            ("always open the schema file first", UpdateSkill),
            ("use the migration generator script", UpdateSkill),
            ("before you commit, look at the diff", UpdateSkill),
            ("go through the release checklist", UpdateSkill),
            ("fyi the importer belongs to the billing team", DocumentOnly),
            ("the legacy queue is gone since May, no action needed", DocumentOnly),
            ("fyi missing error handling in handlers", CreateRule),
            ("fyi add a test for the empty cart", CreateRule),
            ("for the record: who gets paged?", CreateRule),
            ("Check the licence before pulling in left-padder", CreateRule),
            ("In the checklist, observability gap: no traces", CreateRule),
            ("tone down the logging in the importer", CreateRule),
            ("call the provider once per page", CreateRule),
            ("use constants for timeouts", CreateRule),
            ("the command line prompt is not tested", CreateRule),
        ] {
            assert_eq!(kind(&[text]), expected, "{text}");
        }
    }

    #[test]
    fn most_of_the_remarks_must_show_it() {
        let (plain, cue) = ("name the timeout", "pick one word for clients");
        assert_eq!(kind(&[plain, cue]), ActionType::CreateRule);
        assert_eq!(kind(&[plain, cue, cue]), ActionType::RefinePrompt);
        assert_eq!(
            kind(&["fyi the queue belongs to billing", "fyi the queue is billing's", plain]),
            ActionType::CreateRule
        );
        let (_, why) = kind_of(&[plain, cue, cue], &of("Name the timeout."));
        assert_eq!(why, "2 of 3 remarks are about the words the agent uses or was given: “pick one word”.");
    }

    #[test]
    fn what_no_rule_can_be_made_of_is_a_note() {
        let (kind, why) = kind_of(&["needs work"], &of("Needs work."));
        assert_eq!(kind, ActionType::DocumentOnly);
        assert!(why.starts_with("No comment says clearly enough what to do"), "{why}");
    }
}
