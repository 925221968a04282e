//! The directories of one commit, in memory: loaded when touched, written when changed.
//!
//! Knows Git's format and order of trees. Does not read or write objects itself: loading and storing are arguments.

use super::object::{Kind, ObjectId};
use crate::ports::StoreError;
use std::cmp::Ordering;

/// A regular file.
pub const FILE: u32 = 0o100_644;
/// A directory.
pub const DIRECTORY: u32 = 0o040_000;

/// Reads the content of a tree.
pub type Load<'a> = &'a dyn Fn(ObjectId) -> Result<Vec<u8>, StoreError>;

/// One entry of a tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Item {
    /// The raw name; people may use any bytes.
    pub name: Box<[u8]>,
    /// Git's file mode.
    pub mode: u32,
    /// The content.
    pub id: ObjectId,
}

impl Item {
    /// Reports whether it is a directory.
    pub fn is_directory(&self) -> bool {
        self.mode == DIRECTORY
    }

    /// Reports whether it is a regular file: no symlink, no submodule.
    pub fn is_file(&self) -> bool {
        self.mode & 0o170_000 == 0o100_000
    }
}

/// Parses a tree's content.
///
/// # Errors
/// `Damaged` if it is truncated or out of order.
pub fn parse(id: ObjectId, mut content: &[u8]) -> Result<Vec<Item>, StoreError> {
    let damaged = || StoreError::Damaged(format!("the directory {id} cannot be read"));
    let mut items: Vec<Item> = Vec::with_capacity(content.len() / 32);
    while !content.is_empty() {
        let space = content.iter().position(|c| *c == b' ').ok_or_else(damaged)?;
        let mode = std::str::from_utf8(&content[..space]).ok().and_then(|m| u32::from_str_radix(m, 8).ok());
        let mode = mode.ok_or_else(damaged)?;
        content = &content[space + 1..];
        let end = content.iter().position(|c| *c == 0).ok_or_else(damaged)?;
        let (name, rest) = (&content[..end], &content[end + 1..]);
        let (hash, rest) = rest.split_first_chunk::<20>().ok_or_else(damaged)?;
        content = rest;
        let item = Item { name: name.into(), mode, id: ObjectId(*hash) };
        if items.last().is_some_and(|last| order(last, &item) != Ordering::Less) {
            return Err(damaged());
        }
        items.push(item);
    }
    Ok(items)
}

/// Renders a tree with these entries, in Git's order.
pub fn render<'i>(items: impl IntoIterator<Item = &'i Item, IntoIter: Clone>) -> Vec<u8> {
    let items = items.into_iter();
    let mut content = Vec::with_capacity(items.clone().map(|item| item.name.len() + 28).sum());
    for item in items {
        match item.mode {
            FILE => content.extend_from_slice(b"100644 "),
            DIRECTORY => content.extend_from_slice(b"40000 "),
            other => content.extend_from_slice(format!("{other:o} ").as_bytes()),
        }
        content.extend_from_slice(&item.name);
        content.push(0);
        content.extend_from_slice(&item.id.0);
    }
    content
}

/// Compares in Git's order: by name, with a directory's ending in `/`.
pub fn order(a: &Item, b: &Item) -> Ordering {
    order_names(&a.name, a.is_directory(), &b.name, b.is_directory())
}

fn order_names(a: &[u8], a_is_directory: bool, b: &[u8], b_is_directory: bool) -> Ordering {
    let shared = a.len().min(b.len());
    let end =
        |name: &[u8], is_directory: bool| name.get(shared).copied().unwrap_or(if is_directory { b'/' } else { 0 });
    a[..shared]
        .cmp(&b[..shared])
        .then_with(|| end(a, a_is_directory).cmp(&end(b, b_is_directory)))
        .then_with(|| a.len().cmp(&b.len()))
}

/// The recently touched directories of a commit.
pub struct Trees {
    root: Directory,
    /// The root as loaded or last stored.
    root_id: ObjectId,
    /// Counts commits; a directory stores the last one that touched it.
    generation: u64,
    /// Approximate number of entries in memory.
    loaded: usize,
    /// The number of entries at which cold directories are dropped.
    limit: usize,
}

#[derive(Default)]
struct Directory {
    entries: Vec<Entry>,
    used: u64,
    changed: bool,
}

struct Entry {
    item: Item,
    /// The subdirectory, if loaded.
    below: Option<Box<Directory>>,
}

impl Trees {
    /// Opens the directories below a root; `None` for an empty store. Keeps about `limit` entries in memory.
    pub fn open(root: Option<ObjectId>, limit: usize, load: Load) -> Result<Trees, StoreError> {
        let root_id = root.unwrap_or(ObjectId::ZERO);
        let root = root.map_or_else(|| Ok(Directory::default()), |id| Directory::load(id, load))?;
        Ok(Trees { loaded: root.entries.len(), root, root_id, generation: 1, limit })
    }

    /// Writes a file at a path. Returns false if it is already there. Anything in the way, a directory where the file
    /// belongs or a file where it needs a directory, is renamed to `<name>.set-aside`.
    ///
    /// # Errors
    /// If a directory cannot be read.
    pub fn write(&mut self, path: &str, id: ObjectId, load: Load) -> Result<bool, StoreError> {
        self.root.write(path, id, &mut Visit { generation: self.generation, loaded: &mut self.loaded, load })
    }

    /// Removes a file, and directories that become empty. Returns false if it does not exist.
    pub fn remove(&mut self, path: &str, load: Load) -> Result<bool, StoreError> {
        self.root.remove(path, &mut Visit { generation: self.generation, loaded: &mut self.loaded, load })
    }

    /// Passes every changed directory to `store`, deepest first, and returns the root's id.
    pub fn store(&mut self, store: &mut dyn FnMut(ObjectId, &[u8])) -> ObjectId {
        self.root_id = self.root.store(self.root_id, store);
        self.root_id
    }

    /// Drops directories that the last commit did not touch if there are too many. Call after each commit.
    pub fn settle(&mut self) {
        if self.loaded > self.limit {
            self.loaded = self.root.drop_cold(self.generation);
            self.limit = self.limit.max(2 * self.loaded);
        }
        self.generation += 1;
    }
}

struct Visit<'a> {
    generation: u64,
    loaded: &'a mut usize,
    load: Load<'a>,
}

impl Directory {
    fn load(id: ObjectId, load: Load) -> Result<Directory, StoreError> {
        let items = parse(id, &load(id)?)?;
        let entries = items.into_iter().map(|item| Entry { item, below: None }).collect();
        Ok(Directory { entries, used: 0, changed: false })
    }

    fn find(&self, name: &[u8], is_directory: bool) -> Result<usize, usize> {
        self.entries.binary_search_by(|e| order_names(&e.item.name, e.item.is_directory(), name, is_directory))
    }

    fn write(&mut self, path: &str, id: ObjectId, visit: &mut Visit) -> Result<bool, StoreError> {
        self.used = visit.generation;
        let changed = match path.split_once('/') {
            Some((name, rest)) => {
                if let Ok(at) = self.find(name.as_bytes(), false) {
                    self.set_aside(at, visit);
                }
                let at = match self.find(name.as_bytes(), true) {
                    Ok(at) => at,
                    Err(at) => {
                        let below = Some(Box::default());
                        self.insert(at, Entry { item: item(name, DIRECTORY, ObjectId::ZERO), below }, visit);
                        at
                    }
                };
                self.below(at, visit)?.write(rest, id, visit)?
            }
            None => {
                if let Ok(at) = self.find(path.as_bytes(), true) {
                    self.set_aside(at, visit);
                }
                match self.find(path.as_bytes(), false) {
                    Ok(at) => {
                        let found = &mut self.entries[at].item;
                        let same = found.is_file() && found.id == id;
                        // A symlink or submodule is replaced by a regular file; an existing file keeps its mode.
                        found.mode = if found.is_file() { found.mode } else { FILE };
                        found.id = id;
                        !same
                    }
                    Err(at) => {
                        self.insert(at, Entry { item: item(path, FILE, id), below: None }, visit);
                        true
                    }
                }
            }
        };
        self.changed |= changed;
        Ok(changed)
    }

    /// Renames what is in the way; an earlier entry of that name remains in the history.
    fn set_aside(&mut self, at: usize, visit: &mut Visit) {
        let mut entry = self.entries.remove(at);
        entry.item.name = [&*entry.item.name, b".set-aside"].concat().into();
        match self.find(&entry.item.name, entry.item.is_directory()) {
            Ok(at) => self.entries[at] = entry,
            Err(at) => self.insert(at, entry, visit),
        }
        self.changed = true;
    }

    fn remove(&mut self, path: &str, visit: &mut Visit) -> Result<bool, StoreError> {
        self.used = visit.generation;
        let removed = match path.split_once('/') {
            Some((name, rest)) => match self.find(name.as_bytes(), true) {
                Err(_) => false,
                Ok(at) => {
                    let below = self.below(at, visit)?;
                    let removed = below.remove(rest, visit)?;
                    if removed && below.entries.is_empty() {
                        self.entries.remove(at);
                    }
                    removed
                }
            },
            None => self.find(path.as_bytes(), false).map(|at| self.entries.remove(at)).is_ok(),
        };
        self.changed |= removed;
        Ok(removed)
    }

    fn insert(&mut self, at: usize, entry: Entry, visit: &mut Visit) {
        self.entries.insert(at, entry);
        *visit.loaded += 1;
    }

    fn below(&mut self, at: usize, visit: &mut Visit) -> Result<&mut Directory, StoreError> {
        let entry = &mut self.entries[at];
        let below = match entry.below.take() {
            Some(below) => below,
            None => {
                let below = Directory::load(entry.item.id, visit.load)?;
                *visit.loaded += below.entries.len();
                Box::new(below)
            }
        };
        Ok(entry.below.insert(below))
    }

    fn store(&mut self, before: ObjectId, store: &mut dyn FnMut(ObjectId, &[u8])) -> ObjectId {
        for entry in &mut self.entries {
            if let Some(below) = entry.below.as_mut().filter(|below| below.changed) {
                entry.item.id = below.store(entry.item.id, store);
            }
        }
        let content = self.render();
        let id = ObjectId::of(Kind::Tree, &content);
        if id != before {
            store(id, &content);
        }
        self.changed = false;
        id
    }

    fn render(&self) -> Vec<u8> {
        render(self.entries.iter().map(|entry| &entry.item))
    }

    /// Drops cold directories. Returns how many entries are left.
    fn drop_cold(&mut self, generation: u64) -> usize {
        let mut left = self.entries.len();
        for entry in &mut self.entries {
            match &mut entry.below {
                Some(below) if below.used == generation => left += below.drop_cold(generation),
                below => *below = None,
            }
        }
        left
    }
}

fn item(name: &str, mode: u32, id: ObjectId) -> Item {
    Item { name: name.as_bytes().into(), mode, id }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::RefCell;
    use std::collections::HashMap;

    /// An in-memory object store that counts its reads.
    #[derive(Default)]
    struct Objects {
        trees: RefCell<HashMap<ObjectId, Vec<u8>>>,
        reads: RefCell<usize>,
    }

    impl Objects {
        fn load(&self, id: ObjectId) -> Result<Vec<u8>, StoreError> {
            *self.reads.borrow_mut() += 1;
            self.trees.borrow().get(&id).cloned().ok_or_else(|| StoreError::Damaged(id.to_string()))
        }

        fn store(&self, trees: &mut Trees) -> ObjectId {
            trees.store(&mut |id, content| {
                self.trees.borrow_mut().insert(id, content.to_vec());
            })
        }
    }

    fn id(n: u8) -> ObjectId {
        ObjectId([n; 20])
    }

    #[test]
    fn names_sort_as_git_sorts_them() {
        let mut items = [item("a", DIRECTORY, id(1)), item("a.b", FILE, id(1)), item("a0", FILE, id(1))];
        items.sort_by(order);
        let names: Vec<_> = items.iter().map(|i| String::from_utf8_lossy(&i.name).into_owned()).collect();
        assert_eq!(names, ["a.b", "a", "a0"]);
    }

    #[test]
    fn what_goes_in_and_out_again_leaves_the_same_root() {
        let objects = Objects::default();
        let load: Load = &|id| objects.load(id);
        let mut trees = Trees::open(None, 1000, load).unwrap();
        assert!(trees.write("a/b/c", id(1), load).unwrap());
        assert!(trees.write("a/d", id(2), load).unwrap());
        let before = objects.store(&mut trees);
        assert!(!trees.write("a/b/c", id(1), load).unwrap());
        assert!(trees.write("x/y/z", id(3), load).unwrap());
        assert_ne!(objects.store(&mut trees), before);
        assert!(trees.remove("x/y/z", load).unwrap());
        assert!(!trees.remove("x/y/z", load).unwrap());
        assert_eq!(objects.store(&mut trees), before);
    }

    #[test]
    fn files_and_directories_are_moved_out_of_each_others_way() {
        let objects = Objects::default();
        let load: Load = &|id| objects.load(id);
        let mut trees = Trees::open(None, 1000, load).unwrap();
        trees.write("a/b", id(1), load).unwrap();
        assert!(!trees.remove("a", load).unwrap(), "a directory is no file");
        // What was in the way is kept under another name.
        assert!(trees.write("a/b/c", id(2), load).unwrap());
        assert!(trees.remove("a/b.set-aside", load).unwrap());
        assert!(trees.write("a", id(3), load).unwrap());
        assert!(trees.remove("a.set-aside/b/c", load).unwrap());
        assert!(trees.remove("a", load).unwrap());
    }

    #[test]
    fn cold_directories_are_dropped_and_read_again() {
        let objects = Objects::default();
        let load: Load = &|id| objects.load(id);
        let mut trees = Trees::open(None, 10, load).unwrap();
        for day in 0..20u8 {
            for n in 0..5u8 {
                trees.write(&format!("{day:02}/{n}"), id(n), load).unwrap();
            }
            objects.store(&mut trees);
            trees.settle();
        }
        assert!(trees.loaded < 80, "{}", trees.loaded);
        let reads = *objects.reads.borrow();
        assert!(!trees.write("00/3", id(3), load).unwrap());
        assert_eq!(*objects.reads.borrow(), reads + 1);
    }

    #[test]
    fn damaged_trees_are_told() {
        let good = b"100644 a\0aaaaaaaaaaaaaaaaaaaa100644 b\0bbbbbbbbbbbbbbbbbbbb";
        assert_eq!(parse(id(0), good).unwrap().len(), 2);
        for cut in 1..good.len() {
            if cut != 29 {
                assert!(matches!(parse(id(0), &good[..cut]), Err(StoreError::Damaged(_))), "{cut}");
            }
        }
        let twice = [&good[..29], &good[..29]].concat();
        assert!(parse(id(0), &twice).is_err());
    }
}
