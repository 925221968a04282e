//! Commits, folders and files through the Git objects API, which GitHub, Gitea and Forgejo share.

use super::repository::{FileAt, lacks, part, there};
use crate::domain::rules::in_force::pull_request::{BaseFile, Branch, made_by_us};
use crate::forges::history::{ApiClient, HistoryError};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use jiff::Timestamp;
use serde_json::Value;
use std::cell::RefCell;
use std::collections::BTreeMap;

/// The objects of a repository. Anything with an id never changes and is requested once.
pub(super) struct Objects<'a> {
    pub asking: &'a ApiClient<'a>,
    /// `/repos/owner/name`
    pub root: String,
    known: RefCell<BTreeMap<String, Value>>,
}

impl<'a> Objects<'a> {
    pub(super) fn new(asking: &'a ApiClient<'a>, repository: &str) -> Objects<'a> {
        Objects { asking, root: format!("/repos/{repository}"), known: RefCell::default() }
    }

    /// Returns a commit's own data and its number of parents.
    pub(super) fn commit(&self, sha: &str) -> Result<(Value, usize), HistoryError> {
        let found = self.once(&format!("/git/commits/{}", part(sha)))?;
        let parents = found["parents"].as_array().map_or(0, Vec::len);
        // GitHub has it at the top level, Gitea one level down.
        let inner = if found["message"].is_string() { found } else { found["commit"].clone() };
        Ok((inner, parents))
    }

    /// Returns our branch with this head.
    pub(super) fn branch(&self, sha: &str) -> Result<Branch, HistoryError> {
        let (commit, parents) = self.commit(sha)?;
        let at = |who: &str| commit[who]["date"].as_str().and_then(|text| text.parse::<Timestamp>().ok());
        let message = commit["message"].as_str().unwrap_or_default();
        let content_hash = made_by_us(message, parents, at("author"), at("committer"));
        Ok(Branch { sha: sha.to_owned(), content_hash })
    }

    /// Returns a file at a commit.
    pub(super) fn file(&self, at: &str, path: &str) -> Result<FileAt, HistoryError> {
        let missing = FileAt { found: BaseFile::Missing, id: None };
        let mut tree = at.to_owned();
        let (folders, name) = path.rsplit_once('/').unwrap_or(("", path));
        for folder in folders.split('/').filter(|folder| !folder.is_empty()) {
            match self.entry(&tree, folder)? {
                Some((kind, id, _)) if kind == "tree" => tree = id,
                Some(_) => return Ok(FileAt { found: BaseFile::Other("its folder is a file or a link"), id: None }),
                None => return Ok(missing),
            }
        }
        let Some((kind, id, mode)) = self.entry(&tree, name)? else { return Ok(missing) };
        let found = match (kind.as_str(), mode.as_str()) {
            ("blob", "100644" | "100755") => text(&self.once(&format!("/git/blobs/{}", part(&id)))?)?,
            ("blob", _) => BaseFile::Other("it is a link"),
            _ => BaseFile::Other("it is a folder"),
        };
        Ok(FileAt { found, id: Some((id, mode)) })
    }

    /// Returns an entry of a folder: its type, id and mode.
    fn entry(&self, tree: &str, name: &str) -> Result<Option<(String, String, String)>, HistoryError> {
        let Some(found) = there(self.once(&format!("/git/trees/{}", part(tree))))? else { return Ok(None) };
        let entries = lacks(found["tree"].as_array(), "a folder has no listing")?;
        let Some(entry) = entries.iter().find(|entry| entry["path"] == name) else {
            return match found["truncated"].as_bool() {
                Some(true) => Err(HistoryError::Shape("a folder of the repository has too many files")),
                _ => Ok(None),
            };
        };
        let text = |name: &str| lacks(entry[name].as_str().map(str::to_owned), "a file has no id");
        Ok(Some((text("type")?, text("sha")?, text("mode")?)))
    }

    fn once(&self, place: &str) -> Result<Value, HistoryError> {
        if let Some(known) = self.known.borrow().get(place) {
            return Ok(known.clone());
        }
        let found = self.asking.read(&format!("{}{place}", self.root), None)?.body;
        self.known.borrow_mut().insert(place.to_owned(), found.clone());
        Ok(found)
    }
}

/// Decodes the text of a file as an API sends it: in base64, with line breaks.
pub(super) fn text(file: &Value) -> Result<BaseFile, HistoryError> {
    let content = lacks(file["content"].as_str(), "a file has no content")?;
    let content: String = content.chars().filter(|c| !c.is_ascii_whitespace()).collect();
    let bytes = lacks(STANDARD.decode(content).ok(), "a file's content is not base64")?;
    Ok(String::from_utf8(bytes).map_or(BaseFile::Other("it is not UTF-8 text"), BaseFile::Text))
}
