//! Runs texts through the model: tokens, padding, layers, and the mean of the output.

use super::folder::{Folder, Pooling, unusable};
use crate::ports::{EmbedError, Embedder};
use crate::text::language::similarity::Embedding;
use candle_core::{DType, Device, Tensor};
use candle_nn::VarBuilder;
use candle_transformers::models::bert::BertModel;
use std::path::Path;
use tokenizers::{Encoding, Tokenizer};

/// Maximum texts per model pass.
const TOGETHER: usize = 64;
/// Maximum tokens per model pass, including padding: attention is quadratic in them.
const TOKENS: usize = 4096;
/// Bytes of a text that are tokenized: more than any model accepts.
const LONGEST: usize = 16_000;
/// The token for unknown words.
const UNKNOWN: &str = "[UNK]";
/// Embedded at startup, to detect a model that cannot be run.
const PROBE: &str = "The handler has no error handling; add it and test it.";

/// A sentence model.
pub struct TransformerEmbedder {
    model: BertModel,
    tokenizer: Tokenizer,
    lowers: bool,
    pooling: Pooling,
    padding: u32,
    unknown: Option<u32>,
    id: String,
}

impl TransformerEmbedder {
    /// Loads a folder in the format of sentence-transformers: `config.json`, `tokenizer.json` and `model.safetensors`,
    /// and if present `1_Pooling/config.json`, `sentence_bert_config.json` and `modules.json`.
    ///
    /// # Errors
    /// If a file is missing (the error names it), is invalid, or needs something unsupported.
    pub fn from_folder(folder: &Path) -> Result<TransformerEmbedder, EmbedError> {
        let Folder { digest, config, tokenizer, lowers, pooling, weights } = Folder::read(folder)?;
        let model = weights_of(&weights).and_then(|weights| Ok(BertModel::load(weights, &config)?));
        let embedder = TransformerEmbedder {
            model: model.map_err(|e| unusable(folder, "model.safetensors", &e))?,
            unknown: tokenizer.token_to_id(UNKNOWN),
            tokenizer,
            lowers,
            pooling,
            padding: u32::try_from(config.pad_token_id).unwrap_or(0),
            id: format!("transformer {digest}"),
        };
        embedder.embed(&[PROBE.to_owned()])?;
        Ok(embedder)
    }

    fn tokens(&self, texts: &[String]) -> Result<Vec<Encoding>, Failure> {
        let cut = texts.iter().map(|text| &text[..text.floor_char_boundary(LONGEST)]);
        let texts = cut.map(|text| if self.lowers { text.to_lowercase() } else { text.to_owned() }).collect();
        self.tokenizer.encode_batch_fast::<String>(texts, true)
    }

    /// Returns the vectors of texts passed through the model together, not yet normalized.
    fn vectors(&self, texts: &[&Encoding]) -> Result<Vec<Vec<f32>>, Failure> {
        let width = texts.iter().map(|text| text.len()).max().unwrap_or(0);
        let padded = |of: fn(&Encoding) -> &[u32], padding: u32| {
            let mut all = Vec::with_capacity(texts.len() * width);
            for (row, text) in (1..).zip(texts) {
                all.extend(of(text));
                all.resize(row * width, padding);
            }
            Tensor::from_vec(all, (texts.len(), width), &Device::Cpu)
        };
        let (ids, types) = (padded(Encoding::get_ids, self.padding)?, padded(Encoding::get_type_ids, 0)?);
        let mask = padded(Encoding::get_attention_mask, 0)?;
        let states = self.model.forward(&ids, &types, Some(&mask))?;
        let pooled = match self.pooling {
            Pooling::Cls => states.narrow(1, 0, 1)?.squeeze(1)?,
            Pooling::Mean => {
                let mask = mask.to_dtype(DType::F32)?.unsqueeze(2)?;
                states.broadcast_mul(&mask)?.sum(1)?.broadcast_div(&mask.sum(1)?)?
            }
        };
        Ok(pooled.to_vec2()?)
    }

    /// Reports whether the model knows anything in a text. Texts of unknown tokens alone would all look alike.
    fn is_known(&self, text: &str, tokens: &Encoding) -> bool {
        let mut ids = tokens.get_ids().iter().zip(tokens.get_special_tokens_mask());
        text.chars().any(char::is_alphanumeric) && ids.any(|(id, special)| *special == 0 && Some(*id) != self.unknown)
    }

    fn embed_all(&self, texts: &[String]) -> Result<Vec<Option<Embedding>>, Failure> {
        let tokens = self.tokens(texts)?;
        // Batches texts of similar length, to minimize padding.
        let mut order: Vec<usize> = (0..texts.len()).filter(|at| self.is_known(&texts[*at], &tokens[*at])).collect();
        order.sort_by_key(|at| tokens[*at].len());
        let mut found = vec![None; texts.len()];
        let mut rest = order.as_slice();
        while !rest.is_empty() {
            let fits = |count: &usize| count * tokens[rest[count - 1]].len() <= TOKENS;
            let count = (1..=rest.len().min(TOGETHER)).take_while(fits).last().unwrap_or(1);
            let (together, others) = rest.split_at(count);
            let vectors = self.vectors(&together.iter().map(|at| &tokens[*at]).collect::<Vec<_>>())?;
            for (at, vector) in together.iter().zip(vectors) {
                let damaged = "it returns a vector without a direction; is model.safetensors damaged?";
                found[*at] = Some(Embedding::from_f32(&vector).ok_or(damaged)?);
            }
            rest = others;
        }
        Ok(found)
    }
}

impl Embedder for TransformerEmbedder {
    fn embed(&self, texts: &[String]) -> Result<Vec<Option<Embedding>>, EmbedError> {
        self.embed_all(texts).map_err(|e| EmbedError(format!("the transformer: {e}")))
    }

    fn id(&self) -> &str {
        &self.id
    }
}

type Failure = Box<dyn std::error::Error + Send + Sync>;

/// Loads the weights, checking that all are finite.
fn weights_of(file: &[u8]) -> Result<VarBuilder<'static>, Failure> {
    let tensors = candle_core::safetensors::load_buffer(file, &Device::Cpu)?;
    for (name, tensor) in &tensors {
        if !tensor.to_dtype(DType::F32)?.sum_all()?.to_scalar::<f32>()?.is_finite() {
            return Err(format!("{name} has a non-numeric value").into());
        }
    }
    Ok(VarBuilder::from_tensors(tensors, DType::F32, &Device::Cpu))
}
