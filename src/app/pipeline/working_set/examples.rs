//! What people said of single remarks, as examples: a later remark of almost the same words is read as they said, where that
//! is that it teaches no rule. One that asks for the same as an example needs none of this: it is near to it.

use crate::domain::intake::submission::{Mark, Marked};
use std::collections::BTreeSet;
use std::sync::Arc;

/// From which share of words that two remarks have in common they say almost the same.
const ALMOST: f64 = 0.75;
/// Fewer words show nothing.
const WORDS: usize = 2;
/// How many examples are remembered: the latest.
const MANY: usize = 2000;

/// The examples. Cheap to copy.
#[derive(Clone, Debug, Default)]
pub struct Examples(imbl::Vector<Arc<Example>>);

/// A remark that people said something of.
#[derive(Debug)]
struct Example {
    tenant: String,
    agent: String,
    words: BTreeSet<String>,
    /// What a remark is that says almost the same.
    marked: Marked,
}

impl Examples {
    /// Forgets all.
    pub fn clear(&mut self) {
        self.0.clear();
    }

    /// Remembers what people said of a remark. What is said later of almost the same words holds.
    pub fn add(&mut self, tenant: &str, agent: &str, text: &str, marked: Marked) {
        let words = words(text);
        if words.len() < WORDS {
            return;
        }
        if self.0.len() >= MANY {
            self.0.pop_front();
        }
        self.0.push_back(Arc::new(Example { tenant: tenant.to_owned(), agent: agent.to_owned(), words, marked }));
    }

    /// What people said of a remark about the same agent's work that says almost the same.
    pub fn like(&self, tenant: &str, agent: &str, text: &str) -> Option<&Marked> {
        if self.0.is_empty() {
            return None;
        }
        let words = words(text);
        let scoped = self.0.iter().rev().filter(|e| e.tenant == tenant && e.agent == agent);
        let near =
            scoped.map(|example| (shared(&words, &example.words), example)).filter(|(share, _)| *share >= ALMOST);
        // Of equals the latest.
        let best = near.fold(None, |best: Option<(f64, &Arc<Example>)>, found| match best {
            Some(best) if best.0 >= found.0 => Some(best),
            _ => Some(found),
        });
        best.map(|(_, example)| &example.marked)
    }
}

/// What a later remark is, by what people said of this one.
pub fn example(mark: Mark, review: &str, feedback: &str) -> Marked {
    Marked { mark, demand: None, by: review.to_owned(), like: Some(feedback.to_owned()) }
}

fn words(text: &str) -> BTreeSet<String> {
    let folded = text.to_lowercase();
    folded.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).map(str::to_owned).collect()
}

/// The share of all their words that both have.
fn shared(a: &BTreeSet<String>, b: &BTreeSet<String>) -> f64 {
    let both = a.intersection(b).count();
    both as f64 / (a.len() + b.len() - both).max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn almost_the_same_words_are_read_as_people_said() {
        let mut examples = Examples::default();
        examples.add("", "coder", "Nice work, thank you!", example(Mark::Nothing, "r1", "d1"));
        let like = |text: &str| examples.like("", "coder", text).map(|m| (m.mark, m.like.clone().unwrap()));
        assert_eq!(like("nice work thank you"), Some((Mark::Nothing, "d1".to_owned())));
        assert_eq!(like("Nice work, thank you all"), Some((Mark::Nothing, "d1".to_owned())));
        assert_eq!(like("Nice work, but add a test for the handler"), None);
        assert!(examples.like("", "tester", "Nice work, thank you!").is_none());
        examples.add("", "coder", "Nice work, thank you", example(Mark::Particular, "r2", "d2"));
        assert_eq!(examples.like("", "coder", "nice work thank you").unwrap().by, "r2", "the latest holds");
    }
}
