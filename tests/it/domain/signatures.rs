//! Reviews signed by a real `ssh-keygen`, as people sign them.

use feedbackd::domain::intake::submission::Review;
use feedbackd::domain::intake::submission::ReviewAction;
use feedbackd::domain::rules::lifecycle::signature::{NAMESPACE, Place, Signed, signed_text, verify};
use feedbackd::domain::source::Source;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use tempfile::TempDir;

fn review() -> Review {
    Review {
        review_id: "rev-1".into(),
        action: ReviewAction::Modify {
            proposal_id: "RULE-2026-0001".into(),
            modified_content: "Check every input.\nName the caller: \\\"é\\\".".into(),
            modified_why: None,
            modified_concern: None,
        },
        reviewer_id: "ana".into(),
        timestamp: "2026-01-12T10:00:00Z".parse().expect("a time"),
        reason: None,
        content_hash: Some("c0ffee".into()),
        signature: None,
        tenant_id: Some("acme".into()),
        source: Source { stream: "s".into(), entry_id: "1-0".into() },
    }
}

/// Creates a key and returns it with its public half.
fn key(directory: &TempDir, kind: &[&str]) -> (PathBuf, String) {
    let path = directory.path().join(format!("key-{}", kind.join("-")));
    let made = Command::new("ssh-keygen")
        .args(["-q", "-N", "", "-C", "feedbackd test key", "-t"])
        .args(kind)
        .arg("-f")
        .arg(&path)
        .stdin(Stdio::null())
        .output()
        .expect("ssh-keygen, which `make setup` installs");
    assert!(made.status.success(), "ssh-keygen {kind:?}: {}", String::from_utf8_lossy(&made.stderr));
    let public = std::fs::read_to_string(path.with_extension("pub")).expect("the public half");
    (path, public)
}

fn sign(key: &Path, namespace: &str, text: &str) -> String {
    let (file, signature) = (key.with_extension("txt"), key.with_extension("txt.sig"));
    std::fs::write(&file, text).expect("the text");
    // It would ask before replacing one.
    let _ = std::fs::remove_file(&signature);
    let signed = Command::new("ssh-keygen")
        .args(["-q", "-Y", "sign", "-n", namespace, "-f"])
        .args([key, &file])
        .stdin(Stdio::null())
        .output()
        .expect("ssh-keygen");
    assert!(signed.status.success(), "{}", String::from_utf8_lossy(&signed.stderr));
    std::fs::read_to_string(signature).expect("the signature")
}

const HERE: Place<'_> = Place { store_id: "0123456789abcdef", tenant_id: "acme" };

fn check(signature: String, keys: &[&String]) -> Result<Signed, String> {
    let keys: Vec<&str> = keys.iter().map(|key| key.as_str()).collect();
    verify(&Review { signature: Some(signature), ..review() }, HERE, &keys)
}

#[test]
fn what_ssh_keygen_signed_is_known() {
    let directory = tempfile::tempdir().expect("a directory");
    let kinds: [&[&str]; 2] = [&["ed25519"], &["ecdsa", "-b", "256"]];
    let keys: Vec<_> = kinds.iter().map(|kind| key(&directory, kind)).collect();
    for ((path, public), other) in keys.iter().zip([&keys[1].1, &keys[0].1]) {
        let signature = sign(path, NAMESPACE, &signed_text(&review(), HERE));
        check(signature.clone(), &[other, public]).expect("signed by this key");
        assert!(check(signature, &[other]).expect_err("another's key").contains("not made with a key"));
        let elsewhere = sign(path, "git", &signed_text(&review(), HERE));
        assert!(check(elsewhere, &[public]).expect_err("another purpose").contains("another purpose"));
        let tampered = sign(path, NAMESPACE, &signed_text(&review(), HERE).replace("ana", "ben"));
        assert!(check(tampered, &[public]).expect_err("another text").contains("a different text"));
    }
}

#[test]
fn keys_of_other_kinds_are_refused_in_words() {
    let directory = tempfile::tempdir().expect("a directory");
    let kinds: [([&str; 3], &str); 2] =
        [(["rsa", "-b", "2048"], "ssh-rsa"), (["ecdsa", "-b", "384"], "ecdsa-sha2-nistp384")];
    for (kind, name) in kinds {
        let (path, public) = key(&directory, &kind);
        let refused = check(sign(&path, NAMESPACE, &signed_text(&review(), HERE)), &[&public]).expect_err("unknown");
        assert_eq!(refused, format!("Signatures by {name} keys cannot be checked; use an Ed25519 key."));
    }
}
