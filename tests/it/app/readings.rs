//! A language model reads each comment once: the effect on clusters, what is asked again, and the weight of people's
//! decisions.

use crate::harness::run::{Run, decision};
use feedbackd::domain::clusters::evaluation::Classification;
use feedbackd::domain::records::layout;
use feedbackd::domain::records::record::{AdviceOutcome, ReadingRecord};
use feedbackd::domain::rules::draft::advice::{AdviceAnswer, AdviceFailure, AdviceQuestion, Usage};
use feedbackd::ports::{Advisor, IndexedFeedback};
use feedbackd::wiring;
use serde_json::{Value, json};
use std::sync::{Arc, Mutex};

/// The model's readings: the comment, the demand, whether it is general.
const READINGS: [(&str, &str, bool); 9] = [
    ("This blows up when nobody is logged in", "Handle missing values.", true),
    ("What happens if the config has no such key?", "Handle missing values.", true),
    ("foo may be absent here, please mind that", "Handle missing values.", true),
    ("Please move this to line 40", "Move this line.", false),
    ("Please remove the second parameter", "Remove parameters that are not used.", true),
    ("Please explain how this came about", "", false),
    ("Please remove this one, nobody reads it", "Remove parameters that are not used.", true),
    // One word keeps them apart.
    ("Please keep those two apart", "Keep flanges apart from each sprocket.", true),
    ("Please paint it", "Paint each sprocket green.", true),
];

/// A model with the readings recorded above.
#[derive(Clone)]
struct Reader {
    asked: Arc<Mutex<Vec<AdviceQuestion>>>,
    unanswered: Arc<Mutex<Vec<AdviceQuestion>>>,
    state: Arc<Mutex<State>>,
}

#[derive(Clone, Copy)]
struct State {
    away: bool,
    spoils: &'static str,
    /// A comment with this prefix makes the provider refuse the whole question.
    filters: &'static str,
}

impl Reader {
    fn new() -> Reader {
        let state = State { away: false, spoils: "nothing", filters: "nothing" };
        Reader { asked: Arc::default(), unanswered: Arc::default(), state: Arc::new(Mutex::new(state)) }
    }

    fn set(&self, change: impl FnOnce(&mut State)) {
        change(&mut self.state.lock().unwrap());
    }

    /// Returns how many comments were shown in all.
    fn shown(&self) -> usize {
        let asked = self.asked.lock().unwrap();
        asked.iter().map(|q| if let AdviceQuestion::Read(read) = q { read.comments.len() } else { 0 }).sum()
    }
}

impl Advisor for Reader {
    fn model(&self) -> &str {
        "reader"
    }

    fn room(&self) -> usize {
        4
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
            .map(|q| AdviceAnswer {
                question: q.hash(),
                text: says(q, state),
                usage: Usage { input: 4_000, output: 600 },
            })
            .collect()
    }
}

fn says(question: &AdviceQuestion, state: State) -> Result<String, AdviceFailure> {
    if state.away {
        return Err(AdviceFailure::Timeout);
    }
    Ok(match question {
        AdviceQuestion::Read(read) => {
            if read.comments.iter().any(|shown| shown.comment.starts_with(state.filters)) {
                return Err(AdviceFailure::Refused("HTTP status 400, content_filter".to_owned()));
            }
            let line = |id: usize, comment: &str| {
                let (_, demand, general) = READINGS.iter().find(|(text, ..)| *text == comment)?;
                let way = if comment.starts_with(state.spoils) { "sideways" } else { "change" };
                let demands = match *demand {
                    "" => json!([]),
                    demand => json!([{ "demand": demand, "way": way, "general": general }]),
                };
                Some(json!({ "id": id, "demands": demands }))
            };
            let lines: Vec<Value> = read.comments.iter().filter_map(|shown| line(shown.id, &shown.comment)).collect();
            json!({ "readings": lines })
        }
        _ => json!({}),
    }
    .to_string())
}

fn with_reader(reader: &Reader) -> Run {
    let mut run = Run::new();
    run.approvers(&["ann", "bob", "cleo", "dora"]);
    // Where demands belong, and what is checked, is tested in `advice.rs`.
    (run.config.model.place, run.config.model.check) = (false, false);
    restart(&mut run, reader);
    run
}

fn restart(run: &mut Run, reader: &Reader) {
    run.pipeline = None;
    run.pipeline = Some(wiring::advised_pipeline(&run.config, Some(Box::new(reader.clone()))).unwrap());
}

/// Sends one comment each by a different person: `d0`, `d1` and so on, in the order of [`READINGS`].
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

/// A rebuilt index has the same content, including vectors.
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
    assert_eq!(readings(&run).len(), 0);
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
    assert!(particular.evaluation.rationale.contains("too specific"), "{}", particular.evaluation.rationale);
    assert!(run.decision("d5").evaluation.rationale.contains("not asking for any change"));
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
fn a_model_that_takes_too_long_is_asked_for_less_later() {
    let reader = Reader::new();
    reader.set(|state| state.away = true);
    let mut run = with_reader(&reader);
    send(&mut run, &[0, 1, 2, 4]);
    settle(&mut run);
    assert_eq!((reader.shown(), readings(&run).len()), (4, 0), "it is left alone for a while");
    run.config.model.read_batch = 4;
    reader.set(|state| state.away = false);
    run.now = "2026-01-12T20:00:00Z".parse().unwrap();
    settle(&mut run);
    assert_eq!(readings(&run).len(), 4);
    let Some(AdviceQuestion::Read(again)) = reader.asked.lock().unwrap().get(1).cloned() else { panic!("a reading") };
    assert!(again.comments.len() < 20, "fewer than read_batch");
}

#[test]
fn a_comment_that_the_provider_refuses_is_found_and_left_out_alone() {
    let reader = Reader::new();
    reader.set(|state| state.filters = "foo may");
    let mut run = with_reader(&reader);
    send(&mut run, &[0, 1, 2, 3, 4, 5]);
    settle(&mut run);
    let all = readings(&run);
    let refused: Vec<&str> = all.iter().filter(|r| r.reading.is_none()).map(|r| r.feedback_id.as_str()).collect();
    assert_eq!((all.len(), refused), (6, vec!["d2"]));
    let record = all.iter().find(|record| record.feedback_id == "d2").unwrap();
    assert_eq!(record.outcome, AdviceOutcome::Unanswered);
    assert!(record.effect.contains("content_filter"), "{}", record.effect);
    let shown = reader.shown();
    restart(&mut run, &reader);
    settle(&mut run);
    assert_eq!(reader.shown(), shown, "it is not asked again");
}

#[test]
fn a_day_has_so_many_tokens() {
    let reader = Reader::new();
    let mut run = with_reader(&reader);
    // A question is expected to cost more than that.
    run.config.model.budget.tokens = 1_000;
    restart(&mut run, &reader);
    send(&mut run, &[0, 1, 2]);
    settle(&mut run);
    assert_eq!(reader.shown(), 0);
    run.config.model.budget.tokens = 5_000;
    restart(&mut run, &reader);
    settle(&mut run);
    assert_eq!((reader.shown(), readings(&run).len()), (3, 3));
    let spent: u64 = readings(&run).iter().filter_map(|record| record.tokens).map(|tokens| tokens.all()).sum();
    assert!(spent > 4_000, "{spent}");
    // The spending is known after a restart as well, and a new day has its own budget.
    restart(&mut run, &reader);
    send(&mut run, &[4]);
    settle(&mut run);
    assert_eq!(reader.shown(), 3);
    run.now = "2026-01-13T00:00:01Z".parse().unwrap();
    settle(&mut run);
    assert_eq!((reader.shown(), readings(&run).len()), (4, 4));
}
