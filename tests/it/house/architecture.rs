//! The layers: which module may import which, as the table in `src/lib.rs` says, and that every file says what it is.
//!
//! It reads the source as text. Comments, strings and test modules do not count.

use std::fs;
use std::path::{Path, PathBuf};

/// Module, what it may import from this crate, and its row in the table.
const RULES: &[(&str, &[&str], &str)] = &[
    ("domain", &["domain"], "| [`domain`] | domain |"),
    ("ports", &["domain"], "| [`ports`] | domain |"),
    ("metrics", &[], "| [`metrics`], [`telemetry`], [`config`] | outside crates only (config: ids too) |"),
    ("telemetry", &[], "| [`metrics`], [`telemetry`], [`config`] | outside crates only (config: ids too) |"),
    ("config", &["domain::ids"], "| [`metrics`], [`telemetry`], [`config`] | outside crates only (config: ids too) |"),
    ("app", &["domain", "ports", "metrics"], "| [`app`] | domain, ports, metrics |"),
    ("adapters", &["domain", "ports", "config"], "| [`adapters`] | domain, ports, config; siblings never each other |"),
    ("http", &["app", "domain", "metrics"], "| [`http`] | app, domain, metrics |"),
    (
        "daemon",
        &["app", "domain", "ports", "http", "config", "metrics"],
        "| [`daemon`] | app, domain, ports, http, config, metrics |",
    ),
    (
        "wiring",
        &["app", "adapters", "daemon", "domain", "ports", "config"],
        "| [`wiring`] | app, adapters, daemon, domain, ports, config |",
    ),
    (
        "cli",
        &["app", "domain", "daemon", "wiring", "config", "telemetry"],
        "| [`cli`] | app, domain, daemon, wiring, config, telemetry |",
    ),
];

#[test]
fn modules_import_only_what_the_table_allows() {
    let mut violations = Vec::new();
    for (path, text) in sources().into_iter().filter(|(path, _)| path.starts_with("src/")) {
        violations.extend(check(&path, &text));
    }
    assert!(violations.is_empty(), "\n{}\n", violations.join("\n"));
}

#[test]
fn the_table_in_the_crates_documentation_is_the_one_that_is_checked() {
    let text = fs::read_to_string(root().join("src/lib.rs")).expect("src/lib.rs");
    let rows: Vec<&str> = text.lines().filter_map(|line| line.strip_prefix("//! ")).collect();
    let table: Vec<&str> = rows.iter().copied().filter(|row| row.starts_with("| [`")).collect();
    for (module, _, row) in RULES {
        assert!(table.contains(row), "src/lib.rs: the row of `{module}` is not `{row}`");
    }
    for row in table {
        assert!(RULES.iter().any(|(_, _, known)| *known == row), "src/lib.rs: no rule checks the row `{row}`");
    }
    for line in text.lines().filter_map(|line| line.strip_prefix("pub mod ")) {
        let module = line.trim_end_matches(';');
        assert!(RULES.iter().any(|(known, _, _)| *known == module), "src/lib.rs: no row for the module `{module}`");
    }
}

#[test]
fn every_file_says_first_what_it_is() {
    let silent: Vec<_> =
        sources().into_iter().filter(|(_, text)| !text.starts_with("//! ")).map(|(path, _)| path).collect();
    assert!(silent.is_empty(), "these files do not begin with `//!`: {}", silent.join(", "));
}

#[test]
fn the_check_sees_what_it_must() {
    let bad = [
        ("src/domain/x.rs", "use crate::ports::Clock;"),
        ("src/domain/x.rs", "fn f() { crate::app::run() }"),
        ("src/app/x.rs", "use crate::{domain::ids, adapters::git::Store};"),
        ("src/app/x.rs", "use super::super::adapters::git;"),
        ("src/adapters/git/mod.rs", "use super::redis::Source;"),
        ("src/adapters/git/pack.rs", "use crate::adapters::redis;"),
        ("src/adapters/git/pack.rs", "use super::super::index;"),
        ("src/config/mod.rs", "use crate::domain::intake::event::RawEntry;"),
        ("src/http/mod.rs", "use crate::{\n    app,\n    config::Config,\n};"),
        ("src/main.rs", "use feedbackd::adapters;"),
    ];
    for (path, text) in bad {
        assert_eq!(check(path, text).len(), 1, "{path}: {text}");
    }
    let good = [
        (
            "src/domain/x.rs",
            "// crate::ports\n/* crate::app */ const S: &str = \"crate::app\"; use crate::domain::ids;",
        ),
        ("src/domain/x.rs", "fn f() {}\n#[cfg(test)]\nmod tests {\n    use crate::adapters::memory;\n}\n"),
        ("src/adapters/git/pack.rs", "use super::Store; use crate::adapters::git::lock; use crate::config::Config;"),
        ("src/config/check.rs", "use super::load; use crate::domain::ids::Gate; const C: char = '\"';"),
        ("src/app/x.rs", "use crate::{domain::{ids, event::*}, ports::Clock}; fn f<'a>(x: &'a str) {}"),
    ];
    for (path, text) in good {
        assert_eq!(check(path, text), Vec::<String>::new(), "{path}: {text}");
    }
}

/// What a file imports against the rules, as `file:line: what`.
fn check(path: &str, text: &str) -> Vec<String> {
    let module = module_of(path);
    let Some(top) = module.first().cloned() else {
        return check_main(path, text);
    };
    let Some((_, allowed, _)) = RULES.iter().find(|(name, _, _)| *name == top) else {
        return vec![format!("{path}:1: the module `{top}` has no row in the table of src/lib.rs")];
    };
    let mut violations = Vec::new();
    for (line, import) in imports(text, &module) {
        let to = import.join("::");
        let is_own = import[0] == top && (top != "adapters" || import.get(1).is_none_or(|x| Some(x) == module.get(1)));
        let is_allowed = allowed.iter().any(|a| to == *a || to.starts_with(&format!("{a}::")));
        let is_sibling = top == "adapters" && import[0] == "adapters";
        if is_own || (is_allowed && !is_sibling) || !RULES.iter().any(|(name, _, _)| *name == import[0]) {
            continue;
        }
        let rule = if is_sibling {
            "adapters never import each other".to_owned()
        } else {
            format!("`{top}` may import {}", if allowed.is_empty() { "nothing".into() } else { allowed.join(", ") })
        };
        violations.push(format!("{path}:{line}: imports `{to}`, but {rule}"));
    }
    violations
}

/// The program itself only starts the command line.
fn check_main(path: &str, text: &str) -> Vec<String> {
    if !path.ends_with("main.rs") {
        return Vec::new();
    }
    let code = code_of(text).replace("feedbackd::", "crate::");
    imports_of_code(&code, &[])
        .into_iter()
        .filter(|(_, to)| to[0] != "cli")
        .map(|(line, to)| format!("{path}:{line}: imports `{}`, but `main` may import cli", to.join("::")))
        .collect()
}

/// `src/adapters/git/pack.rs` is `adapters::git::pack`; `lib.rs` and `main.rs` are the root.
fn module_of(path: &str) -> Vec<String> {
    let path = path.strip_prefix("src/").unwrap_or(path).trim_end_matches(".rs");
    let path = path.strip_suffix("/mod").unwrap_or(path);
    if matches!(path, "lib" | "main") { Vec::new() } else { path.split('/').map(str::to_owned).collect() }
}

fn imports(text: &str, module: &[String]) -> Vec<(usize, Vec<String>)> {
    imports_of_code(&code_of(text), module)
}

/// Every path that starts at the crate or above this module, from the root, with its line.
fn imports_of_code(code: &str, module: &[String]) -> Vec<(usize, Vec<String>)> {
    let mut found = Vec::new();
    for start in ["crate::", "super::"] {
        for (at, _) in code.match_indices(start) {
            let before = code[..at].chars().next_back();
            if before.is_some_and(|c| c.is_alphanumeric() || matches!(c, '_' | ':' | '$')) {
                continue;
            }
            let line = code[..at].lines().count().max(1) + usize::from(code[..at].ends_with('\n'));
            let mut base = if start == "crate::" { Vec::new() } else { module.to_vec() };
            let mut rest = &code[at..];
            while let Some(next) = rest.strip_prefix("super::") {
                base.pop();
                rest = next;
            }
            let rest = rest.strip_prefix("crate::").unwrap_or(rest);
            for path in expand(rest) {
                let to: Vec<String> = base.iter().cloned().chain(path).collect();
                if !to.is_empty() {
                    found.push((line, to));
                }
            }
        }
    }
    found
}

/// The paths of a use tree, from its beginning to where it ends: `a::{b, c::d}` is `a::b` and `a::c::d`.
fn expand(tree: &str) -> Vec<Vec<String>> {
    let tree = tree.trim_start();
    if let Some(inner) = tree.strip_prefix('{') {
        return branches(inner).into_iter().flat_map(expand).collect();
    }
    let end = tree.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(tree.len());
    let (name, rest) = tree.split_at(end);
    if name.is_empty() || name == "self" {
        return vec![Vec::new()];
    }
    match rest.strip_prefix("::") {
        Some(rest) => {
            expand(rest).into_iter().map(|path| std::iter::once(name.to_owned()).chain(path).collect()).collect()
        }
        None => vec![vec![name.to_owned()]],
    }
}

/// The parts of a list in braces, up to its closing brace.
fn branches(inner: &str) -> Vec<&str> {
    let (mut depth, mut from, mut parts) = (0, 0, Vec::new());
    for (at, c) in inner.char_indices() {
        match c {
            '{' => depth += 1,
            '}' if depth == 0 => {
                parts.push(&inner[from..at]);
                break;
            }
            '}' => depth -= 1,
            ',' if depth == 0 => {
                parts.push(&inner[from..at]);
                from = at + 1;
            }
            _ => {}
        }
    }
    parts.into_iter().filter(|part| !part.trim().is_empty()).collect()
}

/// The text with comments, strings and test modules blanked; lines stay where they are.
fn code_of(text: &str) -> String {
    let plain = without_comments_and_strings(text);
    let mut code = String::new();
    let mut rest = plain.as_str();
    while let Some(at) = rest.find("#[cfg(test)]\nmod ") {
        let (before, tests) = rest.split_at(at);
        code.push_str(before);
        let end = end_of_block(tests);
        code.extend(tests[..end].chars().filter(|c| *c == '\n'));
        rest = &tests[end..];
    }
    code + rest
}

fn end_of_block(text: &str) -> usize {
    let mut depth = 0;
    for (at, c) in text.char_indices() {
        match c {
            '{' => depth += 1,
            '}' if depth == 1 => return at + 1,
            '}' => depth -= 1,
            _ => {}
        }
    }
    text.len()
}

fn without_comments_and_strings(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let end = if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if rest.starts_with("/*") {
            rest.find("*/").map_or(rest.len(), |end| end + 2)
        } else if rest.starts_with("r\"") || rest.starts_with("r#") {
            let hashes = rest[1..].chars().take_while(|c| *c == '#').count();
            let close = format!("\"{}", "#".repeat(hashes));
            let open = hashes + 2;
            match rest[1 + hashes..].starts_with('"') {
                true => rest[open..].find(&close).map_or(rest.len(), |end| open + end + close.len()),
                false => 0,
            }
        } else if c == '"' {
            end_of_string(rest)
        } else if rest.starts_with("'\\") {
            rest[3..].find('\'').map_or(0, |end| end + 4)
        } else if c == '\'' && rest.chars().nth(2) == Some('\'') {
            rest.char_indices().nth(3).map_or(rest.len(), |(at, _)| at)
        } else {
            0
        };
        if end == 0 {
            out.push(c);
            rest = &rest[c.len_utf8()..];
        } else {
            out.extend(rest[..end].chars().filter(|c| *c == '\n'));
            rest = &rest[end..];
        }
    }
    out
}

fn end_of_string(text: &str) -> usize {
    let mut escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '"' => return at + 1,
            _ => {}
        }
    }
    text.len()
}

/// Every source file with its path from the root of the repository.
fn sources() -> Vec<(String, String)> {
    let mut files = Vec::new();
    for folder in ["src", "tests", "benches", "examples"] {
        collect(&root().join(folder), &mut files);
    }
    files.sort();
    files
        .into_iter()
        .map(|path| {
            let text = fs::read_to_string(&path).expect("a source file");
            let name = path.strip_prefix(root()).expect("below the root").to_string_lossy().replace('\\', "/");
            (name, text)
        })
        .collect()
}

fn collect(folder: &Path, into: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            collect(&path, into);
        } else if path.extension().is_some_and(|e| e == "rs") {
            into.push(path);
        }
    }
}

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}
