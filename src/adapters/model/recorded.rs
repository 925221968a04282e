//! Recorded answers of a language model in a file, so that a run can be repeated without the model.

use crate::domain::rules::draft::advice::{AdviceAnswer, AdviceFailure, AdviceQuestion, Usage, prompt};
use crate::ports::Advisor;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::fs::{File, OpenOptions};
use std::io::{BufRead, BufReader, Write};
use std::path::Path;

/// One answer, one JSON object per line.
#[derive(Debug, Serialize, Deserialize)]
struct Line {
    /// The hash of the question.
    question: String,
    /// What was sent, for human readers of the file; not read back.
    #[serde(default)]
    asked: String,
    /// What the model wrote.
    text: String,
    /// The tokens used.
    #[serde(default)]
    input_tokens: u64,
    #[serde(default)]
    output_tokens: u64,
}

/// A model that answers from a file. Missing answers are requested from another model, if there is one, and recorded.
pub struct RecordedAdvisor {
    model: String,
    known: HashMap<String, (String, Usage)>,
    file: File,
    other: Option<Box<dyn Advisor>>,
    asked: HashMap<String, String>,
    answers: Vec<AdviceAnswer>,
}

impl RecordedAdvisor {
    /// Opens a file, creating it if there is another model to ask.
    ///
    /// # Errors
    /// If the file cannot be read, or a line is not an answer.
    pub fn open(path: &Path, other: Option<Box<dyn Advisor>>) -> std::io::Result<RecordedAdvisor> {
        let file = OpenOptions::new().read(true).append(true).create(other.is_some()).open(path)?;
        let mut known = HashMap::new();
        for (text, number) in BufReader::new(&file).lines().zip(1_u64..) {
            let text = text?;
            if text.trim().is_empty() {
                continue;
            }
            let line: Line = serde_json::from_str(&text)
                .map_err(|e| std::io::Error::other(format!("line {number} is not a recorded answer: {e}")))?;
            let usage = Usage { input: line.input_tokens, output: line.output_tokens };
            known.insert(line.question, (line.text, usage));
        }
        let model = other.as_ref().map_or_else(|| "recorded".to_owned(), |other| other.model().to_owned());
        Ok(RecordedAdvisor { model, known, file, other, asked: HashMap::new(), answers: Vec::new() })
    }

    fn write(&mut self, answer: &AdviceAnswer) {
        let (Ok(text), Some(asked)) = (&answer.text, self.asked.remove(&answer.question)) else { return };
        let line = Line {
            question: answer.question.clone(),
            asked,
            text: text.clone(),
            input_tokens: answer.usage.input,
            output_tokens: answer.usage.output,
        };
        let written = serde_json::to_string(&line).map_err(std::io::Error::other);
        if let Err(error) = written.and_then(|line| writeln!(self.file, "{line}")) {
            tracing::warn!(%error, "an answer of the language model was not recorded");
        }
    }
}

impl Advisor for RecordedAdvisor {
    fn model(&self) -> &str {
        &self.model
    }

    /// One at a time: the order of answers must not affect what is asked next.
    fn room(&self) -> usize {
        usize::from(self.answers.is_empty() && self.asked.is_empty())
    }

    fn ask(&mut self, question: AdviceQuestion) -> bool {
        let hash = question.hash();
        if let Some((text, usage)) = self.known.get(&hash) {
            self.answers.push(AdviceAnswer { question: hash, text: Ok(text.clone()), usage: *usage });
            return true;
        }
        match &mut self.other {
            Some(other) => {
                self.asked.insert(hash, prompt(&question).user);
                other.ask(question)
            }
            None => {
                let text = Err(AdviceFailure::Refused("it is not among the recorded answers".to_owned()));
                self.answers.push(AdviceAnswer { question: hash, text, usage: Usage::default() });
                true
            }
        }
    }

    fn answers(&mut self) -> Vec<AdviceAnswer> {
        let mut answers = std::mem::take(&mut self.answers);
        for answer in self.other.as_mut().map(|other| other.answers()).unwrap_or_default() {
            self.write(&answer);
            self.asked.remove(&answer.question);
            answers.push(answer);
        }
        answers
    }
}
