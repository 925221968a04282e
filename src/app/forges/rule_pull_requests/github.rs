//! GitHub: several files become one commit through the Git objects API, and our branch is set to it.

use super::objects::Objects;
use super::repository::{Base, Commit, FileAt, Repository, lacks, part, parts, there};
use crate::domain::rules::in_force::pull_request::{Branch, Pull, Text};
use crate::forges::history::HistoryError;
use serde_json::{Value, json};

pub(super) struct Github<'a> {
    pub objects: Objects<'a>,
    pub repository: &'a str,
}

impl Github<'_> {
    fn at(&self, place: &str) -> String {
        format!("{}{place}", self.objects.root)
    }

    fn write(&self, method: &str, place: &str, body: &Value) -> Result<Value, HistoryError> {
        self.objects.asking.write(method, &self.at(place), body)
    }

    fn head(&self, branch: &str) -> Result<String, HistoryError> {
        let found = self.objects.asking.read(&self.at(&format!("/git/ref/heads/{}", parts(branch))), None)?.body;
        lacks(found["object"]["sha"].as_str().map(str::to_owned), "a branch has no head")
    }
}

impl Repository for Github<'_> {
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
        let owner = self.repository.split('/').next().unwrap_or_default();
        let state = if is_open { "open" } else { "closed" };
        let head = part(&format!("{owner}:{branch}"));
        let place = format!("/pulls?state={state}&head={head}&sort=created&direction=desc&per_page=20");
        let found = self.objects.asking.read(&self.at(&place), None)?.body;
        Ok(lacks(found.as_array(), "its pull requests are not a list")?.iter().find_map(|one| pull(one, branch)))
    }

    fn commit(&self, commit: &Commit<'_>) -> Result<(), HistoryError> {
        let sha = |made: &Value| lacks(made["sha"].as_str().map(str::to_owned), "the created object has no id");
        let mut tree = Vec::new();
        for (path, wanted) in commit.wanted {
            let stands = self.file(&commit.base.sha, path)?.id;
            let mode = stands.as_ref().map_or("100644", |(_, mode)| mode.as_str());
            let entry = json!({ "path": path, "mode": mode, "type": "blob" });
            match (wanted, &stands) {
                (Some(text), _) => tree.push(with(entry, "content", json!(text))),
                (None, Some(_)) => tree.push(with(entry, "sha", Value::Null)),
                (None, None) => {}
            }
        }
        let (stands, _) = self.objects.commit(&commit.base.sha)?;
        let tree = self.write("POST", "/git/trees", &json!({ "base_tree": stands["tree"]["sha"], "tree": tree }))?;
        let made = json!({ "message": commit.message, "tree": sha(&tree)?, "parents": [commit.base.sha] });
        let made = sha(&self.write("POST", "/git/commits", &made)?)?;
        match commit.standing {
            Some(_) => {
                let place = format!("/git/refs/heads/{}", parts(commit.branch));
                self.write("PATCH", &place, &json!({ "sha": made, "force": true }))?
            }
            None => {
                let name = format!("refs/heads/{}", commit.branch);
                self.write("POST", "/git/refs", &json!({ "ref": name, "sha": made }))?
            }
        };
        Ok(())
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
        self.write("DELETE", &format!("/git/refs/heads/{}", parts(branch)), &Value::Null).map(|_| ())
    }
}

/// Returns the named branch, or the default one; Gitea uses this too.
pub(super) fn usual(objects: &Objects<'_>, named: &str) -> Result<String, HistoryError> {
    if !named.is_empty() {
        return Ok(named.to_owned());
    }
    let found = objects.asking.read(&objects.root, None)?.body;
    lacks(found["default_branch"].as_str().map(str::to_owned), "the repository has no default branch")
}

pub(super) fn open(objects: &Objects<'_>, branch: &str, base: &str, text: &Text) -> Result<String, HistoryError> {
    let made = json!({ "head": branch, "base": base, "title": text.title, "body": text.body });
    let made = objects.asking.write("POST", &format!("{}/pulls", objects.root), &made)?;
    Ok(made["html_url"].as_str().unwrap_or_default().to_owned())
}

pub(super) fn edit(objects: &Objects<'_>, number: u64, base: &str, text: &Text) -> Result<(), HistoryError> {
    let made = json!({ "base": base, "title": text.title, "body": text.body });
    objects.asking.write("PATCH", &format!("{}/pulls/{number}", objects.root), &made).map(|_| ())
}

pub(super) fn close(objects: &Objects<'_>, number: u64, body: &str) -> Result<(), HistoryError> {
    let made = json!({ "state": "closed", "body": body });
    objects.asking.write("PATCH", &format!("{}/pulls/{number}", objects.root), &made).map(|_| ())
}

/// Returns a pull request in a list, if it is from our branch of this repository and not of a fork.
pub(super) fn pull(one: &Value, branch: &str) -> Option<Pull> {
    let name = |side: &str| one[side]["repo"]["full_name"].as_str().map(str::to_lowercase);
    // GitHub's label puts the owner before the branch. For a removed branch only Gitea's label still has its name.
    let is_from = |name: &str| one["head"][name] == branch;
    let is_ours = (is_from("ref") || is_from("label")) && name("head").is_some() && name("head") == name("base");
    Some(Pull {
        number: one["number"].as_u64()?,
        page: one["html_url"].as_str().unwrap_or_default().to_owned(),
        base: one["base"]["ref"].as_str().unwrap_or_default().to_owned(),
        merged: one["merged_at"].is_string() || one["merged"] == true,
        body: one["body"].as_str().unwrap_or_default().to_owned(),
    })
    .filter(|_| is_ours)
}

fn with(mut entry: Value, name: &str, value: Value) -> Value {
    entry[name] = value;
    entry
}
