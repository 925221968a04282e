//! GitLab: several files become one commit on the base's head, and our branch is set to it.

use super::objects::text as text_of;
use super::repository::{Base, Commit, FileAt, Repository, lacks, part, there};
use crate::domain::rules::in_force::pull_request::{BaseFile, Branch, Pull, Text, made_by_us};
use crate::forges::history::{ApiClient, HistoryError};
use jiff::Timestamp;
use serde_json::{Value, json};

pub(super) struct Gitlab<'a> {
    asking: &'a ApiClient<'a>,
    /// `/projects/owner%2Fname`
    root: String,
}

impl<'a> Gitlab<'a> {
    pub(super) fn new(asking: &'a ApiClient<'a>, repository: &str) -> Gitlab<'a> {
        Gitlab { asking, root: format!("/projects/{}", part(repository)) }
    }

    fn read(&self, place: &str) -> Result<Value, HistoryError> {
        Ok(self.asking.read(&format!("{}{place}", self.root), None)?.body)
    }

    fn write(&self, method: &str, place: &str, body: &Value) -> Result<Value, HistoryError> {
        self.asking.write(method, &format!("{}{place}", self.root), body)
    }

    fn head(&self, branch: &str) -> Result<String, HistoryError> {
        let found = self.read(&format!("/repository/branches/{}", part(branch)))?;
        lacks(found["commit"]["id"].as_str().map(str::to_owned), "a branch has no head")
    }

    /// Returns the type and mode of an entry in a folder.
    fn entry(&self, at: &str, path: &str) -> Result<Option<(String, String)>, HistoryError> {
        let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
        let place = format!("{}/repository/tree?ref={}&path={}&per_page=100", self.root, part(at), part(folder));
        let mut found = None;
        let listed = self.asking.pages(&place, None, &mut |items| {
            found = items.iter().find(|entry| entry["name"] == name).cloned();
            found.is_none()
        });
        if there(listed)?.is_none() {
            return Ok(None);
        }
        let Some(found) = found else { return Ok(None) };
        let text = |name: &str| lacks(found[name].as_str().map(str::to_owned), "a file has no mode");
        Ok(Some((text("type")?, text("mode")?)))
    }
}

impl Repository for Gitlab<'_> {
    fn base(&self, named: &str) -> Result<Base, HistoryError> {
        let name = if named.is_empty() {
            let found = self.read("")?;
            lacks(found["default_branch"].as_str().map(str::to_owned), "the repository has no default branch")?
        } else {
            named.to_owned()
        };
        Ok(Base { sha: self.head(&name)?, name })
    }

    fn file(&self, at: &str, path: &str) -> Result<FileAt, HistoryError> {
        let Some((kind, mode)) = self.entry(at, path)? else {
            return Ok(FileAt { found: BaseFile::Missing, id: None });
        };
        let found = match (kind.as_str(), mode.as_str()) {
            ("blob", "100644" | "100755") => {
                text_of(&self.read(&format!("/repository/files/{}?ref={}", part(path), part(at)))?)?
            }
            ("blob", _) => BaseFile::Other("it is a link"),
            _ => BaseFile::Other("it is a folder"),
        };
        Ok(FileAt { found, id: Some((String::new(), mode)) })
    }

    fn branch(&self, name: &str) -> Result<Option<Branch>, HistoryError> {
        let Some(sha) = there(self.head(name))? else { return Ok(None) };
        // The branch response may omit the parents.
        let commit = self.read(&format!("/repository/commits/{}", part(&sha)))?;
        let at = |name: &str| commit[name].as_str().and_then(|text| text.parse::<Timestamp>().ok());
        let parents = commit["parent_ids"].as_array().map_or(0, Vec::len);
        let message = commit["message"].as_str().unwrap_or_default();
        let content_hash = made_by_us(message, parents, at("authored_date"), at("committed_date"));
        Ok(Some(Branch { sha, content_hash }))
    }

    fn pull(&self, branch: &str, is_open: bool) -> Result<Option<Pull>, HistoryError> {
        let state = if is_open { "opened" } else { "all" };
        let found = self.read(&format!(
            "/merge_requests?state={state}&source_branch={}&order_by=created_at&sort=desc&per_page=20",
            part(branch)
        ))?;
        let pull = |one: &Value| {
            let is_ours = one["source_project_id"] == one["target_project_id"] && one["source_branch"] == branch;
            Some(Pull {
                number: one["iid"].as_u64()?,
                page: one["web_url"].as_str().unwrap_or_default().to_owned(),
                base: one["target_branch"].as_str().unwrap_or_default().to_owned(),
                merged: one["state"] == "merged",
                body: one["description"].as_str().unwrap_or_default().to_owned(),
            })
            .filter(|_| is_ours && (one["state"] == "opened") == is_open)
        };
        Ok(lacks(found.as_array(), "its merge requests are not a list")?.iter().find_map(pull))
    }

    fn commit(&self, commit: &Commit<'_>) -> Result<(), HistoryError> {
        let mut actions = Vec::new();
        for (path, wanted) in commit.wanted {
            let stands = self.file(&commit.base.sha, path)?.found;
            match (wanted, stands) {
                (Some(text), BaseFile::Text(other)) if *text == other => {}
                (Some(text), BaseFile::Missing) => {
                    actions.push(json!({ "action": "create", "file_path": path, "content": text }));
                }
                (Some(text), _) => actions.push(json!({ "action": "update", "file_path": path, "content": text })),
                (None, BaseFile::Missing) => {}
                (None, _) => actions.push(json!({ "action": "delete", "file_path": path })),
            }
        }
        let mut made = json!({
            "branch": commit.branch, "start_sha": commit.base.sha, "commit_message": commit.message, "actions": actions,
        });
        if commit.standing.is_some() {
            made["force"] = json!(true);
        }
        self.write("POST", "/repository/commits", &made).map(|_| ())
    }

    fn open(&self, branch: &str, base: &str, text: &Text) -> Result<String, HistoryError> {
        let made = json!({
            "source_branch": branch, "target_branch": base, "title": text.title, "description": text.body,
            "remove_source_branch": true,
        });
        let made = self.write("POST", "/merge_requests", &made)?;
        Ok(made["web_url"].as_str().unwrap_or_default().to_owned())
    }

    fn edit(&self, number: u64, base: &str, text: &Text) -> Result<(), HistoryError> {
        let made = json!({ "target_branch": base, "title": text.title, "description": text.body });
        self.write("PUT", &format!("/merge_requests/{number}"), &made).map(|_| ())
    }

    fn close(&self, number: u64, body: &str) -> Result<(), HistoryError> {
        let made = json!({ "state_event": "close", "description": body });
        self.write("PUT", &format!("/merge_requests/{number}"), &made).map(|_| ())
    }

    fn remove(&self, branch: &str) -> Result<(), HistoryError> {
        self.write("DELETE", &format!("/repository/branches/{}", part(branch)), &Value::Null).map(|_| ())
    }
}
