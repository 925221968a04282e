//! The seams to the outside: what the service layer asks of Redis, Git, SQLite and the embedder.
//!
//! Each trait says what must hold, and each has one conformance suite that every implementation runs.

use crate::domain::channels::turn::TurnRow;
use crate::domain::grouping::evaluation::Classification;
use crate::domain::ids::{CommitId, Gate};
use crate::domain::intake::event::{RawEntry, Rejection};
use crate::domain::language::catalogue::Voiced;
use crate::domain::language::direction::Direction;
use crate::domain::language::similarity::Embedding;
use crate::domain::records::channel::{ChannelKind, ChannelRecord};
pub use crate::domain::records::index_update::{FileChange, IndexUpdate};
use crate::domain::records::message::Outgoing;
use crate::domain::records::record::{
    AdviceRecord, AlertRecord, AmbiguousRecord, ClusterRecord, DecisionRecord, EdgeCaseRecord, ImportRecord,
    InjectionRecord, ProposalRecord, ReviewRecord,
};
use crate::domain::rules::drafting::advice::{AdviceAnswer, AdviceQuestion};
use crate::domain::verdict::Verdict;
use jiff::Timestamp;
use std::future::Future;
use thiserror::Error;

/// The time. Everything below the service layer takes `now` as an argument instead.
pub trait Clock: Send + Sync {
    /// Now, by the wall clock: it may jump, so durations are not measured with it.
    fn now(&self) -> Timestamp;
}

/// A file to write into the store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileWrite {
    /// Its path from the root of the repository, `/`-separated, every component safe.
    pub path: String,
    /// Its whole content.
    pub content: Vec<u8>,
}

/// What one commit shall change.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ChangeSet {
    /// Files to create or replace. When a path stands twice, the last one counts.
    pub writes: Vec<FileWrite>,
    /// Files to remove; a file that is not there is no error.
    pub removes: Vec<String>,
    /// The commit's subject: what happened, in words.
    pub subject: String,
    /// The body, may be empty.
    pub body: String,
    /// Trailers in their order, e.g. `("Source", "asdlc:events:hitl_decisions 1700000000000-3")`.
    pub trailers: Vec<(String, String)>,
}

/// What became of a commit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CommitOutcome {
    /// The tree would have been the same: nothing was written. The head is as expected.
    Unchanged(CommitId),
    /// Durable on disk, and the branch points to it.
    Committed(CommitId),
    /// The branch is not where the caller thought: somebody else committed. Nothing was written; take the
    /// changes up and try again.
    Moved(CommitId),
}

/// One commit, as far as it matters here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommitInfo {
    /// Its id.
    pub id: CommitId,
    /// The first parent.
    pub parent: Option<CommitId>,
    /// The author's name.
    pub author: String,
    /// Seconds since 1970.
    pub seconds: i64,
    /// The first line of its message.
    pub subject: String,
}

/// A failure of the store.
#[derive(Debug, Error)]
pub enum StoreError {
    /// There is no repository there.
    #[error("there is no store at {path}")]
    Missing {
        /// Where it was looked for.
        path: String,
    },
    /// Another process holds the writer's lock.
    #[error("another process writes to the store at {path} (its lock is held)")]
    Locked {
        /// The store.
        path: String,
    },
    /// The disk is full, read-only or failing. Nothing was acknowledged; try again later.
    #[error("cannot write to the store: {0}")]
    Io(#[from] std::io::Error),
    /// What was written cannot be read back: the disk is not to be trusted.
    #[error("the store is damaged: {0}")]
    Damaged(String),
    /// Git refused.
    #[error("git: {0}")]
    Git(String),
}

/// Reading the store. Needs no lock.
pub trait StoreReader {
    /// The commit the branch points to; `None` in a store without commits.
    fn head(&self) -> Result<Option<CommitId>, StoreError>;

    /// A file's content at a commit; `None` where there is no such file.
    fn read(&self, at: &CommitId, path: &str) -> Result<Option<Vec<u8>>, StoreError>;

    /// The files of a directory at a commit with their names, in the order of these, without those below it; none where
    /// there is no such directory.
    fn files_in(&self, at: &CommitId, directory: &str) -> Result<Vec<(String, Vec<u8>)>, StoreError>;

    /// Visits every file below `feedback/` (and the roster) that differs between the two commits, in path order;
    /// all of them where `from` is `None`. Removed files come without content. Holds one file at a time. Fails before the
    /// first visit where the store lacks one of the commits.
    fn for_each_change(
        &self,
        from: Option<&CommitId>,
        to: &CommitId,
        visit: &mut dyn FnMut(FileChange) -> Result<(), StoreError>,
    ) -> Result<(), StoreError>;

    /// The commits after `from` up to `to`, first-parent, oldest first; from the root where `from` is `None` or
    /// is not an ancestor of `to`.
    fn commits(&self, from: Option<&CommitId>, to: &CommitId) -> Result<Vec<CommitInfo>, StoreError>;

    /// The commits up to `to` that changed one of the files, first-parent, the latest first, at most `limit`. A file
    /// that moves between the paths is followed; the search ends where none of them was there before.
    fn history(&self, to: &CommitId, paths: &[String], limit: usize) -> Result<Vec<CommitInfo>, StoreError>;
}

/// Writing the store: one writer, which holds the lock as long as it lives.
pub trait StoreWriter: StoreReader {
    /// Makes one commit on top of `expected`. Returns only when it is durable (fsync) or nothing happened.
    fn commit(&mut self, expected: Option<&CommitId>, change: &ChangeSet) -> Result<CommitOutcome, StoreError>;

    /// Housekeeping that may take long (packs are combined). Called when there is nothing else to do.
    fn maintain(&mut self) -> Result<(), StoreError>;
}

/// No vectors could be made. It may pass; try again later.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("the embedder fails: {0}")]
pub struct EmbedError(pub String);

/// Turns text into vectors. Deterministic: the same text gives the same vector for the life of a store.
pub trait Embedder: Send + Sync {
    /// One vector of unit length per text; `None` where the text has no known word.
    fn embed(&self, texts: &[String]) -> Result<Vec<Option<Embedding>>, EmbedError>;

    /// As [`Embedder::embed`], for texts that are the same at every start. Where vectors are dear, they are kept.
    fn embed_lasting(&self, texts: &[String]) -> Result<Vec<Option<Embedding>>, EmbedError> {
        self.embed(texts)
    }

    /// These texts are asked for one by one soon. Where many at once are cheaper, their vectors are made now.
    fn prepare(&self, _texts: &mut dyn Iterator<Item = String>) -> Result<(), EmbedError> {
        Ok(())
    }

    /// Name and version; a change means that derived vectors must be made again.
    fn id(&self) -> &str;
}

/// Near vectors could not be found, or not be kept. It may pass; try again later.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("the knowledge store fails: {0}")]
pub struct KnowledgeError(pub String);

/// Finds near vectors. Keys are the caller's, and rise from one [`Knowledge::add`] to the next.
///
/// A failure is kept until [`Knowledge::settle`] is asked; until then nothing is found. Whoever makes something durable
/// asks before.
pub trait Knowledge: Send {
    /// Whether everything that was added can be found, and everything that was found since this was last asked was right.
    /// After an error the caller clears it and adds everything anew.
    fn settle(&mut self) -> Result<(), KnowledgeError> {
        Ok(())
    }

    /// Adds a vector to a scope (a tenant's agent, and a direction).
    fn add(&mut self, scope: &str, key: u32, vector: &Embedding);

    /// The keys of a scope whose raw cosine with the vector is at least `min_cosine`, best first, ties by key; at
    /// most `limit`.
    fn nearest(&self, scope: &str, vector: &Embedding, min_cosine: f64, limit: usize) -> Vec<(u32, f64)>;

    /// As [`Knowledge::nearest`], among keys from `since` on: what came after an earlier search.
    fn nearest_since(
        &self,
        scope: &str,
        since: u32,
        vector: &Embedding,
        min_cosine: f64,
        limit: usize,
    ) -> Vec<(u32, f64)>;

    /// Forgets everything.
    fn clear(&mut self);
}

/// One feedback as the index knows it: enough to list it, to compare it and to find its record.
#[derive(Clone, Debug, PartialEq)]
pub struct IndexedFeedback {
    /// Its id.
    pub id: String,
    /// The publisher's decision id.
    pub decision_id: String,
    /// Its record in the store.
    pub path: String,
    /// The tenant; empty for the default tenant.
    pub tenant: String,
    /// The agent.
    pub agent: String,
    /// The gate.
    pub gate: Gate,
    /// Who decided.
    pub reviewer: String,
    /// The verdict.
    pub verdict: Verdict,
    /// When.
    pub timestamp: Timestamp,
    /// What is compared and searched: summary and comment, redacted; empty where nothing was said.
    pub text: String,
    /// Whether it makes a demand.
    pub demand: bool,
    /// Which way it points.
    pub direction: Direction,
    /// The concern it voices, where one was recognised.
    pub voiced: Option<Voiced>,
    /// The class.
    pub classification: Classification,
    /// The probability, 0 to 1, that the class is right.
    pub confidence: f64,
    /// The cluster.
    pub cluster: Option<String>,
    /// The edge case it opened.
    pub edge_case: Option<String>,
    /// How often it was evaluated.
    pub revision: u32,
    /// The agent's session, where it is known.
    pub session: Option<String>,
    /// How long the review took, in seconds, where that is known.
    pub review_seconds: Option<u64>,
    /// Whether people withdrew it: nothing is learned from it, and it counts nowhere.
    pub retracted: bool,
    /// The vector of its text, where it has one.
    pub vector: Option<Embedding>,
}

impl IndexedFeedback {
    /// What the index keeps of a decision record at `path`. `vector` is that of [`DecisionRecord::text`].
    pub fn new(path: &str, record: &DecisionRecord, vector: Option<Embedding>) -> IndexedFeedback {
        let (feedback, evaluation) = (&record.feedback, &record.evaluation);
        IndexedFeedback {
            id: feedback.feedback_id.clone(),
            decision_id: record.decision_id.clone(),
            path: path.to_owned(),
            tenant: record.tenant_id.clone().unwrap_or_default(),
            agent: feedback.agent.clone(),
            gate: record.gate,
            reviewer: record.reviewer_id.clone(),
            verdict: record.decision,
            timestamp: record.timestamp,
            text: record.text().unwrap_or_default(),
            demand: feedback.stance.demand,
            direction: feedback.stance.direction,
            voiced: Voiced::of(feedback.concern.as_ref(), feedback.stance.waives),
            classification: evaluation.classification,
            confidence: evaluation.confidence,
            cluster: evaluation.cluster.clone(),
            edge_case: feedback.edge_case.clone(),
            revision: evaluation.revision,
            session: record.session_id.clone(),
            review_seconds: record.review_duration_seconds,
            retracted: feedback.retracted_by.is_some(),
            vector,
        }
    }
}

/// What to list. Empty options do not filter.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FeedbackFilter {
    /// Only this tenant.
    pub tenant: Option<String>,
    /// Only this agent.
    pub agent: Option<String>,
    /// Only this gate.
    pub gate: Option<Gate>,
    /// Only this reviewer.
    pub reviewer: Option<String>,
    /// Only this class.
    pub classification: Option<Classification>,
    /// Only members of this cluster.
    pub cluster: Option<String>,
    /// At or after.
    pub since: Option<Timestamp>,
    /// At most so many, the latest first; 0 means no limit.
    pub limit: usize,
}

/// Which decisions of an agent are asked for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OutcomeQuery {
    /// The tenant; empty for the default tenant.
    pub tenant: String,
    /// The agent.
    pub agent: String,
    /// Only at these gates; empty: at all of them.
    pub gates: Vec<Gate>,
    /// At or after.
    pub since: Option<Timestamp>,
    /// Before; this moment itself is not in it.
    pub until: Option<Timestamp>,
    /// The latest first, instead of the earliest.
    pub latest_first: bool,
    /// At most so many; 0 means no limit.
    pub limit: usize,
}

/// What one decision came to, as far as it is counted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// The feedback's id.
    pub id: String,
    /// When.
    pub at: Timestamp,
    /// The cluster it belongs to.
    pub cluster: Option<String>,
    /// Whether it corrects: anything but an approval that asks for nothing.
    pub is_correction: bool,
    /// The agent's session, where it is known.
    pub session: Option<String>,
}

/// What was submitted before.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Submitted {
    /// The ids of reviews.
    pub reviews: Vec<String>,
    /// The ids of injections.
    pub injections: Vec<String>,
    /// What a model was asked.
    pub advice: Vec<Asked>,
}

/// A question that a model answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Asked {
    /// The question's hash.
    pub question_hash: String,
    /// What it was about.
    pub about: Vec<String>,
    /// When it was asked.
    pub at: Timestamp,
}

/// How much of everything there is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Feedback records by class, in the order of [`Classification::ALL`].
    pub by_class: [u64; 5],
    /// Clusters.
    pub clusters: u64,
    /// Proposals that await review.
    pub pending_proposals: u64,
    /// Edge cases that are still open.
    pub open_edge_cases: u64,
    /// Tiebreaks that wait for a person.
    pub open_ambiguous: u64,
    /// Dead letters.
    pub dead_letters: u64,
    /// Files that could not be read.
    pub unreadable: u64,
}

/// A failure of the index. It can always be made again from the store.
#[derive(Debug, Error)]
pub enum IndexError {
    /// Missing, damaged, of another version, or of another embedder.
    #[error("the index must be made again: {0}")]
    Stale(String),
    /// The disk is full or failing.
    #[error("cannot use the index: {0}")]
    Io(String),
}

/// Look-ups derived from the store. May be deleted at any time.
pub trait Index: Send {
    /// The commit it reflects; `None` where it is empty.
    fn commit(&self) -> Result<Option<CommitId>, IndexError>;

    /// Takes up changes, and with them the commit, in one transaction.
    fn apply(&mut self, updates: &[IndexUpdate], commit: &CommitId) -> Result<(), IndexError>;

    /// Takes up a part of the changes that lead to a commit, in one transaction. Does not claim the commit: it only
    /// remembers that the content is between [`Index::commit`] and this one, until `apply` arrives there.
    fn stage(&mut self, updates: &[IndexUpdate], towards: &CommitId) -> Result<(), IndexError>;

    /// The commit that was being taken up when something stopped it half way; `None` where the content is exactly
    /// that of [`Index::commit`].
    fn staged(&self) -> Result<Option<CommitId>, IndexError>;

    /// Visits all feedback in the order of time, then id.
    fn each_feedback(&self, visit: &mut dyn FnMut(IndexedFeedback)) -> Result<(), IndexError>;

    /// One feedback by its id.
    fn feedback(&self, id: &str) -> Result<Option<IndexedFeedback>, IndexError>;

    /// Feedback that passes the filter, the latest first.
    fn list(&self, filter: &FeedbackFilter) -> Result<Vec<IndexedFeedback>, IndexError>;

    /// The decisions of one agent in the order of time, then id, or the other way round. Cheap where it is limited.
    fn outcomes(&self, query: &OutcomeQuery) -> Result<Vec<Outcome>, IndexError>;

    /// Feedback whose text has the words, best first. The words are plain text, never query syntax.
    fn search(&self, words: &str, limit: usize) -> Result<Vec<IndexedFeedback>, IndexError>;

    /// All clusters, the largest first.
    fn clusters(&self) -> Result<Vec<ClusterRecord>, IndexError>;

    /// All proposals and rules with their paths, the latest first.
    fn proposals(&self) -> Result<Vec<(String, ProposalRecord)>, IndexError>;

    /// All edge cases with their paths, the latest first.
    fn edge_cases(&self) -> Result<Vec<(String, EdgeCaseRecord)>, IndexError>;

    /// All tiebreaks with their paths, the latest first.
    fn ambiguous(&self) -> Result<Vec<(String, AmbiguousRecord)>, IndexError>;

    /// All decisions of people about what was learned, with their paths, the latest first.
    fn reviews(&self) -> Result<Vec<(String, ReviewRecord)>, IndexError>;

    /// The ids of all reviews and of all injections, in no order: what was submitted before.
    fn submitted(&self) -> Result<Submitted, IndexError>;

    /// Which rules entered which prompt, with their paths, the latest first.
    fn injections(&self) -> Result<Vec<(String, InjectionRecord)>, IndexError>;

    /// Whether any prompt ever went without a rule, to compare.
    fn any_held_out(&self) -> Result<bool, IndexError>;

    /// Rules in force elsewhere, with their paths, the latest first.
    fn imports(&self) -> Result<Vec<(String, ImportRecord)>, IndexError>;

    /// What people should look at, dead letters and tiebreaks aside, with their paths, the latest first.
    fn alerts(&self) -> Result<Vec<(String, AlertRecord)>, IndexError>;

    /// What a model was asked and answered, with the paths, the latest first.
    fn advice(&self) -> Result<Vec<(String, AdviceRecord)>, IndexError>;

    /// Visits a channel's records of a kind with their paths, in the order of time, then id.
    fn each_channel(&self, kind: ChannelKind, visit: &mut dyn FnMut(&str, ChannelRecord)) -> Result<(), IndexError>;

    /// Turns, the latest first. A limit of 0 is none.
    fn turns(&self, limit: usize) -> Result<Vec<TurnRow>, IndexError>;

    /// Files that could not be read, with the reason, in path order.
    fn unreadable(&self) -> Result<Vec<(String, String)>, IndexError>;

    /// How much of everything there is.
    fn counts(&self) -> Result<Counts, IndexError>;
}

/// Where the index lies, and how one gets at it. One process writes, any number read.
pub trait IndexFiles {
    /// Opens it to read, as it is at this moment: everything the result answers is of one commit, whatever a
    /// writer does meanwhile. Works beside a writer.
    fn snapshot(&self) -> Result<Box<dyn Index>, IndexError>;

    /// Opens it to write. Refused while another process has it open to write.
    fn open(&self) -> Result<Box<dyn Index>, IndexError>;

    /// Removes what is there and makes an empty one to write to. Refused while another process writes.
    fn create(&self) -> Result<Box<dyn Index>, IndexError>;

    /// A private copy of what is there now, to be changed and thrown away.
    fn copy(&self) -> Result<Box<dyn Index>, IndexError>;

    /// A private empty index, to be filled and thrown away.
    fn scratch(&self) -> Result<Box<dyn Index>, IndexError>;
}

/// A failure of the event bus.
#[derive(Debug, Error)]
pub enum BusError {
    /// Redis cannot be reached, or answered with an error that will pass; try again.
    #[error("redis: {0}")]
    Unavailable(String),
    /// Redis answered with an error that will not pass by itself.
    #[error("redis: {message}; {hint}")]
    Refused {
        /// What it said.
        message: String,
        /// What to do.
        hint: String,
    },
}

/// A source of stream entries with at-least-once delivery.
pub trait EventSource: Send {
    /// Whatever waits, at most `max` entries; waits until there is something or the source's own idle time has
    /// passed, then returns an empty batch. Never cancel this future: entries in flight would be stranded until
    /// the next start. After an error the own backlog is read again.
    fn next(&mut self, max: usize) -> impl Future<Output = Result<Vec<RawEntry>, BusError>> + Send;

    /// Entries that were trimmed while they were pending, since the last call.
    fn take_losses(&mut self) -> Vec<RawEntry>;
}

/// What one agent's keys shall hold; `None` where there shall be no key.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AgentKeys {
    /// The agent. Any text is a name here, an empty one too.
    pub agent: String,
    /// Its active rules in prompt order, as a JSON list.
    pub active: Option<String>,
    /// The finished section for its prompt.
    pub prompt: Option<String>,
}

/// Acknowledges and publishes.
pub trait Publisher: Send {
    /// Acknowledges entries whose effect is durable.
    fn ack(&mut self, entries: &[(String, String)]) -> impl Future<Output = Result<(), BusError>> + Send;

    /// In one step: if the entry was still pending, acknowledges it and appends the dead letter. So it appears
    /// once however often this is repeated.
    fn dead_letter(
        &mut self,
        entry: &RawEntry,
        rejection: &Rejection,
    ) -> impl Future<Output = Result<(), BusError>> + Send;

    /// The last commit whose messages were published; `None` where nothing ever was.
    fn cursor(&mut self) -> impl Future<Output = Result<Option<CommitId>, BusError>> + Send;

    /// In one step: if the cursor still is `from`, appends the messages and moves the cursor to `to`. Returns
    /// false, and appends nothing, where the cursor is elsewhere.
    fn publish(
        &mut self,
        from: Option<&CommitId>,
        to: &CommitId,
        messages: &[Outgoing],
    ) -> impl Future<Output = Result<bool, BusError>> + Send;

    /// Makes the agents' keys what is given, all in one step, and returns how many had to change. So it may be
    /// repeated at any time: where somebody overwrote or lost a key it mends that, else it only looks. Keys of agents
    /// that are not named stay as they are. Of two entries for one agent the last counts.
    fn deploy(&mut self, rules: &[AgentKeys]) -> impl Future<Output = Result<u64, BusError>> + Send;
}

/// The files that decisions name in `correction_diff_path`.
pub trait CorrectionFiles: Send + Sync {
    /// The text of a file below the configured directory. The error is the end of a sentence that starts with the
    /// path: "was not found below the configured directory".
    fn read(&self, path: &str) -> Result<String, String>;
}

/// A language model that may be asked, and need not be. It never makes its caller wait, and never decides: what it says
/// is a text to be judged.
pub trait Advisor: Send {
    /// The model's name, for records.
    fn model(&self) -> &str;

    /// Queues a question; false where there is no room for it now.
    fn ask(&mut self, question: AdviceQuestion) -> bool;

    /// What has come back since the last call, one answer for each question that was queued, in any order.
    fn answers(&mut self) -> Vec<AdviceAnswer>;
}

/// What a server was asked in vain.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum RestError {
    /// It cannot be reached, or sends what cannot be read.
    #[error("{0}")]
    Failed(String),
    /// There was no answer in time.
    #[error("it takes too long")]
    TimedOut,
    /// It answered with this status. Bodies of errors may repeat what was sent, and are not kept.
    #[error("it answers with HTTP status {0}")]
    Status(u16),
}

/// A server that takes and gives JSON: what adapters ask of the network.
pub trait Rest: Send + Sync {
    /// Sends a request; `path` is taken from the server's base URL. An empty answer is null.
    fn send(&self, method: &str, path: &str, body: Option<&serde_json::Value>) -> Result<serde_json::Value, RestError>;
}
