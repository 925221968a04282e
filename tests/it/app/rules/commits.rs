//! `verify` on the daemon's commits.

use super::approvals::verified;
use super::with_proposal;
use crate::harness::run::{decision, git};
use feedbackd::domain::records::layout;
use std::process::Command;

#[test]
fn verify_names_a_commit_in_the_daemons_name_that_is_not_signed() {
    let mut run = with_proposal();
    assert_eq!(verified(&run).commits, None);
    let key = run.dir.path().join("key");
    assert!(
        Command::new("ssh-keygen").args(["-q", "-t", "ed25519", "-N", "", "-f"]).arg(&key).status().unwrap().success()
    );
    run.config.store.signing_key_file = key.clone();
    run.restart();
    assert_eq!(verified(&run).commits.unwrap().since, None);
    run.send(&[decision("d3", "cleo", "APPROVED", None)]);
    run.send(&[decision("d4", "cleo", "APPROVED", None)]);
    let found = verified(&run).commits.unwrap();
    assert_eq!((found.since.is_some(), found.signed, found.unsigned.len()), (true, 2, 0));
    // The public half alone suffices to check it.
    let say = |args: &[&str], variable: &str, file: &std::path::Path| {
        let out = Command::new(env!("CARGO_BIN_EXE_feedbackd"))
            .args(args)
            .env("FEEDBACKD__STORE__PATH", &run.config.store.path)
            .env("FEEDBACKD__STATE__DIR", &run.config.state.dir)
            .env(format!("FEEDBACKD__STORE__{variable}"), file)
            .current_dir(run.dir.path())
            .output()
            .unwrap();
        (out.status.code(), String::from_utf8_lossy(&[out.stdout, out.stderr].concat()).into_owned())
    };
    let public = key.with_extension("pub");
    let (code, said) = say(&["verify"], "SIGNING_PUBLIC_KEY_FILE", &public);
    assert!(code == Some(0) && said.contains("the daemon's are signed since"), "{said}");
    let clone = run.clone_store();
    std::fs::write(clone.join(layout::STOPPED), "all: {}\n").unwrap();
    git(&["add", "-A"], &clone);
    let ours = ["-c", "user.name=feedbackd", "-c", "user.email=feedbackd@localhost"];
    git(&[&ours[..], &["commit", "-qm", "Stop all rules"]].concat(), &clone);
    git(&["push", "-q"], &clone);
    let (code, said) = say(&["verify"], "SIGNING_PUBLIC_KEY_FILE", &public);
    assert!(code == Some(1) && said.contains("NOT SIGNED"), "{said}");
    // A key readable by others is reported before anything is signed with it.
    use std::os::unix::fs::PermissionsExt;
    assert_eq!(say(&["config", "check"], "SIGNING_KEY_FILE", &key).0, Some(0));
    std::fs::set_permissions(&key, std::fs::Permissions::from_mode(0o644)).unwrap();
    for args in [&["config", "check"][..], &["serve"], &["rules", "stop", "--all", "--as", "ann", "--reason", "x"]] {
        let (code, said) = say(args, "SIGNING_KEY_FILE", &key);
        assert!(code == Some(4) && said.contains("is readable by others (mode 0644)"), "{args:?}: {said}");
    }
}
