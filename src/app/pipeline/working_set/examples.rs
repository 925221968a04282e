//! People's markings of single comments, as examples: a later comment with almost the same words is marked the same way
//! if the mark is that it teaches no rule. Comments that make the same demand as an example do not need this: they are
//! near it anyway.

use crate::domain::intake::submission::{Mark, Marked};
use std::collections::BTreeSet;
use std::sync::Arc;

/// The share of words in common from which two comments are almost the same.
const ALMOST: f64 = 0.75;
/// Fewer words are not significant.
const WORDS: usize = 2;
/// How many examples are kept: the latest.
const MANY: usize = 2000;

/// The examples. Cheap to copy.
#[derive(Clone, Debug, Default)]
pub struct Examples(imbl::Vector<Arc<Example>>);

/// A comment that people marked.
#[derive(Debug)]
struct Example {
    tenant: String,
    agent: String,
    words: BTreeSet<String>,
    /// The mark for comments that are almost the same.
    marked: Marked,
}

impl Examples {
    /// Removes all examples.
    pub fn clear(&mut self) {
        self.0.clear();
    }

    /// Remembers people's mark of a comment. For almost the same words, the later mark wins.
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

    /// Returns the mark of an almost identical comment about the same agent's work.
    pub fn like(&self, tenant: &str, agent: &str, text: &str) -> Option<&Marked> {
        if self.0.is_empty() {
            return None;
        }
        let words = words(text);
        let scoped = self.0.iter().rev().filter(|e| e.tenant == tenant && e.agent == agent);
        let near =
            scoped.map(|example| (shared(&words, &example.words), example)).filter(|(share, _)| *share >= ALMOST);
        // The latest wins a tie.
        let best = near.fold(None, |best: Option<(f64, &Arc<Example>)>, found| match best {
            Some(best) if best.0 >= found.0 => Some(best),
            _ => Some(found),
        });
        best.map(|(_, example)| &example.marked)
    }
}

/// Derives the mark for later comments from people's mark of this one.
pub fn example(mark: Mark, review: &str, feedback: &str) -> Marked {
    Marked { mark, demand: None, by: review.to_owned(), like: Some(feedback.to_owned()) }
}

fn words(text: &str) -> BTreeSet<String> {
    let folded = text.to_lowercase();
    folded.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).map(str::to_owned).collect()
}

/// Returns the share of all their words that both have.
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
