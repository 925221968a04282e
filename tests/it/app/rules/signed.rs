//! A decision that the command line signs, where signatures are required.

use super::{recorded, rule};
use crate::harness::run::{Run, decision};
use feedbackd::domain::records::layout;
use feedbackd::domain::records::record::{RefusalCode, ReviewRecord};
use std::process::Command;

#[test]
fn the_command_line_signs_with_a_key_of_the_roster() {
    let mut run = Run::new();
    // The command line uses the real clock, and an old proposal would have expired.
    run.now = feedbackd::wiring::now();
    let processed = run.send(&[
        decision("d1", "ann", "REJECTED", Some("Missing error handling in API handler")),
        decision("d2", "bob", "REJECTED", Some("API handler lacks error handling")),
    ]);
    let id = processed.counts.proposals[0].as_str();
    let key = run.dir.path().join("key");
    let made = Command::new("ssh-keygen").args(["-q", "-t", "ed25519", "-N", "", "-f"]).arg(&key).status();
    assert!(made.expect("ssh-keygen, which `make setup` installs").success());
    let public = std::fs::read_to_string(key.with_extension("pub")).unwrap();
    run.commit_file(layout::ROSTER, |_| {
        format!("reviewers:\n  - id: cleo\n    roles: [approver]\n    ssh_public_keys: [\"{}\"]\n", public.trim())
    });
    run.pipeline = None;
    let approve = |sign: Option<&std::path::Path>| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_feedbackd"));
        command.args(["proposals", "approve", id, "--as", "cleo"]);
        command.args(sign.into_iter().flat_map(|key| ["--sign".as_ref(), key.as_os_str()]));
        command
            .env("FEEDBACKD__STORE__PATH", &run.config.store.path)
            .env("FEEDBACKD__STATE__DIR", &run.config.state.dir)
            .env("FEEDBACKD__REVIEW__REQUIRE_SIGNATURES", "true")
            .current_dir(run.dir.path())
            .output()
            .unwrap()
    };
    assert_eq!(approve(None).status.code(), Some(1), "unsigned");
    let signed = approve(Some(&key));
    assert!(signed.status.success(), "{}", String::from_utf8_lossy(&signed.stderr));
    let wrong = approve(Some(&run.dir.path().join("no-such-key")));
    assert_eq!(wrong.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&wrong.stderr).contains("ssh-keygen cannot sign"));
    run.restart();
    let reviews: Vec<ReviewRecord> = run.paths(layout::REVIEWS).iter().map(|path| run.read(path)).collect();
    let codes: Vec<_> = reviews.iter().map(|r| r.refusal.as_ref().map(|r| r.code)).collect();
    assert!(codes.contains(&Some(RefusalCode::BadSignature)) && codes.contains(&None), "{codes:?}");
    let good = reviews.iter().find(|r| r.refusal.is_none()).unwrap();
    assert!(recorded(&run, &good.review_id).signed && rule(&run, id).1.approvals[0].signed);
}
