//! Which file uses which, and where that forms a cycle.
//!
//! A re-exported name belongs to the file that defines it. A face, a module that only declares others and re-exports
//! their names, uses nothing.

use super::file::File;
use super::source::{ModulePath, from_crate};
use std::collections::{BTreeMap, BTreeSet};

/// The maximum number of re-exports of a name; more would be a cycle of `pub use`.
const HANDS: usize = 16;

/// All files of a crate, by their modules.
pub struct Tree<'f> {
    files: BTreeMap<&'f [String], &'f File>,
}

/// From a module to those it uses, with the names it takes from each.
pub type Edges = BTreeMap<ModulePath, BTreeMap<ModulePath, BTreeSet<String>>>;

impl<'f> Tree<'f> {
    /// Builds the tree of these files.
    pub fn new(files: &'f [File]) -> Tree<'f> {
        Tree { files: files.iter().map(|file| (file.module.as_slice(), file)).collect() }
    }

    /// Returns the modules that declare others but also define something.
    pub fn half_faces(&self) -> Vec<String> {
        let parents = self.files.values().filter(|file| file.defines && !file.children.is_empty());
        parents.map(|file| file.module.join("::")).collect()
    }

    /// Returns which module uses which.
    pub fn edges(&self) -> Edges {
        let mut edges = Edges::new();
        for file in self.files.values().filter(|file| !self.is_face(file)) {
            for mention in &file.paths {
                let taken = mention.path.last().is_some_and(|name| file.mentioned.contains(name));
                if mention.hands_on && !taken {
                    continue;
                }
                for (module, name) in self.meant(file, &mention.path) {
                    if module != file.module && !module.is_empty() {
                        edges.entry(file.module.clone()).or_default().entry(module).or_default().insert(name);
                    }
                }
            }
        }
        edges
    }

    /// Returns the modules that a path in a file leads to, and the name it takes from each.
    fn meant(&self, file: &File, path: &[String]) -> Vec<(ModulePath, String)> {
        let Some(from_root) = self.absolute(file, path, 0) else { return Vec::new() };
        if from_root.last().is_none_or(|name| name != "*") {
            return self.defined(&from_root, 0).into_iter().collect();
        }
        let module = &from_root[..from_root.len() - 1];
        let Some(of) = self.files.get(module) else { return Vec::new() };
        let taken = of.names.keys().filter(|name| file.mentioned.contains(*name));
        let handed = taken.filter_map(|name| self.defined(&[module, std::slice::from_ref(name)].concat(), 0));
        let own = (!self.is_face(of)).then(|| (module.to_vec(), "*".to_owned()));
        handed.chain(own).collect()
    }

    /// Returns a path from the root; `None` if it leaves the crate.
    fn absolute(&self, file: &File, path: &[String], hands: usize) -> Option<ModulePath> {
        let (first, rest) = path.split_first()?;
        let own = || file.module.clone();
        let mut start = match first.as_str() {
            "crate" => return Some(from_crate(&file.module, rest)),
            "self" => own(),
            "super" => {
                let ups = path.iter().take_while(|name| *name == "super").count();
                let mut module = own();
                module.truncate(module.len().saturating_sub(ups));
                module.extend_from_slice(&path[ups..]);
                return Some(module);
            }
            name if file.children.iter().any(|child| child == name) => [own(), vec![name.to_owned()]].concat(),
            name => {
                let named = file.names.get(name).filter(|named| *named != path && hands < HANDS)?;
                self.absolute(file, named, hands + 1)?
            }
        };
        start.extend_from_slice(rest);
        Some(start)
    }

    /// Returns the module that defines what a path names, across re-exports; `None` if it names only a face.
    fn defined(&self, path: &[String], hands: usize) -> Option<(ModulePath, String)> {
        let depth = (0..=path.len()).rev().find(|end| self.files.contains_key(&path[..*end]))?;
        let file = self.files[&path[..depth]];
        let Some(name) = path.get(depth) else {
            return (!self.is_face(file)).then(|| (path.to_vec(), "*".to_owned()));
        };
        if let Some(named) = file.names.get(name).filter(|_| hands < HANDS) {
            let mut from_root = self.absolute(file, named, hands + 1)?;
            from_root.extend_from_slice(&path[depth + 1..]);
            return self.defined(&from_root, hands + 1);
        }
        (!self.is_face(file)).then(|| (path[..depth].to_vec(), name.clone()))
    }

    fn is_face(&self, file: &File) -> bool {
        !file.defines && !file.children.is_empty()
    }
}

/// Returns the cyclic groups of modules, each sorted by name.
pub fn circles(edges: &Edges) -> Vec<Vec<ModulePath>> {
    let reached: BTreeMap<&ModulePath, BTreeSet<&ModulePath>> =
        edges.keys().map(|from| (from, reached(edges, from))).collect();
    let mut found: Vec<Vec<ModulePath>> = Vec::new();
    for (from, to) in &reached {
        if !to.contains(*from) || found.iter().flatten().any(|module| module == *from) {
            continue;
        }
        let back = |module: &&&ModulePath| reached.get(**module).is_some_and(|to| to.contains(*from));
        found.push(to.iter().filter(back).map(|module| (*module).clone()).collect());
    }
    found
}

/// Describes a cycle for people: each step that stays within it.
pub fn described(edges: &Edges, circle: &[ModulePath]) -> String {
    let mut text = format!("a circle of {} files:", circle.len());
    for from in circle {
        for (to, names) in edges[from].iter().filter(|(to, _)| circle.contains(to)) {
            let names: Vec<&str> = names.iter().map(String::as_str).collect();
            text.push_str(&format!("\n    {} -> {}: {}", from.join("::"), to.join("::"), names.join(", ")));
        }
    }
    text
}

fn reached<'e>(edges: &'e Edges, from: &ModulePath) -> BTreeSet<&'e ModulePath> {
    let mut found = BTreeSet::new();
    let mut next: Vec<&ModulePath> = edges[from].keys().collect();
    while let Some(module) = next.pop() {
        if found.insert(module) {
            next.extend(edges.get(module).into_iter().flat_map(BTreeMap::keys));
        }
    }
    found
}
