//! The composition root: from a configuration to a running application. The only module that names the service layer
//! and the adapters.

use crate::adapters::clock::{self, SystemClock};
use crate::adapters::corrections::CorrectionDir;
pub use crate::adapters::git::InitOutcome;
use crate::adapters::git::{self, GitReader, GitWriter, WriterOptions};
use crate::adapters::index::{Made, SqliteFiles};
use crate::adapters::memory::MemoryStore;
use crate::adapters::model::{Dialect, HttpAdvisor, MAX_ANSWER, ModelOptions};
use crate::adapters::redis::{self, Probe, RedisOptions, RedisPublisher, RedisSource};
use crate::adapters::rest::{RestOptions, RestServer};
use crate::app::channel_service::{ChannelService, Snapshot};
use crate::app::effectiveness::MeasurePolicy;
use crate::app::evaluator::Remembered;
use crate::app::health::Readiness;
use crate::app::pipeline::{
    AdviceSettings, ChannelSettings, OwnCatalogue, Pipeline, PipelineError, Ports, RuleSettings, Settings,
};
use crate::app::publishing::Publishing;
use crate::app::reading::{Reading, Reindexing};
use crate::app::reindex::ReindexError;
use crate::app::understanding::{InUse, Understanding};
use crate::config::{Config, ConfigError, ModelProvider, Secret};
use crate::daemon::{Api, Daemon};
use crate::domain::channels::action::Policy as ActionPolicy;
use crate::domain::channels::refine::RefineConfig;
use crate::domain::intake::capture::CaptureContext;
use crate::domain::intake::decode::DecodeLimits;
use crate::domain::records::layout;
use crate::domain::reporting::report::Limits;
use crate::domain::rules::drafting::proposal::Thresholds;
use crate::domain::rules::drafting::restate::{self, KnownSentence};
use crate::domain::rules::in_force::effect::EffectPolicy;
use crate::domain::rules::lifecycle::rule::Terms;
use crate::ports::{
    Advisor, BusError, ChangeSet, Clock, EmbedError, FileWrite, Index, IndexError, IndexFiles, Knowledge,
    KnowledgeError, StoreError, StoreReader, StoreWriter,
};
use jiff::{SignedDuration, Timestamp};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;
use thiserror::Error;

mod similarity;
mod template;
mod understanding;

pub use understanding::{catalogue_files, understanding, understanding_of};

/// Why the application cannot be put together.
#[derive(Debug, Error)]
pub enum WiringError {
    /// The configuration.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// The store.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The embedder.
    #[error(transparent)]
    Embed(#[from] EmbedError),
    /// What finds near remarks.
    #[error(transparent)]
    Knowledge(#[from] KnowledgeError),
    /// Redis.
    #[error(transparent)]
    Bus(#[from] BusError),
    /// The pipeline.
    #[error(transparent)]
    Pipeline(#[from] PipelineError),
    /// The index.
    #[error(transparent)]
    Reindex(#[from] ReindexError),
    /// What asks the language model.
    #[error("the language model cannot be asked: {0}")]
    Model(String),
    /// The state directory.
    #[error("the state directory {path} cannot be made: {source}")]
    State {
        /// Where.
        path: String,
        /// Why.
        source: std::io::Error,
    },
}

/// The clock of this machine.
pub fn clock() -> Arc<dyn Clock> {
    Arc::new(SystemClock)
}

/// Makes the store, where there is none.
///
/// # Errors
/// When there is something else, or the disk refuses.
pub fn init_store(config: &Config) -> Result<InitOutcome, WiringError> {
    Ok(git::init(&config.store.path, &template::files(), &config.store.branch, writer_options(config))?)
}

/// The pipeline on the configured store: the only writer, as long as it lives. It asks no language model: what is
/// submitted by a command does not wait for one.
///
/// # Errors
/// When the store is missing, locked or damaged, or the state directory cannot be written.
pub fn pipeline(config: &Config) -> Result<Pipeline, WiringError> {
    advised_pipeline(config, None)
}

/// [`pipeline`] with a language model to ask.
///
/// # Errors
/// As [`pipeline`].
pub fn advised_pipeline(config: &Config, advisor: Option<Box<dyn Advisor>>) -> Result<Pipeline, WiringError> {
    open_store(config)?;
    let store = GitWriter::open(&config.store.path, writer_options(config))?;
    let dir = &config.state.dir;
    std::fs::create_dir_all(dir).map_err(|source| WiringError::State { path: dir.display().to_string(), source })?;
    let files = catalogue_files(config)?;
    let (catalogue, errors) = understanding::over_shipped(&files);
    let understanding = understanding_of(config, catalogue)?;
    let index = Box::new(index_files(config, &understanding));
    let settings = settings(config, &understanding)?;
    let store_id = store_id(&store)?;
    let knowledge = similarity::knowledge(config, &understanding, &store_id)?;
    let own_catalogue = Some(OwnCatalogue { files, errors, fit: understanding::fit(config, store_id) });
    let ports = Ports { advisor, own_catalogue, ..ports(config, Box::new(store), index, understanding, knowledge) };
    let now = clock().now();
    let mut pipeline = Pipeline::open(ports, settings, now)?;
    pipeline.keep_current(&template::files(), now)?;
    Ok(pipeline)
}

/// A pipeline on a store that has these files, by path, and nothing else: everything it writes is thrown away.
///
/// # Errors
/// When the embedder cannot be loaded.
pub fn dry_pipeline(config: &Config, files: &[(String, String)]) -> Result<Pipeline, WiringError> {
    let understanding = understanding(config)?;
    let index = Box::new(ScratchFiles(index_files(config, &understanding)));
    let settings = settings(config, &understanding)?;
    let mut store = MemoryStore::new();
    if !files.is_empty() {
        let write = |(path, text): &(String, String)| FileWrite { path: path.clone(), content: text.clone().into() };
        let change = ChangeSet { writes: files.iter().map(write).collect(), ..ChangeSet::default() };
        store.commit(None, &change)?;
    }
    let knowledge = similarity::in_memory(config, &understanding)?;
    let ports = ports(config, Box::new(store), index, understanding, knowledge);
    Ok(Pipeline::open(ports, settings, clock().now())?)
}

/// Store and index, open for reading; works beside a running daemon.
///
/// # Errors
/// When there is no store, or it cannot be read.
pub fn reading(config: &Config) -> Result<Reading, WiringError> {
    let store = open_store(config)?;
    let understanding = understanding(config)?;
    let files = index_files(config, &understanding);
    Ok(Reading::open(Box::new(store), &files, understanding)?)
}

/// A memory of remarks that remembers nothing yet, as the configuration says.
///
/// # Errors
/// When the configuration cannot be used.
pub fn remembered(config: &Config, understanding: &Understanding) -> Result<Remembered, WiringError> {
    let policy = settings(config, understanding)?.policy(understanding);
    Ok(Remembered::new(similarity::in_memory(config, understanding)?, policy))
}

/// Store and index, to make the index anew or compare it.
///
/// # Errors
/// As [`reading`].
pub fn reindexing(config: &Config) -> Result<Reindexing, WiringError> {
    let store = Box::new(open_store(config)?);
    let understanding = understanding(config)?;
    let files = Box::new(index_files(config, &understanding));
    Ok(Reindexing { store, files, understanding })
}

/// A file of the store as it stands now.
///
/// # Errors
/// As [`reading`].
pub fn read_file(config: &Config, path: &str) -> Result<Option<String>, WiringError> {
    let store = open_store(config)?;
    let Some(head) = store.head()? else { return Ok(None) };
    Ok(store.read(&head, path)?.and_then(|bytes| String::from_utf8(bytes).ok()))
}

/// How rules are measured.
pub fn measuring(config: &Config) -> MeasurePolicy {
    let effect = &config.effect;
    let defaults = MeasurePolicy::default();
    MeasurePolicy {
        effect: EffectPolicy {
            stabilizing: days(effect.stabilizing_days),
            flag_after: days(effect.flag_after_days),
            min_exposures: effect.min_exposures,
            ..defaults.effect
        },
        before: days(effect.before_days),
        ..defaults
    }
}

/// What entries are held against.
pub fn decode_limits(config: &Config) -> DecodeLimits {
    let tenant = Some(config.redis.tenant.clone()).filter(|t| !t.is_empty());
    DecodeLimits { max_entry_bytes: config.intake.max_entry_bytes, tenant }
}

/// How the channels beside gate decisions are answered.
pub fn channel_settings(config: &Config) -> ChannelSettings {
    ChannelSettings {
        refine: RefineConfig {
            max_refinement_iterations: config.refine.max_refinement_iterations,
            stop_at: config.refine.stop_at,
        },
        actions: ActionPolicy {
            max_attempts: config.actions.max_attempts,
            max_suggestions: config.actions.max_suggestions,
        },
    }
}

/// What reports count as short and long.
pub fn report_limits(config: &Config) -> Limits {
    Limits {
        rubber_stamp_seconds: config.report.rubber_stamp_seconds,
        long_review_seconds: config.report.long_review_minutes.saturating_mul(60),
    }
}

/// The time, for commands that need it.
pub fn now() -> Timestamp {
    SystemClock.now()
}

/// Everything the daemon runs.
///
/// # Errors
/// When the store, the state directory or the configuration cannot be used. That Redis is away is no error.
pub fn daemon(config: Config) -> Result<Daemon<RedisSource, RedisPublisher>, WiringError> {
    let options = redis_options(&config)?;
    let advisor = advisor(&config)?;
    if advisor.is_some() {
        tracing::info!(model = config.model.described(), "a language model is configured");
    }
    let token = config.http.api_token()?;
    let pipeline = advised_pipeline(&config, advisor)?;
    let service = |token: Secret| Api::new(token.expose(), channel_service(&config, pipeline.in_use()));
    let api = token.map(service);
    let publisher = RedisPublisher::new(options.clone(), &store_id(pipeline.store())?)?;
    let readiness = Readiness::new(Duration::from_secs(config.http.stalled_after_seconds));
    Ok(Daemon {
        source: RedisSource::new(options)?,
        publishing: Publishing::new(publisher, config.state.dir.join("published")),
        pipeline,
        clock: clock(),
        readiness: Arc::new(readiness),
        api,
        config,
    })
}

/// What answers about the channels, beside the daemon that writes.
fn channel_service(config: &Config, in_use: &Arc<InUse>) -> ChannelService {
    let channels = channel_settings(config);
    let (config, understanding) = (config.clone(), Arc::clone(in_use));
    // The index is always that of the understanding in use.
    let open = move || {
        let index = index_files(&config, &understanding.get()).snapshot()?;
        Ok(Snapshot { store: Box::new(open_store(&config)?), index })
    };
    ChannelService {
        open: Box::new(open),
        understanding: Arc::clone(in_use),
        refine: channels.refine,
        actions: channels.actions,
        clock: clock(),
    }
}

/// How Redis and its streams are.
///
/// # Errors
/// When it cannot be reached or refuses.
pub async fn probe(config: &Config) -> Result<Probe, WiringError> {
    Ok(redis::probe(&redis_options(config)?).await?)
}

/// Adds an entry to a stream, as a gate would.
///
/// # Errors
/// As [`probe`].
pub async fn append(config: &Config, stream: &str, fields: &[(String, String)]) -> Result<(), WiringError> {
    Ok(redis::append(&redis_options(config)?, stream, fields).await?)
}

/// The entries of a stream, as an agent would read them.
///
/// # Errors
/// As [`probe`].
pub async fn entries(config: &Config, stream: &str) -> Result<Vec<Vec<(String, String)>>, WiringError> {
    Ok(redis::entries(&redis_options(config)?, stream).await?)
}

/// The text at a key, as an agent would read it.
///
/// # Errors
/// As [`probe`].
pub async fn text_at(config: &Config, key: &str) -> Result<Option<String>, WiringError> {
    Ok(redis::text_at(&redis_options(config)?, key).await?)
}

/// What a store is called beside the streams: its first commit, which never changes.
fn store_id(store: &dyn StoreReader) -> Result<String, StoreError> {
    let Some(head) = store.head()? else { return Ok("empty".to_owned()) };
    let first = store.commits(None, &head)?.into_iter().next();
    Ok(first.map_or(head, |commit| commit.id).short().to_owned())
}

/// Index files that are never written: for a run whose results are thrown away.
struct ScratchFiles(SqliteFiles);

impl IndexFiles for ScratchFiles {
    fn snapshot(&self) -> Result<Box<dyn Index>, IndexError> {
        self.0.scratch()
    }
    fn open(&self) -> Result<Box<dyn Index>, IndexError> {
        self.0.scratch()
    }
    fn create(&self) -> Result<Box<dyn Index>, IndexError> {
        self.0.scratch()
    }
    fn copy(&self) -> Result<Box<dyn Index>, IndexError> {
        self.0.scratch()
    }
    fn scratch(&self) -> Result<Box<dyn Index>, IndexError> {
        self.0.scratch()
    }
}

/// The store, to read: a repository that is one, on the branch that is meant.
fn open_store(config: &Config) -> Result<GitReader, StoreError> {
    let store = GitReader::open(&config.store.path)?;
    git::check(&store, &config.store.branch)?;
    Ok(store)
}

fn ports(
    config: &Config,
    store: Box<dyn StoreWriter + Send>,
    index: Box<dyn IndexFiles + Send>,
    understanding: Arc<Understanding>,
    knowledge: Box<dyn Knowledge>,
) -> Ports {
    let root = (!config.intake.corrections_root.as_os_str().is_empty()).then(|| config.intake.corrections_root.clone());
    let corrections = Box::new(CorrectionDir::new(root, config.intake.max_diff_bytes as u64));
    Ports { store, index, understanding, knowledge, corrections, advisor: None, own_catalogue: None }
}

/// The configured language model; `None` where there is none.
///
/// # Errors
/// When the file with its key cannot be read.
pub fn advisor(config: &Config) -> Result<Option<Box<dyn Advisor>>, WiringError> {
    let model = &config.model;
    let dialect = match model.provider {
        ModelProvider::Off => return Ok(None),
        ModelProvider::OpenAi => Dialect::OpenAi,
        ModelProvider::Anthropic => Dialect::Anthropic,
    };
    let (header, before) = dialect.key_header();
    let rest = RestServer::start(RestOptions {
        url: similarity::without_version(&model.url),
        key: model.api_key()?.map(|key| (header, before, key)),
        headers: dialect.headers(),
        timeout: Duration::from_secs(model.timeout_seconds),
        max_answer: MAX_ANSWER,
        use_environment_proxy: model.use_environment_proxy,
    });
    let rest = rest.map_err(|e| WiringError::Model(e.to_string()))?;
    let options = ModelOptions { dialect, model: model.model.clone() };
    let advisor = HttpAdvisor::start(Box::new(rest), options).map_err(|e| WiringError::Model(e.to_string()))?;
    Ok(Some(Box::new(advisor)))
}

fn index_files(config: &Config, understanding: &Understanding) -> SqliteFiles {
    SqliteFiles {
        path: config.state.index_file(),
        made: Made { embedder: understanding.id().to_owned(), layout: layout::VERSION },
    }
}

fn settings(config: &Config, understanding: &Understanding) -> Result<Settings, WiringError> {
    let evaluator = &config.evaluator;
    let proposals = &config.proposals;
    Ok(Settings {
        decode: decode_limits(config),
        capture: CaptureContext {
            gate_agents: config.intake.gate_agents.clone(),
            max_diff_bytes: config.intake.max_diff_bytes,
            tenant: config.redis.tenant.clone(),
        },
        similar_at: evaluator.similar_at,
        high_needs_reviewers: evaluator.high_needs_reviewers,
        group_threshold: (evaluator.group_threshold > 0.0).then_some(evaluator.group_threshold),
        immediate_at: proposals.immediate_at,
        batch_every: SignedDuration::from_mins(i64::try_from(proposals.batch_minutes).unwrap_or(i64::MAX / 60)),
        batch_count: proposals.batch_count,
        thresholds: Thresholds { duplicate_at: proposals.duplicate_at, conflict_at: proposals.conflict_at },
        terms: Terms {
            min_approvals: config.review.min_approvals,
            remind_after: days(config.review.remind_after_days),
            expire_after: days(config.review.expire_after_days),
        },
        rules: RuleSettings {
            max_active: config.rules.max_active_per_agent,
            max_open: proposals.max_open_per_agent,
            cool_down: days(proposals.cool_down_days),
            require_signatures: config.review.require_signatures,
        },
        measuring: measuring(config),
        report: report_limits(config),
        advice: AdviceSettings {
            judge: config.model.judge,
            draft: config.model.draft,
            daily_budget: config.model.daily_budget,
        },
        channels: channel_settings(config),
        base_prompts: base_prompts(config, understanding)?,
    })
}

/// The sentences of the agents' base prompts. A file that cannot be read is no reason not to start.
fn base_prompts(
    config: &Config,
    understanding: &Understanding,
) -> Result<BTreeMap<String, Vec<KnownSentence>>, EmbedError> {
    let directory = &config.rules.base_prompts;
    let mut prompts = BTreeMap::new();
    if directory.as_os_str().is_empty() {
        return Ok(prompts);
    }
    let files = std::fs::read_dir(directory).map(|entries| entries.flatten().map(|entry| entry.path()).collect());
    let files: Vec<std::path::PathBuf> = files.unwrap_or_else(|error| {
        tracing::warn!(path = %directory.display(), %error, "the base prompts cannot be read; rules are not compared with them");
        Vec::new()
    });
    for file in files.iter().filter(|file| file.extension().is_some_and(|e| e == "md" || e == "txt")) {
        let (Some(agent), Ok(text)) = (file.file_stem().and_then(|s| s.to_str()), std::fs::read_to_string(file)) else {
            tracing::warn!(path = %file.display(), "a base prompt cannot be read; rules are not compared with it");
            continue;
        };
        let found = restate::sentences(&text);
        let texts: Vec<String> = found.iter().map(|sentence| sentence.text.clone()).collect();
        understanding.prepare(&mut texts.iter().cloned())?;
        let known = found.into_iter().map(|sentence| {
            let vector = understanding.rule_text(&sentence.text, None)?;
            let source = format!("the base prompt of {agent}, line {}", sentence.line);
            Ok(KnownSentence { text: sentence.text, vector, source })
        });
        prompts.insert(agent.to_owned(), known.collect::<Result<_, EmbedError>>()?);
    }
    Ok(prompts)
}

fn days(days: u64) -> SignedDuration {
    SignedDuration::from_hours(24 * i64::try_from(days).unwrap_or(i64::MAX / 24))
}

fn writer_options(config: &Config) -> WriterOptions {
    WriterOptions {
        compression: i32::try_from(config.store.compression_level).unwrap_or(1),
        max_packs: usize::try_from(config.store.repack_at_packs).unwrap_or(usize::MAX),
        ..WriterOptions::new(clock::seconds)
    }
}

fn redis_options(config: &Config) -> Result<RedisOptions, WiringError> {
    let redis = &config.redis;
    Ok(RedisOptions {
        url: redis.url.expose().to_owned(),
        password: redis.password()?.map(|p| p.expose().to_owned()),
        tenant: Some(redis.tenant.clone()).filter(|t| !t.is_empty()),
        group: redis.group.clone(),
        consumer: redis.consumer_name(),
        hitl_stream: redis.hitl_stream.clone(),
        dispatcher_stream: redis.dispatcher_stream.clone(),
        review_stream: redis.review_stream.clone(),
        turn_stream: redis.turn_stream.clone(),
        refinement_stream: redis.refinement_stream.clone(),
        action_stream: redis.action_stream.clone(),
        iteration_stream: redis.iteration_stream.clone(),
        block: Duration::from_millis(redis.block_ms),
        claim_idle: Duration::from_millis(redis.claim_idle_ms),
        claim_every: Duration::from_millis(redis.claim_every_ms),
        response_timeout: Duration::from_millis(redis.response_timeout_ms),
        max_len: None,
    })
}
