//! The source files of this repository, and the module of each. Their text is read elsewhere.

use std::fs;
use std::path::{Path, PathBuf};

/// A module by its names from the root of the crate; the root itself has none.
pub type ModulePath = Vec<String>;

/// The members of the workspace below `src/`. A path that begins with `crate` begins, within one of them, at its folder.
pub const MEMBERS: &[&str] = &["adapters", "app", "config", "domain", "metrics", "ports", "text", "web"];

/// Returns every Rust file below these folders, as its path from the root of the repository and its text.
pub fn sources(folders: &[&str]) -> Vec<(String, String)> {
    let mut files = Vec::new();
    for folder in folders {
        collect(&root().join(folder), &mut files);
    }
    files.sort();
    let read = |path: PathBuf| {
        let text = fs::read_to_string(&path).expect("a source file");
        let name = path.strip_prefix(root()).expect("below the root").to_string_lossy().replace('\\', "/");
        (name, text)
    };
    files.into_iter().map(read).collect()
}

/// Returns a file's module: `src/adapters/git/pack.rs` is `adapters::git::pack`; `lib.rs` and `main.rs` are the root.
pub fn module_of(path: &str) -> ModulePath {
    let path = path.strip_prefix("src/").unwrap_or(path).trim_end_matches(".rs");
    let path = path.strip_suffix("/mod").or_else(|| path.strip_suffix("/lib")).unwrap_or(path);
    if matches!(path, "lib" | "main") { Vec::new() } else { path.split('/').map(str::to_owned).collect() }
}

/// The path after `crate` in a module, from the root of all of them: a member names other members by their folders.
pub fn from_crate(module: &[String], rest: &[String]) -> ModulePath {
    let is_member = |name: Option<&String>| name.is_some_and(|name| MEMBERS.contains(&name.as_str()));
    match module.first() {
        Some(own) if is_member(Some(own)) && !is_member(rest.first()) => [std::slice::from_ref(own), rest].concat(),
        _ => rest.to_vec(),
    }
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
