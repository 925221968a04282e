//! Rules of the keys about forges.

use super::predicates::within;
use super::rule::Rule;

pub(super) const RULES: &[Rule] = &[
    Rule {
        key: "forges.connected",
        allowed: "a list of tables [[forges.connected]] with name, kind (github, gitlab, gitea, forgejo, gerrit), \
                  secret_files, gate, agents, default_agent, people, ignore, own_branches, \
                  api_url, token_file, poll_minutes, repositories",
        hint: "docs/forges.md has an example of each kind",
        ok: |_| true,
    },
    Rule {
        key: "forges.gather_seconds",
        allowed: "1 to 600 (seconds)",
        hint: "the remarks of a review that come later are a decision of their own",
        ok: |c| within(c.forges.gather_seconds, 1..=600),
    },
    Rule {
        key: "forges.remember_days",
        allowed: "4 to 3650 (days)",
        hint: "forges send again for three days",
        ok: |c| within(c.forges.remember_days, 4..=3_650),
    },
];
