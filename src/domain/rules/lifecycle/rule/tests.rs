//! The lifecycle: examples of every rejection, and invariants for any sequence of commands.

use super::*;
use crate::records::layout;
use crate::records::record::{ProposalRecord, ProposalStatus, RefusalCode};
use crate::rules::draft::proposal::{self, content_hash, hash_of};
use crate::rules::lifecycle::roster::{Reviewer, Roster};
use crate::testing::sample;
use jiff::{SignedDuration, Timestamp};
use proptest::prelude::*;
use std::collections::BTreeSet;

fn roster() -> Roster {
    let person = |id: &str, role: &str| Reviewer {
        id: id.into(),
        name: String::new(),
        roles: vec![role.into()],
        ssh_public_keys: vec![],
    };
    // `ana` and `ben` wrote the sample's evidence.
    Roster {
        reviewers: vec![
            person("ana", "approver"),
            person("ben", "approver"),
            person("cleo", "approver"),
            person("dora", "approver"),
            person("emil", "reviewer"),
        ],
    }
}

fn rule() -> ProposalRecord {
    newborn(sample::proposal(1), "RULE-2026-0001")
}

/// Returns the rule's hash with this text, as after a change.
fn hash_with(text: &str) -> String {
    let rule = rule();
    if text == rule.rule_content { hash_of(&rule) } else { proposal::hash_with(&rule, text) }
}

fn approve(by: &str) -> Command {
    Command::Approve { by: by.into(), review_id: format!("rev-{by}"), content_hash: None, signed: false }
}

fn at(hours: i64) -> Timestamp {
    sample::moment(1).checked_add(SignedDuration::from_hours(hours)).unwrap()
}

/// Returns the rule after commands that must all be accepted.
fn after(commands: &[Command]) -> ProposalRecord {
    commands.iter().fold(rule(), |rule, command| {
        transition(&rule, command, &roster(), &Terms::default(), at(1)).expect("accepted").after
    })
}

fn refusal(rule: &ProposalRecord, command: &Command, when: Timestamp) -> (RefusalCode, String) {
    let refused = transition(rule, command, &roster(), &Terms::default(), when).expect_err("refused");
    (refused.code, refused.message)
}

#[test]
fn two_people_approve_and_one_of_them_wrote_no_evidence() {
    let one = after(&[approve("ana")]);
    assert_eq!((one.status, one.approvals.len()), (ProposalStatus::Pending, 1));
    assert!(one.approvals[0].wrote_evidence);
    let both_wrote = after(&[approve("ana"), approve("ben")]);
    assert_eq!(both_wrote.status, ProposalStatus::Pending, "two who wrote the evidence are not enough");
    assert_eq!(after(&[approve("ana"), approve("ben"), approve("cleo")]).status, ProposalStatus::Approved);
    let two = after(&[approve("ana"), approve("cleo")]);
    assert_eq!(two.status, ProposalStatus::Approved);
    let active = after(&[approve("cleo"), approve("dora"), Command::Activate]);
    assert_eq!(active.status, ProposalStatus::Active);
    assert_eq!(active.activated_at, Some(at(1)));
}

#[test]
fn a_team_of_one_may_decide_alone_only_where_nobody_else_is_there() {
    let terms = Terms { min_approvals: 1, ..Terms::default() };
    let alone = Roster { reviewers: roster().reviewers.into_iter().take(1).collect() };
    let done = transition(&rule(), &approve("ana"), &alone, &terms, at(1)).unwrap();
    assert_eq!(done.after.status, ProposalStatus::Approved);
    let several = transition(&rule(), &approve("ana"), &roster(), &terms, at(1)).unwrap();
    assert_eq!(several.after.status, ProposalStatus::Pending);
    let independent = transition(&rule(), &approve("cleo"), &roster(), &terms, at(1)).unwrap();
    assert_eq!(independent.after.status, ProposalStatus::Approved);
}

fn reword(text: &str) -> Command {
    Command::Reword {
        by: "model:some-model".into(),
        content_hash: rule().content_hash,
        title: "Better words".into(),
        content: text.into(),
        reason: "they are clearer".into(),
    }
}

#[test]
fn a_models_words_are_a_version_that_waits_like_any_other() {
    let earlier = rule();
    let done =
        transition(&earlier, &reword(" State two criteria for every story. "), &roster(), &Terms::default(), at(1));
    let Transition { after, effect, .. } = done.unwrap();
    assert_eq!(effect, "version 2 of RULE-2026-0001");
    assert_eq!((after.status, after.version), (ProposalStatus::Pending, 2));
    assert_eq!((&*after.rule_content, &*after.title), ("State two criteria for every story.", "Better words"));
    assert_eq!(after.content_hash, hash_of(&after));
    assert_eq!(after.earlier_versions[0].rule_content, earlier.rule_content);
    let event = after.history.last().unwrap();
    assert_eq!((&*event.event, event.by.as_deref()), ("reworded", Some("model:some-model")));
    assert_eq!(event.note.as_deref(), Some("they are clearer"));
    // It approves nothing: people must still decide.
    assert!(after.approvals.is_empty());
}

#[test]
fn what_people_said_about_a_text_keeps_a_model_away() {
    let text = "State two criteria for every story.";
    let modify = Command::Modify {
        by: "cleo".into(),
        content_hash: None,
        content: "Say it better.".into(),
        notes: RuleNotes::default(),
        reason: None,
    };
    let reject = Command::Reject { by: "cleo".into(), content_hash: None, reason: Some("too broad".into()) };
    let decided = [
        vec![approve("cleo")],
        vec![approve("cleo"), approve("dora")],
        vec![approve("cleo"), approve("dora"), Command::Activate],
        vec![modify],
        vec![reject],
        vec![reword("Say it otherwise.")],
    ];
    for commands in decided {
        let rule = after(&commands);
        assert_eq!(refusal(&rule, &reword(text), at(2)).0, RefusalCode::AlreadyDecided, "after {commands:?}");
    }
    assert_eq!(refusal(&rule(), &reword(text), at(24 * 30)).0, RefusalCode::Expired);
    assert_eq!(refusal(&rule(), &reword(&rule().rule_content), at(1)).0, RefusalCode::Impossible);
    let mut edited = rule();
    edited.content_hash = content_hash("Another text.");
    assert_eq!(refusal(&edited, &reword(text), at(1)).0, RefusalCode::WrongContentHash);
}

#[test]
fn every_refusal_says_why() {
    use RefusalCode as C;
    let hash = |text: &str| Command::Approve {
        by: "cleo".into(),
        review_id: "rev".into(),
        content_hash: Some(hash_with(text)),
        signed: false,
    };
    let reject = |reason: Option<&str>| Command::Reject {
        by: "cleo".into(),
        content_hash: None,
        reason: reason.map(Into::into),
    };
    let modify = |text: &str| Command::Modify {
        by: "cleo".into(),
        content_hash: None,
        content: text.into(),
        notes: RuleNotes::default(),
        reason: None,
    };
    let rejected = after(&[reject(Some("too broad"))]);
    let changed = after(&[modify("State two criteria for every story.")]);
    let active = after(&[approve("cleo"), approve("dora"), Command::Activate]);
    let retire = Command::Retire { by: Some("cleo".into()), reason: Some("done".into()) };
    for (rule, command, when, code, words) in [
        (&rule(), approve("mallory"), at(1), C::NotAnApprover, "not on the roster"),
        (&rule(), approve("emil"), at(1), C::NotAnApprover, "not as an approver"),
        (&after(&[approve("cleo")]), approve("cleo"), at(1), C::AlreadyApproved, "another person"),
        (&rule(), hash("something else"), at(1), C::WrongContentHash, "another text"),
        (&changed, hash(&rule().rule_content), at(1), C::WrongContentHash, "about version 1"),
        (&changed, approve("dora"), at(0), C::WrongContentHash, "after this decision was made"),
        (&rejected, approve("cleo"), at(1), C::AlreadyDecided, "rejected"),
        (&active, approve("cleo"), at(1), C::AlreadyDecided, "in force"),
        (&rule(), approve("cleo"), at(24 * 30), C::Expired, "30 days"),
        (&rule(), reject(None), at(1), C::ReasonMissing, "reason is required"),
        (&rule(), reject(Some("  ")), at(1), C::ReasonMissing, "reason is required"),
        (&rule(), retire.clone(), at(1), C::NotInForce, "PENDING, not in force"),
        (&rule(), modify(&rule().rule_content), at(1), C::Impossible, "the same as the current one"),
    ] {
        let (found, message) = refusal(rule, &command, when);
        assert_eq!(found, code, "{command:?}: {message}");
        assert!(message.contains(words), "{command:?}: {message}");
    }
}

#[test]
fn what_is_beside_the_text_changes_without_a_new_version() {
    let noted = |why: &str| Command::Modify {
        by: "dora".into(),
        content_hash: None,
        content: sample::proposal(1).rule_content,
        notes: RuleNotes { why: Some(why.into()), concern: Some("test.missing".into()) },
        reason: None,
    };
    let rule = after(&[approve("cleo"), noted(" Tests find it. ")]);
    assert_eq!((rule.version, rule.approvals.len(), rule.why.as_deref()), (1, 1, Some("Tests find it.")));
    assert_eq!(rule.concern.as_deref(), Some("test.missing"));
    let told: Vec<_> = rule.history.iter().filter(|event| event.event == "annotated").collect();
    assert_eq!((told.len(), told[0].by.as_deref()), (2, Some("dora")));
    let same = transition(&rule, &noted("Tests find it."), &roster(), &Terms::default(), at(3)).unwrap_err();
    assert_eq!(same.code, RefusalCode::Impossible);
    assert_eq!(after(&[noted(NO_NOTE)]).why, None);
}

#[test]
fn a_new_text_voids_approvals_and_keeps_the_old_one() {
    let modified = Command::Modify {
        by: "cleo".into(),
        content_hash: None,
        content: "State two criteria for every story.".into(),
        notes: RuleNotes::default(),
        reason: Some("one is never enough".into()),
    };
    let rule = after(&[approve("cleo"), modified, approve("dora")]);
    assert_eq!((rule.status, rule.version, rule.approvals.len()), (ProposalStatus::Pending, 2, 1));
    assert_eq!(rule.earlier_versions[0].rule_content, sample::proposal(1).rule_content);
    assert_eq!(rule.content_hash, hash_with("State two criteria for every story."));
    let approved = transition(&rule, &approve("cleo"), &roster(), &Terms::default(), at(2)).unwrap();
    assert_eq!(approved.after.status, ProposalStatus::Approved);
}

#[test]
fn an_edit_in_git_takes_effect_on_what_is_in_force_and_voids_what_is_not() {
    let edit = |mut rule: ProposalRecord| {
        let earlier = std::mem::replace(&mut rule.rule_content, "State criteria.".into());
        let command = Command::Edit { by: "ana".into(), earlier: Some(earlier) };
        transition(&rule, &command, &roster(), &Terms::default(), at(2)).unwrap().after
    };
    let active = edit(after(&[approve("cleo"), approve("dora"), Command::Activate]));
    assert_eq!((active.status, active.version), (ProposalStatus::Active, 2));
    let approved = edit(after(&[approve("cleo"), approve("dora")]));
    assert_eq!((approved.status, approved.approvals.len()), (ProposalStatus::Pending, 0));
}

#[test]
fn a_hash_of_the_text_alone_is_renewed_and_its_approvals_are_void() {
    let mut early = rule();
    early.content_hash = content_hash(&early.rule_content);
    let early = transition(&early, &approve("cleo"), &roster(), &Terms::default(), at(1)).unwrap().after;
    let rehash = |rule: &ProposalRecord| transition(rule, &Command::Rehash, &roster(), &Terms::default(), at(2));
    let renewed = rehash(&early).unwrap().after;
    assert_eq!((renewed.version, renewed.approvals.len(), renewed.status), (2, 0, ProposalStatus::Pending));
    assert_eq!((&renewed.content_hash, &renewed.title), (&hash_of(&renewed), &early.title));
    assert_eq!(rehash(&renewed).unwrap_err().code, RefusalCode::Impossible, "once is enough");
    // A rule in force stays unchanged.
    let mut active = after(&[approve("cleo"), approve("dora"), Command::Activate]);
    active.content_hash = content_hash(&active.rule_content);
    assert_eq!(rehash(&active).unwrap_err().code, RefusalCode::Impossible);
}

#[test]
fn proposals_age() {
    let rule = rule();
    let command = |c: &Command, days: i64| transition(&rule, c, &roster(), &Terms::default(), at(24 * days + 1));
    assert!(command(&Command::Remind, 13).is_err());
    assert!(command(&Command::Remind, 14).is_ok());
    assert!(command(&Command::Expire, 29).is_err());
    assert_eq!(command(&Command::Expire, 30).unwrap().after.status, ProposalStatus::Expired);
}

#[test]
fn who_is_no_longer_on_the_roster_does_not_count() {
    let one = after(&[approve("cleo")]);
    let without = Roster { reviewers: roster().reviewers.into_iter().filter(|r| r.id != "cleo").collect() };
    let two = transition(&one, &approve("dora"), &without, &Terms::default(), at(1)).unwrap().after;
    assert_eq!(two.status, ProposalStatus::Pending);
}

fn command() -> impl Strategy<Value = Command> {
    let who = prop::sample::select(vec!["ana", "ben", "cleo", "dora", "emil", "mallory"]).prop_map(str::to_owned);
    let text = prop::sample::select(vec!["State one criterion.", "State two criteria.", "State three criteria."])
        .prop_map(str::to_owned);
    let hash = prop::option::of(text.clone().prop_map(|t| hash_with(&t)));
    let reason = prop::option::of("[a-z]{0,5}");
    prop_oneof![
        4 => (who.clone(), hash.clone(), "[a-z]{3}").prop_map(|(by, content_hash, review_id)| Command::Approve {
            by, review_id, content_hash, signed: false
        }),
        1 => (who.clone(), hash.clone(), reason.clone())
            .prop_map(|(by, content_hash, reason)| Command::Reject { by, content_hash, reason }),
        2 => (who.clone(), hash, text.clone(), reason.clone()).prop_map(|(by, content_hash, content, reason)| {
            Command::Modify { by, content_hash, content, notes: RuleNotes::default(), reason }
        }),
        1 => (who.clone(), prop::option::of(text)).prop_map(|(by, earlier)| Command::Edit { by, earlier }),
        1 => Just(Command::Rehash),
        1 => Just(Command::Remind),
        1 => Just(Command::Expire),
        3 => Just(Command::Activate),
        1 => "[a-z]{3}".prop_map(|reason| Command::SetAside { reason, valid: Vec::new() }),
        1 => "[a-z]{3}".prop_map(|reason| Command::Flag { reason, proposal: None }),
        1 => "[a-z]{3}".prop_map(|reason| Command::Clear { reason }),
        1 => (prop::option::of(who.clone()), reason.clone()).prop_map(|(by, reason)| Command::Retire { by, reason }),
        1 => (who, reason).prop_map(|(by, reason)| Command::RollBack { by, reason }),
        1 => "[a-z]{3}".prop_map(|reason| Command::Withdraw { reason }),
    ]
}

proptest! {
    /// No sequence of commands brings a rule into force without its quorum, loses a version, leaves the diagram, or
    /// stores a rule in the wrong place for its status.
    #[test]
    fn laws_of_a_life(steps in prop::collection::vec((command(), 0_i64..400, any::<bool>()), 0..40)) {
        let (roster, terms) = (roster(), Terms::default());
        let mut rule = rule();
        let mut texts = BTreeSet::from([rule.rule_content.clone()]);
        let mut hours = 1;
        for (step, (command, pause, by_hand)) in steps.into_iter().enumerate() {
            hours += pause;
            let earlier = match &command {
                // The caller finds the edited text in the record and the earlier one in the history.
                Command::Edit { by, .. } => {
                    let earlier = rule.rule_content.clone();
                    if by_hand {
                        rule.rule_content = format!("Edited in step {step}.");
                        texts.insert(rule.rule_content.clone());
                    }
                    Command::Edit { by: by.clone(), earlier: Some(earlier) }
                }
                other => other.clone(),
            };
            let before = rule.clone();
            let Ok(done) = transition(&before, &earlier, &roster, &terms, at(hours)) else { continue };
            let after = done.after;
            if before.status != after.status {
                let known = MOVES.iter().any(|(from, _, to)| (*from, *to) == (before.status, after.status));
                prop_assert!(known, "{:?} -> {:?} by {:?}", before.status, after.status, earlier);
            }
            if after.status == ProposalStatus::Approved && before.status == ProposalStatus::Pending {
                let yes: BTreeSet<&str> = after
                    .approvals
                    .iter()
                    .filter(|a| a.content_hash == hash_of(&after))
                    .map(|a| a.reviewer_id.as_str())
                    .collect();
                prop_assert!(yes.len() >= 2, "{yes:?}");
                prop_assert!(yes.iter().any(|id| !after.reviewers.contains(&(*id).to_owned())), "{yes:?}");
                prop_assert!(yes.iter().all(|id| roster.is_approver(id)));
            }
            if after.status == ProposalStatus::Active && !before.status.in_force() {
                prop_assert_eq!(before.status, ProposalStatus::Approved);
                prop_assert_eq!(&before.rule_content, &after.rule_content);
            }
            if let Command::Modify { .. } = earlier {
                texts.insert(after.rule_content.clone());
            }
            prop_assert_eq!(after.version as usize, after.earlier_versions.len() + 1);
            let kept: BTreeSet<&String> =
                after.earlier_versions.iter().map(|v| &v.rule_content).chain([&after.rule_content]).collect();
            prop_assert!(texts.iter().all(|t| kept.contains(t)), "{:?} is lost of {:?}", texts, kept);
            prop_assert_eq!(&after.content_hash, &hash_of(&after));
            let place = layout::rule(&after.proposal_id, after.status);
            prop_assert_eq!(place.starts_with(layout::ACTIVE), after.status.in_force());
            prop_assert!(after.history.len() <= before.history.len() + 2);
            rule = after;
        }
    }
}

#[test]
fn every_move_of_the_table_can_be_made() {
    // A sequence of commands reaches each status; the transitions out of it match the table.
    let reason = || Some("because".to_owned());
    let active = [approve("cleo"), approve("dora"), Command::Activate];
    let flag = Command::Flag { reason: "no help".into(), proposal: None };
    let ways: Vec<(ProposalStatus, ProposalRecord)> = vec![
        (ProposalStatus::Pending, after(&[approve("cleo")])),
        (ProposalStatus::Approved, after(&active[..2])),
        (ProposalStatus::Active, after(&active)),
        (ProposalStatus::Flagged, after(&[active.as_slice(), std::slice::from_ref(&flag)].concat())),
    ];
    let late = at(24 * 31);
    for (from, rule) in ways {
        assert_eq!(rule.status, from);
        let mut edited = rule.clone();
        edited.rule_content = "Edited.".into();
        let approve = || transition(&rule, &approve("dora"), &roster(), &Terms::default(), at(2));
        let run = |command: &Command, when| transition(&rule, command, &roster(), &Terms::default(), when);
        for moved in [
            Move::Approve,
            Move::Reject,
            Move::Change,
            Move::Expire,
            Move::Activate,
            Move::SetAside,
            Move::Flag,
            Move::Clear,
            Move::Retire,
            Move::RollBack,
            Move::Withdraw,
        ] {
            let by = || "cleo".to_owned();
            let done = match moved {
                Move::Approve => approve(),
                Move::Reject => run(&Command::Reject { by: by(), content_hash: None, reason: reason() }, at(2)),
                Move::Change => {
                    let command = Command::Edit { by: by(), earlier: None };
                    transition(&edited, &command, &roster(), &Terms::default(), at(2))
                }
                Move::Expire => run(&Command::Expire, late),
                Move::Activate => run(&Command::Activate, at(2)),
                Move::SetAside => {
                    run(&Command::SetAside { reason: "nobody approved it".into(), valid: Vec::new() }, at(2))
                }
                Move::Flag => run(&flag, at(2)),
                Move::Clear => run(&Command::Clear { reason: "helps".into() }, at(2)),
                Move::Retire => run(&Command::Retire { by: None, reason: reason() }, at(2)),
                Move::RollBack => run(&Command::RollBack { by: by(), reason: reason() }, at(2)),
                Move::Withdraw => run(&Command::Withdraw { reason: "withdrawn".into() }, at(2)),
            };
            let expected = MOVES.iter().find(|(f, m, _)| (*f, *m) == (from, moved)).map(|(_, _, to)| *to);
            assert_eq!(done.ok().map(|d| d.after.status), expected, "{moved:?} from {from:?}");
        }
    }
    let reached: BTreeSet<ProposalStatus> = MOVES.iter().map(|(_, _, to)| *to).collect();
    assert_eq!(reached.len(), ProposalStatus::ALL.len(), "every status can be reached");
}

/// The diagram in `docs/design.md`, as Mermaid draws it.
#[test]
fn the_diagram_is_the_table() {
    let text = include_str!("../../../../../docs/design.md");
    let drawn: BTreeSet<&str> =
        text.lines().map(str::trim).filter(|line| line.contains(" --> ") && line.contains(": ")).collect();
    let expected: Vec<String> = MOVES
        .iter()
        .map(|(from, by, to)| {
            let by = match by {
                Move::Approve => "quorum",
                Move::Reject => "reject",
                Move::Change => "new text",
                Move::Expire => "expire",
                Move::Activate => "room",
                Move::SetAside => "set aside",
                Move::Flag => "flag",
                Move::Clear => "clear",
                Move::Retire => "retire",
                Move::RollBack => "roll back",
                Move::Withdraw => "evidence withdrawn",
            };
            format!("{} --> {}: {by}", from.as_str(), to.as_str())
        })
        .collect();
    let expected: BTreeSet<&str> = expected.iter().map(String::as_str).collect();
    assert_eq!(drawn, expected, "the diagram in docs/design.md is not what `MOVES` says");
}
