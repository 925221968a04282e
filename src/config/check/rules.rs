//! Rules for the keys about learning and measuring: evaluator, proposals, review, rules, effect, report.

use super::predicates::{is_share, within};
use super::rule::Rule;

const PATH: &str = "a path";
const SIMILARITY: &str = "above 0, at most 1 (calibrated similarity)";

pub(super) const RULES: &[Rule] = &[
    Rule {
        key: "evaluator.similar_threshold",
        allowed: SIMILARITY,
        hint: "0.8 means that about four of five such pairs mean the same",
        ok: |c| is_share(c.evaluator.similar_threshold),
    },
    Rule {
        key: "evaluator.min_reviewers",
        allowed: "1 to 100 (people)",
        hint: "1 is for a team of one",
        ok: |c| within(u64::from(c.evaluator.min_reviewers), 1..=100),
    },
    Rule {
        key: "evaluator.group_threshold",
        allowed: "0 to 1 (raw cosine)",
        hint: "0 uses the embedder's default",
        ok: |c| (0.0..=1.0).contains(&c.evaluator.group_threshold),
    },
    Rule {
        key: "proposals.immediate_threshold",
        allowed: "above 0, at most 1 (probability)",
        hint: "",
        ok: |c| is_share(c.proposals.immediate_threshold),
    },
    Rule {
        key: "proposals.batch_minutes",
        allowed: "1 to 1440 (minutes)",
        hint: "",
        ok: |c| within(c.proposals.batch_minutes, 1..=1_440),
    },
    Rule {
        key: "proposals.batch_count",
        allowed: "1 to 1000 (pending patterns)",
        hint: "",
        ok: |c| within(c.proposals.batch_count as u64, 1..=1_000),
    },
    Rule {
        key: "proposals.min_purity",
        allowed: "0 to 1 (share of correct clusters)",
        hint: "0 never holds back a pattern",
        ok: |c| (0.0..=1.0).contains(&c.proposals.min_purity),
    },
    Rule {
        key: "proposals.duplicate_threshold",
        allowed: SIMILARITY,
        hint: "",
        ok: |c| is_share(c.proposals.duplicate_threshold),
    },
    Rule {
        key: "proposals.conflict_threshold",
        allowed: SIMILARITY,
        hint: "",
        ok: |c| is_share(c.proposals.conflict_threshold),
    },
    Rule {
        key: "proposals.max_open_per_agent",
        allowed: "1 to 1000",
        hint: "",
        ok: |c| within(c.proposals.max_open_per_agent as u64, 1..=1_000),
    },
    Rule {
        key: "proposals.cool_down_days",
        allowed: "0 to 3650 (days)",
        hint: "",
        ok: |c| within(c.proposals.cool_down_days, 0..=3_650),
    },
    Rule {
        key: "review.min_approvals",
        allowed: "1 to 10",
        hint: "2 keeps one person from making rules alone",
        ok: |c| within(u64::from(c.review.min_approvals), 1..=10),
    },
    Rule { key: "review.require_signatures", allowed: "true or false", hint: "", ok: |_| true },
    Rule {
        key: "review.trusted_rosters",
        allowed: "hashes as `feedbackd roster show` prints them (r1: and 64 digits), separated by spaces",
        hint: "",
        ok: |c| c.review.trusted().all(is_roster_hash),
    },
    Rule {
        key: "review.signature_window_hours",
        allowed: "1 to 8760 (hours)",
        hint: "it must be longer than the daemon may be down",
        ok: |c| within(c.review.signature_window_hours, 1..=8_760),
    },
    Rule {
        key: "review.remind_after_days",
        allowed: "1 to 365 (days)",
        hint: "",
        ok: |c| within(c.review.remind_after_days, 1..=365),
    },
    Rule {
        key: "review.expire_after_days",
        allowed: "more than review.remind_after_days, at most 3650 (days)",
        hint: "",
        ok: |c| c.review.expire_after_days > c.review.remind_after_days && c.review.expire_after_days <= 3_650,
    },
    Rule {
        key: "rules.max_active_per_agent",
        allowed: "1 to 100",
        hint: "",
        ok: |c| within(c.rules.max_active_per_agent as u64, 1..=100),
    },
    Rule { key: "rules.base_prompts", allowed: PATH, hint: "", ok: |_| true },
    Rule {
        key: "effect.stabilizing_days",
        allowed: "0 to 90 (days)",
        hint: "work that began before a rule continues after it",
        ok: |c| within(c.effect.stabilizing_days, 0..=90),
    },
    Rule {
        key: "effect.flag_after_days",
        allowed: "at least `effect.stabilizing_days`, at most 365 (days)",
        hint: "",
        ok: |c| within(c.effect.flag_after_days, c.effect.stabilizing_days..=365),
    },
    Rule {
        key: "effect.min_exposures",
        allowed: "8 to 960 (decisions)",
        hint: "fewer are not conclusive",
        ok: |c| within(c.effect.min_exposures, 8..=960),
    },
    Rule {
        key: "effect.before_days",
        allowed: "7 to 3650 (days)",
        hint: "the more decisions before a rule, the sooner its effect is seen",
        ok: |c| within(c.effect.before_days, 7..=3_650),
    },
    Rule {
        key: "effect.holdout_share",
        allowed: "0 to 0.5 (share of prompts)",
        hint: "0 only compares the time before with the time after",
        ok: |c| (0.0..=0.5).contains(&c.effect.holdout_share),
    },
    Rule {
        key: "report.rubber_stamp_seconds",
        allowed: "1 to 3600 (seconds)",
        hint: "",
        ok: |c| within(c.report.rubber_stamp_seconds, 1..=3_600),
    },
    Rule {
        key: "report.long_review_minutes",
        allowed: "1 to 1440 (minutes)",
        hint: "",
        ok: |c| within(c.report.long_review_minutes, 1..=1_440),
    },
];

fn is_roster_hash(hash: &str) -> bool {
    hash.strip_prefix("r1:").is_some_and(|digits| digits.len() == 64 && digits.bytes().all(|b| b.is_ascii_hexdigit()))
}
