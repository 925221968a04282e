//! The effect of earlier feedback on a target (specification, "Review documents: Tracking quality"): which items were
//! followed, whether the score rose, and which issues recur.
//!
//! It sees only what reviews contain: an item that a later review no longer names counts as resolved.

use super::document::{
    Aspect, Document, FeedbackItem, ItemSeverity, Location, LocationType, QualityTracking, ReviewVerdict, TargetType,
};
use super::same::Shape;
use crate::text::prose::round;
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// How many earlier documents of a target are compared (specification, "Review documents: Tracking quality").
pub const WINDOW_SIZE: usize = 5;
/// How many reviews must name an issue to raise an alert (specification, "Review documents: Tracking quality").
pub const ALERT_THRESHOLD: usize = 3;
/// How many items of a document are compared.
const MOST_ITEMS: usize = 200;

/// What is kept of a document for comparison with later ones.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct DocumentSummary {
    /// The document's id.
    pub id: String,
    /// When it was written.
    pub timestamp: Timestamp,
    /// The type of the reviewed target.
    pub target_type: TargetType,
    /// The path of the reviewed target.
    pub target_path: String,
    /// The iteration's number.
    pub iteration: u64,
    /// The overall score, 0 to 1.
    pub score: f64,
    /// The verdict.
    pub verdict: ReviewVerdict,
    /// Its items, at most 200.
    pub items: Vec<ReviewedItem>,
}

/// What is kept of an item.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ReviewedItem {
    /// Its quality aspect.
    pub aspect: Aspect,
    /// Its severity.
    pub severity: ItemSeverity,
    /// The problem.
    pub issue: String,
    /// Its location.
    pub location: Location,
    /// The issue's name across all reviews, once the document was tracked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fingerprint: Option<String>,
}

/// What a new document reveals about the earlier ones of its target.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Tracking")]
pub struct TrackingResult {
    /// The new document's id.
    pub id: String,
    /// The path of the reviewed target.
    pub target_path: String,
    /// The new document's verdict.
    pub verdict: ReviewVerdict,
    /// The previous document; absent if this is the first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub previous: Option<String>,
    /// Whether the previous document was followed: none of its critical items remains, and at most half of all its
    /// demands do. Absent if it demanded nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub followed: Option<bool>,
    /// Whether the score rose.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub improved: Option<bool>,
    /// The change of the score, -1 to 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delta: Option<f64>,
    /// How clear the previous document was in retrospect, 0 to 1: the mean over its demands, 1 for a resolved item, 0.5
    /// for one with a lower severity now, 0 for one that remains.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clarity: Option<f64>,
    /// Items of the previous document, by index, that are no longer named.
    pub resolved: Vec<usize>,
    /// Items of the previous document, by index, that remain.
    pub open: Vec<usize>,
    /// The new document's items, in order.
    pub items: Vec<TrackedItem>,
    /// Issues of the new document named before, the most frequent first.
    pub repeated: Vec<RepeatedIssue>,
    /// Those named in [`ALERT_THRESHOLD`] documents or more.
    pub alerts: Vec<RepeatedAlert>,
}

/// An item of the new document and its history.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TrackedItem {
    /// The issue's name across all reviews.
    pub fingerprint: String,
    /// How many documents of the window named it, including this one.
    pub times: usize,
}

/// An issue named before.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RepeatedIssue {
    /// The issue's name across all reviews.
    pub fingerprint: String,
    /// The index of the item in the new document, from 0.
    pub item: usize,
    /// Its quality aspect.
    pub aspect: Aspect,
    /// Its current location.
    pub location: Location,
    /// The problem, as worded now.
    pub issue: String,
    /// How many documents of the window named it, including this one.
    pub times: usize,
    /// When it was first named within the window.
    pub first_seen: Timestamp,
}

/// An issue that should reach people.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RepeatedAlert {
    /// The issue's name across all reviews: one alert each is enough.
    pub fingerprint: String,
    /// How many documents named it.
    pub times: usize,
    /// The message to people.
    pub message: String,
}

impl DocumentSummary {
    /// Extracts what is kept of a document.
    pub fn of(document: &Document) -> DocumentSummary {
        let kept = |item: &FeedbackItem| ReviewedItem {
            aspect: item.aspect,
            severity: item.severity,
            issue: item.issue.clone(),
            location: item.location.clone(),
            fingerprint: None,
        };
        DocumentSummary {
            id: document.id.clone(),
            timestamp: document.timestamp,
            target_type: document.target.kind,
            target_path: document.target.path.clone(),
            iteration: document.iteration.number,
            score: document.overall_assessment.score,
            verdict: document.overall_assessment.verdict,
            items: document.feedback_items.iter().take(MOST_ITEMS).map(kept).collect(),
        }
    }

    /// Adds the names that tracking gave its issues, so that later documents know them.
    #[must_use]
    pub fn named(mut self, tracking: &TrackingResult) -> DocumentSummary {
        for (item, tracked) in self.items.iter_mut().zip(&tracking.items) {
            item.fingerprint = Some(tracked.fingerprint.clone());
        }
        self
    }

    fn same_target(&self, other: &DocumentSummary) -> bool {
        self.target_type == other.target_type && self.target_path.trim() == other.target_path.trim()
    }

    /// Returns the key that sorts documents in the order they were written.
    fn moment(&self) -> (Timestamp, u64, &str) {
        (self.timestamp, self.iteration, &self.id)
    }
}

impl TrackingResult {
    /// Returns the values for the previous document (specification, "Review documents: Tracking quality"). Following
    /// counts as having improved the artifact if it was followed and the score rose. `None` if there is no previous
    /// document.
    pub fn quality(&self) -> Option<QualityTracking> {
        self.previous.as_ref()?;
        Some(QualityTracking {
            feedback_followed: self.followed,
            improvement_observed: self.followed.zip(self.improved).map(|(followed, rose)| followed && rose),
            improvement_delta: self.delta,
            feedback_clarity_score: self.clarity,
            extra: BTreeMap::new(),
        })
    }
}

/// An issue across the documents of a window.
struct Thread {
    shape: Shape,
    fingerprint: String,
    times: usize,
    first_seen: Timestamp,
}

/// Compares a new document with earlier ones. Only the last [`WINDOW_SIZE`] earlier ones of the same target count;
/// their order does not matter.
pub fn track(window: &[DocumentSummary], new: &DocumentSummary) -> TrackingResult {
    let mut earlier: Vec<&DocumentSummary> =
        window.iter().filter(|r| r.same_target(new) && r.id != new.id && r.moment() <= new.moment()).collect();
    earlier.sort_by(|a, b| a.moment().cmp(&b.moment()));
    earlier.dedup_by(|a, b| a.id == b.id);
    let earlier = &earlier[earlier.len().saturating_sub(WINDOW_SIZE)..];
    let mut threads: Vec<Thread> = Vec::new();
    let mut of_previous = Vec::new();
    for document in earlier {
        of_previous = weave(&mut threads, document);
    }
    let of_new = weave(&mut threads, new);
    let (items, repeated) = histories(&threads, &of_new, new);
    let mut tracking = TrackingResult {
        id: new.id.clone(),
        target_path: new.target_path.clone(),
        verdict: new.verdict,
        previous: None,
        followed: None,
        improved: None,
        delta: None,
        clarity: None,
        resolved: Vec::new(),
        open: Vec::new(),
        items,
        alerts: repeated.iter().filter(|r| r.times >= ALERT_THRESHOLD).map(|r| alert(r, new)).collect(),
        repeated,
    };
    if let Some(previous) = earlier.last() {
        follow_up(&mut tracking, previous, &of_previous, new, &of_new);
    }
    tracking
}

/// Assigns a document's items to known issues, the most similar pairs first, and creates new ones. Returns the issue of
/// each item.
fn weave(threads: &mut Vec<Thread>, document: &DocumentSummary) -> Vec<usize> {
    let items = &document.items[..document.items.len().min(MOST_ITEMS)];
    let shapes: Vec<Shape> = items.iter().map(|i| Shape::of(i.aspect, &i.location, &i.issue)).collect();
    let mut pairs: Vec<(f64, usize, usize)> = Vec::new();
    for (item, shape) in shapes.iter().enumerate() {
        for (thread, known) in threads.iter().enumerate() {
            pairs.extend(shape.likeness(&known.shape).map(|alike| (alike, item, thread)));
        }
    }
    // Ties by position: the same documents always give the same pairs.
    pairs.sort_by(|a, b| b.0.total_cmp(&a.0).then((a.1, a.2).cmp(&(b.1, b.2))));
    let mut of_item: Vec<Option<usize>> = vec![None; items.len()];
    let mut taken = vec![false; threads.len()];
    for (_, item, thread) in pairs {
        if of_item[item].is_none() && !taken[thread] {
            (of_item[item], taken[thread]) = (Some(thread), true);
        }
    }
    let mut out = Vec::with_capacity(items.len());
    for ((item, shape), joined) in items.iter().zip(shapes).zip(of_item) {
        let index = joined.unwrap_or(threads.len());
        if let Some(thread) = threads.get_mut(index) {
            thread.times += 1;
            thread.shape = shape;
        } else {
            let fingerprint = item.fingerprint.clone().unwrap_or_else(|| fingerprint(document, &shape, index));
            threads.push(Thread { shape, fingerprint, times: 1, first_seen: document.timestamp });
        }
        out.push(index);
    }
    out
}

/// Returns a name for a new issue: 16 hexadecimal digits.
fn fingerprint(document: &DocumentSummary, shape: &Shape, index: usize) -> String {
    let text = format!("{}\n{}\n{index}\n{}", document.target_path, document.id, shape.key());
    blake3::hash(text.as_bytes()).to_hex().chars().take(16).collect()
}

fn histories(threads: &[Thread], of_new: &[usize], new: &DocumentSummary) -> (Vec<TrackedItem>, Vec<RepeatedIssue>) {
    let mut items = Vec::new();
    let mut repeated = Vec::new();
    for (index, (item, thread)) in new.items.iter().zip(of_new).enumerate() {
        let Some(thread) = threads.get(*thread) else { continue };
        items.push(TrackedItem { fingerprint: thread.fingerprint.clone(), times: thread.times });
        if thread.times > 1 {
            repeated.push(RepeatedIssue {
                fingerprint: thread.fingerprint.clone(),
                item: index,
                aspect: item.aspect,
                location: item.location.clone(),
                issue: item.issue.clone(),
                times: thread.times,
                first_seen: thread.first_seen,
            });
        }
    }
    repeated.sort_by_key(|issue| (std::cmp::Reverse(issue.times), issue.item));
    (items, repeated)
}

fn alert(issue: &RepeatedIssue, new: &DocumentSummary) -> RepeatedAlert {
    let message = format!(
        "The same {} issue was raised in {} reviews of {}, last in iteration {}: {} ({})",
        issue.aspect.as_str(),
        issue.times,
        crate::channels::iteration::diagnostic::shown(&new.target_path),
        new.iteration,
        crate::channels::iteration::diagnostic::shown(&issue.issue),
        place(&issue.location),
    );
    RepeatedAlert { fingerprint: issue.fingerprint.clone(), times: issue.times, message }
}

fn place(location: &Location) -> String {
    let kind = match location.kind {
        LocationType::Line | LocationType::Range => "line ",
        _ => "",
    };
    let reference = crate::channels::iteration::diagnostic::shown(&location.reference);
    if reference.to_lowercase().starts_with(kind.trim()) { reference } else { format!("{kind}{reference}") }
}

/// Fills in the effect of the previous document.
fn follow_up(
    tracking: &mut TrackingResult,
    previous: &DocumentSummary,
    of_previous: &[usize],
    new: &DocumentSummary,
    of_new: &[usize],
) {
    tracking.previous = Some(previous.id.clone());
    let delta = round(new.score - previous.score);
    if delta.is_finite() {
        tracking.delta = Some(delta);
        tracking.improved = Some(delta > 0.0);
    }
    let asks = previous.verdict != ReviewVerdict::Accept;
    let (mut asked, mut undone, mut clear, mut critical) = (0_usize, 0_usize, 0.0, false);
    for (index, (item, thread)) in previous.items.iter().zip(of_previous).enumerate() {
        let now = of_new.iter().position(|t| t == thread).and_then(|i| new.items.get(i));
        match now {
            Some(_) => tracking.open.push(index),
            None => tracking.resolved.push(index),
        }
        // Mere suggestions need not be followed.
        if !asks || item.severity == ItemSeverity::Suggestion {
            continue;
        }
        asked += 1;
        match now {
            None => clear += 1.0,
            Some(now) => {
                undone += 1;
                critical |= item.severity == ItemSeverity::Critical;
                clear += if now.severity > item.severity { 0.5 } else { 0.0 };
            }
        }
    }
    if asked > 0 {
        tracking.followed = Some(!critical && 2 * undone <= asked);
        tracking.clarity = Some(round(clear / asked as f64));
    }
}
