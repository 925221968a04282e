//! What the documents and code comments name exists: sections, files, functions, commands, keys, metrics, codes.

use super::markdown::{Document, Found, files, root};
use feedbackd::metrics;
use regex::Regex;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::process::Command;

const SPECIFICATION: &str = "docs/specification.md";

#[test]
fn comments_name_sections_of_the_specification() {
    let sections = Document::read(SPECIFICATION).sections;
    let (mut named, mut missing) = (0, Vec::new());
    for folder in ["src", "tests", "benches", "examples"] {
        for file in files(folder, ".rs") {
            for name in sections_named(&fs::read_to_string(&file).expect("a file of the repository")) {
                named += 1;
                if !sections.contains(&name) {
                    missing.push(format!("{}: “{name}”", file.display()));
                }
            }
        }
    }
    assert!(named > 100, "the comments are not read as they are written: {named} names");
    assert!(missing.is_empty(), "sections that {SPECIFICATION} does not have:\n{}", missing.join("\n"));
}

#[test]
fn names_are_found_over_the_end_of_a_line() {
    let comment =
        "//! Reads (specification,\n//! \"Streams in\" and \"Turns: The\n//! index\"; \"Rules\"). It says \"no\".";
    assert_eq!(sections_named(comment), ["Streams in", "Turns: The index", "Rules"]);
    assert_eq!(sections_named("// the specification (\"Actions\"), and \"more\""), ["Actions"]);
    assert!(sections_named("// as the specification says: \"no\"").is_empty());
}

/// Returns the names after `specification,` or `specification (`, in code comments that may span several lines.
fn sections_named(source: &str) -> Vec<String> {
    let lines = Regex::new(r"\n[ \t]*//[/!]? ?").expect("a pattern");
    let list = Regex::new(r#"specification(?:, | \()((?:"[^"]+"(?:, and | and |; |, )?)+)"#).expect("a pattern");
    let one = lines.replace_all(source, " ");
    let mut names = Vec::new();
    for found in list.captures_iter(&one) {
        names.extend(found[1].split('"').skip(1).step_by(2).map(str::to_owned));
    }
    names
}

#[test]
fn links_lead_to_a_file_and_a_heading() {
    let documents: BTreeMap<String, Document> =
        Document::all().into_iter().map(|document| (document.path.clone(), document)).collect();
    let mut broken = Vec::new();
    for document in documents.values() {
        for Found { line, text: link } in &document.links {
            if link.contains("://") {
                continue;
            }
            let (file, heading) = link.split_once('#').map_or((link.as_str(), None), |(f, h)| (f, Some(h)));
            let target = if file.is_empty() { document.path.clone() } else { beside(&document.path, file) };
            let heading_is_there =
                || heading.is_none_or(|h| documents.get(&target).is_some_and(|d| d.anchors.contains(h)));
            if !root().join(&target).exists() || !heading_is_there() {
                broken.push(format!("{}:{line}: {link}", document.path));
            }
        }
    }
    assert!(broken.is_empty(), "links that lead nowhere:\n{}", broken.join("\n"));
}

/// Returns the path, from the root, that a link in a document names.
fn beside(document: &str, link: &str) -> String {
    let mut parts: Vec<&str> = document.split('/').collect();
    parts.pop();
    for part in link.split('/') {
        match part {
            ".." => drop(parts.pop()),
            "." => {}
            part => parts.push(part),
        }
    }
    parts.join("/").trim_end_matches('/').to_owned()
}

/// A file is inline code that starts with `src/` or `tests/`; `name()` and `Type::name()` are functions of the last
/// file named.
#[test]
fn files_and_functions_exist() {
    let mut missing = Vec::new();
    for document in Document::all() {
        let mut source = String::new();
        for Found { line, text } in &document.code {
            let place = format!("{}:{line}: {text}", document.path);
            if ["src/", "tests/", "docs/", "config/", "deploy/", "benches/"].iter().any(|top| text.starts_with(top)) {
                if text.contains(['*', '<', '{']) {
                    continue;
                }
                let file = root().join(text);
                if !file.exists() {
                    missing.push(place);
                } else if text.ends_with(".rs") {
                    source = fs::read_to_string(file).expect("a file of the repository");
                }
            } else if let Some(path) = text.strip_suffix("()").filter(|_| document.path == "ARCHITECTURE.md") {
                let (owner, name) = path.rsplit_once("::").unwrap_or(("", path));
                let function = Regex::new(&format!(r"\bfn {name}\b")).expect("a name");
                if !function.is_match(&source) || !source.contains(owner) {
                    missing.push(place);
                }
            }
        }
    }
    assert!(missing.is_empty(), "named, and not there:\n{}", missing.join("\n"));
}

/// Claims of tests are true: each named test exists.
#[test]
fn tests_that_are_named_exist() {
    let mut source = String::new();
    collect(&root().join("tests/it"), &mut source);
    let mut missing = Vec::new();
    for path in ["SECURITY.md", "tests/FAULTS.md"] {
        let document = Document::read(path);
        let named = document.code.iter().filter(|found| found.text.contains("::"));
        let named: Vec<&Found> = named.collect();
        assert!(named.len() >= 10, "{path} names hardly any test");
        for Found { line, text } in named {
            let name = text.rsplit("::").next().expect("a name");
            if !source.contains(&format!("fn {name}(")) {
                missing.push(format!("{path}:{line}: {text}"));
            }
        }
    }
    assert!(missing.is_empty(), "named, and not there:\n{}", missing.join("\n"));
}

fn collect(directory: &Path, source: &mut String) {
    for entry in fs::read_dir(directory).expect("the tests").flatten() {
        match entry.path() {
            path if path.is_dir() => collect(&path, source),
            path => *source += &fs::read_to_string(path).expect("a file of the repository"),
        }
    }
}

/// `feedbackd x y --z` in a line of text is a command with that option; `make x` is a target.
#[test]
fn commands_in_the_text_exist() {
    let makefile = fs::read_to_string(root().join("Makefile")).expect("the Makefile");
    let is_target = |name: &str| makefile.lines().any(|line| line.starts_with(&format!("{name}:")));
    let word = |word: &&str| word.chars().all(|c| c.is_ascii_lowercase() || c == '-');
    let mut asked: BTreeMap<Vec<String>, String> = BTreeMap::new();
    let mut wrong = Vec::new();
    for document in Document::all() {
        for Found { line, text } in &document.code {
            let place = format!("{}:{line}: {text}", document.path);
            let mut words = text.split_whitespace();
            match (words.next(), words.clone().next()) {
                (Some("feedbackd"), Some(_)) => {
                    let command: Vec<String> = words.take_while(word).map(str::to_owned).collect();
                    let help = asked.entry(command.clone()).or_insert_with(|| help(&command));
                    let options = text.split_whitespace().filter(|option| option.starts_with("--") && word(option));
                    if help.is_empty() || options.clone().any(|option| !help.contains(option)) {
                        wrong.push(place);
                    }
                }
                (Some("make"), Some(target)) if !is_target(target) => wrong.push(place),
                _ => {}
            }
        }
        for block in document.blocks.iter().filter(|block| block.info == ["indented"]) {
            for line in block.text.lines().filter(|line| !line.trim().is_empty()) {
                let target = line.strip_prefix("make ").and_then(|rest| rest.split_whitespace().next());
                if !target.is_some_and(is_target) {
                    wrong.push(format!(
                        "{}:{}: {line} (other commands go into a ```sh block)",
                        document.path, block.line
                    ));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "no such command or option:\n{}", wrong.join("\n"));
}

/// Returns the help of a command; empty if there is no such command.
fn help(command: &[String]) -> String {
    let command = command.iter().filter(|word| !word.starts_with("--"));
    let said = Command::new(env!("CARGO_BIN_EXE_feedbackd")).args(command).arg("--help").output().expect("it runs");
    if said.status.success() { String::from_utf8_lossy(&said.stdout).into_owned() } else { String::new() }
}

#[test]
fn configuration_keys_exist() {
    let defaults = fs::read_to_string(root().join("config/default.toml")).expect("the defaults");
    let mut keys = BTreeSet::new();
    let mut section = String::new();
    for line in defaults.lines() {
        if let Some(name) = line.strip_prefix('[').and_then(|rest| rest.split(']').next()) {
            section = name.to_owned();
            keys.insert(section.clone());
        } else if let Some((key, _)) = line.split_once(" = ").filter(|_| !line.starts_with('#')) {
            keys.insert(format!("{section}.{key}"));
        }
    }
    let sections: BTreeSet<&str> = keys.iter().filter_map(|key| Some(key.split_once('.')?.0)).collect();
    let mut missing = Vec::new();
    let elsewhere = ["CHANGELOG.md", "assets/README.md"];
    for document in Document::all().iter().filter(|document| !elsewhere.contains(&document.path.as_str())) {
        for Found { line, text } in &document.code {
            let key = text.split(" = ").next().unwrap_or(text).trim_matches(['[', ']']);
            // Not a file name.
            let is_key = !key.ends_with(".yaml")
                && (text.starts_with('[') && key.chars().all(|c| c.is_ascii_lowercase())
                    || key.split_once('.').is_some_and(|(section, key)| {
                        sections.contains(section) && key.chars().all(|c| c.is_ascii_lowercase() || c == '_')
                    }));
            if is_key && !keys.contains(key) {
                missing.push(format!("{}:{line}: {text}", document.path));
            }
        }
    }
    assert!(missing.is_empty(), "no such key:\n{}", missing.join("\n"));
}

#[test]
fn metrics_exist() {
    let known: BTreeSet<&str> = metrics::ALL.iter().map(|metric| metric.name).collect();
    let mut missing = Vec::new();
    for document in Document::all() {
        for Found { line, text } in &document.code {
            if text.starts_with("feedbackd_") && !known.contains(text.as_str()) {
                missing.push(format!("{}:{line}: {text}", document.path));
            }
        }
    }
    assert!(missing.is_empty(), "no such metric:\n{}", missing.join("\n"));
}

/// The codes that programs may receive, as the schemas list them, are in the reference.
#[test]
fn the_reference_has_every_code() {
    let told: BTreeSet<String> = Document::read("docs/reference.md").code.into_iter().map(|code| code.text).collect();
    let mut missing = Vec::new();
    for (schema, list) in [
        ("review", "/$defs/RefusalCode/oneOf"),
        ("review", "/$defs/ReviewAction/oneOf"),
        ("alert", "/oneOf"),
        ("dead_letter", "/$defs/RejectCode/oneOf"),
    ] {
        let file = root().join(format!("feedback-store-template/schemas/{schema}.json"));
        let schema: serde_json::Value =
            serde_json::from_str(&fs::read_to_string(file).expect("a schema")).expect("JSON");
        let listed = schema.pointer(list).and_then(serde_json::Value::as_array).expect("a closed set");
        for one in listed {
            let name = ["/const", "/properties/kind/const", "/properties/decision/const"];
            let name = name.iter().find_map(|at| one.pointer(at)?.as_str()).expect("a name");
            // A decision about a contradiction has a `resolution` instead.
            if name != "RESOLVE" && !told.contains(name) {
                missing.push(format!("{list}: {name}"));
            }
        }
    }
    assert!(missing.is_empty(), "not in docs/reference.md:\n{}", missing.join("\n"));
}
