//! Whose voice a comment is: a person's, or a program's.
//!
//! Reviewers are known by name only, so this is derived from names: those that the channels give to programs, those of
//! known tools, and those with a bot's suffix.

/// The voice of all unnamed users: two sessions may be one person's.
pub const UNNAMED: &str = "user without a name";

/// Returns the voice of the reporting program.
pub fn program(name: &str) -> String {
    format!("{name} (program)")
}

/// Reports whether this name is a program's. All programs together are one voice, and none without a person's.
pub fn is_program(name: &str) -> bool {
    let name = name.trim().to_lowercase();
    let first = name.split([' ', '@', '/']).next().unwrap_or_default();
    let marked = [" (program)", " (actions)", "[bot]", "-bot", "_bot", " bot"].iter().any(|end| name.ends_with(end));
    marked || TOOLS.binary_search(&first).is_ok()
}

/// Tools that run, test, check or format, and services that do so. Sorted. Excludes names of people.
const TOOLS: &[&str] = &[
    "bandit",
    "bats",
    "biome",
    "cargo",
    "checkstyle",
    "clang",
    "clippy",
    "codeql",
    "ctest",
    "dependabot",
    "eslint",
    "flake8",
    "gcc",
    "github-actions",
    "go",
    "golangci-lint",
    "gradle",
    "hadolint",
    "isort",
    "iteration-review",
    "javac",
    "jenkins",
    "jest",
    "junit",
    "karma",
    "ktlint",
    "maven",
    "minitest",
    "mocha",
    "mypy",
    "nextest",
    "nose",
    "nox",
    "npm",
    "nunit",
    "phpunit",
    "playwright",
    "pmd",
    "pre-commit",
    "prettier",
    "pylint",
    "pyright",
    "pytest",
    "rspec",
    "rubocop",
    "ruff",
    "runtime",
    "rustc",
    "rustfmt",
    "semgrep",
    "shellcheck",
    "sonarqube",
    "spotbugs",
    "staticcheck",
    "stylelint",
    "swiftlint",
    "testng",
    "tox",
    "trivy",
    "tsc",
    "unittest",
    "vitest",
    "xunit",
    "yamllint",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_are_told_from_people() {
        assert!(TOOLS.is_sorted());
        let names =
            ["pytest", "Jest", "go test", "runtime", "coding-agent (actions)", "renovate[bot]", "ci-bot", "eslint@9"];
        for name in names.into_iter().map(str::to_owned).chain([program("anything")]) {
            assert!(is_program(&name), "{name}");
        }
        for name in ["ana", "Ava Black", "abbot", "gordon", "user-7", "s1", UNNAMED, ""] {
            assert!(!is_program(name), "{name}");
        }
    }
}
