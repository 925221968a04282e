//! The built-in suggestions: usual remedies for a cause of failure, before anything was learned.
//!
//! Remedies of the specification's domain (cases, documents) are suggested only if words of that domain occur or the
//! tool is available. A tool is suggested if the agent reported it; the specification's example tools also if the agent
//! reported no tools.

use super::approach::{find_tool, key};
use super::cause::{Cause, by_state};
use super::result::{ActionResult, State};
use regex::Regex;
use std::sync::LazyLock;

/// A remedy. `{tool}` in its texts is the tool's available name.
#[derive(Debug)]
pub(super) struct Remedy {
    /// The approach's name.
    pub action: &'static str,
    /// The name of its tool; `None` if it needs none.
    pub tool: Option<&'static str>,
    /// Other names of that tool.
    pub also: &'static [&'static str],
    /// How often it is expected to help, 0 to 1.
    pub mean: f64,
    /// Where it applies.
    pub domain: Domain,
    /// The text as a list item.
    pub item: &'static str,
    /// The text at the end of a line.
    pub brief: &'static str,
    /// The text as a rule; `{doing}` is the activity. Empty if no rule follows.
    pub rule: &'static str,
    /// Why it may help.
    pub why: &'static str,
}

/// The domain of a remedy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Domain {
    Any,
    Cases,
    Documents,
    Files,
}

const SWITCH: Remedy = Remedy {
    action: "switch_case",
    tool: Some("switch_to_case"),
    also: &["set_case", "set_active_case", "select_case", "open_case"],
    mean: 0.9,
    domain: Domain::Cases,
    item: "Use '{tool}' tool first",
    brief: "Suggest: {tool} first",
    rule: "Call {tool} before {doing}",
    why: "sets the case that the rest relies on",
};
const LIST: Remedy = Remedy {
    action: "list_documents",
    tool: Some("list_documents"),
    also: &["list_files", "get_documents"],
    mean: 0.7,
    domain: Domain::Documents,
    item: "Use '{tool}' to see what there is",
    brief: "Use {tool} to see what there is.",
    rule: "Call {tool} before {doing}",
    why: "shows which documents there are",
};
const DETAILS: Remedy = Remedy {
    action: "get_case_details",
    tool: Some("get_case_details"),
    also: &["case_details", "show_case"],
    mean: 0.9,
    domain: Domain::Documents,
    item: "Use '{tool}' to see the list, then name one",
    brief: "Use {tool} to see list.",
    rule: "Call {tool} before {doing}",
    why: "shows what the reference may mean",
};
const LOOKUP: Remedy = Remedy {
    action: "document_id_lookup",
    tool: Some("document_id_lookup"),
    also: &["lookup_document", "find_document", "resolve_document_id", "search_documents"],
    mean: 0.75,
    domain: Domain::Documents,
    item: "Use '{tool}' to find it by its id",
    brief: "Use {tool} to find it by its id.",
    rule: "Call {tool} before {doing}",
    why: "finds a document by its id where its path does not",
};
const ASK: Remedy = Remedy {
    action: "ask_user",
    tool: None,
    also: &[],
    mean: 0.5,
    domain: Domain::Any,
    item: "Ask the user what is meant or missing",
    brief: "Suggest: ask the user.",
    rule: "Ask the user for what is missing before {doing}",
    why: "the user may know what is missing",
};
const RETRY: Remedy = Remedy {
    action: "retry_with_backoff",
    tool: None,
    also: &[],
    mean: 0.7,
    domain: Domain::Any,
    item: "Wait, then try again with growing pauses",
    brief: "Suggest: retry with growing pauses.",
    rule: "Retry up to 3 times with growing pauses when {doing} fails",
    why: "such failures often pass by themselves",
};
const PATH: Remedy = Remedy {
    action: "alternative_path",
    tool: None,
    also: &[],
    mean: 0.55,
    domain: Domain::Files,
    item: "Try another path or file",
    brief: "Suggest: try another path or file.",
    rule: "Use another path or file when {doing} fails",
    why: "another copy may be accessible",
};

/// Creates a remedy without a tool.
const fn way(
    action: &'static str,
    mean: f64,
    item: &'static str,
    brief: &'static str,
    rule: &'static str,
    why: &'static str,
) -> Remedy {
    Remedy { action, tool: None, also: &[], mean, domain: Domain::Any, item, brief, rule, why }
}

/// Returns the remedies for a cause, best first; the means of the first row are those of specification, "Actions:
/// Ranking suggestions".
pub(super) fn table(cause: Cause) -> Vec<Remedy> {
    match cause {
        Cause::NotInitialised => vec![
            SWITCH,
            LIST,
            way(
                "initialise_first",
                0.6,
                "Set up what is missing first, then repeat the step",
                "Suggest: set up what is missing first.",
                "Set up what the step relies on before {doing}",
                "the step relies on something that is not set up",
            ),
            ASK,
        ],
        Cause::Ambiguous => vec![DETAILS, LIST, Remedy { mean: 0.65, ..ASK }],
        Cause::Permission => vec![
            way(
                "request_access",
                0.6,
                "Say that {access} access is needed, and ask for it",
                "Need {access} access.",
                "Ask for {access} access before {doing}",
                "nothing else changes what is allowed",
            ),
            PATH,
            ASK,
        ],
        Cause::NotFound => vec![
            LOOKUP,
            LIST,
            Remedy { mean: 0.65, ..SWITCH },
            PATH,
            way(
                "check_name",
                0.55,
                "Check the name and where it is looked for",
                "Suggest: check the name and where it is looked for.",
                "Check that the name exists before {doing}",
                "names are often misspelled or looked for elsewhere",
            ),
            ASK,
        ],
        Cause::Format => vec![
            Remedy {
                action: "classification_api",
                tool: Some("classification_api"),
                also: &["classify_document", "document_classification", "classification"],
                mean: 0.7,
                domain: Domain::Documents,
                item: "Try the classification API ('{tool}')",
                brief: "Suggest: try classification API.",
                rule: "Use {tool} when {doing} fails",
                why: "it needs no readable text",
            },
            way(
                "convert_format",
                0.6,
                "Convert it to a format that can be read",
                "Suggest: convert it to a format that can be read.",
                "Convert the input to a supported format before {doing}",
                "another format may be readable",
            ),
            Remedy {
                item: "Ask the user for an unlocked or intact copy",
                why: "the user may have a readable copy",
                ..ASK
            },
        ],
        Cause::Timeout => vec![
            RETRY,
            way(
                "smaller_scope",
                0.6,
                "Do it in smaller parts",
                "Suggest: do it in smaller parts.",
                "Split the input into smaller parts before {doing}",
                "less work fits the time limit",
            ),
            Remedy { mean: 0.3, ..ASK },
        ],
        Cause::RateLimit => vec![
            Remedy { mean: 0.9, ..RETRY },
            way(
                "reduce_rate",
                0.6,
                "Send fewer requests, or several in one",
                "Suggest: send fewer requests.",
                "Send requests one after the other when {doing}",
                "the limit counts requests",
            ),
            Remedy { mean: 0.3, ..ASK },
        ],
        Cause::Network => vec![
            RETRY,
            way(
                "check_connection",
                0.5,
                "Check the address and whether the service runs",
                "Suggest: check the address and whether the service runs.",
                "Check that the service answers before {doing}",
                "a wrong address never answers",
            ),
            Remedy { mean: 0.4, ..ASK },
        ],
        Cause::Validation => vec![
            way(
                "correct_input",
                0.8,
                "Correct the input as the message says",
                "Suggest: correct the input as the message says.",
                "Check the input against what is expected before {doing}",
                "the message says what is expected",
            ),
            ASK,
        ],
        Cause::Conflict => vec![
            way(
                "refresh_state",
                0.7,
                "Read the current state, then decide again",
                "Suggest: read the current state, then decide again.",
                "Read the current state before {doing}",
                "it changed since it was read",
            ),
            Remedy { mean: 0.55, ..RETRY },
            ASK,
        ],
        Cause::Unknown => vec![
            way(
                "alternative_approach",
                0.55,
                "Try another approach",
                "Suggest: try another approach.",
                "",
                "the same step again rarely ends otherwise",
            ),
            ASK,
        ],
    }
}

/// A remedy that fits a result, with the available tool.
#[derive(Debug)]
pub(super) struct RemedyMatch {
    pub remedy: Remedy,
    pub tool: Option<String>,
    access: &'static str,
}

/// The tools of the specification's examples, which appear there without being reported.
const SPECIFIED: [&str; 4] = ["switch_to_case", "list_documents", "get_case_details", "classification_api"];

/// Returns the remedies for a result with this class of cause, best first.
pub(super) fn remedies(result: &ActionResult, cause: Cause) -> Vec<RemedyMatch> {
    let text = words(result);
    let access = access(&text);
    let fitting = table(cause).into_iter().filter_map(|remedy| {
        let tool = match (remedy.tool, result.tools()) {
            (None, _) => None,
            (Some(usual), None) if SPECIFIED.contains(&usual) && in_domain(remedy.domain, &text) => Some(usual.into()),
            // The tool was not reported; if it was ever used, experience suggests it.
            (Some(_), None) => return None,
            (Some(_), Some(tools)) => Some(available(&remedy, tools)?.to_owned()),
        };
        (tool.is_some() || in_domain(remedy.domain, &text)).then_some(RemedyMatch { remedy, tool, access })
    });
    fitting.collect()
}

/// Returns the remedy whose approach has this key, for its texts; of any cause.
pub(super) fn of_key(cause: Cause, wanted: &str) -> Option<Remedy> {
    let of = |cause| table(cause).into_iter().find(|remedy| key(remedy.action) == wanted);
    of(cause).or_else(|| ALL.into_iter().find_map(of))
}

/// Every cause.
pub(super) const ALL: [Cause; 11] = [
    Cause::NotInitialised,
    Cause::Ambiguous,
    Cause::Permission,
    Cause::NotFound,
    Cause::Format,
    Cause::Timeout,
    Cause::RateLimit,
    Cause::Network,
    Cause::Validation,
    Cause::Conflict,
    Cause::Unknown,
];

impl RemedyMatch {
    pub(super) fn new(remedy: Remedy, tool: Option<String>, result: &ActionResult) -> RemedyMatch {
        RemedyMatch { remedy, tool, access: access(&words(result)) }
    }

    /// Fills the names into one of the remedy's texts.
    pub(super) fn say(&self, template: &str) -> String {
        let tool = self.tool.as_deref().or(self.remedy.tool).unwrap_or(self.remedy.action);
        template.replace("{tool}", tool).replace("{access}", self.access)
    }
}

/// Reports whether a result is about cases or their documents, so that the active case matters.
pub(super) fn is_about_cases(result: &ActionResult) -> bool {
    let text = words(result);
    in_domain(Domain::Cases, &text) || in_domain(Domain::Documents, &text)
}

fn available<'t>(remedy: &Remedy, tools: &'t [String]) -> Option<&'t str> {
    let names = remedy.tool.iter().chain(remedy.also);
    names.chain([&remedy.action]).find_map(|name| find_tool(name, tools))
}

/// Returns the words that indicate what a result is about, bounded.
fn words(result: &ActionResult) -> String {
    let mut text = String::new();
    let names = result.data.iter().flat_map(|data| data.keys().map(String::as_str)).take(50);
    let about = [result.inference.as_str(), result.user_input.as_str()];
    for part in about.into_iter().chain(result.causes()).chain(names) {
        text.extend(part.chars().take(2_000));
        text.push('\n');
    }
    let unset = |state: &State| state.active_case.is_some() || by_state(result).is_some();
    if result.state.as_ref().is_some_and(unset) {
        text.push_str("the active case");
    }
    text.to_lowercase().replace(['_', '-'], " ")
}

fn in_domain(domain: Domain, text: &str) -> bool {
    match domain {
        Domain::Any => true,
        Domain::Cases => CASE.find_iter(text).any(|found| !OTHER_CASES.is_match(&text[..found.start()])),
        Domain::Documents => DOCUMENT.is_match(text),
        Domain::Files => FILE.is_match(text),
    }
}

/// Returns which access is missing: `read`, `write`, or `the required` if unknown.
fn access(text: &str) -> &'static str {
    if WRITE.is_match(text) {
        "write"
    } else if FILE.is_match(text) {
        "read"
    } else {
        "the required"
    }
}

static CASE: LazyLock<Regex> = LazyLock::new(|| regex(r"\bcases?\b"));
/// Words before "case" that give it another meaning.
static OTHER_CASES: LazyLock<Regex> =
    LazyLock::new(|| regex(r"\b(?:test|in|use|edge|corner|upper|lower|any|worst|best|camel|snake)[ \n]$"));
static DOCUMENT: LazyLock<Regex> = LazyLock::new(|| regex(r"\b(?:documents?|docs?|ocr|pdfs?|scans?)\b|\.pdf\b"));
static FILE: LazyLock<Regex> =
    LazyLock::new(|| regex(r"\b(?:files?|paths?|director(?:y|ies)|folders?|documents?|pdfs?)\b|(?:^|[\s:'(])~?/\w"));
static WRITE: LazyLock<Regex> =
    LazyLock::new(|| regex(r"\b(?:writ(?:e|ing|ten)|save|saving|creat(?:e|ing)|delet(?:e|ing)|upload|read only)\b"));

fn regex(pattern: &str) -> Regex {
    Regex::new(pattern).expect("a constant")
}
