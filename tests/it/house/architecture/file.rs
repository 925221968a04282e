//! One source file, read for its imports: what it names of this crate, what it re-exports, whether it defines anything.
//!
//! syn parses the items. Within them paths are found among the tokens, so that the inside of a macro counts as well.
//! Code under `#[cfg(test)]` does not count.

use super::source::{ModulePath, module_of};
use proc_macro2::{Delimiter, TokenStream, TokenTree};
use quote::ToTokens;
use std::collections::{BTreeMap, BTreeSet};
use syn::{Attribute, Item, UseTree, Visibility};

/// What a file states about other files.
pub struct File {
    /// Its path from the root of the repository.
    pub path: String,
    /// Its module.
    pub module: ModulePath,
    /// The modules it declares, without test-only ones.
    pub children: Vec<String>,
    /// The test-only modules below it.
    pub test_children: Vec<String>,
    /// Names imported by `use`, and what each stands for, as written; without `*`.
    pub names: BTreeMap<String, Vec<String>>,
    /// Every path that starts at the crate, above this module, at a child of it or at an imported name, and the whole
    /// trees of `use`.
    pub paths: Vec<Mention>,
    /// The names that its own items mention.
    pub mentioned: BTreeSet<String>,
    /// Whether it contains anything but modules and imports.
    pub defines: bool,
}

/// A path somewhere in a file.
pub struct Mention {
    /// The path as written; the last name may be `*`.
    pub path: Vec<String>,
    /// The line.
    pub line: usize,
    /// Whether it only re-exports a name.
    pub hands_on: bool,
}

/// Reads the files of a crate, without test-only modules.
pub fn read_all<'t>(sources: impl IntoIterator<Item = (&'t str, &'t str)>) -> Vec<File> {
    let files: Vec<File> = sources.into_iter().map(|(path, text)| File::read(path, text)).collect();
    let child = |file: &File, name: &String| [file.module.as_slice(), std::slice::from_ref(name)].concat();
    let for_tests: Vec<ModulePath> =
        files.iter().flat_map(|file| file.test_children.iter().map(|name| child(file, name))).collect();
    let counts = |file: &File| !for_tests.iter().any(|module| file.module.starts_with(module));
    files.into_iter().filter(counts).collect()
}

impl File {
    /// Reads a file.
    pub fn read(path: &str, text: &str) -> File {
        let parsed = syn::parse_file(text).unwrap_or_else(|e| panic!("{path}: {e}"));
        let mut file = File {
            path: path.to_owned(),
            module: module_of(path),
            children: Vec::new(),
            test_children: Vec::new(),
            names: BTreeMap::new(),
            paths: Vec::new(),
            mentioned: BTreeSet::new(),
            defines: false,
        };
        file.take_in(parsed.items);
        file
    }

    fn take_in(&mut self, items: Vec<Item>) {
        for item in items {
            match item {
                Item::Mod(item) if is_for_tests(&item.attrs) => self.test_children.push(item.ident.to_string()),
                Item::Use(item) if is_for_tests(&item.attrs) => {}
                Item::Use(item) => {
                    let handed_on = !matches!(item.vis, Visibility::Inherited);
                    self.import(&item.tree, &[], handed_on);
                }
                Item::Mod(item) if item.content.is_none() => self.children.push(item.ident.to_string()),
                item if is_for_tests(attributes(&item)) => {}
                item => {
                    self.defines = true;
                    self.scan(item.to_token_stream());
                }
            }
        }
    }

    fn import(&mut self, tree: &UseTree, before: &[String], handed_on: bool) {
        let path = |name: &syn::Ident| [before, &[name.to_string()]].concat();
        let (path, name, line) = match tree {
            UseTree::Path(part) => return self.import(&part.tree, &path(&part.ident), handed_on),
            UseTree::Group(group) => {
                return group.items.iter().for_each(|tree| self.import(tree, before, handed_on));
            }
            UseTree::Name(name) if name.ident == "self" => (before.to_vec(), before.last().cloned(), &name.ident),
            UseTree::Name(name) => (path(&name.ident), Some(name.ident.to_string()), &name.ident),
            UseTree::Rename(name) if name.ident == "self" => {
                (before.to_vec(), Some(name.rename.to_string()), &name.ident)
            }
            UseTree::Rename(name) => (path(&name.ident), Some(name.rename.to_string()), &name.ident),
            UseTree::Glob(star) => {
                let line = star.star_token.spans[0].start().line;
                let path = [before, &["*".to_owned()]].concat();
                return self.paths.push(Mention { path, line, hands_on: handed_on });
            }
        };
        let line = line.span().start().line;
        self.paths.push(Mention { path: path.clone(), line, hands_on: handed_on });
        if let Some(name) = name {
            self.names.insert(name, path);
        }
    }

    /// Looks for paths among tokens.
    fn scan(&mut self, tokens: TokenStream) {
        let tokens: Vec<TokenTree> = tokens.into_iter().collect();
        let mut at = 0;
        while at < tokens.len() {
            match &tokens[at] {
                TokenTree::Group(group) => self.scan(group.stream()),
                TokenTree::Ident(first) => {
                    let line = first.span().start().line;
                    let behind = continues(&tokens, at);
                    let (found, next) = paths_at(&tokens, at);
                    at = next;
                    if behind {
                        continue;
                    }
                    self.mentioned.insert(first.to_string());
                    let long = found.into_iter().filter(|path| path.len() > 1);
                    self.paths.extend(long.map(|path| Mention { path, line, hands_on: false }));
                    continue;
                }
                _ => {}
            }
            at += 1;
        }
    }
}

/// Reports whether a name belongs to what precedes it: a field, a method, a lifetime, the end of a path.
fn continues(tokens: &[TokenTree], at: usize) -> bool {
    let sign = |back: usize| match at.checked_sub(back).map(|at| &tokens[at]) {
        Some(TokenTree::Punct(sign)) => sign.as_char(),
        _ => ' ',
    };
    matches!((sign(2), sign(1)), (_, '\'') | (':', ':')) || (sign(1) == '.' && sign(2) != '.')
}

/// Returns the paths that start at a name, and where they end: several if a tree of `use` is within a function.
fn paths_at(tokens: &[TokenTree], mut at: usize) -> (Vec<Vec<String>>, usize) {
    let mut path = Vec::new();
    loop {
        match tokens.get(at) {
            Some(TokenTree::Ident(name)) => path.push(name.to_string()),
            Some(TokenTree::Group(group)) if group.delimiter() == Delimiter::Brace => {
                let inner: Vec<TokenTree> = group.stream().into_iter().collect();
                let branches = inner.split(|token| matches!(token, TokenTree::Punct(p) if p.as_char() == ','));
                let ends = branches.filter(|branch| !branch.is_empty()).flat_map(|branch| paths_at(branch, 0).0);
                return (ends.map(|end| [path.as_slice(), &end].concat()).collect(), at + 1);
            }
            _ => return (vec![path], at),
        }
        let colon = |at: usize| matches!(tokens.get(at), Some(TokenTree::Punct(p)) if p.as_char() == ':');
        if !(colon(at + 1) && colon(at + 2)) {
            return (vec![path], at + 1);
        }
        at += 3;
    }
}

fn is_for_tests(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|a| a.path().is_ident("cfg") && a.meta.to_token_stream().to_string() == "cfg (test)")
}

fn attributes(item: &Item) -> &[Attribute] {
    match item {
        Item::Const(item) => &item.attrs,
        Item::Enum(item) => &item.attrs,
        Item::Fn(item) => &item.attrs,
        Item::Impl(item) => &item.attrs,
        Item::Macro(item) => &item.attrs,
        Item::Mod(item) => &item.attrs,
        Item::Static(item) => &item.attrs,
        Item::Struct(item) => &item.attrs,
        Item::Trait(item) => &item.attrs,
        Item::Type(item) => &item.attrs,
        _ => &[],
    }
}
