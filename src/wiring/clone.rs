//! A local clone treated as a connected forge: from the configuration to its reader.

use super::clock::clock;
use super::error::WiringError;
use super::hooks::forges;
use crate::adapters::git::GitClone;
use crate::app::forges::deliveries::Forges;
use crate::app::forges::history::CloneSource;
use crate::config::Config;
use crate::domain::intake::forge::HeardFrom;
use crate::ports::ReadClone;
use std::path::Path;
use std::sync::Arc;

/// The maximum length of a repository name.
const LONGEST: usize = 200;

/// Opens a clone whose reviews count as those of a connected forge. If no repository name is given, it is derived from
/// the clone's origin, or its folder.
///
/// # Errors
/// If no such forge is connected, or there is no repository.
pub fn cloned(config: &Config, name: &str, path: &Path, repository: Option<&str>) -> Result<CloneSource, WiringError> {
    let all: Arc<Forges> = Arc::new(forges(config)?);
    let Some(mut forge) = all.connected.get(name).cloned() else {
        let known: Vec<&str> = all.connected.keys().map(String::as_str).collect();
        let known = if known.is_empty() { "none is".to_owned() } else { known.join(", ") };
        return Err(WiringError::Forge(format!("no forge named `{name}` is connected; connected: {known}")));
    };
    // A clone does not record a repository's members, and no API is asked: everyone in it could push, or was reviewed
    // by those who could.
    (forge.members, forge.policy.heard_from) = (None, HeardFrom::Anyone);
    let clone = GitClone::open(path)?;
    let told = match repository {
        Some(repository) => Some(repository.to_owned()),
        None => clone.facts()?.origin.as_deref().and_then(from_origin).or_else(|| from_folder(path)),
    };
    let repository = told.ok_or_else(|| {
        WiringError::Forge("the repository's name on the forge is unknown; set it with --repository".to_owned())
    })?;
    Ok(CloneSource { forges: all, forge, repository, clone: Box::new(clone), clock: clock() })
}

/// Returns a repository's name on its forge, from its clone URL.
fn from_origin(origin: &str) -> Option<String> {
    let path = match origin.split_once("://") {
        Some(("file", _)) => return from_folder(Path::new(origin)),
        Some((_, rest)) => rest.split_once('/')?.1,
        // ssh's short form; otherwise a folder.
        None => match origin.split_once(':') {
            Some((host, path)) if !host.contains('/') => path,
            _ => return from_folder(Path::new(origin)),
        },
    };
    // Gerrit prefixes paths with `a` for password access.
    let path = path.trim_matches('/');
    usual(path.strip_prefix("a/").unwrap_or(path))
}

fn from_folder(path: &Path) -> Option<String> {
    let whole = std::path::absolute(path).ok()?;
    let name = whole.file_name()?.to_str()?;
    let name = if name == ".git" { whole.parent()?.file_name()?.to_str()? } else { name };
    usual(name)
}

fn usual(name: &str) -> Option<String> {
    let name = name.split(['?', '#']).next()?.trim_end_matches('/');
    let name = name.strip_suffix(".git").unwrap_or(name);
    let fits =
        !name.is_empty() && name.len() <= LONGEST && !name.contains(|c: char| c.is_control() || c.is_whitespace());
    fits.then(|| name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_repository_is_called_as_on_its_forge() {
        let called = |origin: &str| from_origin(origin).unwrap_or_default();
        assert_eq!(called("https://github.com/octo/shop.git"), "octo/shop");
        assert_eq!(called("git@github.com:octo/shop.git"), "octo/shop");
        assert_eq!(called("ssh://ann@review.example.org:29418/team/shop"), "team/shop");
        assert_eq!(called("https://review.example.org/a/team/shop"), "team/shop");
        assert_eq!(called("/srv/git/shop.git"), "shop");
        assert_eq!(called("file:///srv/git/shop.git"), "shop");
        assert_eq!(called("https://user:secret@example.org/octo/shop?x=1"), "octo/shop");
        assert_eq!(called("https://example.org/"), "");
        assert_eq!(called("https://example.org/a\u{1b}b"), "");
        assert_eq!(from_folder(Path::new("/srv/shop/.git")).as_deref(), Some("shop"));
    }
}
