//! The command line and environment of a Git that talks to the host. Neither contains a secret: other users can see
//! them.

use super::options::RemoteOptions;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Stdio};

/// A credential helper: Git asks it for the token, and it reads the file. `printf` is part of the shell, so no other
/// process has the token as an argument.
const HELPER: &str = "!f() { test \"$1\" = get || exit 0; printf 'username=%s\\npassword=%s\\n' \
                      \"$FEEDBACKD_REMOTE_USERNAME\" \"$(cat -- \"$FEEDBACKD_REMOTE_TOKEN_FILE\")\"; }; f";
/// Below so many bytes a second for so many seconds, an HTTP connection is given up.
const LOW_SPEED: [&str; 2] = ["http.lowSpeedLimit=1000", "http.lowSpeedTime=30"];
/// Connection timeout of ssh in seconds, and after how many seconds of silence it probes the other side.
const SSH_PATIENCE: &str = "-o ConnectTimeout=15 -o ServerAliveInterval=15 -o ServerAliveCountMax=3";

/// Returns Git on the store, with no settings but the store's own and these.
pub fn command(options: &RemoteOptions, store: &Path) -> Command {
    let mut git = Command::new(&options.git);
    git.arg("-C").arg(store);
    let mut set = |setting: String| {
        git.args(["-c", &setting]);
    };
    set(format!("safe.directory={}", store.display()));
    set("protocol.version=2".to_owned());
    LOW_SPEED.iter().for_each(|setting| set((*setting).to_owned()));
    // What comes from there is checked before any reference to it exists.
    set("transfer.fsckObjects=true".to_owned());
    // The writer combines packs.
    set("gc.auto=0".to_owned());
    set("maintenance.auto=false".to_owned());
    // An empty one forgets all others.
    set("credential.helper=".to_owned());
    if let (Some(_), Some(host)) = (&options.token_file, options.http_host()) {
        set(format!("credential.{host}.helper={HELPER}"));
    }
    if let Some(file) = &options.ca_file {
        set(format!("http.sslCAInfo={}", file.display()));
    }
    for (name, _) in std::env::vars_os().filter(|(name, _)| name.as_encoded_bytes().starts_with(b"GIT_")) {
        git.env_remove(name);
    }
    if let Some(file) = &options.token_file {
        git.env("FEEDBACKD_REMOTE_USERNAME", &options.username).env("FEEDBACKD_REMOTE_TOKEN_FILE", file);
    }
    git.env_remove("SSH_ASKPASS")
        .env("GIT_TERMINAL_PROMPT", "0")
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("GIT_ALLOW_PROTOCOL", options.transport())
        .env("GIT_SSH_COMMAND", ssh(options))
        .env("LC_ALL", "C")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        // So that its children are stopped with it.
        .process_group(0);
    git
}

/// Returns the `ssh` that Git runs, as a line for a shell. Unknown hosts are refused without a question.
fn ssh(options: &RemoteOptions) -> String {
    let mut line = format!("ssh -o BatchMode=yes -o StrictHostKeyChecking=yes {SSH_PATIENCE}");
    if let Some(file) = &options.known_hosts_file {
        line += &format!(" -o {}", quoted(&format!("UserKnownHostsFile=\"{}\"", file.display())));
    }
    if let Some(file) = &options.ssh_key_file {
        line += &format!(" -o IdentitiesOnly=yes -i {}", quoted(&file.display().to_string()));
    }
    line
}

/// Quotes a text for a shell.
fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "'\\''"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    fn options(url: &str) -> RemoteOptions {
        RemoteOptions {
            git: "git".into(),
            url: url.to_owned(),
            branch: "main".to_owned(),
            username: "bot".to_owned(),
            token_file: Some("/etc/feedbackd/a token".into()),
            ssh_key_file: Some("/etc/feedbackd/it's key".into()),
            known_hosts_file: Some("/etc/feedbackd/known hosts".into()),
            ca_file: None,
            limit: Duration::from_secs(9),
        }
    }

    #[test]
    fn the_token_is_for_its_host_alone() {
        let told = |url: &str| {
            let git = command(&options(url), Path::new("/s.git"));
            let arguments: Vec<_> = git.get_args().map(|one| one.to_string_lossy().into_owned()).collect();
            arguments.into_iter().find(|one| one.starts_with("credential.h") && !one.ends_with("helper="))
        };
        let to = "credential.https://git.example.org:8443.helper=!f()";
        assert!(told("https://git.example.org:8443/a/b.git").is_some_and(|one| one.starts_with(to)));
        assert_eq!(told("git@git.example.org:a/b.git"), None);
    }

    #[test]
    fn ssh_asks_nothing_and_uses_one_key() {
        insta::assert_snapshot!(ssh(&options("git@h:x")), @r#"ssh -o BatchMode=yes -o StrictHostKeyChecking=yes -o ConnectTimeout=15 -o ServerAliveInterval=15 -o ServerAliveCountMax=3 -o 'UserKnownHostsFile="/etc/feedbackd/known hosts"' -o IdentitiesOnly=yes -i '/etc/feedbackd/it'\''s key'"#);
    }
}
