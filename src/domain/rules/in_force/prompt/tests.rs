//! The order, the scope, the section, and the laws of building a prompt.

use super::section::{is_ours, without_section};
use super::*;
use crate::clusters::evaluation::ActionType;
use crate::records::record::{ProposalRecord, ProposalStatus, Scope};
use crate::rules::draft::proposal::INSERTION_POINT;
use crate::testing::sample;
use crate::testing::sample::moment;
use crate::text::ids::Gate;
use proptest::prelude::*;

fn rule(n: u32, confidence: f64) -> ProposalRecord {
    ProposalRecord {
        status: ProposalStatus::Active,
        classification_confidence: confidence,
        activated_at: Some(moment(n)),
        rule_content: format!("Do thing {n}."),
        ..sample::proposal(n)
    }
}

fn ids(rules: &[&ProposalRecord]) -> Vec<String> {
    rules.iter().map(|r| r.proposal_id.replace("RULE-2026-000", "")).collect()
}

fn everywhere() -> Place<'static> {
    Place::default()
}

#[test]
fn order_is_effect_then_confidence_then_age() {
    let rules = [rule(4, 0.9), rule(3, 0.9), rule(2, 0.95), rule(1, 0.1)];
    let effect = |id: &str| if id.ends_with('1') { 0.2 } else { 0.0 };
    assert_eq!(ids(&in_prompt_order(&rules, "prd-agent", &everywhere(), effect, 20)), ["1", "2", "3", "4"]);
    let unknown = |id: &str| if id.ends_with('4') { f64::NAN } else { -0.0 };
    assert_eq!(ids(&in_prompt_order(&rules, "prd-agent", &everywhere(), unknown, 20)), ["2", "3", "4", "1"]);
    assert_eq!(ids(&in_prompt_order(&rules, "prd-agent", &everywhere(), effect, 2)), ["1", "2"]);
}

#[test]
fn only_rules_in_force_that_are_words_for_this_agent_enter() {
    let mut rules = vec![rule(1, 0.9); 6];
    rules[0].status = ProposalStatus::Flagged;
    rules[1].status = ProposalStatus::Approved;
    rules[2].status = ProposalStatus::Retired;
    rules[3].action_type = ActionType::AddCheck;
    rules[4].affected_agents = vec!["coding-agent".into()];
    rules[5].proposal_id = "RULE-2026-0002".into();
    assert_eq!(ids(&in_prompt_order(&rules, "prd-agent", &everywhere(), |_| 0.0, 20)), ["1", "2"]);
    assert_eq!(section(&[], false), None);
}

#[test]
fn scope_limits_where_the_place_is_known() {
    let scope = Scope { gates: vec![Gate::new(4).unwrap()], paths: vec!["src/api/**".into(), "*.sql".into()] };
    let at = |gate: u8, path| may_apply(&scope, &Place { gate: Gate::new(gate), path });
    assert!(may_apply(&scope, &everywhere()));
    assert!(at(4, None) && !at(3, None));
    assert!(at(4, Some("src/api/v1/users.rs")) && at(4, Some("./db/deep/schema.sql")));
    assert!(!at(4, Some("src/web/index.ts")) && !at(4, Some("old/src/api/users.rs")));
    assert!(may_apply(&Scope { paths: vec!["[".into()], ..Scope::default() }, &Place { gate: None, path: Some("a") }));
}

#[test]
fn the_cap_counts_before_the_place() {
    let mut rules = [rule(1, 0.9), rule(2, 0.8)];
    rules[0].scope.gates = vec![Gate::new(4).unwrap()];
    let place = Place { gate: Gate::new(1), path: None };
    assert!(in_prompt_order(&rules, "prd-agent", &place, |_| 0.0, 1).is_empty(), "the second is not in force");
}

#[test]
fn the_section_reads_well() {
    let mut rules = [rule(1, 0.9), rule(2, 0.8)];
    rules[1].scope = Scope { gates: vec![Gate::new(4).unwrap()], paths: vec!["src/api/**".into()] };
    rules[1].rule_content = "Handle errors:\nretry timeouts, report the rest.".into();
    let rules = in_prompt_order(&rules, "prd-agent", &everywhere(), |_| 0.0, 20);
    insta::assert_snapshot!(build_prompt("You write requirements.\n", section(&rules, false).as_deref()), @r#"
    You write requirements.

    ## Learned Rules (from feedback)

    - Do thing 1. (RULE-2026-0001)
    - At HITL-4, for files matching `src/api/**`: Handle errors:
      retry timeouts, report the rest. (RULE-2026-0002)
    "#);
}

#[test]
fn a_section_at_the_end_is_replaced_and_can_be_taken_away() {
    let (one, two) = (rule(1, 0.9), rule(2, 0.9));
    let old = section(&[&one, &two], false).unwrap();
    let new = section(&[&two], false).unwrap();
    for base in ["You code.", "You code.\n", "You code.\n\n", "You code.\r\n"] {
        let prompt = build_prompt(base, Some(&old));
        assert!(prompt.starts_with(base) && prompt.ends_with(&format!("\n{old}")), "{prompt:?}");
        let replaced = build_prompt(&prompt, Some(&new));
        assert_eq!(replaced.matches(INSERTION_POINT).count(), 1);
        assert_eq!(replaced, build_prompt(base, Some(&new)));
        assert!(!build_prompt(&prompt, None).contains(INSERTION_POINT));
    }
    assert_eq!(build_prompt(&build_prompt("You code.\n", Some(&old)), None), "You code.\n");
    assert_eq!(build_prompt("", Some(&old)), old);
}

#[test]
fn what_people_wrote_under_the_same_heading_stays() {
    for base in [
        "## Learned Rules (from feedback)\n- Ours, by hand\n",
        "## Learned Rules (from feedback)\n- Do x. (RULE-2026-0001)\n\nMore text.",
        "## Learned Rules (from feedback)\n",
        "See `## Learned Rules (from feedback)`\n- Do x. (RULE-2026-0001)\n",
    ] {
        let section = section(&[&rule(1, 0.9)], false).unwrap();
        assert!(build_prompt(base, Some(&section)).starts_with(base), "{base}");
        assert_eq!(build_prompt(base, None), base);
    }
}

#[test]
fn what_is_deployed_names_agents_that_lost_their_rules() {
    let mut gone = rule(2, 0.9);
    gone.status = ProposalStatus::RolledBack;
    gone.affected_agents = vec!["coding-agent".into()];
    let mut pending = sample::proposal(3);
    pending.affected_agents = vec!["test-agent".into()];
    let found = deployed(&[rule(1, 0.9), gone, pending], |_| 0.25, MAX_ACTIVE);
    assert_eq!(found.iter().map(|a| a.agent.as_str()).collect::<Vec<_>>(), ["coding-agent", "prd-agent"]);
    assert_eq!((found[0].active.len(), &found[0].prompt), (0, &None));
    assert_eq!((found[1].active[0].effect, found[1].active[0].id.as_str()), (0.25, "RULE-2026-0001"));
    assert!(found[1].prompt.as_ref().unwrap().contains("Do thing 1."));
    let many: Vec<ProposalRecord> = (1..=30).map(|n| rule(n, 0.9)).collect();
    assert_eq!(deployed(&many, |_| 0.0, MAX_ACTIVE)[0].active.len(), 20);
}

#[test]
fn a_file_for_everybody_names_each_rule_once() {
    let mut both = rule(1, 0.5);
    both.affected_agents.push("coding-agent".into());
    let rules = [both, rule(2, 0.9)];
    let found = for_everybody(&rules, |_| 0.0, 20);
    assert_eq!(ids(&found), ["2", "1"]);
    assert!(section(&found, true).unwrap().contains("- For the prd-agent or coding-agent: Do thing 1."));
}

#[test]
fn holding_out_depends_on_rule_and_session_alone() {
    let rules: Vec<ProposalRecord> = (1..=400).map(|n| rule(n, 0.9)).collect();
    let all: Vec<&ProposalRecord> = rules.iter().collect();
    let (kept, held) = hold_out(all.clone(), "session-1", 0.25);
    assert_eq!(kept.len() + held.len(), 400);
    assert!((60..140).contains(&held.len()), "{}", held.len());
    assert_eq!(hold_out(all.clone(), "session-1", 0.25).1, held);
    assert_ne!(hold_out(all.clone(), "session-2", 0.25).1, held);
    assert!(hold_out(all.clone(), "session-1", 0.0).1.is_empty());
    assert!(hold_out(all, "session-1", 1.0).0.is_empty());
}

/// Generates texts with everything that could be mistaken for structure.
fn hostile() -> impl Strategy<Value = String> {
    let part = prop_oneof![
        Just("\n"),
        Just("\r"),
        Just("\r\n"),
        Just("\u{2028}"),
        Just("## Learned Rules (from feedback)"),
        Just("# x"),
        Just("- x"),
        Just("  "),
        Just("---"),
        Just("```"),
        Just("</rules>"),
        Just("<"),
        Just("/"),
        Just("<!--"),
        Just("<!-- feedbackd:end -->"),
        Just("\u{202e}"),
        Just("\u{e0041}"),
        Just("\u{200b}"),
        Just("\u{0}"),
        Just("(RULE-2026-0009)"),
        Just(")"),
        Just("word "),
    ];
    prop_oneof![any::<String>(), proptest::collection::vec(part, 0..12).prop_map(|parts| parts.concat())]
}

fn rule_of((content, title, id, path): (String, String, String, String)) -> ProposalRecord {
    let scope = Scope { gates: vec![], paths: vec![path] };
    ProposalRecord { rule_content: content, title, proposal_id: id, scope, ..rule(1, 0.9) }
}

proptest! {
    #[test]
    fn nothing_leaves_its_bullet(
        texts in proptest::collection::vec((hostile(), hostile(), hostile(), hostile()), 1..5),
        agents in any::<bool>(),
    ) {
        let rules: Vec<ProposalRecord> = texts.into_iter().map(rule_of).collect();
        let section = section(&rules.iter().collect::<Vec<_>>(), agents).unwrap();
        let (first, rest) = section.split_once("\n\n").unwrap();
        prop_assert_eq!(first, INSERTION_POINT);
        let mut bullets = 0;
        for line in rest.split('\n').filter(|line| !line.is_empty()) {
            bullets += usize::from(line.starts_with("- "));
            prop_assert!(line.starts_with("- ") || line.starts_with("  "), "{line:?}");
            prop_assert!(!line.trim_start().starts_with('#'), "{line:?}");
            prop_assert!(!line.contains("</") && !line.contains("<!--"), "{line:?}");
        }
        prop_assert_eq!(bullets, rules.len());
        prop_assert!(!rest.contains("\n\n"));
        let hidden = |c: char| c != '\n' && (c.is_control() || crate::text::redact::is_hidden(c));
        prop_assert!(!section.contains(hidden));
        prop_assert!(is_ours(&section[INSERTION_POINT.len()..]), "{section:?}");
    }

    #[test]
    fn building_twice_is_building_once(
        base in hostile(), texts in proptest::collection::vec((hostile(), hostile(), hostile(), hostile()), 0..4),
    ) {
        let rules: Vec<ProposalRecord> = texts.into_iter().map(rule_of).collect();
        let section = section(&rules.iter().collect::<Vec<_>>(), false);
        let once = build_prompt(&base, section.as_deref());
        prop_assert_eq!(build_prompt(&once, section.as_deref()), once.clone());
        prop_assert!(once.starts_with(without_section(&base)) || section.is_none());
    }
}
