//! A person at the screen: the effects of their keys, and what they see.

use super::action;
use super::entry::{Decision, Effect, Entry, Mode, Tick};
use super::keys::{Key, KeyAction, bindings};
use super::screen::{KeyInput, Keyboard, Outcome, ScreenBackend, run};
use super::state::{GLANCE, HOLD, REPEAT, Review};
use crate::app::decisions::inbox::{Item, Kind, Progress};
use crate::domain::clusters::question::{Inquiry, ListQuestion, Question, ShownComment, Side};
use crate::domain::intake::decode::DecodeLimits;
use crate::domain::testing::sample::moment;
use jiff::{SignedDuration, Timestamp};
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use serde_json::{Value, json};
use std::collections::VecDeque;
use std::time::Duration;

fn said(n: usize) -> ShownComment {
    ShownComment { feedback_id: format!("dec-{n}"), reviewer_id: "ben".into(), text: format!("Remark number {n}") }
}

fn list(n: usize) -> Item {
    let list = ListQuestion {
        tenant: String::new(),
        agent: "coder".into(),
        axis: None,
        group: None,
        remarks: (1..=4).map(said).collect(),
        probability: 0.6,
        gain: 0.5,
    };
    Item {
        since: moment(0),
        question: Some(Inquiry::List(list)),
        ..Item::new(Kind::Question, &format!("ASK-{n}"), "coder", "Which?")
    }
}

fn pair() -> Item {
    let side = |id: &str| Side {
        id: id.into(),
        is_cluster: true,
        size: 2,
        reviewers: [("ben".to_owned(), 2)].into(),
        remarks: vec![said(1)],
    };
    let pair = Question {
        tenant: String::new(),
        agent: "coder".into(),
        a: side("CLUSTER-a"),
        b: side("CLUSTER-b"),
        probability: 0.5,
        gain: 0.5,
    };
    Item { question: Some(Inquiry::Pair(pair)), ..Item::new(Kind::Question, "ASK-pair", "coder", "The same?") }
}

fn proposal(n: usize) -> Item {
    let id = format!("RULE-2026-000{n}");
    Item {
        why: "your approval is the last one it needs".into(),
        since: moment(0),
        progress: Some(Progress { have: 1, needed: 2 }),
        content_hash: Some(format!("v2:{n}")),
        ..Item::new(Kind::Proposal, &id, "coder", "Give every call that can fail a failure branch")
    }
}

fn contradiction() -> Item {
    Item { since: moment(0), ..Item::new(Kind::Contradiction, "dec-9", "coder", "No error handling needed") }
}

fn group() -> Item {
    Item::new(Kind::MixedGroup, "CLUSTER-mixed", "coder", "Tests")
}

/// A person who reads, then presses a key.
struct Person {
    review: Review,
    now: Timestamp,
    keys: usize,
    done: Vec<Effect>,
}

impl Person {
    fn new(items: Vec<Item>) -> Person {
        let mut person = Person { review: Review::new("ana", items), now: moment(0), keys: 0, done: Vec::new() };
        person.look();
        person
    }

    /// Draws the current item and views it for a while.
    fn look(&mut self) {
        let at = self.review.at;
        if let Some(entry) = self.review.entries.get_mut(at) {
            let remarks = match entry.item.kind {
                Kind::Contradiction => vec![said(9)],
                Kind::RosterChange => vec![],
                _ => (1..=4).map(said).collect(),
            };
            entry.show("Text".into(), remarks);
        }
        self.review.drawn(self.now);
        self.now = self.now.checked_add(SignedDuration::from_secs(2)).unwrap();
    }

    fn press(&mut self, key: Key) -> &mut Person {
        self.keys += 1;
        self.done.extend(self.review.key(key, self.now));
        self.look();
        self
    }

    fn keys(&mut self, keys: &str) -> &mut Person {
        keys.chars().for_each(|c| {
            self.press(Key::Char(c));
        });
        self
    }

    /// Types a reason, which is not counted, and Enter, which is.
    fn because(&mut self, reason: &str) -> &mut Person {
        let before = self.keys;
        self.keys(reason);
        self.keys = before;
        self.press(Key::Enter)
    }

    fn sent(&self) -> Vec<&Decision> {
        self.done.iter().filter_map(|e| if let Effect::Send(d) = e { Some(d) } else { None }).collect()
    }

    fn actions(&self) -> Value {
        json!(self.sent().iter().flat_map(|d| d.actions.clone()).collect::<Vec<_>>())
    }
}

#[test]
fn a_daily_review_takes_at_most_15_keys() {
    let mut items: Vec<Item> = (1..=5).map(proposal).collect();
    items.extend([contradiction(), list(1), list(2), pair()]);
    let mut ana = Person::new(items);
    ana.keys("aaaaa").keys("g").because("generated files too").keys("3s").keys("d").keys("s").keys("q");
    assert_eq!((ana.done.last(), ana.review.entries.len()), (Some(&Effect::Quit), 0));
    assert_eq!(ana.sent().len(), 9, "{:#?}", ana.done);
    assert!(ana.keys <= 15, "{}", ana.keys);
    let expected = json!([
        {"feedback_id": "dec-9", "resolution": "GENERALIZABLE"},
        {"decision": "SORT", "same": ["dec-1", "dec-2", "dec-4"], "others": ["dec-3"]},
        {"decision": "SORT", "others": ["dec-1", "dec-2", "dec-3", "dec-4"]},
        {"decision": "SAME", "a": "CLUSTER-a", "b": "CLUSTER-b"},
    ]);
    assert_eq!(json!(ana.actions().as_array().unwrap()[5..]), expected);
}

#[test]
fn what_is_said_of_a_group_is_said_of_all_its_remarks() {
    let mut entry = Entry::new(group());
    entry.show("Text".into(), (1..=16).map(said).collect());
    let all: Vec<String> = (1..=16).map(|n| format!("dec-{n}")).collect();
    assert_eq!(action::of(KeyAction::Different, &entry), Ok(vec![json!({"decision": "SORT", "others": all})]));
    let same = json!({"decision": "SORT", "same": all, "into": "CLUSTER-mixed"});
    assert_eq!(action::of(KeyAction::Same, &entry), Ok(vec![same]));
    let shown = super::draw::content(&entry, 80).join("\n");
    assert!(
        shown.contains("[x] 9  ben: “Remark number 9”") && shown.contains("[x] ·  ben: “Remark number 16”"),
        "{shown}"
    );
}

#[test]
fn every_wish_is_a_review_that_the_stream_understands() {
    for item in [proposal(1), contradiction(), list(1), pair(), group()] {
        let kind = item.kind;
        for (key, wish, _) in bindings(kind) {
            let mut ana = Person::new(vec![item.clone()]);
            ana.keys(&key.to_string());
            if let Mode::Which(_) = ana.review.mode {
                ana.keys("2");
            }
            if let Mode::Into(_) = ana.review.mode {
                ana.because("CLUSTER-other");
            }
            if let Mode::Reason { .. } = ana.review.mode {
                ana.because("so it is");
            }
            if ana.done == [Effect::Edit(item.id.clone())] {
                ana.done = ana.review.edited(Some("A better text.".into()), ana.now);
                ana.look();
            }
            // Marks in a list are pending until the list is answered.
            if ana.review.decided == 0 {
                ana.keys("s");
            }
            ana.keys("q");
            assert!(!ana.sent().is_empty(), "{kind:?} {key}");
            for (at, action) in ana.sent().iter().flat_map(|d| &d.actions).enumerate() {
                let mut payload = action.clone();
                payload["review_id"] = json!(format!("rev-{at}"));
                payload["reviewer_id"] = json!("ana");
                payload["timestamp"] = json!("2026-01-12T11:00:00Z");
                payload["reason"] = json!("so it is");
                let read =
                    crate::app::decisions::submission::understood("cli", &payload, &DecodeLimits::default(), moment(1));
                assert!(matches!(read, Ok((_, Some(_)))), "{wish:?}: {payload} {read:?}");
            }
        }
    }
}

#[test]
fn an_approval_never_carries_over_to_the_next_one() {
    let mut review = Review::new("ana", (1..=5).map(proposal).collect());
    let mut now = moment(0);
    let mut after = |ms: i64| {
        now = now.checked_add(SignedDuration::from_millis(ms)).unwrap();
        now
    };
    assert!(review.key(Key::Char('a'), after(1)).is_empty() && review.decided == 0, "nothing was drawn yet");
    review.drawn(after(1));
    review.key(Key::Char('a'), after(GLANCE.as_millis() as i64 - 10));
    assert_eq!(review.decided, 0, "nobody read it so fast");
    review.key(Key::Char('a'), after(REPEAT.as_millis() as i64 + 10));
    assert_eq!(review.decided, 1);
    assert!(review.is_new());
    // Key repeat: starts after half a second, then every 30 ms.
    review.drawn(after(5));
    review.key(Key::Char('a'), after(495));
    for _ in 0..200 {
        review.key(Key::Char('a'), after(30));
    }
    assert_eq!(review.decided, 1, "a key that is held down decides once");
    review.key(Key::Char('a'), after(2000));
    assert_eq!(review.decided, 2);
    review.paste("aaaa");
    assert_eq!(review.decided, 2, "what is pasted decides nothing");
}

#[test]
fn a_decision_can_be_taken_back_until_the_next_one_or_for_a_minute() {
    let mut ana = Person::new((1..=3).map(proposal).collect());
    ana.keys("a");
    assert_eq!((ana.sent().len(), ana.review.held()), (0, Some("approve RULE-2026-0001")));
    ana.keys("u");
    assert_eq!((ana.review.decided, ana.review.current().unwrap().item.id.as_str()), (0, "RULE-2026-0001"));
    ana.keys("ana");
    assert_eq!(ana.sent().len(), 1, "the next decision sends the one before");
    assert_eq!(ana.review.tick_of_time(ana.now), [], "a minute is not over");
    let later = ana.now.checked_add(HOLD).unwrap();
    let sent = ana.review.tick_of_time(later);
    assert!(matches!(sent.as_slice(), [Effect::Send(d)] if d.words == "approve RULE-2026-0003"), "{sent:?}");
    ana.keys("u");
    assert!(ana.review.message.contains("all were sent"), "{}", ana.review.message);
    assert_eq!(ana.review.decided, 2);
}

#[test]
fn leaving_sends_what_is_held_back() {
    for leave in [Key::Char('q'), Key::Break] {
        let mut ana = Person::new(vec![proposal(1)]);
        ana.keys("a").press(leave);
        assert_eq!((ana.sent().len(), ana.done.last()), (1, Some(&Effect::Quit)));
    }
}

#[test]
fn a_reason_is_asked_for_and_escape_decides_nothing() {
    let mut ana = Person::new(vec![proposal(1), proposal(2)]);
    ana.keys("r").press(Key::Enter);
    assert!(ana.review.message.contains("a reason is required"));
    ana.press(Key::Esc);
    assert_eq!((ana.review.decided, &ana.review.mode), (0, &Mode::List));
    ana.keys("r").keys("too broad").press(Key::Backspace).press(Key::Left).keys("a").because("").keys("q");
    assert_eq!(ana.sent()[0].reason.as_deref(), Some("too broaa"));
    assert_eq!(
        ana.sent()[0].actions,
        [json!({"decision": "REJECT", "proposal_id": "RULE-2026-0001", "content_hash": "v2:1"})]
    );
}

#[test]
fn a_refused_decision_comes_back() {
    let mut ana = Person::new(vec![proposal(1), proposal(2)]);
    ana.keys("aq");
    let decision = ana.sent()[0].clone();
    ana.review.sent(decision, Err("RULE-2026-0001 is at version 2".into()));
    assert_eq!((ana.review.decided, ana.review.entries.len()), (0, 2));
    assert!(ana.review.message.starts_with("NOT DONE: approve RULE-2026-0001: "));
}

#[test]
fn unticked_members_are_split_off() {
    let mut ana = Person::new(vec![group()]);
    ana.keys("24p3s").keys("q");
    let expected = json!([
        {"decision": "SPLIT_CLUSTER", "cluster_id": "CLUSTER-mixed", "feedback_ids": ["dec-2", "dec-4"]},
        {"decision": "MARK", "feedback_id": "dec-3", "mark": "NOTHING"},
    ]);
    assert_eq!(ana.actions(), expected);
    let mut entry = Entry::new(group());
    entry.show(String::new(), vec![said(1), said(2)]);
    entry.ticks = vec![Tick::Nothing, Tick::On];
    assert!(action::of(super::keys::KeyAction::Same, &entry).is_ok());
}

/// Keys as a person presses them, each after time to read.
struct Script {
    keys: VecDeque<Key>,
}

impl Keyboard for Script {
    fn next(&mut self, within: Duration) -> std::io::Result<Option<KeyInput>> {
        // Nothing is typed ahead of the screen.
        if within.is_zero() { Ok(None) } else { Ok(self.keys.pop_front().map(KeyInput::Key)) }
    }
}

/// A desk without a store.
struct Paper {
    ticks: std::cell::Cell<u32>,
    sent: Vec<Decision>,
}

impl ScreenBackend for Paper {
    fn now(&self) -> Timestamp {
        self.ticks.set(self.ticks.get() + 1);
        moment(self.ticks.get())
    }

    fn show(&mut self, item: &Item, _: usize) -> (String, Vec<ShownComment>) {
        let text = format!("{}: what it would say\u{202e}\n\n  would say     - Give every call a branch.\n", item.id);
        (text, (1..=2).map(said).collect())
    }

    fn send(&mut self, decision: Decision) -> bool {
        self.sent.push(decision);
        false
    }

    fn outcomes(&mut self) -> Vec<Outcome> {
        Vec::new()
    }

    fn edit(&mut self, _: &str) -> Result<Option<String>, String> {
        Ok(Some("A better text.".into()))
    }

    fn find(&mut self, id: &str) -> Result<Item, String> {
        Ok(Item::new(Kind::FlaggedRule, id, "coder", "A rule in force"))
    }
}

/// Returns the screen after some keys, and what was sent.
fn after(items: Vec<Item>, keys: &str) -> (String, Vec<Decision>) {
    let mut terminal = Terminal::new(TestBackend::new(80, 20)).unwrap();
    let mut review = Review::new("ana", items);
    let mut keys: VecDeque<Key> = keys.chars().map(|c| if c == '\n' { Key::Enter } else { Key::Char(c) }).collect();
    keys.push_back(Key::Break);
    let mut desk = Paper { ticks: std::cell::Cell::new(0), sent: Vec::new() };
    run(&mut terminal, &mut Script { keys }, &mut desk, &mut review).unwrap();
    (terminal.backend().to_string(), desk.sent)
}

#[test]
fn the_screen_shows_what_one_decides_by() {
    let (screen, _) = after(vec![proposal(1), contradiction(), list(1)], "");
    insta::assert_snapshot!(screen, @r#"
    " feedbackd review: ana   1 of 3   0 decided                                     "
    "> proposal      RULE-2026-0001       just now   1 of 2 Give every call that can…"
    "  contradiction dec-9                just now          No error handling needed "
    "  question      ASK-1                just now          Which?                   "
    "────────────────────────────────────────────────────────────────────────────────"
    "your approval is the last one it needs                                          "
    "                                                                                "
    "RULE-2026-0001: what it would say\u{202e}                                       "
    "                                                                                "
    "  would say     - Give every call a branch.                                     "
    "                                                                                "
    "Remarks:                                                                        "
    "    1  ben: “Remark number 1” (dec-1)                                           "
    "    2  ben: “Remark number 2” (dec-2)                                           "
    "                                                                                "
    "                                                                                "
    "────────────────────────────────────────────────────────────────────────────────"
    "                                                                                "
    "a approve  r reject  m modify in your editor  p praise  t too specific for a    "
    "rule  w withdraw a comment  n next  u undo  ? keys  q leave                     "
    "#);
    let (screen, sent) = after(vec![proposal(1), list(1)], "a2");
    assert_eq!(sent.len(), 1);
    insta::assert_snapshot!(screen, @r#"
    " feedbackd review: ana   1 of 1   1 decided                                     "
    "> question      ASK-1                just now          Which?                   "
    "────────────────────────────────────────────────────────────────────────────────"
    "                                                                                "
    "                                                                                "
    "ASK-1: what it would say\u{202e}                                                "
    "                                                                                "
    "  would say     - Give every call a branch.                                     "
    "                                                                                "
    "Remarks:                                                                        "
    "[x] 1  ben: “Remark number 1” (dec-1)                                           "
    "[ ] 2  ben: “Remark number 2” (dec-2)                                           "
    "                                                                                "
    "                                                                                "
    "                                                                                "
    "                                                                                "
    "────────────────────────────────────────────────────────────────────────────────"
    "approve RULE-2026-0001: sent with the next one, or in a minute; u undoes it     "
    "s the ticked ones ask for the same thing  d all differ  p praise  t too specific"
    "for a rule  w withdraw a comment  n next  u undo  ? keys  q leave               "
    "#);
}

#[test]
fn a_reason_is_seen_while_it_is_written_and_help_lists_the_keys() {
    let (screen, sent) = after(vec![proposal(1)], "rtoo broad");
    assert!(sent.is_empty() && screen.contains("Why? (Enter: done, Esc: not) too broad"), "{screen}");
    let (screen, _) = after(vec![proposal(1)], "?");
    assert!(screen.contains("approve") && screen.contains("undo the"), "{screen}");
    let (screen, sent) = after(vec![], "oRULE-2026-0007\nxno use\n");
    assert_eq!(sent[0].actions, [json!({"decision": "RETIRE", "rule_id": "RULE-2026-0007"})], "{screen}");
    let (_, sent) = after(vec![proposal(1)], "m");
    assert_eq!(sent[0].actions[0]["modified_content"], "A better text.");
}
