//! Turns counts into figures: rates, targets, and whether they are met. Counts nothing itself.

use super::rate::{Quarter, Share, percentile};
use super::tally::{Cell, HabitCounts, Recent, SECONDS_AN_HOUR};
use super::*;
use crate::clusters::evaluation::Classification;
use crate::text::prose::round;
use std::collections::BTreeMap;

impl Cell {
    fn corrections(&self) -> Share {
        Share::new(self.corrections, self.decisions)
    }
}

impl ReportTally {
    /// Computes the figures.
    pub fn finish(mut self) -> Report {
        let mut all: BTreeMap<Quarter, Cell> = BTreeMap::new();
        for (quarter, cell) in self.cells.values().flatten() {
            let sum = all.entry(*quarter).or_default();
            sum.decisions += cell.decisions;
            sum.corrections += cell.corrections;
            sum.edge_cases += cell.edge_cases;
        }
        let by_agent = self.cells.iter();
        let by_agent = by_agent.map(|(agent, cells)| AgentRates { agent: agent.clone(), quarters: self.rates(cells) });
        let by_agent = by_agent.collect();
        self.to_rule.sort_unstable();
        self.alerts.sort_by(|a, b| b.raised_at.cmp(&a.raised_at).then_with(|| a.alert_id.cmp(&b.alert_id)));
        let raised = self.alerts.len() as u64;
        self.alerts.truncate(LISTED);
        self.reviews.refusals.sort_by(|a, b| b.count.cmp(&a.count).then(a.code.as_str().cmp(b.code.as_str())));
        let classes = Classification::ALL.into_iter().zip(self.classes);
        Report {
            at: self.scope.at,
            since: self.scope.since,
            agent: self.scope.agent.clone(),
            week: self.scope.week_from.map(|_| self.week.clone()),
            correction_rate: self.rates(&all),
            correction_rate_by_agent: by_agent,
            acceptance: self.acceptance(),
            time_to_rule: self.time_to_rule(),
            edge_cases: self.edge_cases(&all),
            review_time: self.review_time(),
            gaps: Gaps { agents: self.gap_agents(), raised, alerts: self.alerts },
            classes: classes.map(|(classification, count)| ClassCount { classification, count }).collect(),
            waiting: self.waiting,
            tiebreaks: self.tiebreaks,
            reviews: self.reviews,
            iterations: self.channels.iterations(),
            refinements: self.channels.refinements(),
        }
    }

    fn rates(&self, cells: &BTreeMap<Quarter, Cell>) -> Vec<QuarterRate> {
        let share = |quarter: Quarter| cells.get(&quarter).map_or_else(Share::default, Cell::corrections);
        let rate = |quarter: &Quarter| {
            let (share, before) = (share(*quarter), share(quarter.previous()).rate);
            let change = match (share.rate, before) {
                (Some(now), Some(before)) if before > 0.0 => Some(round((now - before) / before)),
                _ => None,
            };
            QuarterRate {
                quarter: *quarter,
                in_part: self.is_cut(*quarter),
                share,
                change,
                met: change.map(|c| c <= CORRECTION_CHANGE),
            }
        };
        cells.keys().map(rate).collect()
    }

    fn acceptance(&self) -> Acceptance {
        let (yes, all) = self.decided.values().fold((0, 0), |(y, a), (yes, all)| (y + yes, a + all));
        let share = Share::new(yes, all);
        let quarters = self.decided.iter();
        Acceptance {
            share,
            expired: self.expired,
            target: ACCEPTANCE,
            met: share.rate.map(|r| r > ACCEPTANCE),
            by_quarter: quarters
                .map(|(quarter, (yes, all))| QuarterShare { quarter: *quarter, share: Share::new(*yes, *all) })
                .collect(),
        }
    }

    fn time_to_rule(&self) -> TimeToRule {
        let hours = |seconds: i64| (seconds as f64 / SECONDS_AN_HOUR as f64 * 10.0).round() / 10.0;
        let median = percentile(&self.to_rule, 50);
        TimeToRule {
            rules: self.to_rule.len() as u64,
            median_hours: median.map(hours),
            p90_hours: percentile(&self.to_rule, 90).map(hours),
            target_hours: HOURS_TO_RULE,
            // In seconds, so that nothing is rounded to the target or past it.
            met: median.map(|m| (m as f64) < HOURS_TO_RULE * SECONDS_AN_HOUR as f64),
        }
    }

    fn edge_cases(&self, all: &BTreeMap<Quarter, Cell>) -> EdgeCases {
        let (edge, corrections) = all.values().fold((0, 0), |(e, c), cell| (e + cell.edge_cases, c + cell.corrections));
        let share = Share::new(edge, corrections);
        let by_quarter = all
            .iter()
            .map(|(quarter, c)| QuarterShare { quarter: *quarter, share: Share::new(c.edge_cases, c.corrections) });
        EdgeCases {
            share,
            target: EDGE_CASES,
            met: share.rate.map(|r| r < EDGE_CASES),
            by_quarter: by_quarter.collect(),
            open: self.open,
            promoted: self.promoted,
        }
    }

    fn review_time(&self) -> ReviewTime {
        let mut sum = HabitCounts::default();
        for h in self.habits.values() {
            sum.reviews += h.reviews;
            sum.long += h.long;
            sum.approvals += h.approvals;
            sum.stamps += h.stamps;
        }
        let mut habits: Vec<(&String, &HabitCounts)> =
            self.habits.iter().filter(|(_, h)| h.long + h.stamps > 0).collect();
        habits.sort_by(|(a, x), (b, y)| (y.stamps + y.long).cmp(&(x.stamps + x.long)).then_with(|| a.cmp(b)));
        let by_reviewer = habits.into_iter().map(|(reviewer, h)| Habit {
            reviewer: reviewer.clone(),
            rubber_stamps: Share::new(h.stamps, h.approvals),
            long_reviews: Share::new(h.long, h.reviews),
        });
        let p95 = self.durations.percentile(95);
        ReviewTime {
            measured: self.durations.count(),
            median_seconds: self.durations.percentile(50),
            p95_seconds: p95,
            over_p95: p95.map_or(0, |p| self.durations.over(p)),
            rubber_stamp_seconds: self.limits.rubber_stamp_seconds,
            rubber_stamps: Share::new(sum.stamps, sum.approvals),
            long_review_seconds: self.limits.long_review_seconds,
            long_reviews: Share::new(sum.long, sum.reviews),
            by_reviewer: by_reviewer.collect(),
        }
    }

    fn gap_agents(&self) -> Vec<GapAgent> {
        let agent = |(agent, r): (&String, &Recent)| GapAgent {
            agent: agent.clone(),
            share: Share::new(r.corrections, r.decisions),
            themes: r.clusters.len() as u64 + r.alone,
        };
        let is_gap = |g: &GapAgent| {
            let many = g.themes >= GAP_THEMES && g.themes * 3 >= g.share.part;
            g.share.of >= GAP_DECISIONS && g.share.part * 2 > g.share.of && many
        };
        self.recent.iter().map(agent).filter(is_gap).collect()
    }

    /// Reports whether the report's period begins or ends within a quarter.
    fn is_cut(&self, quarter: Quarter) -> bool {
        let (start, end) = (quarter.start(), quarter.next().start());
        self.scope.at < end || self.scope.since.is_some_and(|since| start < since && since < end)
    }
}
