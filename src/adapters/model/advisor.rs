//! The thread that asks, and the seat of whoever wants answers: one request at a time, a short queue.

use super::exchange::{ModelOptions, Server};
use crate::domain::rules::drafting::advice::{AdviceAnswer, AdviceQuestion, Usage};
use crate::ports::{Advisor, Rest};
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};

/// How large an answer may be, in KB of 1024 bytes: a sentence or two with what is around them.
pub const MAX_ANSWER: usize = 64;
/// How many questions wait at most.
const QUEUE: usize = 4;

/// A model at a server. Dropping it stops its thread; a request that is under way is not waited for.
pub struct HttpAdvisor {
    model: String,
    questions: SyncSender<AdviceQuestion>,
    answers: Receiver<AdviceAnswer>,
}

impl HttpAdvisor {
    /// Starts the thread. `rest` is the server without `/v1`; nothing is contacted before the first question.
    ///
    /// # Errors
    /// When the system gives no thread.
    pub fn start(rest: Box<dyn Rest>, options: ModelOptions) -> std::io::Result<HttpAdvisor> {
        let (questions, inbox) = sync_channel(QUEUE);
        let (outbox, answers) = channel();
        let model = options.model.clone();
        let server = Server::new(rest, options);
        std::thread::Builder::new().name("model".to_owned()).spawn(move || work(server, &inbox, &outbox))?;
        Ok(HttpAdvisor { model, questions, answers })
    }
}

impl Advisor for HttpAdvisor {
    fn model(&self) -> &str {
        &self.model
    }

    fn ask(&mut self, question: AdviceQuestion) -> bool {
        self.questions.try_send(question).is_ok()
    }

    fn answers(&mut self) -> Vec<AdviceAnswer> {
        self.answers.try_iter().collect()
    }
}

/// Ends when nobody takes an answer any more, or asks.
fn work(mut server: Server, inbox: &Receiver<AdviceQuestion>, outbox: &Sender<AdviceAnswer>) {
    while let Ok(question) = inbox.recv() {
        let text = server.ask(&question);
        if outbox.send(AdviceAnswer { question: question.hash(), text, usage: Usage::default() }).is_err() {
            return;
        }
    }
}
