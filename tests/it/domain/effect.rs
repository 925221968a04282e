//! The accuracy of a rule's measured effect, on 2,000 histories with a known effect for each question. The bench
//! `effect` prints the same by base rate.

#[path = "../../../benches/effect/histories.rs"]
mod histories;

use feedbackd::domain::interval::change;
use feedbackd::domain::rules::in_force::effect::EffectVerdict;
use histories::{Draws, Truth, life, share};

const RUNS: usize = 2_000;
const BASES: [f64; 5] = [0.1, 0.2, 0.3, 0.4, 0.5];
const BEFORE: [usize; 4] = [30, 60, 120, 240];

/// Returns all base rates and sizes in turn.
fn truth(run: usize, leaves: f64) -> Truth {
    Truth { base: BASES[run % 5], leaves, before: BEFORE[run / 5 % 4] }
}

fn ever(draws: &mut Draws, truth: Truth, exposures: usize, verdict: EffectVerdict) -> bool {
    life(draws, truth, exposures).iter().any(|a| a.verdict == verdict)
}

/// Over five base rates, four sizes before, six after and four effects in turn. With few corrections it errs on the
/// safe side: it covers more than it claims.
#[test]
fn the_interval_of_the_change_holds_the_truth() {
    let covered = |seed, cells: &dyn Fn(usize) -> Truth| {
        let mut draws = Draws::new(seed);
        share(RUNS, |run| {
            let cell = cells(run);
            let (after, rate) = ([15, 30, 60, 120, 240, 480][run / 20 % 6], cell.base * cell.leaves);
            let change = change(draws.tally(cell.before, cell.base), draws.tally(after, rate), 0.95).unwrap();
            change.interval.covers(rate - cell.base)
        })
    };
    let leaves = |run: usize| [0.25, 0.5, 0.75, 1.0][run / 120 % 4];
    for seed in 1..=3 {
        let all = covered(seed, &|run| truth(run, leaves(run)));
        assert!((0.93..=0.97).contains(&all), "{all}");
    }
    for base in BASES {
        for before in BEFORE {
            let one = covered(1, &|run| Truth { base, leaves: leaves(run), before });
            assert!((0.93..=0.985).contains(&one), "{one} at {base}, {before} before");
        }
    }
}

#[test]
fn a_rule_that_halves_corrections_is_hardly_ever_flagged() {
    let mut draws = Draws::new(2);
    let flagged = share(RUNS, |run| ever(&mut draws, truth(run, 0.5), 1920, EffectVerdict::NoEffectSeen));
    assert!(flagged <= 0.05, "{flagged}");
}

/// Only if the goal is attainable: at lower rates, or with fewer decisions before, 60 exposures do not distinguish a
/// half from chance.
#[test]
fn a_rule_that_halves_corrections_is_seen_within_60_exposures() {
    for (base, before) in [(0.3, 600), (0.4, 120), (0.4, 240), (0.5, 60), (0.5, 120), (0.5, 240)] {
        let mut draws = Draws::new(3);
        let truth = Truth { base, leaves: 0.5, before };
        let seen = share(RUNS, |_| ever(&mut draws, truth, 60, EffectVerdict::Helps));
        assert!(seen >= 0.9, "{seen} at {base}, {before} before");
    }
}

#[test]
fn a_rule_without_effect_is_seldom_said_to_help() {
    let mut draws = Draws::new(4);
    let helps = share(RUNS, |run| ever(&mut draws, truth(run, 1.0), 1920, EffectVerdict::Helps));
    assert!(helps <= 0.1, "{helps}");
}

/// A flag that is never set would pass everything above.
#[test]
fn a_rule_without_effect_is_found_out() {
    for (base, before, exposures) in [(0.2, 120, 480), (0.3, 120, 240), (0.5, 60, 120)] {
        let mut draws = Draws::new(5);
        let truth = Truth { base, leaves: 1.0, before };
        let flagged = share(RUNS, |_| ever(&mut draws, truth, exposures, EffectVerdict::NoEffectSeen));
        assert!(flagged >= 0.9, "{flagged} at {base}, {before} before");
    }
}
