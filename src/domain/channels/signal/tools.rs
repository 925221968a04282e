//! The kind of tool that a name or command line denotes: one that checks, one whose exit code 1 is an answer, or
//! another.

use regex::Regex;
use std::sync::LazyLock;

/// The kind of a tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tool {
    /// Runs tests, checks types, lints, formats or builds: its failure is a verification failure.
    Checks,
    /// Searches or compares: exit code 1 is a result.
    Answers,
    /// Anything else.
    Unknown,
}

/// Classifies a tool by its name or command line.
pub(super) fn tool(command: &str) -> Tool {
    static CHECKS: LazyLock<Regex> = LazyLock::new(|| {
        super::patterns::regex(
            r"(?:^|[\s/;&|])(?:pytest|py\.test|tox|nox|nosetests|unittest|jest|vitest|mocha|ava|playwright|cypress|rspec|minitest|phpunit|ctest|bats|nextest|runtests\.py|mypy|pyright|ruff|flake8|pylint|black|isort|eslint|prettier|tsc|stylelint|clippy|rustfmt|golangci-lint|staticcheck|shellcheck|hadolint|rubocop|checkstyle|spotbugs|ktlint|swiftlint|rustc|gcc|g\+\+|clang|javac|kotlinc|scalac|make|ninja|gradlew?|mvnw?|bazel|pre-commit|ajv|jsonschema|yamllint|markdownlint)\b|\bcargo (?:\+\S+ )?(?:test|check|build|clippy|fmt|nextest|bench|doc)\b|\bgo (?:test|vet|build)\b|\b(?:npm|yarn|pnpm|bun|deno)(?: run)? (?:test|lint|build|typecheck|check)\b|\bnode --test\b|\bdotnet (?:test|build|format)\b|\b(?:swift|mix|zig|flutter|dart|rake) test\b|\bterraform validate\b|\bmanage\.py test\b|\bbin/test\b|-m (?:pytest|unittest|mypy|ruff|flake8)\b",
        )
    });
    static ANSWERS: LazyLock<Regex> = LazyLock::new(|| {
        super::patterns::regex(r"^\s*(?:grep|egrep|fgrep|rg|ag|diff|cmp|test|\[|pgrep|which|git diff|git grep)(?:\s|$)")
    });
    if ANSWERS.is_match(command) {
        Tool::Answers
    } else if CHECKS.is_match(command) {
        Tool::Checks
    } else {
        Tool::Unknown
    }
}
