//! The embedded static embedder: token vectors distilled from all-MiniLM-L6-v2, compiled into the binary.
//!
//! It needs no network, no file and no model server. Other embedders stand behind the same port.

use crate::domain::similarity::Embedding;
use crate::ports::Embedder;
use model2vec_rs::model::StaticModel;
use thiserror::Error;

const MODEL: &[u8] = include_bytes!("../../../assets/minilm-static-256-int8/model.safetensors");
const TOKENIZER: &[u8] = include_bytes!("../../../assets/minilm-static-256-int8/tokenizer.json");
const CONFIG: &[u8] = include_bytes!("../../../assets/minilm-static-256-int8/config.json");

/// Texts are cut after so many tokens: what a remark asks for stands at its beginning, what follows is pasted.
const MAX_TOKENS: usize = 256;
const BATCH: usize = 512;

/// The embedder could not be loaded.
#[derive(Debug, Error)]
#[error("the embedder cannot be loaded: {0}")]
pub struct EmbedderError(String);

/// The static embedder.
pub struct StaticEmbedder {
    model: StaticModel,
}

impl StaticEmbedder {
    /// Loads the model that is part of the binary (some 0.1 s).
    ///
    /// # Errors
    /// Only when the binary itself is damaged.
    pub fn embedded() -> Result<StaticEmbedder, EmbedderError> {
        let model =
            StaticModel::from_bytes(TOKENIZER, MODEL, CONFIG, None).map_err(|e| EmbedderError(format!("{e:#}")))?;
        Ok(StaticEmbedder { model })
    }
}

impl Embedder for StaticEmbedder {
    fn embed(&self, texts: &[String]) -> Vec<Option<Embedding>> {
        self.model
            .encode_with_args(texts, Some(MAX_TOKENS), BATCH)
            .iter()
            .map(|vector| Embedding::from_f32(vector))
            .collect()
    }

    fn id(&self) -> &str {
        "minilm-static-256-int8/1"
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cosine(a: &str, b: &str) -> f64 {
        let embedder = StaticEmbedder::embedded().unwrap();
        let v = embedder.embed(&[a.to_owned(), b.to_owned()]);
        v[0].as_ref().unwrap().cosine(v[1].as_ref().unwrap())
    }

    #[test]
    fn texts_without_words_have_no_vector() {
        let embedder = StaticEmbedder::embedded().unwrap();
        assert_eq!(embedder.embed(&[String::new(), "   ".to_owned()]), vec![None, None]);
    }

    #[test]
    fn near_texts_are_nearer_than_far_ones() {
        let near = cosine("missing error handling in the API handler", "the API handler lacks error handling");
        let far = cosine("missing error handling in the API handler", "please translate the release notes");
        assert!(near > 0.66 && far < 0.45, "near {near}, far {far}");
    }
}
