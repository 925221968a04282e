//! Lines that are commands to programs: slash commands of prow and GitLab, those of named bots, and phrases that rerun
//! tests. Also those that only name addressees.

use regex::Regex;
use std::sync::LazyLock;

/// Maximum number of words after a command's name.
const WORDS: usize = 8;

/// Reports whether a line, in lower case, is only a command to a program.
pub(super) fn is_order(line: &str) -> bool {
    by_slash(line) || by_name(line) || PHRASE.is_match(line) || ADDRESS.is_match(line)
}

/// Detects `/retest`, `/test all`. With more than the name, it must be a known one: a path also begins with a slash.
fn by_slash(line: &str) -> bool {
    let Some(order) = line.strip_prefix('/') else { return false };
    let (name, rest) = order.split_once(char::is_whitespace).unwrap_or((order, ""));
    let is_name = (2..=40).contains(&name.len())
        && name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_'))
        && name.starts_with(|c: char| c.is_ascii_alphabetic());
    is_name && (rest.trim().is_empty() || SLASHED.contains(&name) && is_plain(rest))
}

/// Detects `@dependabot rebase`, `bors r+`: a known program with a known command.
fn by_name(line: &str) -> bool {
    let Some(found) = NAMED.captures(line) else { return false };
    let rest = found.name("rest").map_or("", |rest| rest.as_str().trim());
    let (verb, more) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
    let is_verb =
        VERBS.contains(&verb) || ["r=", "p=", "delegate=", "r+", "r-", "try="].iter().any(|v| verb.starts_with(v));
    (is_verb && is_plain(more)) || PHRASE.is_match(rest)
}

/// Detects names, numbers, labels and options, without a sentence.
fn is_plain(rest: &str) -> bool {
    let is_word = |word: &str| {
        word.chars().all(|c| c.is_alphanumeric() || "@./:#=,+~%*_-\"'[]^".contains(c)) && !SENTENCE.contains(&word)
    };
    rest.split_whitespace().count() <= WORDS && rest.split_whitespace().all(is_word)
}

/// Words of sentences: these address people.
const SENTENCE: [&str; 43] = [
    "is", "are", "was", "were", "be", "should", "must", "has", "have", "had", "does", "do", "did", "don't", "doesn't",
    "not", "no", "the", "a", "an", "needs", "need", "can", "can't", "could", "will", "would", "until", "because",
    "since", "but", "fails", "breaks", "returns", "missing", "why", "how", "what", "when", "where", "if", "we", "you",
];

/// Slash commands with arguments of prow, GitLab, Azure Pipelines, review programs and actions of repositories.
const SLASHED: [&str; 84] = [
    "approve",
    "approve-files",
    "area",
    "assign",
    "assign_reviewer",
    "azp",
    "azurepipelines",
    "backport",
    "benchmark",
    "bot",
    "build",
    "build-image",
    "bump",
    "cc",
    "check-cla",
    "cherry-pick",
    "cherrypick",
    "ci",
    "cla",
    "close",
    "command",
    "confidential",
    "deploy",
    "describe",
    "draft",
    "due",
    "e2e",
    "estimate",
    "format",
    "gcbrun",
    "gemini",
    "good-first-issue",
    "help",
    "hold",
    "improve",
    "joke",
    "kind",
    "label",
    "lgtm",
    "lifecycle",
    "lock",
    "merge",
    "meow",
    "milestone",
    "ok-to-test",
    "override",
    "package",
    "ping",
    "preview",
    "priority",
    "react",
    "ready",
    "rebase",
    "reassign",
    "relabel",
    "release",
    "release-note",
    "release-note-none",
    "remove-approve",
    "remove-area",
    "remove-hold",
    "remove-kind",
    "remove-label",
    "remove-lgtm",
    "remove-lifecycle",
    "reopen",
    "request_review",
    "rerun",
    "rerun-all",
    "retest",
    "retest-required",
    "retitle",
    "review",
    "run",
    "run-e2e",
    "sig",
    "skip",
    "spend",
    "subscribe",
    "test",
    "test-all",
    "triage",
    "unassign",
    "unlabel",
];

/// Programs that listen on forges. An agent whose work is under review is not one of them: a request to it is a demand.
static NAMED: LazyLock<Regex> = LazyLock::new(|| {
    let names = "bors|bors-ng|homu|rustbot|rust-timer|rust-highfive|craterbot|dependabot|dependabot-preview|mergify|mergifyio\
        |renovate|renovatebot|renovate-bot|k8s-ci-robot|k8s-bot|k8s-merge-robot|openshift-ci-robot|openshift-bot|openshift-ci|prow\
        |googlebot|google-cla|greenkeeper|greenkeeperio-bot|snyk-bot|codecov|codecov-io|codecov-commenter|coveralls|coderabbitai\
        |coderabbit|sourcery-ai|pre-commit-ci|netlify|vercel|jenkins|jenkinsbot|jenkinsci|jenkins-bot|swift-ci|swiftbot|easycla\
        |thelinuxfoundation|cla-bot|cla-assistant|claassistant|meeseeksdev|meeseeksmachine|lumberbot-app|lumberbot|pytorchbot\
        |pytorchmergebot|all-contributors|allcontributors|brewtestbot|github-actions|kodiakhq|stale|mergequeue|mergebot|buildbot\
        |buildkite|typescript-bot|nodejs-github-bot|dotnet-policy-service|dotnet-bot|azure-pipelines|msftbot|rultor|gitar-bot\
        |sonarcloud|sonarqubecloud|sonatype-lift|changeset-bot|imgbot|restyled-io|deepsource-autofix|ci-robot|ci-bot|test-bot\
        |marge-bot|release-please|nxcloud|nx-cloud|trunk-io|graphite-app|aviator-app|bulldozer|zuul|recheck-bot|istio-testing";
    regex(&format!(r"^@?(?:{names})(?:\[bot\])?[:,]?\s+(?<rest>\S.*)$"))
});

/// Commands to such programs.
const VERBS: [&str; 66] = [
    "abort",
    "add",
    "approve",
    "assign",
    "backport",
    "bench",
    "build",
    "cancel",
    "check",
    "cherry-pick",
    "cherrypick",
    "claim",
    "close",
    "configuration",
    "copy",
    "delegate+",
    "dequeue",
    "drop",
    "generate",
    "help",
    "hello",
    "ignore",
    "label",
    "lgtm",
    "merge",
    "modify",
    "nop",
    "ok",
    "pause",
    "ping",
    "please",
    "queue",
    "ready",
    "rebase",
    "rebuild",
    "recheck",
    "recreate",
    "refresh",
    "release",
    "relabel",
    "reopen",
    "requeue",
    "rerun",
    "rescan",
    "resolve",
    "restart",
    "resume",
    "retest",
    "retry",
    "review",
    "revert",
    "rollup",
    "rollup+",
    "run",
    "show",
    "squash",
    "summary",
    "test",
    "treeclosed-",
    "try",
    "unignore",
    "unqueue",
    "unqueued",
    "update",
    "author",
    "full",
];

/// Phrases without a name that start tests and merges, for programs on Jenkins, Zuul, pre-commit and others.
static PHRASE: LazyLock<Regex> = LazyLock::new(|| {
    regex(
        r"^(?:please )?(?:(?:jenkins|buildbot|bot|ci)[:,]?\s+)?(?:(?:re-?test|test|re-?build|rebuild|run|rerun)(?: (?:this|it|tests?|ci|all|all tests|jenkins|jobs?))*(?: please)?|(?:add|ok) to (?:whitelist|test)|recheck(?: (?:no bug|bug \d+|zuul|all))?|reverify|check experimental|check extended|retrigger|re-?run (?:ci|tests|checks|jobs|failed jobs)|please (?:smoke )?test(?: \w+ platform| and merge)?|smoke test|test and merge|pre-commit\.ci (?:run|autofix|skip)|run (?:cla|tests|ci|e2e|benchmarks?)|/?gcbrun|trigger (?:ci|build|tests)|empty commit to trigger ci|\[?cla\]? ?check|bors r[+-]|r\+|try|cherry-?pick [\w./-]+|build!|retest!)[.!]?$",
    )
});

/// "cc @ann", "PTAL", "r? @ann": addressees.
static ADDRESS: LazyLock<Regex> = LazyLock::new(|| {
    regex(
        r"^(?:(?:/?cc|fyi|ping|ptal|r\?|/?assign|over to|review|reviewers?|up to)[:,]?\s*)?(?:(?:and |, ?|& )?@[\w/.-]+[:,]?\s*)+(?:ptal|ping|fyi|\^|\^\^)?[.!?]?$|^(?:ptal|ping|bump|friendly ping|gentle ping)[.!?]?$",
    )
});

fn regex(pattern: &str) -> Regex {
    Regex::new(pattern).unwrap_or_else(|error| unreachable!("{pattern}: {error}"))
}
