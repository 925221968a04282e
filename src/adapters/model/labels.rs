//! In place of a language model: answers by labels, of which some are wrong by chance. For measuring what answers are worth.
//!
//! It answers one kind of question, to which group a remark belongs, and fails every other one.

use crate::domain::rules::drafting::advice::{AdviceAnswer, AdviceFailure, AdviceQuestion, ChoiceQuestion, Usage};
use crate::ports::Advisor;
use std::collections::HashMap;

/// The share of the examples that must carry the remark's label for a group to be the right one.
const SHARE: f64 = 0.5;
/// The same questions are answered wrong each time.
const SEED: &str = "second answers";

/// Labels that answer.
pub struct LabelAdvisor {
    labels: HashMap<String, String>,
    wrong: f64,
    answers: Vec<AdviceAnswer>,
}

impl LabelAdvisor {
    /// Answers by the labels of feedback, `wrong` of the answers (0 to 1) wrong by chance. What has no label belongs nowhere.
    pub fn new(labels: HashMap<String, String>, wrong: f64) -> LabelAdvisor {
        LabelAdvisor { labels, wrong, answers: Vec::new() }
    }

    fn answer(&self, choice: &ChoiceQuestion) -> u8 {
        let right = self.right(choice);
        let hash = blake3::hash(format!("{SEED} {}", choice.about).as_bytes());
        let [a, b, c, d, e, ..] = *hash.as_bytes();
        if f64::from(u32::from_le_bytes([a, b, c, d])) / f64::from(u32::MAX) >= self.wrong {
            return right;
        }
        let others: Vec<u8> =
            std::iter::once(0).chain(choice.groups.iter().map(|group| group.group)).filter(|g| *g != right).collect();
        others.get(usize::from(e) % others.len().max(1)).copied().unwrap_or(right)
    }

    /// The group most of whose examples are labelled as the remark is; 0 where there is none.
    fn right(&self, choice: &ChoiceQuestion) -> u8 {
        let Some(label) = self.labels.get(&choice.about) else { return 0 };
        let share = |shows: &[String]| {
            let same = shows.iter().filter(|id| self.labels.get(*id) == Some(label)).count();
            same as f64 / shows.len().max(1) as f64
        };
        let shares = choice.groups.iter().map(|group| (group.group, share(&group.shows)));
        let best = shares.filter(|(_, share)| *share >= SHARE).reduce(|a, b| if b.1 > a.1 { b } else { a });
        best.map_or(0, |(group, _)| group)
    }
}

impl Advisor for LabelAdvisor {
    fn model(&self) -> &str {
        "labels"
    }

    fn ask(&mut self, question: AdviceQuestion) -> bool {
        let text = match &question {
            AdviceQuestion::Choice(choice) => {
                Ok(serde_json::json!({ "group": self.answer(choice), "reason": "by the labels" }).to_string())
            }
            _ => Err(AdviceFailure::Failed("the labels do not tell that".to_owned())),
        };
        self.answers.push(AdviceAnswer { question: question.hash(), text, usage: Usage::default() });
        true
    }

    fn answers(&mut self) -> Vec<AdviceAnswer> {
        std::mem::take(&mut self.answers)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::rules::drafting::advice::Offered;

    fn choice(about: &str) -> ChoiceQuestion {
        let groups = [("G1", vec![("b", "one"), ("c", "two")]), ("G2", vec![("d", "three")])];
        let offered = groups.into_iter().map(|(about, remarks)| Offered { about, remarks, is_near: true });
        ChoiceQuestion::new(about, "coding-agent", "Do it.", "do it", offered)
    }

    fn labels() -> HashMap<String, String> {
        [("a", "x"), ("b", "y"), ("c", "y"), ("d", "x"), ("e", "z")].map(|(id, label)| (id.into(), label.into())).into()
    }

    #[test]
    fn the_labels_say_which_group_is_right() {
        let right = LabelAdvisor::new(labels(), 0.0);
        assert_eq!([right.answer(&choice("a")), right.answer(&choice("e")), right.answer(&choice("none"))], [2, 0, 0]);
        let wrong = LabelAdvisor::new(labels(), 1.1);
        assert_ne!(wrong.answer(&choice("a")), 2);
    }
}
