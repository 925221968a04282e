//! The architecture: which module may import which, as the tables in `src/lib.rs` state, no cycles between files, and
//! every file starts with a description.

mod circles;
mod file;
mod rules;
mod source;

use circles::{Tree, circles, described};
use file::{File, read_all};
use rules::Rules;
use source::sources;

/// Modules that define something in addition to declaring others, until they are split.
const HALF_FACES: &[&str] = &["text::language::catalogue"];

#[test]
fn modules_import_only_what_the_tables_allow() {
    let rules = rules();
    let broken = source_files().iter().flat_map(|file| rules.broken_by(file)).collect::<Vec<_>>();
    assert!(broken.is_empty(), "\n{broken:#?}\n");
}

#[test]
fn every_module_has_a_row_in_the_tables_and_every_row_a_module() {
    let (rules, files) = (rules(), source_files());
    let declared = |parent: &[&str]| {
        let file = files.iter().find(|file| file.module == parent && !file.path.ends_with("main.rs"));
        file.expect("the file that declares them").children.clone()
    };
    for child in declared(&[]) {
        assert!(rules.modules().any(|row| *row == [child.as_str()]), "src/lib.rs: no row for `{child}`");
    }
    for child in declared(&["domain"]) {
        let path = ["domain".to_owned(), child.clone()];
        assert!(rules.modules().any(|row| row.starts_with(&path)), "src/lib.rs: no row for the room `{child}`");
    }
    for row in rules.modules() {
        assert!(files.iter().any(|file| file.module == *row), "src/lib.rs: there is no module `{}`", row.join("::"));
    }
}

#[test]
fn no_files_import_each_other_in_a_circle() {
    let files = source_files();
    let edges = Tree::new(&files).edges();
    let found: Vec<String> = circles(&edges).iter().map(|circle| described(&edges, circle)).collect();
    assert!(found.is_empty(), "\n{}\n", found.join("\n"));
}

#[test]
fn a_module_that_declares_others_is_their_face_and_defines_nothing() {
    let files = source_files();
    let (known, found): (Vec<String>, Vec<String>) = Tree::new(&files)
        .half_faces()
        .into_iter()
        .partition(|module| HALF_FACES.iter().any(|part| is_below(module, part)));
    assert!(found.is_empty(), "these define something: {}", found.join(", "));
    for part in HALF_FACES {
        assert!(known.iter().any(|module| is_below(module, part)), "{part} has only faces: strike it");
    }
}

#[test]
fn every_file_says_first_what_it_is() {
    let all = sources(&["src", "tests", "benches", "examples"]);
    let silent: Vec<_> = all.into_iter().filter(|(_, text)| !text.starts_with("//! ")).map(|(path, _)| path).collect();
    assert!(silent.is_empty(), "these files do not begin with `//!`: {}", silent.join(", "));
}

fn rules() -> Rules {
    let lib = sources(&["src"]).into_iter().find(|(path, _)| path == "src/lib.rs");
    Rules::read(&lib.expect("src/lib.rs").1)
}

fn source_files() -> Vec<File> {
    let sources = sources(&["src"]);
    read_all(sources.iter().map(|(path, text)| (path.as_str(), text.as_str())))
}

fn is_below(module: &str, part: &str) -> bool {
    module.strip_prefix(part).is_some_and(|rest| rest.is_empty() || rest.starts_with("::"))
}

mod invented {
    //! The checks against small trees made up for them.

    use super::*;

    const TABLES: &str = "
//! | module | may import |
//! |---|---|
//! | [`telemetry`] | nothing |
//! | [`daemon`] | app, domain, ports |
//! | [`cli`] | app |
//!
//! | room of `domain` | may look into |
//! |---|---|
//! | leaves: [`json`](domain::json), [`source`](domain::source) | leaves |
//! | [`channels`](domain::channels) | leaves |
//! | [`rules::draft`](domain::rules::draft) | leaves, channels |
//! | [`rules::lifecycle`](domain::rules::lifecycle) | leaves, rules::draft |
";

    fn broken(path: &str, text: &str) -> Vec<String> {
        Rules::read(TABLES).broken_by(&File::read(path, text))
    }

    #[test]
    fn what_breaks_a_table_is_seen() {
        let bad = [
            ("src/domain/json.rs", "use crate::channels::Turn;"),
            ("src/domain/json.rs", "fn f() { crate::channels::run() }"),
            ("src/domain/json.rs", "fn f() { println!(\"{}\", crate::channels::run()) }"),
            ("src/daemon/x.rs", "use crate::{domain::ids, cli::exit::Exit};"),
            ("src/daemon/x.rs", "use super::super::cli;"),
            ("src/daemon/x.rs", "fn f() { use crate::{domain::ids, cli::{run, stop}}; }"),
            ("src/adapters/git/mod.rs", "use super::redis::Source;"),
            ("src/adapters/git/pack.rs", "pub use crate::redis;"),
            ("src/adapters/git/pack.rs", "use super::super::index;"),
            ("src/telemetry.rs", "use crate::daemon::run;"),
            ("src/domain/channels/turn.rs", "use crate::rules::draft::Draft;"),
            ("src/domain/channels/turn.rs", "use super::super::rules::draft::Draft;"),
            ("src/domain/rules/draft/text.rs", "use crate::rules::lifecycle::Rule;"),
            ("src/domain/rules/lifecycle/rule.rs", "use crate::channels::Turn;"),
            ("src/elsewhere/x.rs", ""),
            ("src/main.rs", "use feedbackd::adapters;"),
        ];
        for (path, text) in bad {
            let found = broken(path, text).len();
            assert!(found >= 1, "{path}: {text}");
        }
    }

    #[test]
    fn what_a_table_allows_passes() {
        let good = [
            (
                "src/domain/json.rs",
                "// crate::channels\n/* crate::rules */ const S: &str = \"crate::rules\"; use crate::source;",
            ),
            ("src/domain/json.rs", "fn f() {}\n#[cfg(test)]\nmod tests {\n    use crate::channels::Turn;\n}\n"),
            ("src/adapters/git/pack.rs", "use super::Store; use crate::git::lock; use crate::config::Config;"),
            ("src/daemon/x.rs", "use crate::{domain::{ids, channels::*}, ports::Clock}; fn f<'a>(x: &'a str) {}"),
            ("src/domain/rules/lifecycle/rule.rs", "use super::quorum; use crate::rules::draft::Draft;"),
            ("src/app/x.rs", "use crate::domain::channels::Turn; use crate::pipeline::Pipeline;"),
            ("src/main.rs", "fn main() { feedbackd::cli::run() }"),
        ];
        for (path, text) in good {
            assert_eq!(broken(path, text), Vec::<String>::new(), "{path}: {text}");
        }
    }

    /// Returns the cycles of a tree, as `a b, c d`.
    fn found(tree: &[(&str, &str)]) -> String {
        let files = read_all(tree.iter().copied());
        let edges = Tree::new(&files).edges();
        let circles: Vec<String> = circles(&edges)
            .iter()
            .map(|circle| circle.iter().map(|module| module.join("::")).collect::<Vec<_>>().join(" "))
            .collect();
        circles.join(", ")
    }

    #[test]
    fn two_files_in_a_circle_are_found() {
        let root = ("src/lib.rs", "mod a; mod b; mod c;");
        let c = ("src/c.rs", "use crate::a::A; use crate::b::B;");
        assert_eq!(found(&[root, ("src/a.rs", "use crate::b::B;"), ("src/b.rs", "use super::a::A;"), c]), "a b");
        assert_eq!(found(&[root, ("src/a.rs", "use crate::b;"), ("src/b.rs", "fn f() { crate::a::f() }"), c]), "a b");
        let in_macro = "fn f() { println!(\"{}\", crate::a::f()) }";
        assert_eq!(found(&[root, ("src/a.rs", "use crate::b::{self, B};"), ("src/b.rs", in_macro), c]), "a b");
        assert_eq!(found(&[root, ("src/a.rs", "use crate::b::*; fn f() {}"), ("src/b.rs", in_macro), c]), "a b");
        assert_eq!(found(&[root, ("src/a.rs", "use crate::b::B;"), ("src/b.rs", "pub struct B;"), c]), "");
    }

    #[test]
    fn a_circle_over_two_folders_is_found() {
        let tree = [
            ("src/lib.rs", "mod one; mod two;"),
            ("src/one/mod.rs", "pub mod a; pub mod b;"),
            ("src/one/a.rs", "use crate::two::c::C; pub struct A;"),
            ("src/one/b.rs", "pub struct B(super::a::A);"),
            ("src/two/mod.rs", "pub mod c; pub mod d;"),
            ("src/two/c.rs", "use super::d; pub struct C(d::D);"),
            ("src/two/d.rs", "use crate::one; pub struct D(one::b::B);"),
        ];
        assert_eq!(found(&tree), "one::a one::b two::c two::d");
    }

    #[test]
    fn a_circle_through_a_face_is_that_of_the_files_behind_it() {
        let tree = |b: &'static str| {
            [
                ("src/lib.rs", "mod one; mod two;"),
                ("src/one/mod.rs", "mod a; mod b; pub use a::A; pub use b::{B as Renamed};"),
                ("src/one/a.rs", "pub struct A;"),
                ("src/one/b.rs", b),
                ("src/two.rs", "use crate::one::Renamed; pub struct C;"),
            ]
        };
        assert_eq!(found(&tree("use crate::two::C; pub struct B;")), "one::b two");
        assert_eq!(found(&tree("use super::A; pub struct B;")), "", "the face is no part of it");
        assert_eq!(found(&tree("use super::*; pub struct B(A);")), "");
    }

    #[test]
    fn a_parent_that_defines_something_is_a_file_like_others() {
        let parent = "mod child; pub use child::Child; pub struct Parent;";
        let tree = |parent: &'static str, child: &'static str| {
            [("src/lib.rs", "mod p;"), ("src/p/mod.rs", parent), ("src/p/child.rs", child)]
        };
        let child = "use super::Parent; pub struct Child;";
        assert_eq!(found(&tree(parent, child)), "", "it only hands on the child's name");
        let uses = "mod child; pub use child::Child; pub struct Parent(Vec<Child>);";
        assert_eq!(found(&tree(uses, child)), "p p::child");
        let calls = "mod child; pub struct Parent; fn f() { child::g() }";
        assert_eq!(found(&tree(calls, child)), "p p::child");
    }

    #[test]
    fn tests_and_names_that_only_look_like_modules_do_not_count() {
        let tree = [
            ("src/lib.rs", "mod a; mod b;"),
            ("src/a.rs", "use crate::b::B; #[cfg(test)] mod tests; // crate::b"),
            ("src/a/tests.rs", "use crate::b::B; use super::*;"),
            (
                "src/b.rs",
                "pub struct B; #[cfg(test)] use crate::a::A; #[cfg(test)] mod tests { use crate::a::A; } fn f(a: u8) { a.pow(2); }",
            ),
        ];
        assert_eq!(found(&tree), "");
    }
}
