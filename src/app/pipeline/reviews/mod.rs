//! What people submit: reviews of proposals, clusters, comments and the roster.

pub mod catalogue_learning;
pub mod cluster_edits;
pub mod comment_lists;
pub mod comment_marks;
pub mod contradiction_answers;
pub mod imports;
pub mod known_people;
pub mod roster;
pub mod rule_stops;
pub mod snoozes;
pub mod submissions;
pub mod withdrawal;
pub mod worded_rules;
