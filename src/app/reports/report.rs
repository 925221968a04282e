//! The report: feeds the index's data to the domain's tally. One pass; only counts are kept.

use crate::domain::records::layout;
use crate::domain::records::record::{IterationRecord, RefinementRecord};
use crate::domain::reporting::report::Quarter;
use crate::domain::reporting::report::{FeedbackFacts, GapAgent, Limits, Report, ReportTally, Scope, document};
use crate::ports::{Index, IndexError};
use crate::text::prose::utc_day;
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp, civil::Date, civil::ISOWeekDate};

/// Number of quarters a weekly report covers, including its own.
const QUARTERS: usize = 4;

/// Returns the figures of a store.
///
/// # Errors
/// If the index fails.
pub fn report(index: &dyn Index, scope: Scope, limits: Limits) -> Result<Report, IndexError> {
    let mut tally = ReportTally::new(scope, limits);
    index.each_feedback(&mut |f| {
        if f.retracted {
            return;
        }
        tally.feedback(FeedbackFacts {
            id: &f.id,
            corrects: f.corrects,
            agent: &f.agent,
            reviewer: &f.reviewer,
            verdict: f.verdict,
            has_words: !f.text.trim().is_empty(),
            classification: f.classification,
            cluster: f.cluster.as_deref(),
            at: f.timestamp,
            review_seconds: f.review_seconds,
        });
    })?;
    // Proposals come before the reviews about them.
    index.proposals()?.iter().for_each(|(_, r)| tally.proposal(r));
    index.reviews()?.iter().for_each(|(_, r)| tally.review(r));
    index.edge_cases()?.iter().for_each(|(_, r)| tally.edge_case(r));
    index.ambiguous()?.iter().for_each(|(_, r)| tally.tiebreak(r));
    index.alerts()?.iter().for_each(|(_, r)| tally.alert(r));
    index.each::<IterationRecord>(&mut |_, r| tally.iteration(&r))?;
    index.each::<RefinementRecord>(&mut |_, r| tally.refinement(&r))?;
    Ok(tally.finish())
}

/// Returns the report of the last ISO week that ended before `now`, and its path; `None` if nothing happened in that
/// week and nothing is pending. The same store and week give the same text.
///
/// # Errors
/// If the index fails.
pub fn weekly(index: &dyn Index, now: Timestamp, limits: Limits) -> Result<Option<Weekly>, IndexError> {
    let Some((week, from, to)) = last_week(now) else { return Ok(None) };
    // The last moment of the week: midnight belongs to the next one.
    let at = to.saturating_sub(SignedDuration::from_nanos(1)).unwrap_or(to);
    let first = (1..QUARTERS).fold(Quarter::of(at), |q, _| q.previous());
    let scope = Scope { agent: None, since: Some(first.start()), at, week_from: Some(from) };
    let report = report(index, scope, limits)?;
    let nothing = report.week.as_ref().is_none_or(|w| w.is_empty());
    if nothing && report.waiting.count + report.tiebreaks.count == 0 {
        return Ok(None);
    }
    Ok(Some(Weekly {
        path: layout::weekly_report(week.year(), week.week()),
        text: document(&report).markdown(),
        gaps: report.gaps.agents,
    }))
}

/// Returns the path of the report for the week before `now`.
pub fn weekly_path(now: Timestamp) -> Option<String> {
    last_week(now).map(|(week, _, _)| layout::weekly_report(week.year(), week.week()))
}

/// The report of a week.
#[derive(Clone, Debug, PartialEq)]
pub struct Weekly {
    /// Its path.
    pub path: String,
    /// The report, as Markdown.
    pub text: String,
    /// Agents whose corrections ask for too many different things for rules to help.
    pub gaps: Vec<GapAgent>,
}

/// Returns the ISO week before the one containing `now`, its first moment, and the first after it.
fn last_week(now: Timestamp) -> Option<(ISOWeekDate, Timestamp, Timestamp)> {
    let today = utc_day(now);
    let monday = today.iso_week_date().first_of_week().ok()?.date();
    let before = monday.checked_sub(SignedDuration::from_hours(7 * 24)).ok()?;
    let start = |day: Date| day.to_zoned(TimeZone::UTC).ok().map(|z| z.timestamp());
    Some((before.iso_week_date(), start(before)?, start(monday)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_week_that_ended_has_its_own_year() {
        let of = |text: &str| {
            let (week, from, to) = last_week(text.parse().unwrap()).unwrap();
            format!("{} {from} {to}", layout::weekly_report(week.year(), week.week()))
        };
        insta::assert_snapshot!(of("2026-01-05T00:00:00Z"), @r#"feedback/reports/2026/2026-W01.md 2025-12-29T00:00:00Z 2026-01-05T00:00:00Z"#);
        insta::assert_snapshot!(of("2026-01-04T23:59:59Z"), @r#"feedback/reports/2025/2025-W52.md 2025-12-22T00:00:00Z 2025-12-29T00:00:00Z"#);
        insta::assert_snapshot!(of("2027-01-04T12:00:00Z"), @r#"feedback/reports/2026/2026-W53.md 2026-12-28T00:00:00Z 2027-01-04T00:00:00Z"#);
    }
}
