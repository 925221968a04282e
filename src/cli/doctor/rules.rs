//! Whether the rules' files are in the right directories.

use super::check::{Check, ok, problem, warning};
use crate::app::admin::verify::Verification;
use crate::app::queries::{QueryError, RuleFile};
use crate::cli::exit::CliError;
use crate::config::Config;
use crate::domain::records::layout;

/// Checks that each rule's directory matches its status. A rule is in force only if both agree.
pub(super) fn check_rules(rules: Result<Vec<RuleFile>, QueryError>, checks: &mut Vec<Check>) {
    let rules = match rules {
        Err(error) => {
            let error = CliError::from(error);
            return checks.push(problem("rules", error.message, error.hint));
        }
        Ok(rules) => rules,
    };
    let astray: Vec<Check> = rules.iter().filter_map(check_place).collect();
    if astray.is_empty() {
        let active = rules.iter().filter(|r| r.record.status.in_force()).count();
        checks.push(ok("rules", format!("{active} in force; directory and status agree for all {}", rules.len())));
    }
    checks.extend(astray);
}

/// Checks whether each rule in force rests on enough valid approvals.
pub(super) fn check_approvals(found: Result<Verification, QueryError>, config: &Config, checks: &mut Vec<Check>) {
    let found = match found {
        Err(error) => {
            let error = CliError::from(error);
            return checks.push(problem("approvals", error.message, error.hint));
        }
        Ok(found) => found,
    };
    let mut bad = 0;
    for rule in found.unapproved() {
        bad += 1;
        let what = format!("the current text of {} is not approved: {}", rule.path, rule.missing);
        checks.push(if config.review.require_signatures {
            problem("approvals", what, "the daemon sets it aside; check who committed it, and approve it or remove it")
        } else {
            warning("approvals", what, "see `feedbackd verify`; review.require_signatures would set it aside")
        });
    }
    if bad == 0 && !found.rules.is_empty() {
        checks.push(ok("approvals", "every rule in force has enough valid approvals"));
    }
}

fn check_place(rule: &RuleFile) -> Option<Check> {
    let home = layout::rule(&rule.record.proposal_id, rule.record.status);
    (home != rule.path).then(|| {
        warning(
            "rules",
            format!("{} has the status {}: it is not in force", rule.path, rule.record.status.as_str()),
            format!("it belongs at {home}; in a clone of the store restore the previous state, commit and push"),
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::doctor::check::describe;
    use crate::domain::records::record::{ProposalRecord, ProposalStatus, RuleState};
    use crate::domain::testing::sample;

    #[test]
    fn a_rule_whose_directory_and_status_disagree_is_named() {
        let file = |path: &str, state, status| {
            let record = ProposalRecord { status, ..sample::proposal(1) };
            RuleFile { path: path.to_owned(), state, record }
        };
        let said = |rules: Vec<RuleFile>| {
            let mut checks = Vec::new();
            check_rules(Ok(rules), &mut checks);
            describe(&checks, 400)
        };
        let (active, proposed) =
            ("feedback/rules/active/RULE-2026-0001.yaml", "feedback/rules/proposed/RULE-2026-0001.yaml");
        let good = file(active, RuleState::Active, ProposalStatus::Flagged);
        let moved = file(active, RuleState::Active, ProposalStatus::Pending);
        let raised = file(proposed, RuleState::Proposed, ProposalStatus::Active);
        insta::assert_snapshot!(said(vec![good.clone()]), @"ok       rules              1 in force; directory and status agree for all 1");
        insta::assert_snapshot!(said(vec![good, moved, raised]), @r"
        warning  rules              feedback/rules/active/RULE-2026-0001.yaml has the status PENDING: it is not in force
                                    -> it belongs at feedback/rules/proposed/RULE-2026-0001.yaml; in a clone of the store restore the previous state, commit and push
        warning  rules              feedback/rules/proposed/RULE-2026-0001.yaml has the status ACTIVE: it is not in force
                                    -> it belongs at feedback/rules/active/RULE-2026-0001.yaml; in a clone of the store restore the previous state, commit and push
        ");
    }
}
