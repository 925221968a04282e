//! Signed commits: signs the daemon's own as `git commit -S` does with `gpg.format=ssh`, and verifies them.
//!
//! `git verify-commit` and `feedbackd verify` check the same signatures. It does not decide whether commits must be
//! signed.

use super::commit::IDENTITY;
use super::object::ObjectId;
use super::pool::optional;
use crate::ports::Signatures;
use git2::{Commit, Oid, Repository, Sort};
use ssh_key::{Algorithm, HashAlg, LineEnding, PrivateKey, PublicKey, SshSig};
use std::fmt;
use std::path::Path;

/// The signature namespace for commits.
const NAMESPACE: &str = "git";

/// The key that signs commits.
pub struct CommitKey(PrivateKey);

impl CommitKey {
    /// Reads an OpenSSH private key: Ed25519, without a passphrase, in a file readable only by its owner.
    ///
    /// # Errors
    /// A sentence that states what is wrong with the file and how to fix it.
    pub fn read(path: &Path) -> Result<CommitKey, String> {
        let shown = path.display();
        let cannot = |e: std::io::Error| format!("{shown} cannot be read ({e}); make it readable for the daemon");
        let file = std::fs::File::open(path).map_err(cannot)?;
        only_ours(&file).map_err(|why| format!("{shown} {why}"))?;
        let text = std::io::read_to_string(file).map_err(cannot)?;
        let key = PrivateKey::from_openssh(text.trim()).map_err(|_| {
            format!("{shown} is not a private key in OpenSSH format; create one with `ssh-keygen -t ed25519`")
        })?;
        if key.is_encrypted() {
            return Err(format!("{shown} has a passphrase; use a key without one"));
        }
        if key.algorithm() != Algorithm::Ed25519 {
            return Err(format!("{shown} is a key of type {}; use an Ed25519 key", key.algorithm()));
        }
        Ok(CommitKey(key))
    }

    /// Returns the public half, as in `~/.ssh/id_ed25519.pub`.
    pub fn public(&self) -> String {
        self.0.public_key().to_openssh().unwrap_or_default()
    }

    /// Reports whether a commit is in the daemon's name and signed with this key.
    ///
    /// # Errors
    /// If the commit cannot be read.
    pub fn signed(&self, repository: &Repository, id: Oid) -> Result<bool, git2::Error> {
        Ok(is_ours(&repository.find_commit(id)?) && is_signed(repository, id, &[self.0.public_key().clone()])?)
    }

    /// Returns the commit with its signature in the header `gpgsig`.
    ///
    /// # Errors
    /// A sentence, if signing fails.
    pub fn sign(&self, commit: &[u8]) -> Result<Vec<u8>, String> {
        let signed = self.0.sign(NAMESPACE, HashAlg::Sha512, commit).and_then(|sig| sig.to_pem(LineEnding::LF));
        let signature = signed.map_err(|e| format!("the commit cannot be signed: {e}"))?;
        // After the last header, before the blank line; continuation lines start with a space.
        let end = commit.windows(2).position(|pair| pair == b"\n\n").map_or(commit.len(), |at| at + 1);
        let header = format!("gpgsig {}\n", signature.trim_end().replace('\n', "\n "));
        Ok([&commit[..end], header.as_bytes(), &commit[end..]].concat())
    }
}

impl fmt::Debug for CommitKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "CommitKey({})", self.0.fingerprint(HashAlg::Sha256))
    }
}

/// Checks permissions as `ssh-keygen` does. A file owned by root may be group-readable: systemd credentials look like
/// that, though only the service's user can read them.
#[cfg(unix)]
fn only_ours(file: &std::fs::File) -> Result<(), String> {
    use std::os::unix::fs::{MetadataExt, PermissionsExt};
    let known = file.metadata().map_err(|e| format!("cannot be checked: {e}"))?;
    let (mode, others) = (known.permissions().mode(), if known.uid() == 0 { 0o037 } else { 0o077 });
    if mode & others == 0 {
        return Ok(());
    }
    Err(format!("is readable by others (mode {:04o}); restrict it to the daemon's user: `chmod 600`", mode & 0o7777))
}

#[cfg(not(unix))]
fn only_ours(_: &std::fs::File) -> Result<(), String> {
    Ok(())
}

/// Checks every commit in the daemon's name reachable from `to`: the first one signed with one of the keys (lines as in
/// `~/.ssh/id_ed25519.pub`), and those unsigned although they come after it or are on a side branch.
pub fn check(repository: &Repository, to: Oid, keys: &[String]) -> Result<Signatures, git2::Error> {
    let mut found = Signatures::default();
    let keys: Vec<PublicKey> = keys.iter().filter_map(|key| PublicKey::from_openssh(key.trim()).ok()).collect();
    let Some(since) = first_signed(repository, to, &keys)? else { return Ok(found) };
    found.since = Some(ObjectId::from(since).to_commit_id());
    let mut walk = repository.revwalk()?;
    walk.set_sorting(Sort::TOPOLOGICAL | Sort::REVERSE)?;
    walk.push(to)?;
    // Earlier commits predate signing.
    for parent in repository.find_commit(since)?.parent_ids() {
        walk.hide(parent)?;
    }
    for id in walk {
        let id = id?;
        if !is_ours(&repository.find_commit(id)?) {
            continue;
        }
        if is_signed(repository, id, &keys)? {
            found.signed += 1;
        } else {
            found.unsigned.push(ObjectId::from(id).to_commit_id());
        }
    }
    Ok(found)
}

/// Returns the first signed commit in the daemon's name, along first parents.
fn first_signed(repository: &Repository, to: Oid, keys: &[PublicKey]) -> Result<Option<Oid>, git2::Error> {
    let (mut ours, mut next) = (Vec::new(), Some(to));
    while let Some(id) = next {
        let commit = repository.find_commit(id)?;
        if is_ours(&commit) {
            ours.push(id);
        }
        next = commit.parent_ids().next();
    }
    for id in ours.into_iter().rev() {
        if is_signed(repository, id, keys)? {
            return Ok(Some(id));
        }
    }
    Ok(None)
}

/// Reports whether a commit names the daemon as its author.
fn is_ours(commit: &Commit<'_>) -> bool {
    let (name, address) = IDENTITY.split_once(" <").unwrap_or((IDENTITY, ""));
    let address = address.trim_end_matches('>');
    [commit.author(), commit.committer()]
        .iter()
        .any(|who| who.name_bytes() == name.as_bytes() || who.email_bytes() == address.as_bytes())
}

fn is_signed(repository: &Repository, id: Oid, keys: &[PublicKey]) -> Result<bool, git2::Error> {
    let Some((signature, commit)) = optional(repository.extract_signature(&id, None))? else { return Ok(false) };
    let Some(signature) = std::str::from_utf8(&signature).ok().and_then(|text| SshSig::from_pem(text.trim()).ok())
    else {
        return Ok(false);
    };
    let key = keys.iter().find(|key| key.key_data() == signature.public_key());
    Ok(key.is_some_and(|key| key.verify(NAMESPACE, &commit, &signature).is_ok()))
}
