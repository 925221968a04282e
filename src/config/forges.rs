//! The section about forges: which may send webhooks, and whose work their reviews are about.

use super::model::is_trusted_url;
use super::problem::{ConfigError, read_file};
use super::secret::Secret;
use super::targets::TargetConfig;
use crate::text::ids::{Gate, safe_name};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// The minimum bytes of a secret: fewer can be guessed.
const SHORTEST_SECRET: usize = 16;

/// Gerrit's SSH port.
const GERRIT_PORT: u16 = 29_418;

/// `[forges]`
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ForgesConfig {
    /// The forges.
    #[serde(default)]
    pub connected: Vec<ForgeConfig>,
    /// How long a review must be quiet before its parts become one decision, in seconds.
    pub gather_seconds: u64,
    /// How long received deliveries are remembered, in days.
    pub remember_days: u64,
    /// The repository files that should contain an agent's rules.
    #[serde(default)]
    pub targets: Vec<TargetConfig>,
    /// How often the daemon checks those files, in minutes; 0: never.
    pub offer_minutes: u64,
}

/// `[[forges.connected]]`
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ForgeConfig {
    /// Its name; its address is `/hooks/<name>`.
    pub name: String,
    /// The kind of forge.
    pub kind: ForgeKind,
    /// Files that each hold only a secret: one or, during rotation, two.
    #[serde(default)]
    pub secret_files: Vec<PathBuf>,
    /// The gate for its reviews.
    #[serde(default = "code_gate")]
    pub gate: String,
    /// Whose work it is; the first match counts.
    #[serde(default)]
    pub agents: Vec<AgentClaim>,
    /// The agent for work that matches none of them; empty: such work is ignored.
    #[serde(default)]
    pub default_agent: String,
    /// Maps accounts to people on the roster.
    #[serde(default)]
    pub people: BTreeMap<String, String>,
    /// Ignored accounts.
    #[serde(default)]
    pub ignore: Vec<String>,
    /// Whose comments count, by their role in the repository; empty: the default roles of its kind. On Gerrit these are
    /// groups.
    #[serde(default)]
    pub heard_from: Vec<String>,
    /// Prefixes of the branches of pull requests for rules.
    #[serde(default = "own_branches")]
    pub own_branches: Vec<String>,
    /// The base URL of its API; empty: that of github.com or gitlab.com.
    #[serde(default)]
    pub api_url: String,
    /// A file that holds only the token for its API; empty: none is sent.
    #[serde(default)]
    pub token_file: PathBuf,
    /// The token itself, if from the environment; never from a file.
    #[serde(skip)]
    pub key: Option<Secret>,
    /// How often its API is polled for what webhooks lost, in minutes; 0: never.
    #[serde(default)]
    pub poll_minutes: u64,
    /// The repositories to poll, as `owner/name`; on Gerrit projects, to which its stream is restricted as well.
    #[serde(default)]
    pub repositories: Vec<String>,
    /// Gerrit's SSH event stream, as `ssh://user@host:29418`; empty: not used.
    #[serde(default)]
    pub ssh: String,
    /// The key to log in with; empty: the defaults of `ssh`.
    #[serde(default)]
    pub ssh_key_file: PathBuf,
    /// The known hosts file; empty: the default of `ssh`.
    #[serde(default)]
    pub ssh_known_hosts_file: PathBuf,
    /// The program that connects; takes the arguments of OpenSSH.
    #[serde(default = "ssh_program")]
    pub ssh_program: PathBuf,
}

/// A kind of forge.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema, strum::Display, strum::EnumString)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase")]
pub enum ForgeKind {
    Github,
    Gitlab,
    Gitea,
    Forgejo,
    Gerrit,
}

/// Determines whose work it is.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AgentClaim {
    /// The agent, as named by its rules.
    pub agent: String,
    /// The account that opened the pull request.
    #[serde(default)]
    pub author: String,
    /// The prefix of the branch's name.
    #[serde(default)]
    pub branch: String,
    /// The text in a line of the description.
    #[serde(default)]
    pub trailer: String,
}

impl ForgesConfig {
    /// Returns faults of the forges that no single key shows.
    pub(super) fn faults(&self) -> Vec<(&'static str, String)> {
        let mut names = BTreeSet::new();
        let mut faults = self.target_faults();
        for (n, forge) in self.connected.iter().enumerate() {
            let shown = if forge.is_named() { forge.name.clone() } else { format!("entry {}", n + 1) };
            let another = (names.insert(&forge.name), "another forge has the same name");
            let wrong = forge.checks().into_iter().chain([another]).filter(|(right, _)| !right);
            faults.extend(wrong.map(|(_, wrong)| ("forges.connected", format!("{shown}: {wrong}"))));
        }
        faults
    }

    /// Returns faults of the targets: `serve` would have nothing to ask, or two would conflict.
    fn target_faults(&self) -> Vec<(&'static str, String)> {
        let place = |target: &TargetConfig| {
            let forge = self.connected.iter().find(|forge| forge.name == target.forge);
            (forge.and_then(ForgeConfig::api), target.repository.to_lowercase())
        };
        let mut faults = Vec::new();
        for (n, target) in self.targets.iter().enumerate() {
            let forge = self.connected.iter().find(|forge| forge.name == target.forge);
            let before = || self.targets[..n].iter().filter(|other| place(other) == place(target));
            let branch = before().any(|other| safe_name(&other.agent) == safe_name(&target.agent));
            let file = before().any(|other| other.shares_a_file(target));
            let checks = [
                (forge.is_some(), "its `forge` must be the `name` of one of [[forges.connected]]"),
                (
                    forge.is_none_or(|forge| forge.kind != ForgeKind::Gerrit && forge.api().is_some()),
                    "its forge needs an `api_url`, and must not be Gerrit: pull requests are opened through the API",
                ),
                (
                    forge.is_none_or(|forge| forge.token_file != Path::new("")),
                    "its forge needs a `token_file`: pull requests cannot be opened without a token",
                ),
                (is_repository(&target.repository), "its `repository` must be written OWNER/NAME"),
                (!branch, "another target has the same repository and agent: both would use one branch"),
                (branch || !file, "another target writes one of its files: each would remove what the other wrote"),
            ];
            let wrong = checks.into_iter().chain(target.checks()).filter(|(right, _)| !right);
            faults.extend(wrong.map(|(_, wrong)| ("forges.targets", format!("entry {}: {wrong}", n + 1))));
        }
        faults
    }
}

impl ForgeConfig {
    /// Returns a forge of this kind, with the defaults of all other keys.
    pub fn new(name: &str, kind: ForgeKind) -> ForgeConfig {
        ForgeConfig {
            name: name.to_owned(),
            kind,
            secret_files: Vec::new(),
            gate: code_gate(),
            agents: Vec::new(),
            default_agent: String::new(),
            people: BTreeMap::new(),
            ignore: Vec::new(),
            heard_from: Vec::new(),
            own_branches: own_branches(),
            api_url: String::new(),
            token_file: PathBuf::new(),
            key: None,
            poll_minutes: 0,
            repositories: Vec::new(),
            ssh: String::new(),
            ssh_key_file: PathBuf::new(),
            ssh_known_hosts_file: PathBuf::new(),
            ssh_program: ssh_program(),
        }
    }

    /// Returns its secrets, the permanent one first.
    ///
    /// # Errors
    /// [`ConfigError::Unreadable`] if a file cannot be read; [`ConfigError::Syntax`] if its secret is too short.
    pub fn secrets(&self) -> Result<Vec<Secret>, ConfigError> {
        let read = |path: &PathBuf| {
            let text = read_file(path, "forges.connected: secret_files")?;
            let text = text.trim();
            if text.len() < SHORTEST_SECRET {
                let message = format!(
                    "a forge's secret needs {SHORTEST_SECRET} characters or more; generate one with `openssl rand \
                     -hex 32`"
                );
                return Err(ConfigError::Syntax { path: path.clone(), message });
            }
            Ok(Secret::new(text))
        };
        self.secret_files.iter().map(read).collect()
    }

    /// Returns the token for its API, if any.
    ///
    /// # Errors
    /// [`ConfigError::Unreadable`] if the file cannot be read.
    pub fn token(&self) -> Result<Option<Secret>, ConfigError> {
        if self.key.is_some() || self.token_file == Path::new("") {
            return Ok(self.key.clone());
        }
        Ok(Some(Secret::new(read_file(&self.token_file, "forges.connected: token_file")?.trim())))
    }

    /// Returns the base URL of its API; `None` if there is no default and none is set.
    pub fn api(&self) -> Option<&str> {
        match (self.api_url.as_str(), self.kind) {
            ("", ForgeKind::Github) => Some("https://api.github.com"),
            ("", ForgeKind::Gitlab) => Some("https://gitlab.com/api/v4"),
            ("", ForgeKind::Gitea | ForgeKind::Forgejo | ForgeKind::Gerrit) => None,
            (named, _) => Some(named),
        }
    }

    fn is_named(&self) -> bool {
        let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
        (1..=40).contains(&self.name.len()) && self.name.chars().all(plain)
    }

    /// Reports whether a text names a repository in the form that its kind uses.
    pub fn names(&self, repository: &str) -> bool {
        match self.kind {
            ForgeKind::Gerrit => is_project(repository),
            _ => is_repository(repository),
        }
    }

    /// Reports whether its API can be asked for more than public data.
    pub fn can_be_asked(&self) -> bool {
        (self.key.is_some() || self.token_file != Path::new("")) && self.api().is_some()
    }

    /// Reports whether each of `heard_from` is a role that its kind of forge has.
    fn hears_parts(&self) -> bool {
        let known: &[&str] = match self.kind {
            ForgeKind::Github => &[
                "owner",
                "member",
                "collaborator",
                "contributor",
                "first_time_contributor",
                "first_timer",
                "mannequin",
                "none",
            ],
            ForgeKind::Gitlab => &["owner", "maintainer", "developer", "reporter", "planner", "guest", "none"],
            ForgeKind::Gitea | ForgeKind::Forgejo => &["owner", "admin", "write", "read", "none"],
            ForgeKind::Gerrit => return self.heard_from.iter().all(|group| !group.trim().is_empty()),
        };
        self.heard_from
            .iter()
            .all(|part| known.contains(&part.as_str()) || ["anyone", "deleted"].contains(&part.as_str()))
    }

    fn checks(&self) -> [(bool, &'static str); 13] {
        let says = |claim: &AgentClaim| {
            let by = [&claim.author, &claim.branch, &claim.trailer].iter().filter(|by| !by.is_empty()).count();
            by == 1 && !claim.agent.is_empty()
        };
        [
            (self.is_named(), "its `name` must be letters, digits, - and _, 40 at most"),
            (
                matches!(self.secret_files.len(), 1 | 2)
                    || self.secret_files.is_empty() && (!self.ssh.is_empty() || self.poll_minutes > 0),
                "`secret_files` must name one or two files, because without a secret anyone could send reviews; or set \
                 `poll_minutes`, and use no webhook",
            ),
            (
                self.ssh.is_empty() || self.kind == ForgeKind::Gerrit && SshAddress::parse(&self.ssh).is_some(),
                "its `ssh` must be written ssh://USER@HOST:PORT, and is for Gerrit only",
            ),
            (
                [&self.ssh_key_file, &self.ssh_known_hosts_file].iter().all(|file| is_plain(file)),
                "its `ssh_key_file` and `ssh_known_hosts_file` must not contain %, \" or line breaks",
            ),
            (
                !self.ssh.is_empty()
                    || [&self.ssh_key_file, &self.ssh_known_hosts_file].iter().all(|file| *file == Path::new("")),
                "`ssh_key_file` and `ssh_known_hosts_file` need `ssh`, which is not set",
            ),
            (
                self.api_url.is_empty() || is_trusted_url(&self.api_url),
                "its `api_url` must begin with https://, or with http:// if it is on this machine",
            ),
            (self.poll_minutes <= 10_080, "its `poll_minutes` must be at most 10080 (a week); 0: never"),
            (
                self.repositories.iter().all(|name| self.names(name)),
                "each of `repositories` must be written OWNER/NAME, or be a project's name on Gerrit",
            ),
            (
                self.poll_minutes == 0 || !self.repositories.is_empty() && self.api().is_some(),
                "with `poll_minutes` it needs `repositories`, and `api_url` if its kind has no default",
            ),
            (Gate::parse(&self.gate).is_some(), "its `gate` is invalid; use one such as HITL-4"),
            (
                self.hears_parts(),
                "each of `heard_from` must be a role that its kind of forge gives to accounts, in lower case: on \
                 GitHub owner, member, collaborator, contributor, first_time_contributor, first_timer, mannequin or \
                 none, on GitLab owner, maintainer, developer, reporter, planner, guest or none, on Gitea and Forgejo \
                 owner, admin, write, read or none, on Gerrit the name of a group; or anyone, or deleted",
            ),
            (
                matches!(self.kind, ForgeKind::Github)
                    || self.heard_from.iter().all(|part| part == "anyone")
                    || self.can_be_asked(),
                "with `heard_from` it needs `token_file`, and `api_url` if its kind has no default: only the API \
                 knows who belongs to a repository",
            ),
            (
                self.agents.iter().all(says),
                "each of `agents` needs an `agent` and one of `author`, `branch` and `trailer`",
            ),
        ]
    }
}

/// Reports whether a text names a repository of a forge: `owner/name`. It becomes part of URLs.
pub fn is_repository(text: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    let is_name = |name: &str| !name.is_empty() && name.chars().all(plain) && !matches!(name, "." | "..");
    text.contains('/') && text.split('/').all(is_name) && text.len() <= 200
}

/// Reports whether a text names a Gerrit project, possibly in folders. It becomes part of URLs and queries.
pub fn is_project(text: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | '+' | '~' | '@');
    let is_name = |name: &str| !name.is_empty() && name.chars().all(plain) && !matches!(name, "." | "..");
    text.split('/').all(is_name) && text.len() <= 200
}

/// An SSH login address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SshAddress {
    pub user: String,
    pub host: String,
    pub port: u16,
}

impl SshAddress {
    /// Parses `ssh://user@host:port`; the default is Gerrit's port. Neither user nor host may look like an option.
    pub fn parse(text: &str) -> Option<SshAddress> {
        let (user, place) = text.strip_prefix("ssh://")?.trim_end_matches('/').split_once('@')?;
        let (host, port) = match place.strip_prefix('[').and_then(|place| place.split_once(']')) {
            Some((host, "")) => (host, None),
            Some((host, port)) => (host, Some(port.strip_prefix(':')?)),
            None => place.split_once(':').map_or((place, None), |(host, port)| (host, Some(port))),
        };
        let is_plain = |text: &str, more: &str| {
            let plain = |c: char| c.is_ascii_alphanumeric() || more.contains(c);
            !text.is_empty() && !text.starts_with('-') && text.len() <= 255 && text.chars().all(plain)
        };
        let port = port.map_or(Some(GERRIT_PORT), |port| port.parse().ok().filter(|port| *port > 0))?;
        let is_right = is_plain(user, "-_.+") && is_plain(host, "-_.:");
        is_right.then(|| SshAddress { user: user.to_owned(), host: host.to_owned(), port })
    }
}

/// Reports whether a path is safe in an option of `ssh`, which interprets some characters.
fn is_plain(path: &Path) -> bool {
    path.to_str().is_some_and(|path| !path.contains(|c: char| c.is_control() || matches!(c, '%' | '"' | '\\' | '$')))
}

fn ssh_program() -> PathBuf {
    PathBuf::from("ssh")
}

fn code_gate() -> String {
    "HITL-4".to_owned()
}

fn own_branches() -> Vec<String> {
    vec!["feedbackd/".to_owned()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_of_ssh_is_no_option_and_no_command() {
        let read = |text: &str| SshAddress::parse(text).map(|to| format!("{} {} {}", to.user, to.host, to.port));
        assert_eq!(read("ssh://bot@git.example.org:29418").as_deref(), Some("bot git.example.org 29418"));
        assert_eq!(read("ssh://bot@git.example.org/").as_deref(), Some("bot git.example.org 29418"));
        assert_eq!(read("ssh://bot@[2001:db8::1]:22").as_deref(), Some("bot 2001:db8::1 22"));
        for wrong in [
            "git.example.org",
            "ssh://git.example.org",
            "ssh://bot@-oProxyCommand=x",
            "ssh://-oProxyCommand=x@host",
            "ssh://bot@host;id",
            "ssh://bot@host:0",
            "ssh://bot@host:70000",
            "ssh://bot@host:22/x",
            "ssh://@host",
            "ssh://bot@",
            "https://bot@host",
        ] {
            assert_eq!(read(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn projects_may_lie_in_folders_or_not() {
        for right in ["demo", "a/b", "All-Projects", "plugins/a/b.c", "a+b"] {
            assert!(is_project(right), "{right}");
        }
        for wrong in ["", "/a", "a/", "a//b", "../a", "a/..", "^a", "a b", "a\" OR x", "a%2Fb"] {
            assert!(!is_project(wrong), "{wrong}");
        }
    }
}
