//! Review documents that can be acted upon (specification, "Review documents"): the schema, the validation rules beyond
//! it, and the effect of the feedback in later iterations.
//!
//! A document is read by [`read`], validated by [`check`], and, if there are no errors, parsed into a [`Document`].
//! [`track`] compares it with the earlier ones of its target. Whether an item is right is for people to decide. The
//! specification's forbidden phrases are in `lint`'s tables.

mod check;
mod demand;
mod diagnostic;
mod document;
mod json;
mod locate;
mod output;
mod parsed;
mod rates;
mod read;
mod rules;
mod same;
mod schema;
#[cfg(test)]
mod tests;
mod text_checks;
mod track;
mod verbs;
mod verdict;

pub use check::check;
pub use demand::{Demand, demands};
pub use diagnostic::{Diagnostic, is_refused};
pub use document::{
    Aspect, Assessment, Document, Evidence, FeedbackItem, ItemSeverity, Iteration, Location, LocationType, Phase,
    QualityTracking, ReviewVerdict, Suggestion, Target, TargetType,
};
pub use output::{Report, json, sarif, text};
pub use parsed::{Lines, ParseError, Parsed};
pub use rates::{Rate, Rates, RatesTally};
pub use read::{MAX_BYTES, parse, read};
pub use rules::{DocumentRule, Level};
pub use schema::SCHEMA;
pub use track::{
    ALERT_THRESHOLD, DocumentSummary, RepeatedAlert, RepeatedIssue, ReviewedItem, TrackedItem, TrackingResult,
    WINDOW_SIZE, track,
};
