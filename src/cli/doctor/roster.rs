//! Whether enough people are on the roster to bring a rule into force.

use super::check::{Check, ok, problem, warning};
use crate::app::queries::QueryError;
use crate::cli::page::count;
use crate::config::Config;
use crate::domain::rules::lifecycle::roster::{Reviewer, Roster};

/// Checks who may decide. A store works without approvers, so having none is a warning.
pub(super) fn check_roster(roster: Result<Option<Roster>, QueryError>, config: &Config, checks: &mut Vec<Check>) {
    let edit = "edit reviewers.yaml in a clone of the store, commit and push";
    let roster = match roster {
        Err(error) => return checks.push(problem("roster", error.to_string(), edit)),
        Ok(None) => return checks.push(warning("roster", "the store has no reviewers.yaml", edit)),
        Ok(Some(roster)) => roster,
    };
    let (found, needed) = (roster.approvers(), config.review.min_approvals as usize);
    checks.push(match found {
        0 if roster.reviewers.is_empty() => warning("roster", "it is empty: no rule can come into force", edit),
        0 => warning("roster", "it has no approver: no rule can come into force", edit),
        few if few < needed => warning(
            "roster",
            format!("it has {}, and a rule needs {needed} (review.min_approvals)", approvers(few)),
            "add approvers to reviewers.yaml; for a team of one, set review.min_approvals to 1",
        ),
        n => ok(
            "roster",
            format!("{} people, {n} of them may approve rules; a rule needs {needed}", roster.reviewers.len()),
        ),
    });
    for doubt in roster.doubts() {
        checks.push(warning("roster", doubt, edit));
    }
    let keyless = |r: &&Reviewer| r.is_approver() && r.ssh_public_keys.iter().all(|key| key.line().trim().is_empty());
    let keyless: Vec<&str> = roster.reviewers.iter().filter(keyless).map(|r| r.id.as_str()).collect();
    if config.review.require_signatures && !keyless.is_empty() {
        checks.push(warning(
            "roster",
            format!("reviews must be signed, but no key is known for {}", keyless.join(", ")),
            "add ssh_public_keys in reviewers.yaml, or set review.require_signatures to false",
        ));
    }
}

fn approvers(number: usize) -> String {
    count(number as u64, "approver")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::doctor::check::{Verdict, describe};
    use crate::domain::records::layout;

    fn roster_of(text: &str, config: &Config) -> String {
        let roster =
            Roster::parse(text).map_err(|message| QueryError::Unreadable { path: layout::ROSTER.into(), message });
        let mut checks = Vec::new();
        check_roster(roster.map(Some), config, &mut checks);
        describe(&checks, 400)
    }

    #[test]
    fn a_roster_that_cannot_bring_a_rule_into_force_is_named() {
        let mut config = Config::default();
        let one = "reviewers: [{id: a, roles: [approver]}, {id: b, roles: [reviewer]}]";
        let two = "reviewers: [{id: a, roles: [approver], ssh_public_keys: [k]}, {id: b, roles: [approver]}]";
        let all =
            ["reviewers: []", "reviewers: [{id: b, roles: [reviewer]}]", one, two, "reviewers: [{id: a}, {id: a}]"];
        insta::assert_snapshot!(all.map(|text| roster_of(text, &config)).concat(), @r#"
        warning  roster             it is empty: no rule can come into force
                                    -> edit reviewers.yaml in a clone of the store, commit and push
        warning  roster             it has no approver: no rule can come into force
                                    -> edit reviewers.yaml in a clone of the store, commit and push
        warning  roster             it has 1 approver, and a rule needs 2 (review.min_approvals)
                                    -> add approvers to reviewers.yaml; for a team of one, set review.min_approvals to 1
        ok       roster             2 people, 2 of them may approve rules; a rule needs 2
        warning  roster             a key of a: it is not a public key in OpenSSH format
                                    -> edit reviewers.yaml in a clone of the store, commit and push
        PROBLEM  roster             reviewers.yaml cannot be read: the id a is on the roster twice; remove one
                                    -> edit reviewers.yaml in a clone of the store, commit and push
        "#);
        config.review.min_approvals = 1;
        config.review.require_signatures = true;
        insta::assert_snapshot!([one, two].map(|text| roster_of(text, &config)).concat(), @r#"
        ok       roster             2 people, 1 of them may approve rules; a rule needs 1
        warning  roster             reviews must be signed, but no key is known for a
                                    -> add ssh_public_keys in reviewers.yaml, or set review.require_signatures to false
        ok       roster             2 people, 2 of them may approve rules; a rule needs 1
        warning  roster             a key of a: it is not a public key in OpenSSH format
                                    -> edit reviewers.yaml in a clone of the store, commit and push
        warning  roster             reviews must be signed, but no key is known for b
                                    -> add ssh_public_keys in reviewers.yaml, or set review.require_signatures to false
        "#);
        let mut checks = Vec::new();
        check_roster(Ok(None), &config, &mut checks);
        assert_eq!(checks[0].verdict, Verdict::Warning);
    }
}
