//! How often a rule's measured effect is correct, on histories whose effect is known, by base rate and size.
//!
//! `BENCH_RUNS` (default 2000) histories per cell. Does not measure time.

mod effect {
    pub mod histories;
}

use effect::histories::{Draws, Truth, life, share};
use feedbackd::domain::interval::change;
use feedbackd::domain::rules::in_force::effect::EffectVerdict;

const BASES: [f64; 5] = [0.1, 0.2, 0.3, 0.4, 0.5];
const BEFORE: [usize; 5] = [30, 60, 120, 240, 480];

fn main() {
    let runs = std::env::var("BENCH_RUNS").ok().and_then(|n| n.parse().ok()).unwrap_or(2_000);
    println!("{runs} histories a cell\n");
    coverage(runs);
    for (title, leaves, exposures, wanted) in [
        ("A rule that halves corrections, seen within 60 exposures, %", 0.5, 60, EffectVerdict::Helps),
        ("A rule that halves corrections, seen within 120 exposures, %", 0.5, 120, EffectVerdict::Helps),
        ("A rule that leaves a quarter, seen within 60 exposures, %", 0.25, 60, EffectVerdict::Helps),
        (
            "A rule that halves corrections, flagged at any time up to 1,920 exposures, %",
            0.5,
            1920,
            EffectVerdict::NoEffectSeen,
        ),
        ("A rule without effect, said to help at any time up to 1,920 exposures, %", 1.0, 1920, EffectVerdict::Helps),
        ("A rule without effect, flagged within 60 exposures, %", 1.0, 60, EffectVerdict::NoEffectSeen),
        ("A rule without effect, flagged within 240 exposures, %", 1.0, 240, EffectVerdict::NoEffectSeen),
        ("A rule without effect, flagged at any time up to 1,920 exposures, %", 1.0, 1920, EffectVerdict::NoEffectSeen),
    ] {
        println!("{title}\n");
        table(|base, before| {
            let mut draws = Draws::new(1);
            let truth = Truth { base, leaves, before };
            100.0 * share(runs, |_| life(&mut draws, truth, exposures).iter().any(|a| a.verdict == wanted))
        });
    }
}

fn table(mut cell: impl FnMut(f64, usize) -> f64) {
    println!("| base rate | {} |", BEFORE.map(|n| format!("{n} before")).join(" | "));
    println!("|{}", "---|".repeat(BEFORE.len() + 1));
    for base in BASES {
        println!("| {base} | {} |", BEFORE.map(|n| format!("{:.1}", cell(base, n))).join(" | "));
    }
    println!();
}

/// Sweeps base rates, sizes and effects; prints the average and the worst cells.
fn coverage(runs: usize) {
    let mut cells = vec![];
    for base in BASES {
        for before in BEFORE {
            for after in [8, 15, 30, 60, 120, 240] {
                for leaves in [0.25, 0.5, 0.75, 1.0, 1.25] {
                    let mut draws = Draws::new(cells.len() as u64);
                    let covered = share(runs, |_| {
                        let (b, a) = (draws.tally(before, base), draws.tally(after, base * leaves));
                        change(b, a, 0.95).is_some_and(|c| c.interval.covers(base * leaves - base))
                    });
                    cells.push((covered, base, leaves, before, after));
                }
            }
        }
    }
    cells.sort_by(|a, b| a.0.total_cmp(&b.0));
    let average = cells.iter().map(|c| c.0).sum::<f64>() / cells.len() as f64;
    let within = cells.iter().filter(|c| (0.93..=0.97).contains(&c.0)).count();
    println!(
        "Coverage of the 95 % interval of the change over {} cells: {:.1} % on average",
        cells.len(),
        100.0 * average
    );
    println!("within 93 to 97 %: {within} cells");
    for (covered, base, leaves, before, after) in [&cells[0], &cells[1], &cells[cells.len() - 1]] {
        println!("{:.1} %: base {base}, leaves {leaves}, {before} before, {after} after", 100.0 * covered);
    }
    println!();
}
