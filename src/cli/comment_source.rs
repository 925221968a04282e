//! Where comments are read from without any configuration: a repository on a forge, or a clone on this machine.

#![allow(clippy::disallowed_types, reason = "GitHub's own program knows the token of a person who is logged in")]

use crate::app::forges::history::HistoryError;
use crate::config::{Config, ForgeConfig, ForgeKind, Secret, is_project, is_repository};
use std::fmt;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::str::FromStr;

/// What `--from` accepts, for error messages.
const FORMS: &str = "github:OWNER/NAME, gitlab:GROUP/NAME, gitea:URL, forgejo:URL, gerrit:URL, clone:PATH, or the \
                         repository's address";

/// A source of comments, as it is named on the command line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CommentSource {
    /// A repository on a forge.
    Forge(Hosted),
    /// A clone on this machine.
    Clone(PathBuf),
}

/// A repository on a forge.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hosted {
    pub kind: ForgeKind,
    /// `https://git.example.org`; empty for the public one of its kind.
    server: String,
    /// `OWNER/NAME`
    pub repository: String,
}

impl FromStr for CommentSource {
    type Err = String;

    fn from_str(text: &str) -> Result<CommentSource, String> {
        let unknown = || format!("it must be {FORMS}");
        if text.starts_with("https://") || text.starts_with("http://") {
            return hosted(of_host(text).ok_or_else(unknown)?, text).map(CommentSource::Forge);
        }
        let (kind, rest) = text.split_once(':').ok_or_else(unknown)?;
        if kind == "clone" && !rest.is_empty() {
            return Ok(CommentSource::Clone(PathBuf::from(rest)));
        }
        hosted(kind.parse().map_err(|_| unknown())?, rest).map(CommentSource::Forge)
    }
}

/// Returns the kind of forge at a well-known address.
fn of_host(url: &str) -> Option<ForgeKind> {
    let (_, rest) = url.split_once("://")?;
    match rest.split('/').next()? {
        "github.com" | "www.github.com" => Some(ForgeKind::Github),
        "gitlab.com" => Some(ForgeKind::Gitlab),
        "codeberg.org" => Some(ForgeKind::Forgejo),
        host if host.ends_with(".googlesource.com") => Some(ForgeKind::Gerrit),
        _ => None,
    }
}

fn hosted(kind: ForgeKind, text: &str) -> Result<Hosted, String> {
    let (server, path) = match text.split_once("://") {
        Some((scheme, rest)) => {
            let (host, path) = rest.split_once('/').ok_or("the address names no repository")?;
            (format!("{scheme}://{host}"), path)
        }
        None => (String::new(), text),
    };
    let path = path.trim_end_matches('/');
    let repository = path.strip_suffix(".git").unwrap_or(path).to_owned();
    let fits = match kind {
        ForgeKind::Gerrit => is_project(&repository),
        _ => is_repository(&repository),
    };
    if !fits {
        return Err(format!("`{repository}` is not the name of a repository, OWNER/NAME"));
    }
    let public = match kind {
        ForgeKind::Github => ["https://github.com", "https://www.github.com"].contains(&server.as_str()),
        ForgeKind::Gitlab => server == "https://gitlab.com",
        _ => false,
    };
    let server = if public { String::new() } else { server };
    if server.is_empty() && !matches!(kind, ForgeKind::Github | ForgeKind::Gitlab) {
        return Err(format!(
            "a repository there is named with its address: {kind}:https://git.example.org/{repository}"
        ));
    }
    Ok(Hosted { kind, server, repository })
}

impl fmt::Display for CommentSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CommentSource::Clone(path) => write!(f, "clone:{}", path.display()),
            CommentSource::Forge(Hosted { kind, server, repository }) if server.is_empty() => {
                write!(f, "{kind}:{repository}")
            }
            CommentSource::Forge(Hosted { kind, server, repository }) => write!(f, "{kind}:{server}/{repository}"),
        }
    }
}

impl CommentSource {
    /// Returns the name of its forge, which is the beginning of its comments' ids.
    pub fn forge(&self) -> String {
        match self {
            CommentSource::Forge(hosted) => hosted.kind.to_string(),
            CommentSource::Clone(_) => "clone".to_owned(),
        }
    }

    /// Returns the configuration with this source as its only forge. All work counts as that of `agent`.
    pub fn configured(&self, config: &Config, agent: &str) -> Config {
        let mut config = config.clone();
        let (kind, api_url, key) = match self {
            CommentSource::Forge(hosted) => (hosted.kind, hosted.api_url(), hosted.token()),
            CommentSource::Clone(_) => (ForgeKind::Gerrit, String::new(), None),
        };
        let new = ForgeConfig::new(&self.forge(), kind);
        config.forges.connected = vec![ForgeConfig { api_url, key, default_agent: agent.to_owned(), ..new }];
        config
    }
}

impl Hosted {
    fn api_url(&self) -> String {
        match (self.server.as_str(), self.kind) {
            ("", _) => String::new(),
            (server, ForgeKind::Github) => format!("{server}/api/v3"),
            (server, ForgeKind::Gitlab) => format!("{server}/api/v4"),
            (server, ForgeKind::Gitea | ForgeKind::Forgejo) => format!("{server}/api/v1"),
            (server, ForgeKind::Gerrit) => server.to_owned(),
        }
    }

    /// Returns the environment variables that may hold a token for it, the most specific first.
    fn variables(&self) -> &'static [&'static str] {
        match self.kind {
            // A token for github.com is not sent elsewhere.
            ForgeKind::Github if !self.server.is_empty() => &["GH_ENTERPRISE_TOKEN", "GITHUB_ENTERPRISE_TOKEN"],
            ForgeKind::Github => &["GH_TOKEN", "GITHUB_TOKEN"],
            ForgeKind::Gitlab => &["GITLAB_TOKEN"],
            ForgeKind::Gitea => &["GITEA_TOKEN"],
            ForgeKind::Forgejo => &["FORGEJO_TOKEN"],
            ForgeKind::Gerrit => &["GERRIT_TOKEN"],
        }
    }

    /// Returns the token of the environment, or the one of a person who is logged in with `gh`.
    fn token(&self) -> Option<Secret> {
        let set = |name: &&str| std::env::var(name).ok().filter(|token| !token.trim().is_empty());
        let found = self.variables().iter().find_map(set).or_else(|| self.logged_in());
        found.map(|token| Secret::new(token.trim()))
    }

    fn logged_in(&self) -> Option<String> {
        if self.kind != ForgeKind::Github {
            return None;
        }
        let host = self.server.split_once("://").map_or("github.com", |(_, host)| host);
        let mut gh = Command::new("gh");
        let asked = gh.args(["auth", "token", "--hostname", host]).stdin(Stdio::null()).stderr(Stdio::null()).output();
        let said = asked.ok().filter(|said| said.status.success())?;
        String::from_utf8(said.stdout).ok().filter(|token| !token.trim().is_empty())
    }

    /// Returns what to do if the forge does not show the repository.
    pub fn advice(&self, error: &HistoryError) -> Option<String> {
        let variable = self.variables()[0];
        match error {
            HistoryError::Unknown => Some(format!("set {variable} to a valid token")),
            HistoryError::Forbidden | HistoryError::Missing => {
                Some(format!("check the repository's name, and what the token in {variable} may read"))
            }
            _ => None,
        }
    }

    /// Explains how to give a token, if none was found.
    pub fn without_token(&self, config: &Config) -> Option<String> {
        if config.forges.connected.iter().any(|forge| forge.key.is_some()) {
            return None;
        }
        let variable = self.variables()[0];
        Some(match self.kind {
            ForgeKind::Github if self.server.is_empty() => format!(
                "no token was found: GitHub answers 60 requests an hour without one; set {variable}, or log in with \
                 `gh auth login`"
            ),
            ForgeKind::Gerrit => format!("no token was found; for private projects set {variable} to USER:PASSWORD"),
            _ => format!("no token was found; for private repositories set {variable}"),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> String {
        match text.parse::<CommentSource>() {
            Ok(CommentSource::Forge(hosted)) => {
                format!("{} at {}", CommentSource::Forge(hosted.clone()), hosted.api_url())
            }
            Ok(clone) => clone.to_string(),
            Err(why) => why,
        }
    }

    #[test]
    fn a_source_is_named_as_people_name_it() {
        assert_eq!(shown("github:octo/shop"), "github:octo/shop at ");
        assert_eq!(shown("https://github.com/octo/shop.git"), "github:octo/shop at ");
        assert_eq!(shown("gitlab:team/web/shop"), "gitlab:team/web/shop at ");
        assert_eq!(
            shown("https://codeberg.org/octo/shop/"),
            "forgejo:https://codeberg.org/octo/shop at https://codeberg.org/api/v1"
        );
        assert_eq!(
            shown("github:https://git.example.org/octo/shop"),
            "github:https://git.example.org/octo/shop at https://git.example.org/api/v3"
        );
        assert_eq!(
            shown("gerrit:https://review.example.org/tools/shop"),
            "gerrit:https://review.example.org/tools/shop at https://review.example.org"
        );
        assert_eq!(shown("clone:../shop"), "clone:../shop");
    }

    #[test]
    fn what_names_no_repository_is_refused_with_what_would() {
        assert!(shown("octo/shop").starts_with("it must be github:OWNER/NAME"));
        assert!(shown("https://git.example.org/octo/shop").starts_with("it must be github:OWNER/NAME"));
        assert_eq!(shown("github:shop"), "`shop` is not the name of a repository, OWNER/NAME");
        assert_eq!(shown("github:octo/../shop"), "`octo/../shop` is not the name of a repository, OWNER/NAME");
        assert_eq!(
            shown("gitea:octo/shop"),
            "a repository there is named with its address: gitea:https://git.example.org/octo/shop"
        );
    }
}
