//! The kind of file that a path names, by project conventions: where tests, migrations and documents are stored.

use super::language::language;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use strum::IntoStaticStr;

/// The purpose of a file.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema, IntoStaticStr,
)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase")]
pub enum PlaceKind {
    /// Product code.
    Source,
    /// Tests.
    Test,
    /// One-time database changes.
    Migration,
    /// Text for people.
    Document,
    /// Settings.
    Configuration,
    /// Build and delivery.
    Build,
    /// Generated or third-party code.
    Generated,
}

impl PlaceKind {
    /// Returns the kind of a path; `None` if its name does not show it.
    pub fn of(path: &str) -> Option<PlaceKind> {
        marked(path).map(|(kind, _)| kind).or_else(|| {
            let by_language = match language(path)? {
                "Markdown" | "AsciiDoc" | "reStructuredText" => PlaceKind::Document,
                "YAML" | "TOML" | "JSON" => PlaceKind::Configuration,
                "HCL" | "Groovy" if path.ends_with(".gradle") || path.ends_with(".tf") => PlaceKind::Build,
                _ => PlaceKind::Source,
            };
            Some(by_language)
        })
    }
}

/// Returns the pattern by which a path's kind was recognised, as `**/tests/**` or `*_test.go`; `None` if no convention
/// applies.
pub fn marker(path: &str) -> Option<String> {
    marked(path).map(|(_, marker)| marker)
}

/// Directories, and the kind of their files.
const FOLDERS: [(PlaceKind, &[&str]); 5] = [
    (PlaceKind::Generated, &["generated", "node_modules", "third_party", "vendor"]),
    (PlaceKind::Migration, &["migration", "migrations"]),
    (PlaceKind::Test, &["__tests__", "e2e", "spec", "specs", "test", "testing", "tests"]),
    (PlaceKind::Build, &[".circleci", ".github", ".gitlab"]),
    (PlaceKind::Document, &["doc", "docs", "documentation"]),
];

/// Whole names, and their kind.
const NAMES: [(PlaceKind, &[&str]); 4] = [
    (PlaceKind::Generated, &["Cargo.lock", "package-lock.json", "pnpm-lock.yaml", "poetry.lock", "yarn.lock"]),
    (PlaceKind::Document, &["CHANGELOG", "CONTRIBUTING", "LICENSE", "README"]),
    (PlaceKind::Build, &[".gitlab-ci.yml", "CMakeLists.txt", "Dockerfile", "Jenkinsfile", "Makefile", "pom.xml"]),
    (PlaceKind::Configuration, &[".editorconfig", ".env", ".gitignore"]),
];

/// Suffixes of names, and their kind; what precedes them must not be empty.
const ENDS: [(PlaceKind, &[&str]); 4] = [
    (PlaceKind::Generated, &[".pb.go", ".min.js", ".min.css", "_pb2.py", ".generated.cs"]),
    (
        PlaceKind::Test,
        &[
            "_test.go",
            "_test.py",
            "_test.rb",
            "_spec.rb",
            "_test.cc",
            "_test.cpp",
            "_test.dart",
            "_tests.rs",
            "Test.java",
            "Tests.java",
            "IT.java",
            "Test.kt",
            "Tests.kt",
            "Spec.scala",
            "Spec.groovy",
            "Test.php",
            "Tests.cs",
            "Test.cs",
            ".test.js",
            ".test.jsx",
            ".test.ts",
            ".test.tsx",
            ".spec.js",
            ".spec.ts",
            "Tests.swift",
        ],
    ),
    (PlaceKind::Document, &[".txt"]),
    (PlaceKind::Configuration, &[".cfg", ".conf", ".ini", ".properties", ".xml"]),
];

/// Returns the kind of a path by its directories or its name, and the matching pattern. A directory takes precedence
/// over a name.
fn marked(path: &str) -> Option<(PlaceKind, String)> {
    let (folders, name) = path.rsplit_once('/').unwrap_or(("", path));
    for (kind, known) in FOLDERS {
        if let Some(folder) = folders.split('/').find(|folder| known.contains(folder)) {
            return Some((kind, format!("**/{folder}/**")));
        }
    }
    for (kind, known) in NAMES {
        if known.contains(&name) {
            return Some((kind, name.to_owned()));
        }
    }
    if name.starts_with("test_") && name.ends_with(".py") {
        return Some((PlaceKind::Test, "test_*.py".to_owned()));
    }
    for (kind, known) in ENDS {
        if let Some(end) = known.iter().find(|end| name.len() > end.len() && name.ends_with(**end)) {
            return Some((kind, format!("*{end}")));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_tell_what_a_file_is_for() {
        let cases = [
            ("src/main/java/a/Job.java", Some(PlaceKind::Source), None),
            ("src/test/java/a/JobTest.java", Some(PlaceKind::Test), Some("**/test/**")),
            ("core/JobTest.java", Some(PlaceKind::Test), Some("*Test.java")),
            ("api/test_dates.py", Some(PlaceKind::Test), Some("test_*.py")),
            ("store_test.go", Some(PlaceKind::Test), Some("*_test.go")),
            ("db/migrations/0007_add.sql", Some(PlaceKind::Migration), Some("**/migrations/**")),
            ("db/report.sql", Some(PlaceKind::Source), None),
            ("docs/install.html", Some(PlaceKind::Document), Some("**/docs/**")),
            ("NOTES.md", Some(PlaceKind::Document), None),
            ("deploy/values.yaml", Some(PlaceKind::Configuration), None),
            (".github/workflows/ci.yml", Some(PlaceKind::Build), Some("**/.github/**")),
            ("infra/main.tf", Some(PlaceKind::Build), None),
            ("Dockerfile", Some(PlaceKind::Build), Some("Dockerfile")),
            ("vendor/x/y.go", Some(PlaceKind::Generated), Some("**/vendor/**")),
            ("latest.py", Some(PlaceKind::Source), None),
            ("bin/run", None, None),
            ("", None, None),
        ];
        for (path, kind, pattern) in cases {
            assert_eq!((PlaceKind::of(path), marker(path).as_deref()), (kind, pattern), "{path}");
        }
    }
}
