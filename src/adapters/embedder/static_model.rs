//! Static models: a vector per token, and their mean. The compiled-in one needs no file and no server.

use super::folder::{digest, files};
use crate::ports::{EmbedError, Embedder};
use crate::text::language::similarity::Embedding;
use model2vec_rs::model::StaticModel;
use std::path::Path;
use tokenizers::utils::parallelism::set_parallelism;

const MODEL: &[u8] = include_bytes!("../../../assets/minilm-static-256-int8/model.safetensors");
const TOKENIZER: &[u8] = include_bytes!("../../../assets/minilm-static-256-int8/tokenizer.json");
const CONFIG: &[u8] = include_bytes!("../../../assets/minilm-static-256-int8/config.json");

/// Tokens of a text that are read: the demand is at the start, pasted text follows.
const MAX_TOKENS: usize = 256;
const BATCH: usize = 512;

/// A static embedder.
pub struct StaticEmbedder {
    model: StaticModel,
    id: String,
}

impl StaticEmbedder {
    /// Loads the model compiled into the binary (about 0.1 s).
    ///
    /// # Errors
    /// Only if the binary itself is damaged.
    pub fn embedded() -> Result<StaticEmbedder, EmbedError> {
        StaticEmbedder::load(TOKENIZER, MODEL, CONFIG, "minilm-static-256-int8/1".to_owned())
    }

    /// Loads a static model from a folder.
    ///
    /// # Errors
    /// If a file is missing or invalid; the error names it.
    pub fn from_folder(folder: &Path) -> Result<StaticEmbedder, EmbedError> {
        let [config, tokenizer, model] = files(folder)?;
        let id = format!("static {}", digest(&[&config, &tokenizer, &model]));
        StaticEmbedder::load(&tokenizer, &model, &config, id)
    }

    fn load(tokenizer: &[u8], model: &[u8], config: &[u8], id: String) -> Result<StaticEmbedder, EmbedError> {
        // Comments arrive one by one, on all cores already: passing each text to another thread costs more than its
        // vector.
        set_parallelism(false);
        let model = StaticModel::from_bytes(tokenizer, model, config, None)
            .map_err(|e| EmbedError(format!("the static model cannot be loaded: {e:#}")))?;
        Ok(StaticEmbedder { model, id })
    }
}

impl Embedder for StaticEmbedder {
    fn embed(&self, texts: &[String]) -> Result<Vec<Option<Embedding>>, EmbedError> {
        let vectors = self.model.encode_with_args(texts, Some(MAX_TOKENS), BATCH);
        Ok(vectors.iter().map(|vector| Embedding::from_f32(vector)).collect())
    }

    fn id(&self) -> &str {
        &self.id
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cosine(a: &str, b: &str) -> f64 {
        let embedder = StaticEmbedder::embedded().unwrap();
        let v = embedder.embed(&[a.to_owned(), b.to_owned()]).unwrap();
        v[0].as_ref().unwrap().cosine(v[1].as_ref().unwrap())
    }

    #[test]
    fn texts_without_words_have_no_vector() {
        let embedder = StaticEmbedder::embedded().unwrap();
        assert_eq!(embedder.embed(&[String::new(), "   ".to_owned()]), Ok(vec![None, None]));
    }

    #[test]
    fn near_texts_are_nearer_than_far_ones() {
        let near = cosine("missing error handling in the API handler", "the API handler lacks error handling");
        let far = cosine("missing error handling in the API handler", "please translate the release notes");
        assert!(near > 0.66 && far < 0.45, "near {near}, far {far}");
    }

    #[test]
    fn a_static_model_in_a_folder_is_another_one_with_the_same_vectors() {
        let folder = tempfile::tempdir().unwrap();
        let lacking = StaticEmbedder::from_folder(folder.path()).err().unwrap().0;
        assert!(lacking.ends_with("lacks config.json and tokenizer.json and model.safetensors"), "{lacking}");
        for (name, content) in [("config.json", CONFIG), ("tokenizer.json", TOKENIZER), ("model.safetensors", MODEL)] {
            std::fs::write(folder.path().join(name), content).unwrap();
        }
        let (own, same) = (StaticEmbedder::embedded().unwrap(), StaticEmbedder::from_folder(folder.path()).unwrap());
        let texts = ["add tests for the handler".to_owned()];
        assert_eq!(own.embed(&texts), same.embed(&texts));
        assert_ne!(own.id(), same.id());
    }
}
