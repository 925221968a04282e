//! What a sentence-transformers folder states about its model, apart from the weights. Unknown settings are an error:
//! almost-right vectors would pass as right.

use crate::embedder::folder::{digest, files};
use crate::ports::EmbedError;
use candle_transformers::models::bert::Config;
use serde::Deserialize;
use serde_json::{Map, Value};
use std::path::Path;
use tokenizers::{Tokenizer, TruncationParams};

/// Tokens of a text that are read if the folder does not specify it.
const MAX_TOKENS: usize = 256;
/// Supported modules. Vectors are always normalized.
const MODULES: [&str; 3] = ["Transformer", "Pooling", "Normalize"];

/// How a text's states are pooled into its vector.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pooling {
    /// The mean of all states.
    Mean,
    /// The state of the first token.
    Cls,
}

/// A model's folder, loaded.
pub(super) struct Folder {
    /// Identifies the model.
    pub(super) digest: String,
    pub(super) config: Config,
    /// Truncates, and does not pad.
    pub(super) tokenizer: Tokenizer,
    /// Whether texts are lower-cased first.
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
    /// If a file is missing (the error names it) or contains unsupported settings.
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
        // The file may specify padding, left over from training.
        tokenizer.with_padding(None);
        let truncation = TruncationParams { max_length: longest, ..TruncationParams::default() };
        let cutting = tokenizer.with_truncation(Some(truncation)).map(drop);
        cutting.map_err(|e| at("sentence_bert_config.json", &format!("max_seq_length: {e}")))?;
        Ok(Folder { digest, config, tokenizer, lowers: sentences.do_lower_case, pooling, weights })
    }
}

/// Builds the error for a file that cannot be used.
pub(super) fn unusable(folder: &Path, name: &str, why: &dyn std::fmt::Display) -> EmbedError {
    EmbedError(format!("{} cannot be used: {why}", folder.join(name).display()))
}

/// Checks that a model of these dimensions can be run.
fn sound(config: &Config) -> Result<(), String> {
    let kind = config.model_type.as_deref().unwrap_or("bert");
    if kind != "bert" {
        return Err(format!("its kind is {kind}; only bert is supported"));
    }
    let (heads, hidden) = (config.num_attention_heads, config.hidden_size);
    if heads == 0 || hidden == 0 || hidden % heads != 0 {
        return Err(format!("{hidden} hidden units cannot be divided among {heads} attention heads"));
    }
    Ok(())
}

/// Some sentence models have another layer after pooling: rejects them.
fn modules(folder: &Path) -> Result<(), EmbedError> {
    const NAME: &str = "modules.json";
    let modules: Vec<Map<String, Value>> = optional(folder, NAME)?.unwrap_or_default();
    let kinds = modules.iter().filter_map(|module| module.get("type")?.as_str());
    let unknown = |kind: &&str| !MODULES.contains(&kind.rsplit('.').next().unwrap_or_default());
    match kinds.into_iter().find(unknown) {
        Some(kind) => Err(unusable(folder, NAME, &format!("its module {kind} is not supported"))),
        None => Ok(()),
    }
}

/// Returns the pooling; the mean if the folder does not specify it.
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
        [] => Err(unusable(folder, NAME, &"it names no pooling; mean_tokens and cls_token are supported")),
        _ => {
            let why = format!("the pooling is {}; mean_tokens and cls_token are supported", modes.join(" with "));
            Err(unusable(folder, NAME, &why))
        }
    }
}

/// Reads a file; `None` if it does not exist.
fn optional<T: serde::de::DeserializeOwned>(folder: &Path, name: &str) -> Result<Option<T>, EmbedError> {
    match std::fs::read(folder.join(name)) {
        Ok(bytes) => serde_json::from_slice(&bytes).map(Some).map_err(|e| unusable(folder, name, &e)),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(unusable(folder, name, &error)),
    }
}
