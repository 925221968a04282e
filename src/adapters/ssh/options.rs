//! Arguments for `ssh`.

use std::ffi::OsString;
use std::path::PathBuf;

/// Connection timeout in seconds.
const CONNECT: u32 = 15;
/// After this many seconds of silence the other side is probed; after three unanswered probes it is gone.
const ALIVE: u32 = 15;

/// Host, user and command of a connection.
#[derive(Clone, Debug)]
pub struct SshOptions {
    /// `ssh`, or its path.
    pub program: PathBuf,
    pub user: String,
    pub host: String,
    pub port: u16,
    /// The key to log in with; if absent, those that `ssh` finds itself.
    pub key_file: Option<PathBuf>,
    /// The known hosts file; if absent, `ssh`'s own.
    pub known_hosts_file: Option<PathBuf>,
    /// The command run there.
    pub command: Vec<String>,
    /// The longest line, in bytes; longer ones are skipped.
    pub max_line: usize,
}

impl SshOptions {
    /// Returns the arguments. Unknown hosts are rejected without a prompt.
    pub(super) fn arguments(&self) -> Vec<OsString> {
        let mut arguments: Vec<OsString> = vec!["-T".into(), "-p".into(), self.port.to_string().into()];
        let mut option = |text: String| arguments.extend(["-o".into(), text.into()]);
        option("BatchMode=yes".to_owned());
        option("StrictHostKeyChecking=yes".to_owned());
        option("ClearAllForwardings=yes".to_owned());
        option(format!("ConnectTimeout={CONNECT}"));
        option(format!("ServerAliveInterval={ALIVE}"));
        option("ServerAliveCountMax=3".to_owned());
        // Makes it report when it is connected.
        option("LogLevel=VERBOSE".to_owned());
        if let Some(file) = &self.known_hosts_file {
            option(format!("UserKnownHostsFile=\"{}\"", file.display()));
        }
        if let Some(file) = &self.key_file {
            option("IdentitiesOnly=yes".to_owned());
            option(format!("IdentityFile=\"{}\"", file.display()));
        }
        arguments.extend(["-l".into(), self.user.clone().into(), "--".into(), self.host.clone().into()]);
        arguments.extend(self.command.iter().map(OsString::from));
        arguments
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_host_is_never_an_option() {
        let options = SshOptions {
            program: "ssh".into(),
            user: "bot".to_owned(),
            host: "git.example.org".to_owned(),
            port: 29_418,
            key_file: Some("/etc/feedbackd/gerrit key".into()),
            known_hosts_file: Some("/etc/feedbackd/hosts".into()),
            command: ["gerrit", "stream-events"].map(str::to_owned).to_vec(),
            max_line: 1,
        };
        let shown: Vec<String> = options.arguments().into_iter().map(|one| one.into_string().unwrap()).collect();
        insta::assert_snapshot!(shown.join(" "), @r#"-T -p 29418 -o BatchMode=yes -o StrictHostKeyChecking=yes -o ClearAllForwardings=yes -o ConnectTimeout=15 -o ServerAliveInterval=15 -o ServerAliveCountMax=3 -o LogLevel=VERBOSE -o UserKnownHostsFile="/etc/feedbackd/hosts" -o IdentitiesOnly=yes -o IdentityFile="/etc/feedbackd/gerrit key" -l bot -- git.example.org gerrit stream-events"#);
    }
}
