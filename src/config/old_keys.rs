//! Keys of earlier versions: accepted for one release, and reported. Renamed ones have their effect.

/// Obsolete keys, each with its replacement.
const OLD: &[(&str, &str)] = &[
    ("model.daily_budget", "model.budget.tokens and model.budget.money limit a day"),
    ("model.daily_readings", "model.budget.tokens and model.budget.money limit a day"),
    ("model.choose", "model.place"),
    ("model.judge", "model.place"),
    ("model.draft", "model.check"),
];

/// Keys that were renamed, each with its present name.
const RENAMED: &[(&str, &str)] = &[
    ("evaluator.similar_at", "evaluator.similar_threshold"),
    ("evaluator.high_needs_reviewers", "evaluator.min_reviewers"),
    ("proposals.immediate_at", "proposals.immediate_threshold"),
    ("proposals.duplicate_at", "proposals.duplicate_threshold"),
    ("proposals.conflict_at", "proposals.conflict_threshold"),
    ("refine.stop_at", "refine.stop_score"),
    ("store.repack_at_packs", "store.max_packs"),
];

/// Returns the present name of a key; `None` if it was not renamed.
pub(super) fn renamed(key: &str) -> Option<&'static str> {
    RENAMED.iter().find(|(old, _)| *old == key).map(|(_, new)| *new)
}

/// Returns the replacement of an old key; `None` if it is not one.
pub(super) fn instead_of(key: &str) -> Option<&'static str> {
    OLD.iter().find(|(old, _)| *old == key).map(|(_, instead)| *instead)
}
