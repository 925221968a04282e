//! The tables in `src/lib.rs`, and their violations. The tables are the rule: nothing repeats them here.

use super::file::{File, Mention};
use super::source::{MEMBERS, ModulePath, from_crate};
use std::collections::BTreeMap;

/// What each module may import, according to the tables.
pub struct Rules {
    allowed: BTreeMap<ModulePath, Vec<ModulePath>>,
}

impl Rules {
    /// Reads the tables: a row names modules in backticks, and in its second column what they may import. `leaves` are
    /// the modules of the row that starts with that word; names in the table of rooms are below `domain`.
    pub fn read(lib: &str) -> Rules {
        let mut allowed: BTreeMap<ModulePath, Vec<ModulePath>> = BTreeMap::new();
        let mut leaves: Vec<ModulePath> = Vec::new();
        let mut base: ModulePath = Vec::new();
        for row in lib.lines().filter_map(|line| line.strip_prefix("//! | ")) {
            let Some((modules, may)) = row.trim_end_matches('|').split_once(" | ") else { continue };
            if modules.starts_with("room") {
                base = vec!["domain".to_owned()];
                continue;
            }
            let module = |name: &str| [base.clone(), name.split("::").map(str::to_owned).collect()].concat();
            let named: Vec<ModulePath> = modules.split('`').skip(1).step_by(2).map(module).collect();
            if modules.starts_with("leaves") {
                leaves.clone_from(&named);
            }
            let may = may.split(',').map(str::trim).filter(|name| *name != "nothing");
            let may = may.flat_map(|name| if name == "leaves" { leaves.clone() } else { vec![module(name)] });
            let may: Vec<ModulePath> = may.collect();
            allowed.extend(named.into_iter().map(|name| (name, may.clone())));
        }
        Rules { allowed }
    }

    /// Returns the row of a module: that of its nearest ancestor with one.
    pub fn row(&self, module: &[String]) -> Option<(&ModulePath, &[ModulePath])> {
        let rows = (1..=module.len()).rev().filter_map(|end| self.allowed.get_key_value(&module[..end]));
        rows.map(|(name, may)| (name, may.as_slice())).next()
    }

    /// Returns a file's imports that violate the tables, as `file:line: what`.
    pub fn broken_by(&self, file: &File) -> Vec<String> {
        if file.module.is_empty() {
            return broken_by_main(file);
        }
        if file.module[0] == "adapters" {
            return broken_by_adapter(file);
        }
        let Some((own, may)) = self.row(&file.module) else {
            // What a member may import is said in its own Cargo.toml, and the compiler holds it.
            if MEMBERS.contains(&file.module[0].as_str()) {
                return Vec::new();
            }
            return vec![format!(
                "{}:1: `{}` has no row in the tables of src/lib.rs",
                file.path,
                file.module.join("::")
            )];
        };
        let imports = file.paths.iter().filter_map(|mention| Some((mention, from_root(file, mention)?)));
        let wrong = imports.filter_map(|(mention, to)| {
            let target = self.row(&to).map_or(&to, |(row, _)| row);
            // What is not a module of the crate (a macro at its root) has no row.
            let known = self.allowed.keys().any(|row| row[0] == to[0]);
            let allowed = may.iter().any(|may| to.starts_with(may)) || target == own;
            if !known || allowed {
                return None;
            }
            let rule = match may.iter().map(|may| may.join("::")).collect::<Vec<_>>().join(", ") {
                none if none.is_empty() => format!("`{}` may import nothing", own.join("::")),
                some => format!("`{}` may import {some}", own.join("::")),
            };
            Some(format!("{}:{}: imports `{}`, but {rule}", file.path, mention.line, to.join("::")))
        });
        wrong.collect()
    }

    /// Returns the modules with a row.
    pub fn modules(&self) -> impl Iterator<Item = &ModulePath> {
        self.allowed.keys()
    }
}

/// Adapters never import each other; their crate's root only declares them.
fn broken_by_adapter(file: &File) -> Vec<String> {
    let Some(own) = file.module.get(1) else { return Vec::new() };
    let siblings = file.paths.iter().filter_map(|mention| Some((mention, from_root(file, mention)?)));
    let siblings = siblings.filter(|(_, to)| to[0] == "adapters" && to.get(1).is_some_and(|to| to != own));
    let told = |(m, to): (&Mention, ModulePath)| {
        format!("{}:{}: imports `{}`, but adapters never import each other", file.path, m.line, to.join("::"))
    };
    siblings.map(told).collect()
}

/// Checks the program itself, which may only start the command line.
fn broken_by_main(file: &File) -> Vec<String> {
    if !file.path.ends_with("main.rs") {
        return Vec::new();
    }
    let of_crate = file.paths.iter().filter(|mention| mention.path[0] == "feedbackd" && mention.path[1] != "cli");
    let told = |m: &Mention| {
        format!("{}:{}: imports `{}`, but `main` may import cli", file.path, m.line, m.path[1..].join("::"))
    };
    of_crate.map(told).collect()
}

/// Returns a path from the root, if it is written from the crate or from above.
fn from_root(file: &File, mention: &Mention) -> Option<ModulePath> {
    let path = &mention.path;
    let ups = path.iter().take_while(|name| *name == "super").count();
    let base = match path[0].as_str() {
        "crate" => return Some(from_crate(&file.module, &path[1..])).filter(|path| !path.is_empty()),
        "super" => &file.module[..file.module.len().saturating_sub(ups)],
        _ => return None,
    };
    Some([base, &path[ups..]].concat()).filter(|path| !path.is_empty())
}
