//! A server with `/v1/embeddings`, as offered by OpenAI and most local servers.
//!
//! It is probed once at start: a different model behind the same name is a different embedder. If it is unavailable
//! then, it is assumed unchanged, so that reading does not depend on it. It caches no vectors: [`super::CachedEmbedder`] does.

use super::cached::{remember, remembered};
use crate::ports::{EmbedError, Embedder, Rest, RestError};
use crate::text::language::similarity::Embedding;
use serde::Deserialize;
use serde_json::{Value, json};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

/// The text embedded by the startup probe.
const PROBE: &str = "The handler has no error handling; add it and test it.";
/// The minimum cosine of two vectors of one text from the same model: servers are not always bit-exact.
const SAME_MODEL: f64 = 0.999;
/// Bytes of a text that are sent: the demand is at the start, pasted text follows.
const LONGEST: usize = 2000;
/// A text shorter than this was not rejected for its length.
const SHORT: usize = 100;

/// Request options of a server.
#[derive(Clone, Debug)]
pub struct ServerOptions {
    /// The model's name.
    pub model: String,
    /// The requested number of dimensions; `None` for the model's own.
    pub dimensions: Option<usize>,
    /// Maximum texts per request.
    pub batch: usize,
    /// The endpoint's path, relative to the server's base.
    pub path: String,
}

/// A model on a server.
pub struct ServerEmbedder {
    rest: Box<dyn Rest>,
    options: ServerOptions,
    /// 0 until known.
    width: usize,
    id: String,
    /// Whether requests specify the vector format.
    names_format: AtomicBool,
}

#[derive(Deserialize)]
struct Answer {
    data: Vec<One>,
}

#[derive(Deserialize)]
struct One {
    /// Some servers omit it or send null: then vectors are in the order of the texts.
    #[serde(default)]
    index: Option<usize>,
    embedding: Vec<f32>,
}

impl ServerEmbedder {
    /// Requests one vector from the server. `rest` is the server's base; the model's answer is saved in `dir`.
    ///
    /// # Errors
    /// If the server does not answer properly and never did.
    pub fn connect(rest: Box<dyn Rest>, options: ServerOptions, dir: &Path) -> Result<ServerEmbedder, EmbedError> {
        let name = format!("{} {}", options.model, options.dimensions.unwrap_or(0));
        let mut server = ServerEmbedder {
            rest,
            width: options.dimensions.unwrap_or(0),
            options,
            id: String::new(),
            names_format: AtomicBool::new(true),
        };
        let known = remembered(dir, &name, PROBE);
        let said = match (server.probe(), known) {
            (Ok(said), Some(known)) if said.cosine(&known) >= SAME_MODEL => known,
            (Ok(said), _) => {
                remember(dir, &name, PROBE, &said);
                said
            }
            (Err(error), Some(known)) => {
                tracing::warn!(%error, "new vectors are pending until the server answers");
                known
            }
            (Err(error), None) => return Err(error),
        };
        server.width = said.components().len();
        let generation = &blake3::hash(&said.to_bytes()).to_hex()[..8];
        server.id = format!("server {} {} {generation}", server.options.model, server.width);
        Ok(server)
    }

    fn probe(&self) -> Result<Embedding, EmbedError> {
        let said = self.read(1, self.send(&[PROBE]).map_err(|e| words(&e))?)?.pop();
        said.and_then(|said| Embedding::from_f32(&said)).ok_or_else(|| wrong("a vector without a direction"))
    }

    /// Returns the vectors of some texts. If the server rejects them as too many, they are sent in parts; a single text
    /// that is too long is cut.
    fn vectors(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbedError> {
        match (self.send(texts), texts) {
            (Ok(answer), _) => self.read(texts.len(), answer),
            (Err(RestError::Status(400 | 413 | 422)), [_, _, ..]) => {
                let (some, others) = texts.split_at(texts.len() / 2);
                Ok([self.vectors(some)?, self.vectors(others)?].concat())
            }
            (Err(RestError::Status(400 | 413 | 422)), [text]) if text.len() > SHORT => {
                self.vectors(&[cut(text, text.len() / 2)])
            }
            (Err(error), _) => Err(words(&error)),
        }
    }

    fn send(&self, texts: &[&str]) -> Result<Value, RestError> {
        let mut body = json!({ "model": self.options.model, "input": texts });
        if let Some(dimensions) = self.options.dimensions {
            body["dimensions"] = Value::from(dimensions);
        }
        let send = |body: &Value| self.rest.send("POST", &self.options.path, Some(body));
        if self.names_format.load(Ordering::Relaxed) {
            let mut named = body.clone();
            named["encoding_format"] = json!("float");
            match send(&named) {
                // Not every server supports that.
                Err(RestError::Status(400 | 422)) => {}
                answer => return answer,
            }
            let answer = send(&body)?;
            self.names_format.store(false, Ordering::Relaxed);
            return Ok(answer);
        }
        send(&body)
    }

    fn read(&self, count: usize, answer: Value) -> Result<Vec<Vec<f32>>, EmbedError> {
        let answer: Answer = serde_json::from_value(answer).map_err(|_| wrong("no list of vectors"))?;
        if answer.data.len() != count {
            return Err(wrong(&format!("{} vectors for {count} texts", answer.data.len())));
        }
        let mut vectors = vec![Vec::new(); count];
        for (at, One { index, embedding }) in answer.data.into_iter().enumerate() {
            let place = vectors.get_mut(index.unwrap_or(at)).filter(|place| place.is_empty());
            *place.ok_or_else(|| wrong("vectors that belong to no text"))? = embedding;
        }
        let width = if self.width == 0 { vectors.first().map_or(0, Vec::len) } else { self.width };
        match vectors.iter().find(|vector| vector.len() != width || vector.is_empty()) {
            Some(other) => Err(wrong(&format!(
                "a vector of {} dimensions instead of {width}; if its model has changed, restart the daemon",
                other.len()
            ))),
            None => Ok(vectors),
        }
    }
}

impl Embedder for ServerEmbedder {
    fn embed(&self, texts: &[String]) -> Result<Vec<Option<Embedding>>, EmbedError> {
        // Servers reject empty texts, and these have no vector anyway.
        let spoken = |text: &&str| text.chars().any(char::is_alphanumeric);
        let asked: Vec<&str> = texts.iter().map(|text| cut(text, LONGEST)).filter(spoken).collect();
        let mut found = Vec::with_capacity(asked.len());
        for batch in asked.chunks(self.options.batch.max(1)) {
            found.extend(self.vectors(batch)?);
        }
        let mut found = found.iter();
        let vector = |text: &String| match spoken(&cut(text, LONGEST)) {
            true => found.next().and_then(|vector| Embedding::from_f32(vector)),
            false => None,
        };
        Ok(texts.iter().map(vector).collect())
    }

    fn id(&self) -> &str {
        &self.id
    }
}

/// Returns at most the first `length` bytes of a text.
fn cut(text: &str, length: usize) -> &str {
    &text[..text.floor_char_boundary(length)]
}

fn words(error: &RestError) -> EmbedError {
    let hint = match error {
        RestError::Status(401 | 403) => "; check embedder.api_key_file",
        RestError::Status(404) => "; check embedder.url and embedder.model",
        RestError::Status(400 | 422) => "; check embedder.model and embedder.dimensions",
        _ => "",
    };
    EmbedError(format!("the embeddings server: {error}{hint}"))
}

fn wrong(what: &str) -> EmbedError {
    EmbedError(format!("the embeddings server returned {what}"))
}
