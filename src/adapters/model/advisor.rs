//! The thread that sends requests, and the handle for callers: one request at a time, a short queue.

use super::exchange::{ModelOptions, Server};
use super::server_profile::SharedProfile;
use crate::domain::rules::draft::advice::{AdviceAnswer, AdviceQuestion, Prompt, prompt};
use crate::ports::{Advisor, Rest};
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

/// Maximum answer size, in KB of 1024 bytes: some models include all their reasoning.
pub const MAX_ANSWER: usize = 1024;
/// A model on a server. Dropping it stops its thread, without waiting for a pending request.
pub struct HttpAdvisor {
    model: String,
    questions: SyncSender<AdviceQuestion>,
    answers: Receiver<AdviceAnswer>,
    threads: usize,
    in_hand: usize,
}

impl HttpAdvisor {
    /// Starts a thread per connection to the server: that many questions are asked at once. Does not connect before the
    /// first one.
    ///
    /// # Errors
    /// If the system cannot create a thread.
    pub fn start(rests: Vec<Box<dyn Rest>>, options: ModelOptions) -> std::io::Result<HttpAdvisor> {
        let threads = rests.len().max(1);
        let (questions, inbox) = sync_channel(threads);
        let (outbox, answers) = channel();
        let inbox = Arc::new(Mutex::new(inbox));
        let shared = shared(&options);
        for rest in rests {
            let (server, inbox, outbox) =
                (Server::new(rest, options.clone(), Arc::clone(&shared)), Arc::clone(&inbox), outbox.clone());
            std::thread::Builder::new().name("model".to_owned()).spawn(move || work(server, &inbox, &outbox))?;
        }
        Ok(HttpAdvisor { model: options.model, questions, answers, threads, in_hand: 0 })
    }
}

impl Advisor for HttpAdvisor {
    fn model(&self) -> &str {
        &self.model
    }

    fn room(&self) -> usize {
        self.threads.saturating_sub(self.in_hand)
    }

    fn ask(&mut self, question: AdviceQuestion) -> bool {
        let taken = self.room() > 0 && self.questions.try_send(question).is_ok();
        self.in_hand += usize::from(taken);
        taken
    }

    fn answers(&mut self) -> Vec<AdviceAnswer> {
        let answers: Vec<AdviceAnswer> = self.answers.try_iter().collect();
        self.in_hand = self.in_hand.saturating_sub(answers.len());
        answers
    }
}

/// Runs until the answers or the questions are closed.
fn work(server: Server, inbox: &Mutex<Receiver<AdviceQuestion>>, outbox: &Sender<AdviceAnswer>) {
    loop {
        let next = inbox.lock().unwrap_or_else(PoisonError::into_inner).recv();
        let Ok(question) = next else { return };
        let (text, usage) = server.ask(&prompt(&question));
        if outbox.send(AdviceAnswer { question: question.hash(), text, usage }).is_err() {
            return;
        }
    }
}

fn shared(options: &ModelOptions) -> Arc<SharedProfile> {
    Arc::new(SharedProfile::open(format!("{} {}", options.server, options.model), options.known.clone()))
}

/// What one small question shows about a server.
#[derive(Clone, Debug, PartialEq)]
pub struct Probe {
    /// The response time, in seconds, all attempts together.
    pub seconds: f64,
    /// Tokens used by them.
    pub tokens: u64,
    /// How answers are constrained to JSON, in words.
    pub format: &'static str,
    /// Whether the answer is the requested object.
    pub is_right: bool,
}

impl Probe {
    /// Describes the result in words.
    pub fn described(&self) -> String {
        let right = if self.is_right { "" } else { ", but not with the JSON object that it was asked for" };
        format!(
            "it answers in {:.1} s, constrained to JSON {}{right} ({} tokens)",
            self.seconds, self.format, self.tokens
        )
    }
}

/// Asks a server one small question, and waits for the answer.
///
/// # Errors
/// The reason for the failure, in words.
pub fn probe(rest: Box<dyn Rest>, options: ModelOptions) -> Result<Probe, String> {
    let shared = shared(&options);
    let schema = serde_json::json!({
        "type": "object", "properties": { "ok": { "type": "boolean" } }, "required": ["ok"],
        "additionalProperties": false,
    });
    let prompt = Prompt {
        system: "You answer with one JSON object and nothing else.".to_owned(),
        user: "Answer with {\"ok\": true}.".to_owned(),
        max_tokens: 50,
        schema,
    };
    let started = Instant::now();
    let (text, usage) = Server::new(rest, options, Arc::clone(&shared)).ask(&prompt);
    let text = text.map_err(|failure| failure.to_string())?;
    let found = text.find('{').and_then(|at| serde_json::Deserializer::from_str(&text[at..]).into_iter().next());
    let found: Option<serde_json::Result<serde_json::Value>> = found;
    Ok(Probe {
        seconds: started.elapsed().as_secs_f64(),
        tokens: usage.input + usage.output,
        format: shared.get().format.described(),
        is_right: found.is_some_and(|value| value.is_ok_and(|value| value["ok"] == true)),
    })
}
