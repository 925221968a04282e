//! Verdicts on small histories that can be checked by hand, and laws that hold for all of them.

use super::*;
use crate::interval::CorrectionTally;
use jiff::{SignedDuration, Timestamp};
use proptest::prelude::*;

fn activated() -> Timestamp {
    Timestamp::from_second(1_767_225_600).unwrap()
}

fn days(n: i64) -> SignedDuration {
    SignedDuration::from_hours(24 * n)
}

/// Creates `n` hourly decisions from a given time, of which every `every`-th is corrected.
fn decisions(from: Timestamp, n: usize, every: usize) -> Vec<Observation> {
    let at = |i: usize| from + SignedDuration::from_hours(i as i64);
    (0..n).map(|i| Observation { at: at(i), corrected: every > 0 && i % every == 0, session: None }).collect()
}

fn before(n: usize, every: usize) -> Vec<Observation> {
    decisions(activated() - days(90), n, every)
}

fn settled(n: usize, every: usize) -> Vec<Observation> {
    decisions(activated() + days(7), n, every)
}

fn at(day: i64, before: &[Observation], after: &[Observation]) -> Assessment {
    assess(&EffectPolicy::default(), activated(), activated() + days(day), before, after)
}

#[test]
fn nothing_is_said_while_a_rule_stabilizes() {
    let after = decisions(activated(), 100, 1);
    let early = at(6, &before(100, 2), &after);
    assert_eq!(
        (early.verdict, early.exposures, early.set_aside, early.effect),
        (EffectVerdict::Stabilizing, 0, 100, 0.0)
    );
    insta::assert_snapshot!(early.explained, @"Decisions count from 2026-01-08.");
    assert_eq!(at(100, &before(100, 2), &after).verdict, EffectVerdict::TooFewExposures, "they never count");
}

#[test]
fn nothing_is_said_on_too_little() {
    let seven = at(60, &before(100, 2), &settled(7, 1));
    assert_eq!((seven.verdict, seven.effect), (EffectVerdict::TooFewExposures, 0.0));
    insta::assert_snapshot!(seven.explained, @"Corrected 50 of 100 (50 %) before, 7 of 7 (100 %) after. 7 decisions after stabilizing; 8 are needed.");
    let none = at(60, &before(7, 1), &settled(100, 1));
    assert_eq!((none.verdict, none.effect), (EffectVerdict::NoBaseline, 0.0));
    insta::assert_snapshot!(none.explained, @"There is nothing to compare with: 7 decisions before it, 8 are needed.");
}

#[test]
fn a_rule_without_effect_is_flagged_after_thirty_days() {
    let (before, after) = (before(100, 2), settled(120, 2));
    let early = at(29, &before, &after);
    assert_eq!(early.verdict, EffectVerdict::Unclear);
    assert!(early.explained.contains("not flagged before 2026-01-31"), "{}", early.explained);
    let late = at(30, &before, &after);
    assert!(late.verdict.flags() && late.judged_on == 120);
    insta::assert_snapshot!(late.explained, @"Corrected 50 of 100 (50 %) before, 60 of 120 (50 %) after. No improvement is seen, and a rule that halves corrections would rarely leave so many, based on 120 decisions.");
}

#[test]
fn a_rule_that_helps_is_seen() {
    let helps = at(60, &before(100, 2), &settled(60, 5));
    assert_eq!(helps.verdict, EffectVerdict::Helps);
    assert!(helps.effect > 0.1 && helps.effect < 0.3, "{}", helps.effect);
    insta::assert_snapshot!(helps.explained, @"Corrected 50 of 100 (50 %) before, 12 of 60 (20 %) after. That is rarer than chance explains, based on 60 decisions.");
}

#[test]
fn little_data_says_little() {
    let unclear = at(60, &before(30, 4), &settled(20, 5));
    assert_eq!(unclear.verdict, EffectVerdict::Unclear);
    insta::assert_snapshot!(unclear.explained, @"Corrected 8 of 30 (27 %) before, 4 of 20 (20 %) after. Based on the first 15 decisions, it may help or do nothing. The next check is at 30 decisions after stabilizing; so far there are 20.");
    let effects: Vec<f64> = [8, 30, 120].map(|n| at(200, &before(100, 2), &settled(n, 0)).effect).into_iter().collect();
    assert!(0.0 < effects[0] && effects[0] < effects[1] && effects[1] < effects[2] && effects[2] < 0.5, "{effects:?}");
    assert!(at(200, &before(100, 4), &settled(60, 1)).effect < 0.0, "corrections rose");
}

#[test]
fn the_future_does_not_count() {
    let after = settled(240, 2);
    let (all, some) = (at(12, &before(100, 2), &after), at(12, &before(100, 2), &after[..121]));
    assert_eq!(all, some);
    assert_eq!(all.exposures, 121);
}

#[test]
fn the_share_held_out_is_the_share_asked_for() {
    for share in [0.0, 0.1, 0.5, 1.0] {
        let held = (0..10_000).filter(|n| holds_out("RULE-2026-0001", &format!("session-{n}"), share)).count();
        assert!((held as f64 / 10_000.0 - share).abs() < 0.02, "{share}: {held}");
    }
    let both = (0..10_000).map(|n| format!("session-{n}"));
    let both = both.filter(|s| holds_out("RULE-2026-0001", s, 0.5) && holds_out("RULE-2026-0002", s, 0.5)).count();
    assert!((2_200..2_800).contains(&both), "rules are held out independently: {both}");
}

#[test]
fn arms_are_compared_from_without_to_with() {
    let arm = |corrections, decisions| CorrectionTally { corrections, decisions };
    let c = compare(arm(5, 50), arm(25, 50), 0.95);
    assert!(c.change.unwrap().interval.high < 0.0 && c.with.unwrap().rate < c.without.unwrap().rate);
    assert_eq!(compare(arm(5, 50), arm(0, 0), 0.95).change, None);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Looking more often reveals nothing: between two looks the verdict is unchanged.
    #[test]
    fn between_two_looks_the_verdict_stays(
        before in prop::collection::vec(any::<bool>(), 8..60),
        after in prop::collection::vec(any::<bool>(), 8..70),
    ) {
        let observed = |from: Timestamp, all: &[bool]| -> Vec<Observation> {
            let at = |i: usize| from + SignedDuration::from_hours(i as i64);
            all.iter().enumerate().map(|(i, c)| Observation { at: at(i), corrected: *c, session: None }).collect()
        };
        let before = observed(activated() - days(60), &before);
        let after = observed(activated() + days(7), &after);
        let mut last: Option<Assessment> = None;
        for n in 8..=after.len() {
            let a = at(60, &before, &after[..n]);
            prop_assert!(a.judged_on as usize <= n);
            if let Some(l) = last.filter(|l| l.judged_on == a.judged_on) {
                prop_assert_eq!((l.verdict, l.effect), (a.verdict, a.effect));
            }
            last = Some(a);
        }
    }

    /// One more later correction never turns the verdict towards `helps`.
    #[test]
    fn more_corrections_never_look_better(x in 0..30u64, y in 0..30u64) {
        for exposures in [30, 60] {
            let look = looks::taken(8, exposures).next_back().unwrap();
            let (b, a) = (CorrectionTally { corrections: x, decisions: 60 }, CorrectionTally { corrections: y, decisions: exposures });
            let worse = CorrectionTally { corrections: y + 1, ..a };
            if y < exposures {
                prop_assert!(look.improved(b, a) || !look.improved(b, worse));
                prop_assert!(look.contradicts_halving(b, worse) || !look.contradicts_halving(b, a));
            }
        }
    }
}
