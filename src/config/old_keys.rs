//! Keys of earlier versions: accepted for one release without effect, and reported.

/// Obsolete keys, each with its replacement.
const OLD: &[(&str, &str)] = &[
    ("model.daily_budget", "model.budget.tokens and model.budget.money limit a day"),
    ("model.daily_readings", "model.budget.tokens and model.budget.money limit a day"),
    ("model.choose", "model.place"),
    ("model.judge", "model.place"),
    ("model.draft", "model.check"),
];

/// Returns the replacement of an old key; `None` if it is not one.
pub(super) fn instead_of(key: &str) -> Option<&'static str> {
    OLD.iter().find(|(old, _)| *old == key).map(|(_, instead)| *instead)
}
