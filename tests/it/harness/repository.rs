//! A repository on a forge that accepts commits and pull requests, in the shapes of GitHub's, Gitea's and GitLab's API.
//! It rejects what a forge rejects: an existing branch, a second pull request, a file changed meanwhile.

use super::forge::{Answered, Asked};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use feedbackd::text::ids::short_hash;
use jiff::Timestamp;
use percent_encoding::percent_decode_str;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// Path to mode and content.
pub type Files = BTreeMap<String, (String, String)>;

#[derive(Clone)]
pub struct Commit {
    pub message: String,
    pub parents: Vec<String>,
    pub written: i64,
    pub committed: i64,
    pub files: Files,
}

#[derive(Clone, Debug)]
pub struct Pull {
    pub number: u64,
    pub head: String,
    pub base: String,
    pub title: String,
    pub body: String,
    /// `open`, `closed` or `merged`
    pub state: &'static str,
}

pub struct Repository {
    kind: &'static str,
    commits: Vec<Commit>,
    /// Branches with the id of their head.
    pub branches: BTreeMap<String, String>,
    pub pulls: Vec<Pull>,
    uploads: Vec<Files>,
}

impl Repository {
    /// Creates it with a file by people on `main`.
    pub fn new(kind: &'static str) -> Repository {
        let mut new = Repository { kind, commits: vec![], branches: BTreeMap::new(), pulls: vec![], uploads: vec![] };
        new.push("main", "First", |files| {
            files.insert("AGENTS.md".to_owned(), ("100644".to_owned(), "# Shop\n".to_owned()));
            files.insert("src/main.rs".to_owned(), ("100644".to_owned(), "fn main() {}\n".to_owned()));
        });
        new
    }

    /// Returns the start of its API's path.
    pub fn base(&self) -> &'static str {
        match self.kind {
            "github" => "",
            "gitlab" => "/api/v4",
            _ => "/api/v1",
        }
    }

    /// Commits as a person.
    pub fn push(&mut self, branch: &str, message: &str, edit: impl FnOnce(&mut Files)) {
        let parents: Vec<String> = self.branches.get(branch).into_iter().cloned().collect();
        let mut files = parents.first().map(|parent| self.commit(parent).files.clone()).unwrap_or_default();
        edit(&mut files);
        let id = self.add(message, parents, files);
        self.branches.insert(branch.to_owned(), id);
    }

    /// Amends the head as a person.
    pub fn amend(&mut self, branch: &str, edit: impl FnOnce(&mut Files)) {
        let mut head = self.commit(&self.branches[branch]).clone();
        edit(&mut head.files);
        head.committed += 3_600;
        self.commits.push(head);
        self.branches.insert(branch.to_owned(), id(self.commits.len()));
    }

    /// Merges the open pull request as a person.
    pub fn merge(&mut self) {
        let pull = self.pulls.iter_mut().find(|pull| pull.state == "open").expect("an open pull request");
        pull.state = "merged";
        let (head, base) = (pull.head.clone(), pull.base.clone());
        let files = self.at(&head);
        self.push(&base, "Merge", |all| *all = files);
    }

    /// Returns the files of a branch.
    pub fn at(&self, branch: &str) -> Files {
        self.commit(&self.branches[branch]).files.clone()
    }

    pub fn head(&self, branch: &str) -> &Commit {
        self.commit(&self.branches[branch])
    }

    pub fn open(&self) -> Option<&Pull> {
        self.pulls.iter().find(|pull| pull.state == "open")
    }

    fn commit(&self, id: &str) -> &Commit {
        &self.commits[usize::from_str_radix(id, 16).expect("an id") - 1]
    }

    fn add(&mut self, message: &str, parents: Vec<String>, files: Files) -> String {
        let at = 1_790_000_000 + i64::try_from(self.commits.len()).expect("few") * 60;
        self.commits.push(Commit { message: message.to_owned(), parents, written: at, committed: at, files });
        id(self.commits.len())
    }

    /// Answers as the forge does.
    pub fn answer(&mut self, asked: &Asked) -> Answered {
        let (place, _) = asked.path.split_once('?').unwrap_or((&asked.path, ""));
        let root = if self.kind == "gitlab" { "/projects/team%2Fshop" } else { "/repos/team/shop" };
        let Some(place) = place.strip_prefix(self.base()).and_then(|place| place.strip_prefix(root)) else {
            return Answered::status(404);
        };
        let parts: Vec<String> =
            place.split('/').skip(1).map(|part| percent_decode_str(part).decode_utf8_lossy().into_owned()).collect();
        let parts: Vec<&str> = parts.iter().map(String::as_str).collect();
        match self.kind {
            "gitlab" => self.gitlab(asked, &parts),
            "github" => self.github(asked, &parts),
            _ => self.gitea(asked, &parts),
        }
    }

    fn github(&mut self, asked: &Asked, parts: &[&str]) -> Answered {
        let body = &asked.body;
        match (asked.method.as_str(), parts) {
            ("GET", ["git", "ref", "heads", branch @ ..]) => match self.branches.get(&branch.join("/")) {
                Some(id) => Answered::json(&json!({ "object": { "sha": id } })),
                None => Answered::status(404),
            },
            ("GET", ["git", "commits", id]) => Answered::json(&self.said(id)),
            ("POST", ["git", "trees"]) => {
                let base = body["base_tree"].as_str().and_then(|tree| tree.strip_prefix("tree-")).expect("a tree");
                let mut files = self.commit(base).files.clone();
                for entry in body["tree"].as_array().expect("entries") {
                    let (path, mode) = (text(&entry["path"]), text(&entry["mode"]));
                    match entry.get("content") {
                        Some(content) => files.insert(path, (mode, text(content))),
                        None => files.remove(&path),
                    };
                }
                self.uploads.push(files);
                created(&json!({ "sha": format!("upload-{}", self.uploads.len() - 1) }))
            }
            ("POST", ["git", "commits"]) => {
                let upload = body["tree"].as_str().and_then(|tree| tree.strip_prefix("upload-")).expect("a tree");
                let files = self.uploads[upload.parse::<usize>().expect("a number")].clone();
                let parents = body["parents"].as_array().expect("parents").iter().map(text).collect();
                created(&json!({ "sha": self.add(&text(&body["message"]), parents, files) }))
            }
            ("POST", ["git", "refs"]) => {
                let name = text(&body["ref"]).replace("refs/heads/", "");
                if self.branches.contains_key(&name) {
                    return Answered::status(422);
                }
                self.branches.insert(name, text(&body["sha"]));
                created(&json!({}))
            }
            ("PATCH", ["git", "refs", "heads", branch @ ..]) => {
                assert_eq!(body["force"], true);
                self.branches.insert(branch.join("/"), text(&body["sha"]));
                Answered::json(&json!({}))
            }
            ("DELETE", ["git", "refs", "heads", branch @ ..]) => self.delete(&branch.join("/")),
            _ => self.shared(asked, parts),
        }
    }

    fn gitea(&mut self, asked: &Asked, parts: &[&str]) -> Answered {
        let body = &asked.body;
        match (asked.method.as_str(), parts) {
            ("GET", ["branches", branch @ ..]) => match self.branches.get(&branch.join("/")) {
                Some(id) => Answered::json(&json!({ "commit": { "id": id } })),
                None => Answered::status(404),
            },
            ("GET", ["git", "commits", id]) => {
                let said = self.said(id);
                Answered::json(&json!({ "sha": id, "parents": said["parents"], "commit": said }))
            }
            ("POST", ["contents"]) => {
                let from = text(&body["branch"]);
                let to = body.get("new_branch").map_or(from.clone(), text);
                if to != from && self.branches.contains_key(&to) {
                    return Answered::status(409);
                }
                let parent = self.branches[&from].clone();
                let mut files = self.commit(&parent).files.clone();
                for file in body["files"].as_array().filter(|files| !files.is_empty()).expect("files") {
                    let path = text(&file["path"]);
                    let stands = files.get(&path).map(|(_, content)| blob(content));
                    if file.get("sha").map(text) != stands || (file["operation"] == "create") != stands.is_none() {
                        return Answered::status(422);
                    }
                    if file["operation"] == "delete" {
                        files.remove(&path);
                        continue;
                    }
                    let bytes = STANDARD.decode(text(&file["content"])).expect("base64");
                    files.insert(path, ("100644".to_owned(), String::from_utf8(bytes).expect("text")));
                }
                let id = self.add(&text(&body["message"]), vec![parent], files);
                self.branches.insert(to, id);
                created(&json!({}))
            }
            ("DELETE", ["branches", branch @ ..]) => self.delete(&branch.join("/")),
            _ => self.shared(asked, parts),
        }
    }

    /// Answers what GitHub and Gitea have in common.
    fn shared(&mut self, asked: &Asked, parts: &[&str]) -> Answered {
        let body = &asked.body;
        match (asked.method.as_str(), parts) {
            ("GET", []) => Answered::json(&json!({ "default_branch": "main" })),
            ("GET", ["git", "trees", tree]) => {
                let (commit, folder) = tree.split_once('~').unwrap_or((tree, ""));
                Answered::json(&json!({ "tree": self.folder(commit, &folder.replace('~', "/")), "truncated": false }))
            }
            ("GET", ["git", "blobs", id]) => {
                let all = self.commits.iter().flat_map(|commit| commit.files.values());
                let found = all.map(|(_, content)| content).find(|content| blob(content) == *id).expect("a blob");
                Answered::json(&json!({ "content": lines(found), "encoding": "base64" }))
            }
            ("GET", ["pulls"]) => {
                let state = asked.query("state").expect("a state");
                let all = self.pulls.iter().rev().filter(|pull| (pull.state == "open") == (state == "open"));
                let is_github = self.kind == "github";
                let head = asked.query("head").map(|head| percent_decode_str(head).decode_utf8_lossy().into_owned());
                let all = all.filter(|pull| !is_github || head == Some(format!("team:{}", pull.head)));
                Answered::json(&all.map(|pull| self.pull(pull)).collect())
            }
            ("POST", ["pulls"]) => match self.opened(&body["head"], &body["base"], &body["title"], &body["body"]) {
                Some(pull) => created(&self.pull(&pull)),
                None => Answered::status(422),
            },
            ("PATCH", ["pulls", number]) => {
                let closes = body["state"] == "closed";
                self.edited(number, body, "base", "body", closes)
            }
            _ => Answered::status(404),
        }
    }

    fn gitlab(&mut self, asked: &Asked, parts: &[&str]) -> Answered {
        let body = &asked.body;
        match (asked.method.as_str(), parts) {
            ("GET", []) => Answered::json(&json!({ "default_branch": "main" })),
            ("GET", ["repository", "branches", branch]) => match self.branches.get(*branch) {
                Some(id) => Answered::json(&json!({ "commit": { "id": id, "parent_ids": [] } })),
                None => Answered::status(404),
            },
            ("GET", ["repository", "commits", id]) => {
                let commit = self.commit(id);
                Answered::json(&json!({
                    "id": id, "message": commit.message, "parent_ids": commit.parents,
                    "authored_date": time(commit.written), "committed_date": time(commit.committed),
                }))
            }
            ("GET", ["repository", "tree"]) => {
                let folder = percent_decode_str(asked.query("path").expect("a path")).decode_utf8_lossy();
                match self.folder(asked.query("ref").expect("a commit"), &folder) {
                    all if all.is_empty() => Answered::status(404),
                    all => Answered::json(&json!(all)),
                }
            }
            ("GET", ["repository", "files", path]) => {
                match self.commit(asked.query("ref").expect("a commit")).files.get(*path) {
                    Some((_, content)) => Answered::json(&json!({ "content": lines(content) })),
                    None => Answered::status(404),
                }
            }
            ("POST", ["repository", "commits"]) => {
                let branch = text(&body["branch"]);
                if self.branches.contains_key(&branch) && body["force"] != true {
                    return Answered::status(400);
                }
                let parent = text(&body["start_sha"]);
                let mut files = self.commit(&parent).files.clone();
                for action in body["actions"].as_array().filter(|actions| !actions.is_empty()).expect("actions") {
                    let path = text(&action["file_path"]);
                    if (action["action"] == "create") == files.contains_key(&path) {
                        return Answered::status(400);
                    }
                    match action["action"].as_str() {
                        Some("delete") => files.remove(&path),
                        _ => files.insert(path, ("100644".to_owned(), text(&action["content"]))),
                    };
                }
                let id = self.add(&text(&body["commit_message"]), vec![parent], files);
                self.branches.insert(branch, id);
                created(&json!({}))
            }
            ("DELETE", ["repository", "branches", branch]) => self.delete(branch),
            ("GET", ["merge_requests"]) => {
                let (state, head) = (asked.query("state").expect("a state"), asked.query("source_branch"));
                let head = head.map(|head| percent_decode_str(head).decode_utf8_lossy().into_owned());
                let all = self.pulls.iter().rev().filter(|pull| Some(&pull.head) == head.as_ref());
                let all = all.filter(|pull| state == "all" || pull.state == "open");
                Answered::json(&all.map(|pull| self.pull(pull)).collect())
            }
            ("POST", ["merge_requests"]) => {
                let (head, base) = (&body["source_branch"], &body["target_branch"]);
                match self.opened(head, base, &body["title"], &body["description"]) {
                    Some(pull) => created(&self.pull(&pull)),
                    None => Answered::status(409),
                }
            }
            ("PUT", ["merge_requests", number]) => {
                let closes = body["state_event"] == "close";
                self.edited(number, body, "target_branch", "description", closes)
            }
            _ => Answered::status(404),
        }
    }

    fn delete(&mut self, branch: &str) -> Answered {
        assert_ne!(branch, "main");
        match self.branches.remove(branch) {
            Some(_) => {
                // As forges do.
                self.pulls
                    .iter_mut()
                    .filter(|one| one.head == branch && one.state == "open")
                    .for_each(|one| one.state = "closed");
                Answered { status: 204, ..Answered::default() }
            }
            None => Answered::status(404),
        }
    }

    fn opened(&mut self, head: &Value, base: &Value, title: &Value, body: &Value) -> Option<Pull> {
        let head = text(head);
        if self.pulls.iter().any(|pull| pull.head == head && pull.state == "open") {
            return None;
        }
        let number = self.pulls.len() as u64 + 1;
        let pull = Pull { number, head, base: text(base), title: text(title), body: text(body), state: "open" };
        self.pulls.push(pull.clone());
        Some(pull)
    }

    fn edited(&mut self, number: &str, said: &Value, base: &str, body: &str, closes: bool) -> Answered {
        let number: usize = number.parse().expect("a number");
        let pull = &mut self.pulls[number - 1];
        for (field, to) in [(base, &mut pull.base), ("title", &mut pull.title), (body, &mut pull.body)] {
            if let Some(new) = said.get(field) {
                *to = text(new);
            }
        }
        if closes {
            pull.state = "closed";
        }
        Answered::json(&json!({}))
    }

    /// Returns a commit as in GitHub's Git object API.
    fn said(&self, id: &str) -> Value {
        let commit = self.commit(id);
        let parents: Vec<Value> = commit.parents.iter().map(|parent| json!({ "sha": parent })).collect();
        json!({
            "sha": id, "message": commit.message, "parents": parents, "tree": { "sha": format!("tree-{id}") },
            "author": { "date": time(commit.written) }, "committer": { "date": time(commit.committed) },
        })
    }

    /// Lists a folder.
    fn folder(&self, commit: &str, folder: &str) -> Vec<Value> {
        let prefix = if folder.is_empty() { String::new() } else { format!("{folder}/") };
        let mut all: BTreeMap<&str, Value> = BTreeMap::new();
        for (path, (mode, content)) in &self.commit(commit).files {
            let Some(rest) = path.strip_prefix(&prefix) else { continue };
            let (name, entry) = match rest.split_once('/') {
                Some((name, _)) => {
                    let id = format!("{commit}~{}{name}", prefix.replace('/', "~"));
                    (name, json!({ "type": "tree", "mode": "040000", "sha": id }))
                }
                None => (rest, json!({ "type": "blob", "mode": mode, "sha": blob(content) })),
            };
            let mut entry = entry;
            (entry["path"], entry["name"]) = (json!(name), json!(name));
            all.insert(name, entry);
        }
        all.into_values().collect()
    }

    fn pull(&self, pull: &Pull) -> Value {
        let repo = json!({ "full_name": "team/shop" });
        if self.kind == "gitlab" {
            let state = if pull.state == "open" { "opened" } else { pull.state };
            return json!({
                "iid": pull.number, "web_url": format!("https://git.example.org/{}", pull.number), "state": state,
                "source_branch": pull.head, "target_branch": pull.base, "description": pull.body, "title": pull.title,
                "source_project_id": 1, "target_project_id": 1,
            });
        }
        // If the branch was removed, only Gitea's label has its name.
        let is_there = self.kind == "github" || self.branches.contains_key(&pull.head);
        let (head, label) = match self.kind {
            "github" => (pull.head.clone(), format!("team:{}", pull.head)),
            _ if is_there => (pull.head.clone(), pull.head.clone()),
            _ => (format!("refs/pull/{}/head", pull.number), pull.head.clone()),
        };
        json!({
            "number": pull.number, "html_url": format!("https://git.example.org/{}", pull.number),
            "state": if pull.state == "open" { "open" } else { "closed" }, "title": pull.title, "body": pull.body,
            "merged_at": (pull.state == "merged").then(|| time(1_790_000_000)),
            "head": { "ref": head, "label": label, "repo": repo }, "base": { "ref": pull.base, "repo": repo },
        })
    }
}

fn id(number: usize) -> String {
    format!("{number:040x}")
}

fn blob(content: &str) -> String {
    short_hash(&["blob", content])
}

/// Encodes in base64, broken into lines as GitHub does.
fn lines(content: &str) -> String {
    let text = STANDARD.encode(content);
    text.as_bytes().chunks(60).map(|line| String::from_utf8_lossy(line) + "\n").collect()
}

fn time(second: i64) -> String {
    Timestamp::from_second(second).expect("a time").to_string()
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_else(|| panic!("{value} is no text")).to_owned()
}

fn created(body: &Value) -> Answered {
    Answered { status: 201, ..Answered::json(body) }
}
