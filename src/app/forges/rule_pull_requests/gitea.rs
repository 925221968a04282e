//! Gitea and Forgejo: several files become one commit through their contents API.
//!
//! It cannot set a branch to another commit, and removing the branch would close the pull request. So an open one gets
//! a commit on top; if none is open, the branch is created again from the base.

use super::github::{close, edit, open, pull, usual};
use super::objects::Objects;
use super::repository::{Base, Commit, FileAt, Repository, lacks, parts, there};
use crate::domain::rules::in_force::pull_request::{BaseFile, Branch, Pull, Text};
use crate::forges::history::HistoryError;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

/// How many closed pull requests are searched for ours.
const MOST_CLOSED: usize = 2_000;

pub(super) struct Gitea<'a> {
    pub objects: Objects<'a>,
}

impl Gitea<'_> {
    fn at(&self, place: &str) -> String {
        format!("{}{place}", self.objects.root)
    }

    fn head(&self, branch: &str) -> Result<String, HistoryError> {
        let found = self.objects.asking.read(&self.at(&format!("/branches/{}", parts(branch))), None)?.body;
        lacks(found["commit"]["id"].as_str().map(str::to_owned), "a branch has no head")
    }
}

impl Repository for Gitea<'_> {
    fn base(&self, named: &str) -> Result<Base, HistoryError> {
        let name = usual(&self.objects, named)?;
        Ok(Base { sha: self.head(&name)?, name })
    }

    fn file(&self, at: &str, path: &str) -> Result<FileAt, HistoryError> {
        self.objects.file(at, path)
    }

    fn branch(&self, name: &str) -> Result<Option<Branch>, HistoryError> {
        match there(self.head(name))? {
            Some(sha) => self.objects.branch(&sha).map(Some),
            None => Ok(None),
        }
    }

    fn pull(&self, branch: &str, is_open: bool) -> Result<Option<Pull>, HistoryError> {
        let state = if is_open { "open" } else { "closed" };
        let place = self.at(&format!("/pulls?state={state}&sort=recentupdate&limit=50"));
        let (mut found, mut seen) = (None, 0);
        self.objects.asking.pages(&place, None, &mut |items| {
            seen += items.len();
            found = items.iter().find_map(|one| pull(one, branch));
            found.is_none() && (is_open || seen < MOST_CLOSED)
        })?;
        Ok(found)
    }

    fn commit(&self, commit: &Commit<'_>) -> Result<(), HistoryError> {
        let on_top = commit.standing.filter(|_| commit.is_open);
        if commit.standing.is_some() && on_top.is_none() {
            self.remove(commit.branch)?;
        }
        let at = on_top.map_or(commit.base.sha.as_str(), |branch| branch.sha.as_str());
        let mut files = Vec::new();
        for (path, wanted) in commit.wanted {
            let stands = self.file(at, path)?;
            let id = stands.id.map(|(id, _)| id);
            let content = wanted.as_ref().map(|text| STANDARD.encode(text));
            let operation = match (wanted, &stands.found) {
                (Some(text), BaseFile::Text(other)) if text == other => continue,
                (Some(_), BaseFile::Missing) => "create",
                (Some(_), _) => "update",
                (None, BaseFile::Missing) => continue,
                (None, _) => "delete",
            };
            let mut file = json!({ "operation": operation, "path": path });
            for (name, value) in [("content", content), ("sha", id)] {
                if let Some(value) = value {
                    file[name] = json!(value);
                }
            }
            files.push(file);
        }
        let mut made = json!({ "message": commit.message, "files": files });
        match on_top {
            Some(_) => made["branch"] = json!(commit.branch),
            None => {
                made["branch"] = json!(commit.base.name);
                made["new_branch"] = json!(commit.branch);
            }
        }
        self.objects.asking.write("POST", &self.at("/contents"), &made).map(|_| ())
    }

    fn open(&self, branch: &str, base: &str, text: &Text) -> Result<String, HistoryError> {
        open(&self.objects, branch, base, text)
    }

    fn edit(&self, number: u64, base: &str, text: &Text) -> Result<(), HistoryError> {
        edit(&self.objects, number, base, text)
    }

    fn close(&self, number: u64, body: &str) -> Result<(), HistoryError> {
        close(&self.objects, number, body)
    }

    fn remove(&self, branch: &str) -> Result<(), HistoryError> {
        self.objects.asking.write("DELETE", &self.at(&format!("/branches/{}", parts(branch))), &Value::Null).map(|_| ())
    }
}
