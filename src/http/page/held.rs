//! Decisions that can still be taken back: each is held until its person decides the next thing, or for a minute. Then it
//! is handed in as every other one. If the daemon ends before, it hands in what it holds.

use crate::http::deciding::{Own, decide, leave};
use crate::http::problem::Problem;
use crate::http::services::Services;
use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// So long a decision can be taken back.
pub const HOLD: Duration = Duration::from_secs(60);
/// Where the records of what came this way say that it came from.
pub const SOURCE: &str = "page";

/// The decisions of all people that can still be taken back.
pub struct Held {
    services: Arc<Services>,
    people: Mutex<BTreeMap<String, Desk>>,
}

/// What one person decided last.
#[derive(Clone, Debug, Default)]
struct Desk {
    next: u64,
    waiting: Option<Deed>,
    said: Option<Said>,
}

/// A decision.
#[derive(Clone, Debug, PartialEq)]
pub struct Deed {
    /// Which of this person's it is.
    pub number: u64,
    /// What is handed in, one after the other.
    pub actions: Vec<Value>,
    /// The same in words.
    pub what: String,
    /// Where it was decided.
    pub back: String,
}

/// What became of a decision.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Said {
    /// In words.
    pub text: String,
    /// Whether it counts.
    pub good: bool,
}

impl Held {
    pub fn new(services: Arc<Services>) -> Held {
        Held { services, people: Mutex::default() }
    }

    /// Holds what somebody decided, and hands in what they decided before; may block. Says which of theirs it is.
    pub fn hold(&self, who: &str, actions: Vec<Value>, what: String, back: String) -> u64 {
        let (number, before) = {
            let mut people = self.people();
            let desk = people.entry(who.to_owned()).or_default();
            desk.next += 1;
            desk.said = None;
            let deed = Deed { number: desk.next, actions, what, back };
            (desk.next, desk.waiting.replace(deed))
        };
        if let Some(before) = before {
            self.hand_in(who, before);
        }
        number
    }

    /// Hands it in, where it is still held; may block.
    pub fn settle(&self, who: &str, number: u64) {
        if let Some(deed) = self.take(who, number) {
            self.hand_in(who, deed);
        }
    }

    /// Takes it back, where it is still held.
    pub fn take(&self, who: &str, number: u64) -> Option<Deed> {
        self.people().get_mut(who)?.waiting.take_if(|deed| deed.number == number)
    }

    /// What somebody decided and can take back, and what became of what they decided before.
    pub fn of(&self, who: &str) -> (Option<Deed>, Option<Said>) {
        let people = self.people();
        people.get(who).map_or((None, None), |desk| (desk.waiting.clone(), desk.said.clone()))
    }

    fn hand_in(&self, who: &str, deed: Deed) {
        // The first one that does not count ends it.
        let handed_in = deed.actions.into_iter().map(|action| {
            let submitted = decide(&self.services, SOURCE, who, action, Own::default())?;
            Ok::<String, Problem>(submitted.effect)
        });
        let said = match handed_in.collect::<Result<Vec<String>, Problem>>() {
            Ok(effects) => Said { text: format!("{}: {}", deed.what, effects.join("; ")), good: true },
            Err(problem) => Said { text: format!("{}: {}", deed.what, problem.detail()), good: false },
        };
        self.say(who, said);
    }

    /// Keeps what became of a decision, for the next page that its person looks at.
    pub fn say(&self, who: &str, said: Said) {
        self.people().entry(who.to_owned()).or_default().said = Some(said);
    }

    fn people(&self) -> MutexGuard<'_, BTreeMap<String, Desk>> {
        self.people.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        let people = std::mem::take(&mut *self.people());
        let left: Vec<(String, Deed)> =
            people.into_iter().filter_map(|(who, desk)| Some((who, desk.waiting?))).collect();
        if left.is_empty() {
            return;
        }
        let services = Arc::clone(&self.services);
        // It waits for Redis, which nothing may do on the event loop that this may be dropped on.
        let handing_in = std::thread::spawn(move || {
            for (who, deed) in left {
                let what = deed.what.clone();
                for action in deed.actions {
                    if let Err(problem) = leave(&services, SOURCE, &who, action) {
                        tracing::error!(who, what, problem = problem.detail(), "a decision was not handed in");
                        break;
                    }
                }
            }
        });
        let _ = handing_in.join();
    }
}
