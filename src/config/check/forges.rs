//! Rules for the keys about forges.

use super::predicates::within;
use super::rule::Rule;

pub(super) const RULES: &[Rule] = &[
    Rule {
        key: "forges.connected",
        allowed: "a list of tables [[forges.connected]] with name, kind (github, gitlab, gitea, forgejo, gerrit), \
                  secret_files, gate, agents, default_agent, people, ignore, own_branches, \
                  api_url, token_file, poll_minutes, repositories, \
                  ssh, ssh_key_file, ssh_known_hosts_file, ssh_program",
        hint: "docs/forges.md has an example of each kind",
        ok: |_| true,
    },
    Rule {
        key: "forges.gather_seconds",
        allowed: "1 to 600 (seconds)",
        hint: "comments of a review that arrive later are a separate decision",
        ok: |c| within(c.forges.gather_seconds, 1..=600),
    },
    Rule {
        key: "forges.remember_days",
        allowed: "4 to 3650 (days)",
        hint: "forges resend for three days",
        ok: |c| within(c.forges.remember_days, 4..=3_650),
    },
    Rule {
        key: "forges.targets",
        allowed: "a list of tables [[forges.targets]] with forge, repository, agent, base, and files out of AGENTS.md, \
                  CLAUDE.md, .cursor/rules/feedbackd.mdc, .github/copilot-instructions.md",
        hint: "docs/forges.md has an example",
        ok: |_| true,
    },
    Rule {
        key: "forges.offer_minutes",
        allowed: "0 to 10080 (minutes; 0: never)",
        hint: "`feedbackd rules offer` checks at once",
        ok: |c| within(c.forges.offer_minutes, 0..=10_080),
    },
];
