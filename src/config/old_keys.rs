//! Keys of earlier versions: accepted for one release, without an effect, and named.

/// Keys that do nothing any more, each with what takes its place.
const OLD: &[(&str, &str)] = &[
    ("model.daily_budget", "model.budget.tokens and model.budget.money limit a day"),
    ("model.daily_readings", "model.budget.tokens and model.budget.money limit a day"),
    ("model.choose", "model.place"),
    ("model.judge", "model.place"),
    ("model.draft", "model.check"),
];

/// What takes the place of an old key; `None` if it is none.
pub(super) fn instead_of(key: &str) -> Option<&'static str> {
    OLD.iter().find(|(old, _)| *old == key).map(|(_, instead)| *instead)
}
