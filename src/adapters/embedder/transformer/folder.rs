//! What a folder of sentence-transformers says of its model, beside the weights. What it says that is not known here is an
//! error: vectors that are almost right would be taken for right ones.

use crate::embedder::folder::{digest, files};
use crate::ports::EmbedError;
use candle_transformers::models::bert::Config;
use serde::Deserialize;
use serde_json::{Map, Value};
use std::path::Path;
use tokenizers::{Tokenizer, TruncationParams};

/// How many tokens of a text are read where the folder does not say.
const MAX_TOKENS: usize = 256;
/// What can follow the model. Vectors are always brought to unit length.
const MODULES: [&str; 3] = ["Transformer", "Pooling", "Normalize"];

/// Which of a text's states become its vector.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pooling {
    /// The mean of all.
    Mean,
    /// That of the first token.
    Cls,
}

/// A model's folder, read.
pub(super) struct Folder {
    /// What tells it from another one.
    pub(super) digest: String,
    pub(super) config: Config,
    /// It cuts, and does not pad.
    pub(super) tokenizer: Tokenizer,
    /// Whether texts are made lower case before.
    pub(super) lowers: bool,
    pub(super) pooling: Pooling,
    /// `model.safetensors`
    pub(super) weights: Vec<u8>,
}

/// `sentence_bert_config.json`
#[derive(Default, Deserialize)]
#[serde(default)]
struct Sentences {
    max_seq_length: Option<usize>,
    do_lower_case: bool,
}

impl Folder {
    /// Reads a folder.
    ///
    /// # Errors
    /// When a file is missing, which is named, or says what is not known here.
    pub(super) fn read(folder: &Path) -> Result<Folder, EmbedError> {
        let [config_json, tokenizer, weights] = files(folder)?;
        let at = |name: &str, error: &dyn std::fmt::Display| unusable(folder, name, error);
        modules(folder)?;
        let pooling = pooling(folder)?;
        let sentences: Sentences = optional(folder, "sentence_bert_config.json")?.unwrap_or_default();
        let config: Config = serde_json::from_slice(&config_json).map_err(|e| at("config.json", &e))?;
        let sound = sound(&config);
        sound.map_err(|why| at("config.json", &why))?;
        let longest = sentences.max_seq_length.unwrap_or(MAX_TOKENS).min(config.max_position_embeddings);
        let decided = format!("{pooling:?} {longest} {}", sentences.do_lower_case);
        let digest = digest(&[&config_json, &tokenizer, &weights, decided.as_bytes()]);
        let mut tokenizer = Tokenizer::from_bytes(&tokenizer).map_err(|e| at("tokenizer.json", &e))?;
        if tokenizer.get_vocab_size(true) > config.vocab_size {
            let why = format!("it has {} tokens, the model {}", tokenizer.get_vocab_size(true), config.vocab_size);
            return Err(at("tokenizer.json", &why));
        }
        // The file may say otherwise: it is that of the model's training.
        tokenizer.with_padding(None);
        let truncation = TruncationParams { max_length: longest, ..TruncationParams::default() };
        let cutting = tokenizer.with_truncation(Some(truncation)).map(drop);
        cutting.map_err(|e| at("sentence_bert_config.json", &format!("max_seq_length: {e}")))?;
        Ok(Folder { digest, config, tokenizer, lowers: sentences.do_lower_case, pooling, weights })
    }
}

/// A file that says why it is of no use.
pub(super) fn unusable(folder: &Path, name: &str, why: &dyn std::fmt::Display) -> EmbedError {
    EmbedError(format!("{} cannot be used: {why}", folder.join(name).display()))
}

/// Whether a model of these measures can be run here.
fn sound(config: &Config) -> Result<(), String> {
    let kind = config.model_type.as_deref().unwrap_or("bert");
    if kind != "bert" {
        return Err(format!("it is of the kind {kind}, and only bert is known"));
    }
    let (heads, hidden) = (config.num_attention_heads, config.hidden_size);
    if heads == 0 || hidden == 0 || hidden % heads != 0 {
        return Err(format!("{hidden} hidden units cannot be shared by {heads} attention heads"));
    }
    Ok(())
}

/// Some sentence models have another layer behind the pooling.
fn modules(folder: &Path) -> Result<(), EmbedError> {
    const NAME: &str = "modules.json";
    let modules: Vec<Map<String, Value>> = optional(folder, NAME)?.unwrap_or_default();
    let kinds = modules.iter().filter_map(|module| module.get("type")?.as_str());
    let unknown = |kind: &&str| !MODULES.contains(&kind.rsplit('.').next().unwrap_or_default());
    match kinds.into_iter().find(unknown) {
        Some(kind) => Err(unusable(folder, NAME, &format!("it names the module {kind}, which is not known"))),
        None => Ok(()),
    }
}

/// The mean where the folder does not say.
fn pooling(folder: &Path) -> Result<Pooling, EmbedError> {
    const NAME: &str = "1_Pooling/config.json";
    const PREFIX: &str = "pooling_mode_";
    let Some(config) = optional::<Map<String, Value>>(folder, NAME)? else { return Ok(Pooling::Mean) };
    let set = config.iter().filter(|(_, value)| **value == Value::Bool(true));
    let mut modes: Vec<&str> = set.filter_map(|(key, _)| key.strip_prefix(PREFIX)).collect();
    modes.extend(config.get("pooling_mode").and_then(Value::as_str));
    match modes[..] {
        ["mean_tokens" | "mean"] => Ok(Pooling::Mean),
        ["cls_token" | "cls"] => Ok(Pooling::Cls),
        [] => Err(unusable(folder, NAME, &"it names no pooling; mean_tokens and cls_token are known")),
        _ => {
            let why = format!("the pooling is {}; mean_tokens and cls_token are known", modes.join(" with "));
            Err(unusable(folder, NAME, &why))
        }
    }
}

/// `None` where there is no such file.
fn optional<T: serde::de::DeserializeOwned>(folder: &Path, name: &str) -> Result<Option<T>, EmbedError> {
    match std::fs::read(folder.join(name)) {
        Ok(bytes) => serde_json::from_slice(&bytes).map(Some).map_err(|e| unusable(folder, name, &e)),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(unusable(folder, name, &error)),
    }
}
