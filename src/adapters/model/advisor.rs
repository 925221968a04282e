//! The thread that asks, and the seat of whoever wants answers: one request at a time, a short queue.

use super::exchange::{ModelOptions, Server};
use super::server_profile::Shared;
use crate::domain::rules::draft::advice::{AdviceAnswer, AdviceQuestion, Prompt, prompt};
use crate::ports::{Advisor, Rest};
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

/// How large an answer may be, in KB of 1024 bytes: some models send all that they thought with it.
pub const MAX_ANSWER: usize = 1024;
/// A model at a server. Dropping it stops its thread; a request that is under way is not waited for.
pub struct HttpAdvisor {
    model: String,
    questions: SyncSender<AdviceQuestion>,
    answers: Receiver<AdviceAnswer>,
    threads: usize,
    in_hand: usize,
}

impl HttpAdvisor {
    /// Starts a thread for each connection to the server: as many questions are asked at once. Nothing is contacted before
    /// the first one.
    ///
    /// # Errors
    /// When the system gives no thread.
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

/// Ends when nobody takes an answer any more, or asks.
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

fn shared(options: &ModelOptions) -> Arc<Shared> {
    Arc::new(Shared::open(format!("{} {}", options.server, options.model), options.known.clone()))
}

/// What a server is like, by one small question.
#[derive(Clone, Debug, PartialEq)]
pub struct Probe {
    /// How long the answer took, in seconds, all tries together.
    pub seconds: f64,
    /// Tokens that they took.
    pub tokens: u64,
    /// How answers are held to JSON, in words.
    pub format: &'static str,
    /// Whether the answer is the object that was asked for.
    pub is_right: bool,
}

impl Probe {
    /// What was seen, in words.
    pub fn described(&self) -> String {
        let right = if self.is_right { "" } else { ", but not with the JSON object that it was asked for" };
        format!("it answers in {:.1} s, held to JSON {}{right} ({} tokens)", self.seconds, self.format, self.tokens)
    }
}

/// Asks a server one small question, and waits for the answer.
///
/// # Errors
/// Why there is none, in words.
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
