//! Signed reviews: what a person signs, and verification of the signature.
//!
//! The signature uses OpenSSH's own format, so people can sign with their existing key and tool:
//!
//! ```text
//! printf '%s\n' 'feedbackd review 2' 'store_id: 3f2a...' 'tenant_id: ' 'review_id: rev-88' 'reviewer_id: ben' \
//!     'timestamp: 2026-01-13T09:00:00Z' 'decision: APPROVE' 'proposal_id: RULE-2026-0003' \
//!     'content_hash: v2:5891b5b5...' > review.txt
//! ssh-keygen -Y sign -n feedbackd-review -f ~/.ssh/id_ed25519 review.txt     # writes review.txt.sig
//! ```
//!
//! The content of `review.txt.sig` is the review's `signature`. Ed25519 and ECDSA P-256 keys are supported, including
//! security keys; RSA is not. This module does not decide who must sign, and it reads no file: the roster's keys are an
//! argument.

use crate::intake::submission::Review;
use crate::intake::submission::{Resolution, ReviewAction};
use crate::records::record::ReviewRecord;
use jiff::Timestamp;
use ssh_key::{Algorithm, EcdsaCurve, HashAlg, LineEnding, PublicKey, SshSig};
use std::borrow::Cow;

/// The signature namespace of reviews; signatures for anything else (a Git commit, a login) are rejected.
pub const NAMESPACE: &str = "feedbackd-review";

/// The only place where a decision counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Place<'a> {
    /// The store's id.
    pub store_id: &'a str,
    /// The tenant; empty if there is none.
    pub tenant_id: &'a str,
}

/// The signed part of a review, as submitted or as recorded.
#[derive(Clone, Copy, Debug)]
pub struct Statement<'a> {
    review_id: &'a str,
    reviewer_id: &'a str,
    timestamp: Timestamp,
    action: &'a ReviewAction,
    content_hash: Option<&'a str>,
}

impl<'a> From<&'a Review> for Statement<'a> {
    fn from(review: &'a Review) -> Statement<'a> {
        Statement {
            review_id: &review.review_id,
            reviewer_id: &review.reviewer_id,
            timestamp: review.timestamp,
            action: &review.action,
            content_hash: review.content_hash.as_deref(),
        }
    }
}

impl<'a> From<&'a ReviewRecord> for Statement<'a> {
    fn from(record: &'a ReviewRecord) -> Statement<'a> {
        Statement {
            review_id: &record.review_id,
            reviewer_id: &record.reviewer_id,
            timestamp: record.timestamp,
            action: &record.action,
            content_hash: record.content_hash.as_deref(),
        }
    }
}

/// A valid signature, as kept in a record so that it can be verified again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Signed {
    /// The text that was signed.
    pub text: String,
    /// The signature, armored as OpenSSH writes it.
    pub signature: String,
    /// The key's fingerprint, as `ssh-keygen -l` prints it: `SHA256:` and 43 characters.
    pub key: String,
}

/// Returns the text that is signed: one line per fact, each ended by `\n`, in this order:
///
/// ```text
/// feedbackd review 2
/// store_id: <id>                       as `feedbackd status` has it
/// tenant_id: <id>                      the store's own; empty where it has none
/// review_id: <id>
/// reviewer_id: <id>
/// timestamp: <moment>                  in UTC, as RFC 3339 has it: 2026-01-13T09:00:00Z
/// decision: <as in the record's action: APPROVE, ROLL_BACK, RESOLVE, ...>
/// <what is decided about, and what else the decision carries: the fields of the record's action, in their order>
/// content_hash: <hash>                 only where the review names one
/// ```
///
/// A list has one line per item. In values a backslash is written `\\`, a newline `\n` and a carriage return `\r`, so
/// that no value can pose as another line. The values are those of the decoded review: without surrounding blanks,
/// hidden characters and secrets. The reason is not signed: a program may add one later.
pub fn signed_text<'a>(review: impl Into<Statement<'a>>, place: Place<'_>) -> String {
    let review: Statement<'_> = review.into();
    let mut text = String::from("feedbackd review 2\n");
    let mut line = |name: &str, value: &str| {
        let value = value.replace('\\', "\\\\").replace('\n', "\\n").replace('\r', "\\r");
        text.push_str(&format!("{name}: {value}\n"));
    };
    line("store_id", place.store_id);
    line("tenant_id", place.tenant_id);
    line("review_id", review.review_id);
    line("reviewer_id", review.reviewer_id);
    line("timestamp", &review.timestamp.to_string());
    let (decision, facts) = facts(review.action);
    line("decision", decision);
    for (name, value) in facts {
        line(name, &value);
    }
    if let Some(hash) = review.content_hash {
        line("content_hash", hash);
    }
    text
}

/// Verifies that the review's signature covers [`signed_text`], for [`NAMESPACE`], with one of the keys, which are
/// lines as in `~/.ssh/id_ed25519.pub`.
///
/// # Errors
/// A sentence that states why not.
pub fn verify(review: &Review, place: Place<'_>, keys: &[&str]) -> Result<Signed, String> {
    check(signed_text(review, place), review.signature.as_deref(), keys)
}

/// Verifies a recorded review in the same way.
///
/// # Errors
/// A sentence that states why not.
pub fn verify_record(record: &ReviewRecord, place: Place<'_>, keys: &[&str]) -> Result<Signed, String> {
    check(signed_text(record, place), record.signature.as_deref(), keys)
}

fn check(text: String, signature: Option<&str>, keys: &[&str]) -> Result<Signed, String> {
    let Some(armored) = signature.filter(|s| !s.trim().is_empty()) else {
        return Err("The review is not signed.".into());
    };
    let signature = SshSig::from_pem(armored.trim())
        .map_err(|_| "The signature is not an armored SSH signature (-----BEGIN SSH SIGNATURE-----).".to_owned())?;
    if signature.namespace() != NAMESPACE {
        return Err(format!(
            "The signature was made for another purpose; sign with `ssh-keygen -Y sign -n {NAMESPACE}`."
        ));
    }
    let (known, unreadable): (Vec<_>, Vec<_>) =
        keys.iter().map(|key| PublicKey::from_openssh(key.trim())).partition(Result::is_ok);
    let Some(key) = known.into_iter().flatten().find(|key| key.key_data() == signature.public_key()) else {
        let broken = match unreadable.len() {
            0 => String::new(),
            n => format!("; {n} of the {} keys there cannot be read", keys.len()),
        };
        return Err(format!("The signature was not made with a key that the roster lists for this reviewer{broken}."));
    };
    if !is_known(&key.algorithm()) {
        return Err(format!("Signatures by {} keys cannot be checked; use an Ed25519 key.", key.algorithm()));
    }
    key.verify(NAMESPACE, text.as_bytes(), &signature).map_err(|_| {
        "The signature is for a different text; sign exactly what is submitted, for this store.".to_owned()
    })?;
    let kept = signature.to_pem(LineEnding::LF).map_err(|_| "The signature cannot be encoded.".to_owned())?;
    Ok(Signed { text, signature: kept, key: key.fingerprint(HashAlg::Sha256).to_string() })
}

/// Returns the fingerprint of a key, a line as in `~/.ssh/id_ed25519.pub`; `None` if it cannot be parsed.
pub fn fingerprint(key: &str) -> Option<String> {
    PublicKey::from_openssh(key.trim()).ok().map(|key| key.fingerprint(HashAlg::Sha256).to_string())
}

/// Checks that signatures by a key, a line as in `~/.ssh/id_ed25519.pub`, can be verified.
///
/// # Errors
/// Why not.
pub fn usable(key: &str) -> Result<(), String> {
    let key = PublicKey::from_openssh(key.trim()).map_err(|_| "it is not a public key in OpenSSH format".to_owned())?;
    if is_known(&key.algorithm()) {
        return Ok(());
    }
    Err(format!("signatures by {} keys cannot be checked; use an Ed25519 key", key.algorithm()))
}

fn is_known(algorithm: &Algorithm) -> bool {
    matches!(
        algorithm,
        Algorithm::Ed25519
            | Algorithm::SkEd25519
            | Algorithm::SkEcdsaSha2NistP256
            | Algorithm::Ecdsa { curve: EcdsaCurve::NistP256 }
    )
}

/// Returns the decision's name and its subject.
fn facts(action: &ReviewAction) -> (&'static str, Vec<(&'static str, Cow<'_, str>)>) {
    let (decision, facts): (_, Vec<(_, &str)>) = match action {
        ReviewAction::Snooze { item, until } => {
            let facts = vec![("item", Cow::Borrowed(item.as_str())), ("until", Cow::Owned(until.to_string()))];
            return ("SNOOZE", facts);
        }
        ReviewAction::Wake { item } => ("WAKE", vec![("item", item.as_str())]),
        ReviewAction::Approve { proposal_id } => ("APPROVE", vec![("proposal_id", proposal_id)]),
        ReviewAction::Reject { proposal_id } => ("REJECT", vec![("proposal_id", proposal_id)]),
        ReviewAction::Modify { proposal_id, modified_content, modified_why, modified_concern } => {
            let more = [("modified_why", modified_why), ("modified_concern", modified_concern)];
            let more = more.into_iter().filter_map(|(name, value)| Some((name, value.as_deref()?)));
            let facts = vec![("proposal_id", proposal_id.as_str()), ("modified_content", modified_content)];
            ("MODIFY", facts.into_iter().chain(more).collect())
        }
        ReviewAction::Retire { rule_id } => ("RETIRE", vec![("rule_id", rule_id)]),
        ReviewAction::RollBack { rule_id } => ("ROLL_BACK", vec![("rule_id", rule_id)]),
        ReviewAction::Stop { rule_id } => ("STOP", vec![one_or_all(rule_id.as_deref())]),
        ReviewAction::Resume { rule_id } => ("RESUME", vec![one_or_all(rule_id.as_deref())]),
        ReviewAction::WithdrawImport { import } => ("WITHDRAW_IMPORT", vec![("import", import)]),
        ReviewAction::Resolve { feedback_id, resolution } => {
            ("RESOLVE", vec![("feedback_id", feedback_id), ("resolution", Resolution::as_str(*resolution))])
        }
        ReviewAction::MergeClusters { from, into } => ("MERGE_CLUSTERS", vec![("from", from), ("into", into)]),
        ReviewAction::SplitCluster { cluster_id, feedback_ids } => {
            let items = feedback_ids.iter().map(|id| ("feedback_ids", id.as_str()));
            ("SPLIT_CLUSTER", std::iter::once(("cluster_id", cluster_id.as_str())).chain(items).collect())
        }
        ReviewAction::WordRule { cluster_id, rule_content } => {
            ("WORD_RULE", vec![("cluster_id", cluster_id), ("rule_content", rule_content)])
        }
        ReviewAction::MoveFeedback { feedback_id, into } => {
            ("MOVE_FEEDBACK", vec![("feedback_id", feedback_id), ("into", into)])
        }
        ReviewAction::Same { a, b } => ("SAME", vec![("a", a), ("b", b)]),
        ReviewAction::KeepApart { a, b } => ("KEEP_APART", vec![("a", a), ("b", b)]),
        ReviewAction::Sort { same, others, nothing, particular, into } => {
            let lists = [("same", same), ("others", others), ("nothing", nothing), ("particular", particular)];
            let items = lists.into_iter().flat_map(|(name, ids)| ids.iter().map(move |id| (name, id.as_str())));
            ("SORT", into.iter().map(|id| ("into", id.as_str())).chain(items).collect())
        }
        ReviewAction::Mark { feedback_id, mark, demand } => {
            let facts = [
                ("feedback_id", Some(feedback_id.as_str())),
                ("mark", Some(mark.as_str())),
                ("demand", demand.as_deref()),
            ];
            ("MARK", facts.into_iter().filter_map(|(name, value)| Some((name, value?))).collect())
        }
        ReviewAction::Retract { reviewer, feedback_id } => {
            let facts = [("reviewer", reviewer), ("feedback_id", feedback_id)];
            ("RETRACT", facts.into_iter().filter_map(|(name, value)| Some((name, value.as_deref()?))).collect())
        }
    };
    (decision, facts.into_iter().map(|(name, value)| (name, Cow::Borrowed(value))).collect())
}

fn one_or_all(rule_id: Option<&str>) -> (&'static str, &str) {
    rule_id.map_or(("all", "true"), |id| ("rule_id", id))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::intake::submission::Mark;
    use crate::source::Source;
    use proptest::prelude::*;

    /// A key generated for this test by `ssh-keygen`; its private half was discarded. Trust it nowhere.
    const TEST_KEY: &str = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAICX5fObDt/hb952L5IQfXkks9YcwNLcPgOD57ivURI4A feedbackd test key, trust it nowhere\n";
    /// Its signature of `review()`.
    const SIGNATURE: &str = "-----BEGIN SSH SIGNATURE-----
U1NIU0lHAAAAAQAAADMAAAALc3NoLWVkMjU1MTkAAAAgJfl85sO3+Fv3nYvkhB9eSSz1hz
A0tw+A4PnuK9REjgAAAAAQZmVlZGJhY2tkLXJldmlldwAAAAAAAAAGc2hhNTEyAAAAUwAA
AAtzc2gtZWQyNTUxOQAAAEAelVGza1exR0loj12AgW9RJfJK/r67X3nxV5p9h/Pnj+kTHU
4oeWPpi7+5o+p9PBE8GYXNdB7A2EeQQSmLa18P
-----END SSH SIGNATURE-----
";
    /// Its signature of the same text as a file (`-n file`).
    const OF_A_FILE: &str = "-----BEGIN SSH SIGNATURE-----
U1NIU0lHAAAAAQAAADMAAAALc3NoLWVkMjU1MTkAAAAgT7gfZYGqrd8J8+1GmI7lnutHsX
wV2KkYQp3gose1+gkAAAAEZmlsZQAAAAAAAAAGc2hhNTEyAAAAUwAAAAtzc2gtZWQyNTUx
OQAAAEB6FuHEuaHLIHSB91JoQ5G9VzXD5dj5pLlmGqCbaiHT2k9pr6HHZnIx0QZzoElLA7
e2SsVbFJRtBoO8v7FcbEMG
-----END SSH SIGNATURE-----
";
    const OTHER_KEY: &str = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAILM+rvN+ot98qgEN796jTiQfZfG1KaT0PtFDJ/XFSqti";

    fn modify(id: &str, text: &str) -> ReviewAction {
        ReviewAction::Modify {
            proposal_id: id.to_owned(),
            modified_content: text.to_owned(),
            modified_why: None,
            modified_concern: None,
        }
    }

    fn review() -> Review {
        Review {
            review_id: "rev-1".into(),
            action: ReviewAction::Approve { proposal_id: "RULE-2026-0001".into() },
            reviewer_id: "ana".into(),
            timestamp: "2026-01-12T10:00:00Z".parse().unwrap(),
            reason: None,
            content_hash: Some("c0ffee".into()),
            signature: Some(SIGNATURE.into()),
            tenant_id: None,
            source: Source { stream: "s".into(), entry_id: "1-0".into() },
        }
    }

    const ANOTHER: &str = "The signature is for a different text; sign exactly what is submitted, for this store.";
    const HERE: Place<'_> = Place { store_id: "0123456789abcdef", tenant_id: "acme" };

    fn checked(review: &Review, keys: &[&str]) -> Result<Signed, String> {
        verify(review, HERE, keys)
    }

    #[test]
    fn a_signature_by_ssh_keygen_is_known_again() {
        insta::assert_snapshot!(signed_text(&review(), HERE), @r"
        feedbackd review 2
        store_id: 0123456789abcdef
        tenant_id: acme
        review_id: rev-1
        reviewer_id: ana
        timestamp: 2026-01-12T10:00:00Z
        decision: APPROVE
        proposal_id: RULE-2026-0001
        content_hash: c0ffee
        ");
        let signed = checked(&review(), &["nonsense", OTHER_KEY, TEST_KEY]).unwrap();
        assert_eq!(Some(signed.key), fingerprint(TEST_KEY));
        assert_eq!(signed.signature.trim(), SIGNATURE.trim());
        let shell = Review { signature: Some(format!("  {}\n\n", SIGNATURE.replace('\n', "\r\n"))), ..review() };
        checked(&shell, &[TEST_KEY]).unwrap();
        let explained = Review { reason: Some("r".into()), ..review() };
        checked(&explained, &[TEST_KEY]).unwrap();
    }

    #[test]
    fn a_signature_of_anything_else_is_refused() {
        let to = |action| Review { action, ..review() };
        let id = || "RULE-2026-0001".to_owned();
        for (what, changed) in [
            ("id", Review { review_id: "rev-2".into(), ..review() }),
            ("reviewer", Review { reviewer_id: "ben".into(), ..review() }),
            ("hash", Review { content_hash: Some("c0ffef".into()), ..review() }),
            ("no hash", Review { content_hash: None, ..review() }),
            ("moment", Review { timestamp: "2026-01-12T10:00:01Z".parse().unwrap(), ..review() }),
            ("decision", to(ReviewAction::Reject { proposal_id: id() })),
            ("subject", to(ReviewAction::Approve { proposal_id: "RULE-2026-0002".into() })),
            ("text", to(modify(&id(), "x"))),
            // Lines smuggled into a value.
            (
                "smuggled",
                Review {
                    review_id: "rev-1\nreviewer_id: ana\ndecision: APPROVE\nproposal_id: RULE-2026-0001".into(),
                    ..review()
                },
            ),
        ] {
            let refused = checked(&changed, &[TEST_KEY]).expect_err(what);
            assert_eq!(refused, ANOTHER);
        }
        for elsewhere in [Place { store_id: "0123456789abcdee", ..HERE }, Place { tenant_id: "", ..HERE }] {
            assert_eq!(verify(&review(), elsewhere, &[TEST_KEY]).expect_err("another place"), ANOTHER);
        }
    }

    #[test]
    fn refusals_say_why() {
        let because = |signature: Option<&str>, keys: &[&str]| {
            checked(&Review { signature: signature.map(str::to_owned), ..review() }, keys).unwrap_err()
        };
        insta::assert_snapshot!(because(None, &[TEST_KEY]), @"The review is not signed.");
        insta::assert_snapshot!(because(Some(" "), &[TEST_KEY]), @"The review is not signed.");
        insta::assert_snapshot!(because(Some("c2lnbmVk"), &[TEST_KEY]), @"The signature is not an armored SSH signature (-----BEGIN SSH SIGNATURE-----).");
        insta::assert_snapshot!(because(Some(&SIGNATURE.replace("U1NI", "AAAA")), &[TEST_KEY]), @"The signature is not an armored SSH signature (-----BEGIN SSH SIGNATURE-----).");
        insta::assert_snapshot!(because(Some(OF_A_FILE), &[TEST_KEY]), @"The signature was made for another purpose; sign with `ssh-keygen -Y sign -n feedbackd-review`.");
        insta::assert_snapshot!(because(Some(SIGNATURE), &[OTHER_KEY]), @"The signature was not made with a key that the roster lists for this reviewer.");
        insta::assert_snapshot!(because(Some(SIGNATURE), &[OTHER_KEY, "mine", ""]), @"The signature was not made with a key that the roster lists for this reviewer; 2 of the 3 keys there cannot be read.");
        insta::assert_snapshot!(because(Some(SIGNATURE), &[]), @"The signature was not made with a key that the roster lists for this reviewer.");
    }

    #[test]
    fn every_decision_has_a_text_of_its_own() {
        let id = || "x".to_owned();
        let actions = [
            ReviewAction::Approve { proposal_id: id() },
            ReviewAction::Reject { proposal_id: id() },
            modify(&id(), "Line one.\nLine \\n two."),
            ReviewAction::Modify {
                proposal_id: id(),
                modified_content: "y".into(),
                modified_why: Some("z".into()),
                modified_concern: Some("-".into()),
            },
            ReviewAction::Retire { rule_id: id() },
            ReviewAction::RollBack { rule_id: id() },
            ReviewAction::Stop { rule_id: Some(id()) },
            ReviewAction::Resume { rule_id: Some(id()) },
            ReviewAction::WithdrawImport { import: id() },
            ReviewAction::Resolve { feedback_id: id(), resolution: Resolution::EdgeCase },
            ReviewAction::MergeClusters { from: id(), into: "y".into() },
            ReviewAction::SplitCluster { cluster_id: id(), feedback_ids: vec!["a".into(), "b, c".into()] },
            ReviewAction::WordRule { cluster_id: id(), rule_content: "Line one.\nLine two.".into() },
            ReviewAction::MoveFeedback { feedback_id: id(), into: "y".into() },
            ReviewAction::Same { a: id(), b: "y".into() },
            ReviewAction::KeepApart { a: id(), b: "y".into() },
            ReviewAction::Sort {
                same: vec![id(), "y".into()],
                others: vec!["z".into()],
                nothing: Vec::new(),
                particular: vec!["p".into()],
                into: Some("g".into()),
            },
            ReviewAction::Mark { feedback_id: id(), mark: Mark::Nothing, demand: None },
            ReviewAction::Mark { feedback_id: id(), mark: Mark::Demand, demand: Some("add-test".into()) },
            ReviewAction::Retract { reviewer: Some(id()), feedback_id: None },
            ReviewAction::Retract { reviewer: None, feedback_id: Some(id()) },
            ReviewAction::Snooze { item: id(), until: jiff::civil::date(2026, 2, 1) },
            ReviewAction::Wake { item: id() },
        ];
        let texts = actions.map(|action| {
            // The names match the record, so that people find them there.
            let written = serde_json::to_value(&action).unwrap();
            let text = signed_text(&Review { action, content_hash: None, ..review() }, HERE);
            let lines: Vec<&str> = text.lines().skip(6).collect();
            assert_eq!(lines[0], format!("decision: {}", written["decision"].as_str().unwrap()));
            for line in &lines[1..] {
                assert!(written.get(line.split_once(": ").unwrap().0).is_some(), "{line} in {written}");
            }
            lines.join(" | ")
        });
        insta::assert_snapshot!(texts.join("\n"), @r"
        decision: APPROVE | proposal_id: x
        decision: REJECT | proposal_id: x
        decision: MODIFY | proposal_id: x | modified_content: Line one.\nLine \\n two.
        decision: MODIFY | proposal_id: x | modified_content: y | modified_why: z | modified_concern: -
        decision: RETIRE | rule_id: x
        decision: ROLL_BACK | rule_id: x
        decision: STOP | rule_id: x
        decision: RESUME | rule_id: x
        decision: WITHDRAW_IMPORT | import: x
        decision: RESOLVE | feedback_id: x | resolution: EDGE_CASE
        decision: MERGE_CLUSTERS | from: x | into: y
        decision: SPLIT_CLUSTER | cluster_id: x | feedback_ids: a | feedback_ids: b, c
        decision: WORD_RULE | cluster_id: x | rule_content: Line one.\nLine two.
        decision: MOVE_FEEDBACK | feedback_id: x | into: y
        decision: SAME | a: x | b: y
        decision: KEEP_APART | a: x | b: y
        decision: SORT | into: g | same: x | same: y | others: z | particular: p
        decision: MARK | feedback_id: x | mark: NOTHING
        decision: MARK | feedback_id: x | mark: DEMAND | demand: add-test
        decision: RETRACT | reviewer: x
        decision: RETRACT | feedback_id: x
        decision: SNOOZE | item: x | until: 2026-02-01
        decision: WAKE | item: x
        ");
    }

    proptest! {
        #[test]
        fn no_signature_panics_and_none_but_the_true_one_passes(at in 0..400usize, with in any::<char>(), cut in 0..400usize) {
            let mut damaged: Vec<char> = SIGNATURE.chars().collect();
            let (at, cut) = (at % damaged.len(), cut % damaged.len());
            damaged[at] = with;
            for text in [damaged.iter().collect::<String>(), SIGNATURE[..cut].to_owned()] {
                let passed = checked(&Review { signature: Some(text.clone()), ..review() }, &[TEST_KEY]).is_ok();
                let parts = |text: &str| {
                    // Everything but the format version, which is not signed.
                    SshSig::from_pem(text.trim()).map(|s| {
                        let key = s.public_key().clone();
                        (key, s.namespace().to_owned(), s.reserved().to_vec(), s.hash_alg(), s.signature().clone())
                    })
                };
                prop_assert_eq!(passed, parts(&text).is_ok_and(|found| Ok(found) == parts(SIGNATURE)));
            }
        }

        #[test]
        fn different_reviews_have_different_texts(a in "[ab\\\\n\n: ]{0,6}", b in "[ab\\\\n\n: ]{0,6}", c in "[ab\\\\n\n: ]{0,6}", d in "[ab\\\\n\n: ]{0,6}") {
            let text = |id: &str, text: &str| signed_text(&Review {
                action: modify(id, text), ..review()
            }, HERE);
            prop_assert_eq!(text(&a, &b) == text(&c, &d), a == c && b == d);
        }
    }
}
