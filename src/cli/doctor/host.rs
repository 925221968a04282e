//! Host requirements: readable and writable directories, a free port, and the Git executable.

use super::check::{Check, ok, problem, warning};
use crate::app::admin::daemon_status::DaemonState;
use crate::config::Config;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

pub(super) fn check_state(config: &Config) -> Check {
    let dir = &config.state.dir;
    if dir.exists() {
        return check_writable("state permissions", dir);
    }
    match dir.parent().filter(|p| !p.as_os_str().is_empty()) {
        Some(parent) if !parent.exists() => problem(
            "state permissions",
            format!("neither {} nor its parent directory exists", dir.display()),
            "create it, or set state.dir to another directory",
        ),
        _ => ok("state permissions", format!("{} will be created at the first start", dir.display())),
    }
}

pub(super) fn check_writable(name: &'static str, dir: &Path) -> Check {
    match write_into(dir) {
        Ok(()) => ok(name, format!("{} is writable", dir.display())),
        Err(error) => problem(
            name,
            format!("cannot write to {}: {error}", dir.display()),
            "run this as the daemon's user, or give that user the directory (chown)",
        ),
    }
}

/// Creates and removes a file there.
fn write_into(dir: &Path) -> std::io::Result<()> {
    let file = dir.join(format!(".doctor-{}", std::process::id()));
    std::fs::write(&file, b"it can be written").and_then(|()| std::fs::remove_file(&file))
}

/// Checks that everything a commit writes is writable and owned by one user: another user's object directories cause no
/// error until an object with the same two-letter prefix is written.
pub(super) fn check_store_writable(store: &Path) -> Vec<Check> {
    let name = "store permissions";
    let mut dirs = vec![store.to_owned()];
    for below in ["objects", "refs"] {
        let children = std::fs::read_dir(store.join(below)).into_iter().flatten().flatten();
        dirs.push(store.join(below));
        dirs.extend(children.map(|child| child.path()).filter(|path| path.is_dir()));
    }
    let failed = dirs.iter().find_map(|dir| Some((dir, write_into(dir).err()?)));
    if let Some((dir, error)) = failed {
        let hint = "run this as the daemon's user, or give that user the whole store (chown -R)";
        return vec![problem(name, format!("cannot write to {}: {error}", dir.display()), hint)];
    }
    // Root may write everything; the daemon may not.
    let owner = |path: &Path| std::fs::metadata(path).map(|found| found.uid()).ok();
    let ours = owner(store);
    match dirs.iter().find(|dir| owner(dir) != ours) {
        Some(dir) => {
            let what = format!("{} belongs to a different user than the store", dir.display());
            vec![problem(name, what, "give the daemon's user the whole store (chown -R)")]
        }
        None => {
            vec![ok(name, format!("{} and all of its {} directories are writable", store.display(), dirs.len()))]
        }
    }
}

pub(super) fn check_corrections(config: &Config) -> Option<Check> {
    let root = &config.intake.corrections_root;
    if root.as_os_str().is_empty() {
        return None;
    }
    Some(match std::fs::read_dir(root) {
        Ok(_) => ok("corrections", format!("{} is readable", root.display())),
        Err(error) => warning(
            "corrections",
            format!("cannot read {}: {error}", root.display()),
            "corrections that arrive as files will be missing; set intake.corrections_root to their directory",
        ),
    })
}

pub(super) fn check_http(config: &Config, daemon: &DaemonState) -> Check {
    let listen = config.http.listen;
    let api = match config.http.api_token() {
        Err(error) => {
            let hint = "set http.api_token_file to a file with a token that the daemon's user can read, or leave it \
                        empty";
            return problem("http", error.to_string(), hint);
        }
        Ok(None) => "the API for people",
        Ok(Some(_)) => "the API",
    };
    if config.http.is_exposed() {
        warning(
            "http",
            format!("health, metrics and {api} are open on {listen}, not only on this machine"),
            "set http.listen to 127.0.0.1:9464, or guard the port: health and metrics have no authentication, and nothing is \
             encrypted",
        )
    } else if daemon.runs {
        ok("http", format!("health, metrics and {api} on {listen}, where the daemon answers"))
    } else if let Err(error) = std::net::TcpListener::bind(listen) {
        problem(
            "http",
            format!("cannot listen on {listen} for health and metrics, and no feedbackd daemon uses it: {error}"),
            "set http.listen to another address, or stop the program that uses this one",
        )
    } else {
        ok("http", format!("health, metrics and {api} on {listen}"))
    }
}

/// Checks who can read the pages without logging in.
pub(super) fn check_pages(config: &Config) -> Check {
    let Some(why) = config.login_needed() else {
        let published = config.published_by();
        if published.is_empty() {
            let finding = "anyone on this machine can read them without logging in, and so can anyone admitted by a \
                           proxy on it; before you set up a proxy, set http.anonymous_reading to off";
            return ok("pages", finding);
        }
        let finding = format!(
            "anyone on this machine can read them without logging in, although {} says that others come through a \
             proxy or under a public name",
            published.join(", ")
        );
        let hint = "set http.anonymous_reading to auto or off, unless that proxy admits only people who may read them";
        return warning("pages", finding, hint);
    };
    ok("pages", format!("readers must log in: {why}"))
}

/// Checks whether the review UI's server can be distinguished from other callers.
pub(super) fn check_review_ui(config: &Config) -> Option<Check> {
    if !config.review_ui.enabled {
        return None;
    }
    let published = config.published_by();
    Some(match config.review_ui.token() {
        Err(error) => {
            let hint = "set review_ui.token_file to a file with a token that the daemon's user can read, or leave it \
                        empty";
            problem("review ui", error.to_string(), hint)
        }
        Ok(Some(_)) => ok("review ui", "its server sends a token"),
        Ok(None) if !published.is_empty() => warning(
            "review ui",
            format!(
                "calls from this machine are rejected: others come through it ({}), and the UI's server sends no \
                 token",
                published.join(", ")
            ),
            "set review_ui.token_file",
        ),
        Ok(None) => ok("review ui", "its server is identified by its address (review_ui.peers)"),
    })
}

/// Checks for the Git executable. The daemon works without it, but old packs are not merged.
pub(super) fn check_git() -> Check {
    let found = std::env::var_os("PATH")
        .is_some_and(|paths| std::env::split_paths(&paths).any(|dir| dir.join("git").is_file()));
    if found {
        ok("git", "found; packs are combined when the daemon is idle")
    } else {
        warning(
            "git",
            "not found on the PATH",
            "install git: without it packs are never combined and reading slows down",
        )
    }
}
