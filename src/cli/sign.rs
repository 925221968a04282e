//! Signing of reviews with an SSH key, by `ssh-keygen`: it supports agents, passphrases and hardware keys.

#![allow(clippy::disallowed_types, reason = "ssh-keygen does the signing")]

use super::exit::{CliError, Exit};
use crate::app::decisions::submission::text_to_sign;
use crate::config::Config;
use crate::domain::intake::decode::DecodeLimits;
use crate::domain::records::layout;
use crate::domain::records::origin::StoreIdentity;
use crate::domain::rules::lifecycle::signature::{NAMESPACE, Place};
use crate::text::yaml;
use crate::wiring;
use serde_json::Value;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

/// Returns the armored signature of a review about to be submitted.
///
/// # Errors
/// If `ssh-keygen` is missing or does not sign.
pub fn sign(payload: &Value, key: &Path, config: &Config) -> Result<String, CliError> {
    let failed = |message: String| {
        CliError::new(
            Exit::Failure,
            message,
            "--sign takes a key as `ssh-keygen -Y sign -f` does, e.g. ~/.ssh/id_ed25519",
        )
    };
    let store_id = store_id(config)?;
    let place = Place { store_id: &store_id, tenant_id: &config.redis.tenant };
    let text = text_to_sign(payload, &DecodeLimits::default(), place)
        .ok_or_else(|| failed("the review cannot be read, so it cannot be signed".to_owned()))?;
    let mut child = Command::new("ssh-keygen")
        .args(["-q", "-Y", "sign", "-n", NAMESPACE, "-f"])
        .arg(key)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .map_err(|e| failed(format!("cannot run ssh-keygen: {e}")))?;
    if let Some(mut input) = child.stdin.take() {
        // If it has exited already, its exit status gives the reason.
        let _ = input.write_all(text.as_bytes());
    }
    let output = child.wait_with_output().map_err(|e| failed(format!("ssh-keygen did not finish: {e}")))?;
    let signature = String::from_utf8_lossy(&output.stdout).into_owned();
    if !output.status.success() || signature.trim().is_empty() {
        return Err(failed(format!("ssh-keygen cannot sign with {}", key.display())));
    }
    Ok(signature)
}

/// Returns the id of the store that the decision is for.
fn store_id(config: &Config) -> Result<String, CliError> {
    let identity = wiring::read_file(config, layout::STORE)?.and_then(|text| yaml::parse::<StoreIdentity>(&text).ok());
    identity.map(|identity| identity.store_id).ok_or_else(|| {
        let message = format!("the store has no {}, so nothing can be signed for it", layout::STORE);
        CliError::new(Exit::Failure, message, "start the daemon once; it gives the store its id")
    })
}
