//! Laws of the curve, and which records count as decisions.

use super::*;
use crate::reporting::score::calibrated;
use crate::rules::lifecycle::roster::Roster;
use crate::rules::lifecycle::rule::{Command, Terms, newborn, transition};
use crate::testing::sample;
use proptest::prelude::*;

/// Creates proposals of equal confidence, some of them approved.
fn level(p: f64, approved: usize, of: usize) -> Vec<(f64, bool)> {
    (0..of).map(|n| (p, n < approved)).collect()
}

fn any_decisions() -> impl Strategy<Value = Vec<(f64, bool)>> {
    let p = prop_oneof![8 => 0.0..=1.0_f64, 4 => 0.9..=1.0_f64, 1 => Just(0.0), 1 => Just(1.0)];
    prop::collection::vec((p, any::<bool>()), ENOUGH..80)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn what_was_surer_stays_surer(said in any_decisions(), p in 0.0..=1.0_f64, more in 0.0..=1.0_f64) {
        let curve = Curve::of(&said).unwrap();
        prop_assert!(curve.a >= FLATTEST && curve.a.is_finite() && curve.b.is_finite(), "{curve:?}");
        let (low, high) = (curve.apply(p.min(more)), curve.apply(p.max(more)));
        prop_assert!(low <= high);
        prop_assert!((LEAST..=MOST).contains(&low) && (LEAST..=MOST).contains(&high));
    }

    #[test]
    fn the_order_of_decisions_does_not_matter(said in any_decisions(), turned in 0..100_usize) {
        let mut other = said.clone();
        other.rotate_left(turned % said.len());
        other.reverse();
        prop_assert_eq!(Curve::of(&said), Curve::of(&other));
        prop_assert_eq!(held_out(&said), held_out(&other));
    }

    #[test]
    fn few_decisions_teach_nothing(said in prop::collection::vec((0.0..=1.0_f64, any::<bool>()), 0..ENOUGH)) {
        prop_assert_eq!(Curve::of(&said), None);
    }

    #[test]
    fn what_is_calibrated_stays_as_it_is(levels in prop::collection::vec((1..20_usize, 1..20_usize), 15..30)) {
        let said: Vec<(f64, bool)> = levels
            .into_iter()
            .flat_map(|(yes, no)| level(yes as f64 / (yes + no) as f64, yes, yes + no))
            .collect();
        let curve = Curve::of(&said).unwrap();
        for p in [0.01, 0.3, 0.5, 0.9, 0.95, 0.99] {
            prop_assert!((curve.apply(p) - p).abs() < 1e-6, "{curve:?}");
        }
    }

    #[test]
    fn who_is_too_sure_gets_less_sure(
        levels in prop::collection::vec(0.9..=0.999_f64, 3..10),
        (no, yes) in (5..8_usize, 0..=5_usize),
    ) {
        let said: Vec<(f64, bool)> = levels.iter().flat_map(|p| level(*p, yes, yes + no.max(10 - yes))).collect();
        let curve = Curve::of(&said).unwrap();
        for p in levels {
            prop_assert!(curve.apply(p) < p, "{p}: {curve:?}");
        }
    }

    #[test]
    fn a_curve_is_the_best_there_is(said in any_decisions(), by in (-0.1..0.1_f64, -0.1..0.1_f64)) {
        let points: Vec<(f64, f64)> = said.iter().map(|(p, y)| (logit(*p), f64::from(u8::from(*y)))).collect();
        let curve = fit(&said);
        let other = Curve { a: (curve.a + by.0).max(FLATTEST), b: curve.b + by.1 };
        prop_assert!(cost(&points, curve) <= cost(&points, other) + 1e-9, "{curve:?} {other:?}");
    }
}

#[test]
fn confident_proposals_that_are_mostly_rejected_lose_their_confidence() {
    let said = level(0.97, 4, 36);
    let curve = Curve::of(&said).unwrap();
    assert!(curve.apply(0.97) < 0.25, "{curve:?}");
    assert!(curve.apply(0.99) > curve.apply(0.97) + 0.01, "{curve:?}");
    let (before, after) = (calibrated(&said).ece.unwrap(), calibrated(&held_out(&said)).ece.unwrap());
    assert!(before > 0.8 && after < 0.2, "{before} {after}");
}

#[test]
fn decisions_that_all_say_yes_change_little() {
    let curve = Curve::of(&level(0.95, 30, 30)).unwrap();
    let p = curve.apply(0.95);
    assert!(p > 0.95 && p < 0.99, "{p}");
    assert!(curve.apply(0.3) < 0.5, "{curve:?}");
}

#[test]
fn surer_proposals_that_are_rejected_more_do_not_turn_it_around() {
    let said = [level(0.9, 40, 40), level(0.999, 0, 40)].concat();
    let curve = Curve::of(&said).unwrap();
    assert!((curve.a - FLATTEST).abs() < 1e-12 && curve.apply(0.9) < curve.apply(0.999), "{curve:?}");
}

#[test]
fn what_people_decided_follows_from_the_life_of_a_proposal() {
    let roster = Roster::parse("reviewers: [{id: ana, roles: [approver]}, {id: cleo, roles: [approver]}]").unwrap();
    let at = sample::moment(1);
    let after = |commands: &[Command]| {
        let new = newborn(sample::proposal(1), "RULE-2026-0001");
        let terms = Terms::default();
        commands.iter().fold(new, |r, c| transition(&r, c, &roster, &terms, at).unwrap().after)
    };
    let approve =
        |by: &str| Command::Approve { by: by.into(), review_id: by.into(), content_hash: None, signed: false };
    let (by, reason) = (String::from("cleo"), Some(String::from("it does not help")));
    let reject = Command::Reject { by: by.clone(), content_hash: None, reason: reason.clone() };
    let back = Command::RollBack { by: by.clone(), reason: reason.clone() };
    let retire = Command::Retire { by: Some(by), reason };
    let withdraw = Command::Withdraw { reason: "no evidence is left".into() };
    let active = [approve("ana"), approve("cleo"), Command::Activate];
    let ended = |end: Command| approved(&after(&[active.to_vec(), vec![end]].concat()));
    assert_eq!(approved(&after(&[])), None);
    assert_eq!(approved(&after(&[approve("ana")])), Some(true));
    assert_eq!(approved(&after(&[approve("ana"), reject])), Some(false));
    assert_eq!((ended(retire), ended(back)), (Some(true), Some(false)));
    assert_eq!(ended(withdraw.clone()), Some(true), "people approved it, and nobody took that back");
    assert_eq!(approved(&after(&[withdraw])), None, "nobody decided");
    let mut about = after(&[approve("ana")]);
    about.target_rule = Some("RULE-2026-0002".into());
    assert_eq!(approved(&about), None, "it came from no pattern");
}

#[test]
fn a_proposal_keeps_what_its_remarks_alone_say() {
    let mut proposal = newborn(sample::proposal(1), "RULE-2026-0001");
    assert_eq!((raw(&proposal), aside(&proposal).as_str()), (0.9, ""));
    Curve { a: 1.0, b: -2.0 }.recalibrate(&mut proposal);
    assert_eq!((proposal.classification_confidence, proposal.raw_confidence), (0.5491, Some(0.9)));
    assert_eq!((raw(&proposal), aside(&proposal).as_str()), (0.9, ", 90 % from its comments alone"));
}
