//! A language model over HTTP: one thread, one request at a time, a short queue, and no waiting for anybody.
//!
//! It sends what `domain::advice` words and hands back what the model says as it is. It judges no answer, keeps no
//! budget and has no cache. The key leaves this module in one header only.

mod exchange;
mod wire;

pub use wire::Dialect;

use crate::config::Secret;
use crate::domain::advice::{AdviceAnswer, AdviceFailure, AdviceQuestion};
use crate::ports::Advisor;
use exchange::Server;
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Duration;

/// How many questions wait at most.
const QUEUE: usize = 4;

/// Where a model is and how it is asked.
#[derive(Clone, Debug)]
pub struct ModelOptions {
    /// Whose interface it speaks.
    pub dialect: Dialect,
    /// The server's base URL.
    pub url: String,
    /// The model's name.
    pub model: String,
    /// The key, where the server wants one.
    pub key: Option<Secret>,
    /// How long an answer may take, a retry included.
    pub timeout: Duration,
    /// Whether the proxies that the environment names are used.
    pub use_environment_proxy: bool,
}

/// A model over HTTP. Dropping it stops its thread; a request that is under way is not waited for.
pub struct HttpAdvisor {
    model: String,
    questions: SyncSender<AdviceQuestion>,
    answers: Receiver<AdviceAnswer>,
    stop: Arc<Stop>,
}

impl HttpAdvisor {
    /// Starts the thread. Nothing is contacted before the first question.
    ///
    /// # Errors
    /// When the system gives no thread.
    pub fn start(options: ModelOptions) -> std::io::Result<HttpAdvisor> {
        let (questions, inbox) = sync_channel(QUEUE);
        let (outbox, answers) = channel();
        let stop = Arc::new(Stop::default());
        let (model, seen) = (options.model.clone(), Arc::clone(&stop));
        std::thread::Builder::new().name("model".to_owned()).spawn(move || work(options, &inbox, &outbox, &seen))?;
        Ok(HttpAdvisor { model, questions, answers, stop })
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

impl Drop for HttpAdvisor {
    fn drop(&mut self) {
        self.stop.set();
    }
}

/// The HTTP client is made, used and dropped here: it must not be on a thread that runs other asynchronous work.
fn work(options: ModelOptions, inbox: &Receiver<AdviceQuestion>, outbox: &Sender<AdviceAnswer>, stop: &Stop) {
    let mut server = Server::new(options);
    while let Ok(question) = inbox.recv() {
        if stop.is_set() {
            return;
        }
        let text = match &mut server {
            Ok(server) => server.ask(&question, stop),
            Err(why) => Err(AdviceFailure::Failed(why.clone())),
        };
        if outbox.send(AdviceAnswer { question: question.hash(), text }).is_err() {
            return;
        }
    }
}

/// Tells the thread to end, also while it waits.
#[derive(Default)]
struct Stop {
    told: Mutex<bool>,
    changed: Condvar,
}

impl Stop {
    fn set(&self) {
        *self.told.lock().unwrap_or_else(PoisonError::into_inner) = true;
        self.changed.notify_all();
    }

    fn is_set(&self) -> bool {
        *self.told.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for so long; true where it was told to stop meanwhile.
    fn wait(&self, time: Duration) -> bool {
        let told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
        let waited = self.changed.wait_timeout_while(told, time, |told| !*told);
        *waited.unwrap_or_else(PoisonError::into_inner).0
    }
}
