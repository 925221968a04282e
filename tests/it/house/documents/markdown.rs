//! A parsed document: headings, links, inline code and blocks. It does not judge them.

use pulldown_cmark::{CodeBlockKind, Event, Options, Parser, Tag, TagEnd};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// The place of a text, for messages.
#[derive(Clone, Debug)]
pub struct Found {
    pub line: usize,
    pub text: String,
}

/// A code block. Its first word is the language; the following words tell a test how to process it.
#[derive(Clone, Debug)]
pub struct Block {
    pub line: usize,
    pub info: Vec<String>,
    pub text: String,
}

/// A document of this repository.
#[derive(Debug)]
pub struct Document {
    /// The path from the root of the repository.
    pub path: String,
    /// The valid targets of `#...`.
    pub anchors: BTreeSet<String>,
    /// `Rules` for a second-level heading, `Turns: Sessions` for a third-level one below it.
    pub sections: BTreeSet<String>,
    pub links: Vec<Found>,
    pub code: Vec<Found>,
    pub blocks: Vec<Block>,
}

impl Document {
    /// Reads a document.
    pub fn read(path: &str) -> Document {
        let text = fs::read_to_string(root().join(path)).unwrap_or_else(|e| panic!("{path}: {e}"));
        let mut document = Document {
            path: path.to_owned(),
            anchors: BTreeSet::new(),
            sections: BTreeSet::new(),
            links: Vec::new(),
            code: Vec::new(),
            blocks: Vec::new(),
        };
        document.take(&text);
        document
    }

    /// Returns every document here that is meant for people.
    pub fn all() -> Vec<Document> {
        let mut paths: Vec<String> = [
            "README.md",
            "ARCHITECTURE.md",
            "CONTRIBUTING.md",
            "CHANGELOG.md",
            "SECURITY.md",
            "tests/FAULTS.md",
            "assets/README.md",
            "benches/RESULTS.md",
            "config/catalogue/README.md",
            "deploy/helm/feedbackd/README.md",
            "feedback-store-template/README.md",
            "feedback-store-template/catalogue/README.md",
        ]
        .map(str::to_owned)
        .into();
        let docs = fs::read_dir(root().join("docs")).expect("docs/").flatten();
        let docs = docs.map(|file| format!("docs/{}", file.file_name().to_string_lossy()));
        paths.extend(docs.filter(|path| path.ends_with(".md")));
        paths.sort();
        paths.iter().map(|path| Document::read(path)).collect()
    }

    fn take(&mut self, text: &str) {
        let (mut heading, mut chapter) = (None, String::new());
        let mut block: Option<Block> = None;
        for (event, range) in Parser::new_ext(text, Options::ENABLE_TABLES).into_offset_iter() {
            let line = text[..range.start].matches('\n').count() + 1;
            match event {
                Event::Start(Tag::Heading { .. }) => heading = Some(String::new()),
                Event::End(TagEnd::Heading(level)) => {
                    let title = heading.take().unwrap_or_default();
                    match level as usize {
                        2 => chapter.clone_from(&title),
                        3 => drop(self.sections.insert(format!("{chapter}: {title}"))),
                        _ => {}
                    }
                    if level as usize == 2 {
                        self.sections.insert(title.clone());
                    }
                    self.anchors.insert(anchor(&title));
                }
                Event::Start(Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. }) => {
                    self.links.push(Found { line, text: dest_url.into_string() });
                }
                Event::Start(Tag::CodeBlock(kind)) => {
                    let info = match kind {
                        CodeBlockKind::Indented => vec!["indented".to_owned()],
                        CodeBlockKind::Fenced(info) => info.split_whitespace().map(str::to_owned).collect(),
                    };
                    block = Some(Block { line, info, text: String::new() });
                }
                Event::End(TagEnd::CodeBlock) => self.blocks.extend(block.take()),
                Event::Code(code) => {
                    if let Some(heading) = &mut heading {
                        heading.push_str(&code);
                    }
                    self.code.push(Found { line, text: code.into_string() });
                }
                Event::Text(words) => match (&mut block, &mut heading) {
                    (Some(block), _) => block.text.push_str(&words),
                    (None, Some(heading)) => heading.push_str(&words),
                    (None, None) => {}
                },
                _ => {}
            }
        }
    }
}

/// Returns a heading's anchor, as forges build it.
fn anchor(title: &str) -> String {
    let kept = title.to_lowercase();
    let kept = kept.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
    kept.map(|c| if c == ' ' { '-' } else { c }).collect()
}

/// Returns the root of the repository.
pub fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Returns all files below a folder with this suffix.
pub fn files(folder: &str, ending: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![root().join(folder)];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display())).flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.to_string_lossy().ends_with(ending) {
                found.push(path);
            }
        }
    }
    found
}
