//! Whose voice a remark is: a person's, or a program's that nobody stands behind.
//!
//! Who reviews is told by a name alone, so this is read off names: those that the channels give to programs, those of
//! known tools, and those that end like a bot's.

/// The voice of every user whom nobody named: two sessions may be one person's.
pub const UNNAMED: &str = "user without a name";

/// The voice of the program that reported.
pub fn program(name: &str) -> String {
    format!("{name} (program)")
}

/// Whether a remark of this name is a program's. All programs together are one voice, and none without a person's.
pub fn is_program(name: &str) -> bool {
    let name = name.trim().to_lowercase();
    let first = name.split([' ', '@', '/']).next().unwrap_or_default();
    let marked = [" (program)", " (actions)", "[bot]", "-bot", "_bot", " bot"].iter().any(|end| name.ends_with(end));
    marked || TOOLS.binary_search(&first).is_ok()
}

/// Tools that run, test, check or format, and services that do so. Sorted. None that people are called by, too.
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
