//! The class of a failure's cause, judged by the words that indicate it.
//!
//! A table of patterns, the more specific class first. Reason, error, details and the publisher's own feedback are read
//! in this order, then the state, then the inference's name. What to do about a cause is defined in `remedy`.

use super::result::ActionResult;
use regex::{Regex, RegexBuilder};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::sync::LazyLock;

/// The cause of a failed action.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Cause {
    /// Too many requests.
    RateLimit,
    /// It took too long.
    Timeout,
    /// The input is encrypted, damaged, or of an unreadable kind.
    Format,
    /// Something was not set up.
    NotInitialised,
    /// It is not allowed.
    Permission,
    /// The reference is ambiguous.
    Ambiguous,
    /// The other side is unreachable.
    Network,
    /// It changed meanwhile, or already exists.
    Conflict,
    /// It does not exist.
    NotFound,
    /// The input is not acceptable.
    Validation,
    /// Nothing indicates the cause.
    Unknown,
}

impl Cause {
    /// Returns the spelling in records and signatures.
    pub fn as_str(self) -> &'static str {
        match self {
            Cause::RateLimit => "rate_limit",
            Cause::Timeout => "timeout",
            Cause::Format => "format",
            Cause::NotInitialised => "not_initialised",
            Cause::Permission => "permission",
            Cause::Ambiguous => "ambiguous",
            Cause::Network => "network",
            Cause::Conflict => "conflict",
            Cause::NotFound => "not_found",
            Cause::Validation => "validation",
            Cause::Unknown => "unknown",
        }
    }

    /// Returns the usual cause, for a failure without a reported one.
    pub fn usually(self) -> &'static str {
        match self {
            Cause::RateLimit => "Too many requests in a short time",
            Cause::Timeout => "The step took longer than it was allowed to",
            Cause::Format => "The document is encrypted, damaged or of an unsupported kind",
            Cause::NotInitialised => "Something that has to be set up first was not",
            Cause::Permission => "The access that is needed was not granted",
            Cause::Ambiguous => "The reference fits several things",
            Cause::Network => "The service could not be reached",
            Cause::Conflict => "Something else changed it, or it exists already",
            Cause::NotFound => "There is nothing of that name where it was looked for",
            Cause::Validation => "The input does not meet what the step expects",
            Cause::Unknown => "The failing step reported nothing",
        }
    }
}

/// A class, and the words that indicate it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CauseMatch {
    /// The class.
    pub class: Cause,
    /// The words; absent if nothing indicates a class.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cue: Option<String>,
}

/// Returns why an action failed. A success has no cause: [`Cause::Unknown`].
pub fn classify(result: &ActionResult) -> CauseMatch {
    let unknown = CauseMatch { class: Cause::Unknown, cue: None };
    if !result.is_failure() {
        return unknown;
    }
    let by_words = result.causes().find_map(classify_text);
    by_words.or_else(|| by_state(result)).or_else(|| by_name(&result.inference)).unwrap_or(unknown)
}

/// Returns the class that a text indicates; `None` if it indicates none. Of a long text only the beginning and the end
/// are read.
pub fn classify_text(text: &str) -> Option<CauseMatch> {
    let text = bounded(text);
    TABLE.iter().find_map(|(class, pattern)| {
        let cue = pattern.find_iter(&text).find(|cue| !denied(&text[..cue.start()]))?;
        Some(CauseMatch { class: *class, cue: Some(cue.as_str().to_lowercase()) })
    })
}

/// Returns the beginning and the end of a long text: where messages state what happened.
pub(super) fn bounded(text: &str) -> Cow<'_, str> {
    const HEAD: usize = 4_000;
    const TAIL: usize = 2_000;
    if text.len() <= HEAD + TAIL {
        return Cow::Borrowed(text);
    }
    Cow::Owned(format!(
        "{}\n{}",
        &text[..text.floor_char_boundary(HEAD)],
        &text[text.ceil_char_boundary(text.len() - TAIL)..]
    ))
}

/// Detects negation. "It was not a timeout" is no timeout; "no permission" is still a cause.
fn denied(before: &str) -> bool {
    let from = before.ceil_char_boundary(before.len().saturating_sub(40));
    DENIED.is_match(&before[from..])
}

/// Detects a reference that cannot be resolved because no case is set (specification, "Actions: Structured feedback").
pub(super) fn by_state(result: &ActionResult) -> Option<CauseMatch> {
    let state = result.state.as_ref()?;
    let name = &result.inference;
    let refers = (name.contains("unresolved") || name.contains("not_found"))
        && ["document", "case", "doc_"].iter().any(|word| name.contains(word));
    let unset = state.active_case.is_none() && refers;
    unset.then(|| CauseMatch { class: Cause::NotInitialised, cue: Some("active_case: none".to_owned()) })
}

fn by_name(inference: &str) -> Option<CauseMatch> {
    let words: String = bounded(inference).chars().map(|c| if matches!(c, '_' | '-') { ' ' } else { c }).collect();
    let classed = classify_text(&words).or_else(|| {
        let found = UNRESOLVED.find(&words)?;
        Some(CauseMatch { class: Cause::NotFound, cue: Some(found.as_str().to_lowercase()) })
    })?;
    Some(CauseMatch { cue: classed.cue.map(|cue| format!("inference: {cue}")), ..classed })
}

static DENIED: LazyLock<Regex> = LazyLock::new(|| {
    regex(
        r"\b(?:not|never|isn't|wasn't|rather than|instead of) (?:a |an |the |due to (?:a |an )?|because of (?:a |an )?|caused by (?:a |an )?|related to (?:a |an )?)$",
    )
});
static UNRESOLVED: LazyLock<Regex> = LazyLock::new(|| regex(r"\b(?:unresolved|missing|unknown|no match)\b"));

static TABLE: LazyLock<Vec<(Cause, Regex)>> = LazyLock::new(|| {
    let patterns: &[(Cause, &str)] = &[
        (
            Cause::RateLimit,
            r"\b(?:rate.?limit(?:s|ed|ing)?|too many (?:requests|calls|connections)|throttl(?:ed|ing)|quota (?:was |is |has been )?(?:exceeded|exhausted|reached)|(?:http|status|code|error)[ :=]*429|resource.?exhausted)\b",
        ),
        (
            Cause::Timeout,
            r"\b(?:timed?[ -]?out|timeouts?|\w*timeout(?:error|exception)|deadline (?:was )?exceeded|took too long|etimedout|(?:http|status|code|error)[ :=]*(?:408|504))\b",
        ),
        (
            Cause::Format,
            r"\b(?:encrypted|password[ -]protected|corrupt(?:ed)?|damaged|malformed|unsupported (?:\w+ )?(?:format|type|media|encoding|version|extension|codec)|(?:can ?not|can't|could not|couldn't|unable to|failed to) (?:decode|decrypt|deserialize)|not a (?:valid )?(?:pdf|image|zip|json|xml|csv)|unicodedecodeerror|(?:bad|unknown) (?:file )?(?:format|encoding)|(?:http|status|code|error)[ :=]*415)\b",
        ),
        (
            Cause::NotInitialised,
            r"\b(?:(?:not|never|[a-z]+n't) (?:been |yet |properly |fully )*(?:initiali[sz]ed|set(?: up)?|configured|loaded|started|connected|selected|ready|logged in|opened)|un(?:initiali[sz]ed|configured|set)|no (?:active|current|open) (?:case|session|project|workspace|context|connection|transaction)|(?:case|session|project|workspace) (?:is )?(?:none|null|missing)|(?:must|needs? to|has to) be (?:initiali[sz]ed|configured|set|started|opened|selected) (?:first|before)|before (?:initiali[sz]ation|init\b))",
        ),
        (
            Cause::Permission,
            r"\b(?:(?:permission|access|authori[sz]ation)s? (?:is |was |has been )?(?:denied|refused|missing|required)|permissionerror|not (?:permitted|allowed|authori[sz]ed)|(?:insufficient|missing|lacks?|no|needs?) (?:\w+ )?(?:permissions?|privileges?|rights|access)|forbidden|unauthori[sz]ed|unauthenticated|(?:invalid|bad|expired|wrong) (?:\w+ )?(?:credentials?|password|api key)|(?:invalid|bad|expired|wrong|missing) (?:access|auth\w*|bearer|api|session|refresh) token|token (?:has |is )?expired|read[ -]only (?:file ?system|mode)|eacces|eperm|(?:http|status|code|error)[ :=]*40[13])\b",
        ),
        (
            Cause::Ambiguous,
            r"\b(?:ambiguous(?:ly)?|ambiguity|(?:multiple|several|many|more than one|\d+) (?:possible |different )?(?:matches|candidates|interpretations|options match)|not unique|which (?:one|of)|unclear which|could (?:mean|refer to) (?:several|either|more))\b",
        ),
        (
            Cause::Network,
            r"\b(?:connection (?:was |is )?(?:refused|reset|closed|aborted|lost|failed|error)|connectionerror|could not connect|(?:failed|unable) to connect|(?:network|host|service|server) (?:is |was )?(?:unreachable|unavailable|down|error)|(?:could not|couldn't|cannot|failed to) resolve (?:the )?host|name resolution|dns|econnrefused|econnreset|enotfound|enetunreach|ssl|tls|certificate|broken pipe|internal server error|bad gateway|service unavailable|(?:http|status|code|error)[ :=]*50[0-3])\b",
        ),
        (
            Cause::Conflict,
            r"\b(?:already (?:exists?|processed|in use|open|running|locked|registered)|conflict(?:s|ing)?|(?:is |was )?locked(?: by)?|(?:version|revision|etag) mismatch|stale|out of date|concurrent(?:ly)?|modified (?:meanwhile|by|since)|duplicate (?:key|entry|id|name)|eexist|deadlock|(?:http|status|code|error)[ :=]*(?:409|412))\b",
        ),
        (
            Cause::NotFound,
            r"\b(?:not (?:be )?found|no such|does(?: not|n't) exist|do(?: not|n't) exist|non-?existent|could(?: not|n't) (?:find|locate)|can(?:not| not|'t) (?:find|locate)|(?:unable|failed) to (?:find|locate)|no (?:paths?|files?|documents?|results?|records?|entr(?:y|ies)|match(?:es)?|rows?)(?: were| was)? (?:found|match\w*|exists?)|no match(?:es)?|filenotfounderror|modulenotfounderror|keyerror|unknown (?:id|document|case|file|path|tool|table|column|command|host)|enoent|(?:http|status|code|error)[ :=]*(?:404|410))\b",
        ),
        (
            Cause::Validation,
            r"\b(?:invalid|validation|(?:is|are|was) (?:required|mandatory)|required (?:field|argument|parameter|property|value)|missing (?:\w+ )?(?:field|argument|parameter|property|value|key)s?|(?:type|value|schema|assertion)error|must (?:be|have|not|contain|match)|expected .{1,60}(?:got|found|received)|out of range|does(?: not|n't) match|too (?:long|short|large|small|big)|syntax error|cannot be (?:empty|null|blank|negative)|(?:http|status|code|error)[ :=]*(?:400|422))\b",
        ),
    ];
    patterns.iter().map(|(class, pattern)| (*class, regex(pattern))).collect()
});

fn regex(pattern: &str) -> Regex {
    RegexBuilder::new(pattern).case_insensitive(true).build().expect("a constant")
}
