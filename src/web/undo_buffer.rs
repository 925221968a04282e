//! Decisions that can still be taken back: each is held until its author's next decision, or for a minute, and then
//! submitted like any other. On shutdown, all held decisions are submitted.
//!
//! The caller defines how to submit.

use super::problem::Problem;
use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// How long a decision can be taken back.
pub const HOLD: Duration = Duration::from_secs(60);
/// The source stated in records of these submissions.
pub const SOURCE: &str = "page";

/// Submits one action of a person and returns its effect.
pub type HandIn<'a> = &'a dyn Fn(&str, Value) -> Result<String, Problem>;

/// All people's decisions that can still be taken back.
#[derive(Default)]
pub struct UndoBuffer {
    state: Mutex<State>,
    /// Signalled when something was submitted.
    done: Condvar,
}

#[derive(Default)]
struct State {
    people: BTreeMap<String, LastDecision>,
    /// Number of decisions being submitted.
    under_way: usize,
    /// Whether the daemon is stopping: nothing is held any more.
    ends: bool,
}

/// A person's last decision.
#[derive(Clone, Debug, Default)]
struct LastDecision {
    next: u64,
    waiting: Option<DecisionCall>,
    said: Option<DecisionOutcome>,
}

/// A person's decision that can still be taken back.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DecisionCall {
    /// Its number among this person's decisions; set when it is held.
    pub number: u64,
    /// The actions to submit, in order.
    pub actions: Vec<Value>,
    /// Whether each action counts whatever becomes of the others. If not, the first that does not count is the last.
    pub independent: bool,
    /// The pending items that it settles.
    pub items: Vec<String>,
    /// Describes it in words.
    pub what: String,
    /// The page of the decision.
    pub back: String,
}

/// The outcome of a decision.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DecisionOutcome {
    /// The outcome in words.
    pub text: String,
    /// Whether it counts.
    pub good: bool,
}

impl UndoBuffer {
    /// Holds a person's decision and submits their previous one; may block. Returns the decision's number.
    pub fn hold(&self, who: &str, call: DecisionCall, hand_in: HandIn<'_>) -> u64 {
        let (number, due) = {
            let mut state = self.state();
            let ends = state.ends;
            let desk = state.people.entry(who.to_owned()).or_default();
            desk.next += 1;
            desk.said = None;
            let number = desk.next;
            let before = desk.waiting.replace(DecisionCall { number, ..call });
            let now = if ends { desk.waiting.take() } else { None };
            let due: Vec<DecisionCall> = before.into_iter().chain(now).collect();
            state.under_way += due.len();
            (number, due)
        };
        due.into_iter().for_each(|deed| self.hand_in(who, deed, hand_in));
        number
    }

    /// Submits it, if it is still held; may block.
    pub fn settle(&self, who: &str, number: u64, hand_in: HandIn<'_>) {
        let deed = {
            let mut state = self.state();
            let deed = state.take(who, number);
            state.under_way += usize::from(deed.is_some());
            deed
        };
        if let Some(deed) = deed {
            self.hand_in(who, deed, hand_in);
        }
    }

    /// Takes it back, if it is still held.
    pub fn take(&self, who: &str, number: u64) -> Option<DecisionCall> {
        self.state().take(who, number)
    }

    /// Returns a person's revocable decision, and the outcome of the previous one.
    pub fn of(&self, who: &str) -> (Option<DecisionCall>, Option<DecisionOutcome>) {
        let state = self.state();
        state.people.get(who).map_or((None, None), |desk| (desk.waiting.clone(), desk.said.clone()))
    }

    /// Submits all held decisions, and waits for pending submissions, but no longer than this; may block. Later
    /// decisions are not held.
    pub fn end(&self, within: Duration, hand_in: HandIn<'_>) {
        let left: Vec<(String, DecisionCall)> = {
            let mut state = self.state();
            state.ends = true;
            let desks = state.people.iter_mut();
            desks.filter_map(|(who, desk)| Some((who.clone(), desk.waiting.take()?))).collect()
        };
        for (who, deed) in left {
            let said = handed_in(&who, deed, hand_in);
            if !said.good {
                tracing::error!(who, what = said.text, "a decision was not submitted");
            }
        }
        let waited = self.done.wait_timeout_while(self.state(), within, |state| state.under_way > 0);
        let under_way = waited.unwrap_or_else(PoisonError::into_inner).0.under_way;
        if under_way > 0 {
            tracing::warn!(
                decisions = under_way,
                "decisions are still being submitted: whether they count is not known"
            );
        }
    }

    /// Submits a decision counted as in progress.
    fn hand_in(&self, who: &str, deed: DecisionCall, hand_in: HandIn<'_>) {
        let ending = ProgressGuard(self);
        self.say(who, handed_in(who, deed, hand_in));
        drop(ending);
    }

    /// Stores a decision's outcome for the next page its author views.
    pub fn say(&self, who: &str, said: DecisionOutcome) {
        self.state().people.entry(who.to_owned()).or_default().said = Some(said);
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn take(&mut self, who: &str, number: u64) -> Option<DecisionCall> {
        self.people.get_mut(who)?.waiting.take_if(|deed| deed.number == number)
    }
}

/// Decrements the in-progress count, whatever the outcome.
struct ProgressGuard<'a>(&'a UndoBuffer);

impl Drop for ProgressGuard<'_> {
    fn drop(&mut self) {
        self.0.state().under_way -= 1;
        self.0.done.notify_all();
    }
}

/// Submits the actions, and returns the outcome in words: what does not count comes first.
fn handed_in(who: &str, deed: DecisionCall, hand_in: HandIn<'_>) -> DecisionOutcome {
    let (mut wrong, mut effects) = (Vec::new(), Vec::new());
    for action in deed.actions {
        match hand_in(who, action) {
            Ok(effect) => effects.push(effect),
            Err(problem) => wrong.push(problem.detail().to_owned()),
        }
        if !deed.independent && !wrong.is_empty() {
            // What came before it counts, but is not what was decided.
            effects.clear();
            break;
        }
    }
    let good = wrong.is_empty();
    wrong.extend(effects);
    DecisionOutcome { text: format!("{}: {}", deed.what, wrong.join("; ")), good }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;
    use std::sync::mpsc::channel;

    const LONG: Duration = Duration::from_secs(60);

    fn hold(held: &UndoBuffer, who: &str, action: &str, hand_in: HandIn<'_>) -> u64 {
        let call = DecisionCall { actions: vec![json!(action)], what: action.to_owned(), ..DecisionCall::default() };
        held.hold(who, call, hand_in)
    }

    #[test]
    fn what_is_held_is_handed_in_when_the_daemon_stops_and_what_comes_later_at_once() {
        let (held, seen) = (UndoBuffer::default(), Mutex::new(Vec::new()));
        let note = |who: &str, action: Value| {
            seen.lock().unwrap().push(format!("{who} {}", action.as_str().unwrap_or_default()));
            Ok(String::new())
        };
        hold(&held, "ana", "one", &note);
        let two = hold(&held, "ben", "two", &note);
        assert!(held.take("ben", two).is_some());
        hold(&held, "cem", "three", &note);
        assert!(seen.lock().unwrap().is_empty(), "it can be taken back");
        held.end(LONG, &note);
        assert_eq!(*seen.lock().unwrap(), ["ana one", "cem three"]);
        hold(&held, "ana", "four", &note);
        assert_eq!(*seen.lock().unwrap(), ["ana one", "cem three", "ana four"]);
    }

    #[test]
    fn of_several_each_counts_by_itself_only_if_they_are_independent() {
        let odd = |_: &str, action: Value| match action.as_u64() {
            Some(n) if n % 2 == 1 => Ok(format!("{n} counts")),
            _ => Err(Problem::new(axum::http::StatusCode::CONFLICT, format!("{action} does not"))),
        };
        for (independent, text) in [(false, "all: 2 does not"), (true, "all: 2 does not; 1 counts; 3 counts")] {
            let held = UndoBuffer::default();
            let actions = vec![json!(1), json!(2), json!(3)];
            let call = DecisionCall { actions, independent, what: "all".into(), ..DecisionCall::default() };
            let number = held.hold("ana", call, &odd);
            held.settle("ana", number, &odd);
            assert_eq!(held.of("ana").1, Some(DecisionOutcome { text: text.into(), good: false }));
        }
    }

    #[test]
    fn the_end_waits_for_what_is_being_handed_in() {
        let held = UndoBuffer::default();
        let (begun, begins) = channel();
        let (goes_on, go_on) = channel::<()>();
        let number = hold(&held, "ana", "one", &|_, _| Ok(String::new()));
        std::thread::scope(|scope| {
            let held = &held;
            scope.spawn(move || {
                let slow = |_: &str, _: Value| {
                    begun.send(()).unwrap();
                    go_on.recv().unwrap();
                    Ok("approval 1 of 2".to_owned())
                };
                held.settle("ana", number, &slow);
            });
            begins.recv().unwrap();
            held.end(Duration::ZERO, &|_, _| panic!("it is in other hands"));
            assert_eq!(held.of("ana").1, None, "it was not waited for");
            goes_on.send(()).unwrap();
            held.end(LONG, &|_, _| panic!("it is in other hands"));
            assert_eq!(held.of("ana").1.map(|said| said.text).as_deref(), Some("one: approval 1 of 2"));
        });
    }
}
