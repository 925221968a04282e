//! A language model reads each remark once: what follows for groups, what is asked again, and what people's word is worth.

use crate::harness::run::{Run, decision};
use feedbackd::domain::grouping::evaluation::Classification;
use feedbackd::domain::records::layout;
use feedbackd::domain::records::record::{AdviceOutcome, ClusterRecord, ReadingRecord};
use feedbackd::domain::rules::drafting::advice::{AdviceAnswer, AdviceFailure, AdviceQuestion, ChoiceQuestion, Usage};
use feedbackd::ports::{Advisor, IndexedFeedback};
use feedbackd::wiring;
use serde_json::{Value, json};
use std::sync::{Arc, Mutex};

/// What a remark asks for, in the model's words: the remark, the demand, whether it is general.
const READINGS: [(&str, &str, bool); 9] = [
    ("This blows up when nobody is logged in", "Handle missing values.", true),
    ("What happens if the config has no such key?", "Handle missing values.", true),
    ("foo may be absent here, please mind that", "Handle missing values.", true),
    ("Please move this to line 40", "Move this line.", false),
    ("Please remove the second parameter", "Remove parameters that are not used.", true),
    ("Please explain how this came about", "", false),
    ("Please remove this one, nobody reads it", "Remove parameters that are not used.", true),
    // Not near to each other, by a word.
    ("Please keep those two apart", "Keep flanges apart from each sprocket.", true),
    ("Please paint it", "Paint each sprocket green.", true),
];

/// A model that reads as it is recorded above, and chooses as a test wants.
#[derive(Clone)]
struct Reader {
    asked: Arc<Mutex<Vec<AdviceQuestion>>>,
    unanswered: Arc<Mutex<Vec<AdviceQuestion>>>,
    state: Arc<Mutex<State>>,
}

#[derive(Clone, Copy)]
struct State {
    away: bool,
    chooses: fn(&ChoiceQuestion) -> u8,
    spoils: &'static str,
}

impl Reader {
    fn new() -> Reader {
        let state = State { away: false, chooses: |_| 0, spoils: "nothing" };
        Reader { asked: Arc::default(), unanswered: Arc::default(), state: Arc::new(Mutex::new(state)) }
    }

    fn set(&self, change: impl FnOnce(&mut State)) {
        change(&mut self.state.lock().unwrap());
    }

    /// How many remarks were shown to be read, in all.
    fn shown(&self) -> usize {
        let asked = self.asked.lock().unwrap();
        asked.iter().map(|q| if let AdviceQuestion::Read(read) = q { read.remarks.len() } else { 0 }).sum()
    }

    fn choices(&self) -> usize {
        self.asked.lock().unwrap().iter().filter(|q| matches!(q, AdviceQuestion::Choice(_))).count()
    }
}

impl Advisor for Reader {
    fn model(&self) -> &str {
        "reader"
    }

    fn ask(&mut self, question: AdviceQuestion) -> bool {
        self.asked.lock().unwrap().push(question.clone());
        self.unanswered.lock().unwrap().push(question);
        true
    }

    fn answers(&mut self) -> Vec<AdviceAnswer> {
        let state = *self.state.lock().unwrap();
        let questions: Vec<AdviceQuestion> = self.unanswered.lock().unwrap().drain(..).collect();
        questions
            .iter()
            .map(|q| AdviceAnswer { question: q.hash(), text: says(q, state), usage: Usage::default() })
            .collect()
    }
}

fn says(question: &AdviceQuestion, state: State) -> Result<String, AdviceFailure> {
    if state.away {
        return Err(AdviceFailure::Timeout);
    }
    Ok(match question {
        AdviceQuestion::Read(read) => {
            let line = |id: usize, remark: &str| {
                let (_, demand, generic) = READINGS.iter().find(|(text, ..)| *text == remark)?;
                let direction = if remark.starts_with(state.spoils) { "sideways" } else { "change" };
                Some(json!({
                    "id": id, "demand": demand, "aspect": "code", "direction": direction, "generic": generic,
                    "none": demand.is_empty(),
                }))
            };
            let lines: Vec<Value> = read.remarks.iter().filter_map(|shown| line(shown.id, &shown.remark)).collect();
            json!({ "readings": lines })
        }
        AdviceQuestion::Choice(choice) => {
            json!({ "group": (state.chooses)(choice), "reason": "The same is asked for." })
        }
        _ => json!({}),
    }
    .to_string())
}

fn with_reader(reader: &Reader) -> Run {
    let mut run = Run::new();
    run.approvers(&["ann", "bob", "cleo", "dora"]);
    (run.config.model.judge, run.config.model.draft, run.config.model.choose) = (false, false, false);
    restart(&mut run, reader);
    run
}

fn restart(run: &mut Run, reader: &Reader) {
    run.pipeline = None;
    run.pipeline = Some(wiring::advised_pipeline(&run.config, Some(Box::new(reader.clone()))).unwrap());
}

/// One remark each by somebody else: `d0`, `d1` and so on, in the order of [`READINGS`].
fn send(run: &mut Run, which: &[usize]) {
    let who = ["ann", "bob", "cleo", "dora"];
    let said = which.iter().map(|n| decision(&format!("d{n}"), who[n % 4], "REJECTED", Some(READINGS[*n].0)));
    let said: Vec<Value> = said.collect();
    run.send(&said);
}

fn settle(run: &mut Run) {
    for _ in 0..8 {
        run.tick();
    }
}

fn readings(run: &Run) -> Vec<ReadingRecord> {
    run.paths(layout::READINGS).iter().map(|path| run.read(path)).collect()
}

fn cluster(run: &Run, id: &str) -> Option<String> {
    run.decision(id).evaluation.cluster
}

fn indexed(run: &Run) -> Vec<IndexedFeedback> {
    let mut all = Vec::new();
    run.pipeline.as_ref().unwrap().index().each_feedback(&mut |feedback| all.push(feedback)).unwrap();
    all.sort_by(|a, b| a.id.cmp(&b.id));
    all
}

/// An index made anew says the same, vectors and all.
fn reindexes(run: &mut Run, reader: &Reader) {
    let before = indexed(run);
    run.pipeline = None;
    std::fs::remove_dir_all(&run.config.state.dir).unwrap();
    restart(run, reader);
    assert_eq!(indexed(run), before);
}

#[test]
fn remarks_are_recorded_at_once_and_groups_follow_when_they_are_read() {
    let reader = Reader::new();
    let mut run = with_reader(&reader);
    send(&mut run, &[0, 1, 2, 3, 4, 5]);
    assert_eq!((reader.shown(), readings(&run).len()), (0, 0));
    assert_eq!(run.decision("d0").feedback.reading, None);
    settle(&mut run);
    let together = cluster(&run, "d0");
    assert!(together.is_some());
    for id in ["d0", "d1", "d2"] {
        assert_eq!((cluster(&run, id), run.class(id)), (together.clone(), Classification::GeneralizableHigh), "{id}");
    }
    let particular = run.decision("d3");
    assert_eq!(
        (particular.evaluation.classification, &particular.evaluation.cluster),
        (Classification::EdgeCase, &None)
    );
    assert!(particular.evaluation.rationale.contains("too particular"), "{}", particular.evaluation.rationale);
    assert!(run.decision("d5").evaluation.rationale.contains("asking for nothing"));
    assert_eq!(readings(&run).len(), reader.shown());
    reindexes(&mut run, &reader);
    let shown = reader.shown();
    settle(&mut run);
    assert_eq!(reader.shown(), shown, "what was read is not asked again");
}

#[test]
fn a_line_that_is_wrong_is_asked_again_once_and_refused_alone() {
    let reader = Reader::new();
    reader.set(|state| state.spoils = "What happens");
    let mut run = with_reader(&reader);
    send(&mut run, &[0, 1, 2]);
    settle(&mut run);
    assert_eq!(reader.shown(), 4);
    let refused: Vec<String> = readings(&run)
        .into_iter()
        .filter(|record| record.outcome == AdviceOutcome::RefusedSchema)
        .map(|record| record.feedback_id)
        .collect();
    assert_eq!(refused, ["d1"]);
    assert_eq!(run.decision("d1").feedback.reading, None);
    assert!(cluster(&run, "d0").is_some());
    assert_eq!(cluster(&run, "d0"), cluster(&run, "d2"));
}

#[test]
fn what_people_put_together_stays_together() {
    let reader = Reader::new();
    reader.set(|state| state.away = true);
    let mut run = with_reader(&reader);
    send(&mut run, &[0, 4]);
    let same = json!({
        "review_id": "s1", "reviewer_id": "cleo", "timestamp": "2026-01-12T11:00:00Z", "reason": "because",
        "decision": "SAME", "a": cluster(&run, "d0").unwrap_or("d0".into()), "b": cluster(&run, "d4").unwrap_or("d4".into()),
    });
    run.review(&same);
    let together = cluster(&run, "d0");
    assert!(together.is_some());
    reader.set(|state| state.away = false);
    run.now = "2026-01-12T20:00:00Z".parse().unwrap();
    settle(&mut run);
    assert_eq!(readings(&run).len(), 2);
    assert_eq!((cluster(&run, "d0"), cluster(&run, "d4")), (together.clone(), together));
    assert!(readings(&run)[0].effect.contains("people decided"));
    reindexes(&mut run, &reader);
}

#[test]
fn a_model_that_is_away_is_asked_for_less_later() {
    let reader = Reader::new();
    reader.set(|state| state.away = true);
    let mut run = with_reader(&reader);
    send(&mut run, &[0, 1, 2]);
    settle(&mut run);
    assert_eq!((reader.shown(), readings(&run).len()), (3, 0));
    reader.set(|state| state.away = false);
    run.now = "2026-01-12T20:00:00Z".parse().unwrap();
    settle(&mut run);
    assert_eq!(readings(&run).len(), 3);
    let Some(AdviceQuestion::Read(again)) = reader.asked.lock().unwrap().get(1).cloned() else { panic!("a reading") };
    assert_eq!(again.remarks.len(), 1, "half of three at once");
}

#[test]
fn a_day_has_so_many_readings() {
    let reader = Reader::new();
    let mut run = with_reader(&reader);
    run.config.model.daily_readings = 2;
    restart(&mut run, &reader);
    send(&mut run, &[0, 1, 2]);
    settle(&mut run);
    restart(&mut run, &reader);
    settle(&mut run);
    assert_eq!(reader.shown(), 2);
    run.now = "2026-01-13T00:00:01Z".parse().unwrap();
    settle(&mut run);
    assert_eq!((reader.shown(), readings(&run).len()), (3, 3));
}

#[test]
fn the_group_that_a_model_chose_is_the_remarks_and_no_example() {
    let reader = Reader::new();
    let mut run = with_reader(&reader);
    run.config.model.choose = true;
    restart(&mut run, &reader);
    reader.set(|state| state.chooses = |choice| choice.groups[0].group);
    send(&mut run, &[4, 6]);
    settle(&mut run);
    assert_eq!(reader.choices(), 2, "two alone are not sure to ask for the same");
    let together = cluster(&run, "d4");
    for id in ["d4", "d6"] {
        let record = run.decision(id);
        assert_eq!(record.evaluation.cluster, together, "{id}");
        assert_eq!(record.feedback.placed_by.as_deref(), Some("model:reader"), "{id}");
        assert_eq!(record.evaluation.classification, Classification::EdgeCase, "two by a model's word are no pattern");
    }
    let made: ClusterRecord = run.read(&layout::cluster(&together.unwrap()));
    assert_eq!(made.taught_by, None);
    reindexes(&mut run, &reader);
    settle(&mut run);
    assert_eq!(reader.choices(), 2, "it is asked once");
}

/// Where a group is not near, one answer is not enough: the group's remark is asked in turn.
#[test]
fn what_is_not_near_joins_only_where_the_other_side_says_so_too() {
    let first = |choice: &ChoiceQuestion| choice.groups[0].group;
    let one_side = |choice: &ChoiceQuestion| if choice.confirms.is_some() { 0 } else { choice.groups[0].group };
    for (chooses, together) in [(first as fn(&ChoiceQuestion) -> u8, true), (one_side, false)] {
        let reader = Reader::new();
        let mut run = with_reader(&reader);
        run.config.model.choose = true;
        restart(&mut run, &reader);
        reader.set(|state| state.chooses = chooses);
        send(&mut run, &[7, 8]);
        settle(&mut run);
        assert!(reader.choices() >= 2, "both sides are asked");
        assert_eq!(cluster(&run, "d7").is_some(), together);
        assert_eq!(cluster(&run, "d7"), cluster(&run, "d8"));
        let asked = reader.choices();
        reindexes(&mut run, &reader);
        settle(&mut run);
        assert_eq!(reader.choices(), asked, "nothing is asked twice");
    }
}
