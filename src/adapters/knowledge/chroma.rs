//! Candidates from a Chroma server (1.x), over its REST interface v2.
//!
//! The collection is derived: it is rebuilt when the working set is loaded, and only ever holds one store's vectors. A
//! collection with another owner is not touched.

use super::approximate::{Candidates, expand};
use crate::ports::{Rest, RestError};
use crate::text::language::similarity::DemandVector;
use serde_json::{Value, json};

/// The key under which the collection stores its owner.
const OWNER: &str = "feedbackd_store";

/// Which collection is used, and how.
#[derive(Clone, Debug)]
pub struct ChromaOptions {
    /// The tenant.
    pub tenant: String,
    /// The database.
    pub database: String,
    /// The collection.
    pub collection: String,
    /// The store whose vectors these are.
    pub owner: String,
    /// The maximum number of axes in a vector's profile.
    pub axes: usize,
    /// Maximum vectors per request.
    pub batch: usize,
}

/// A collection on a Chroma server.
pub struct Chroma {
    rest: Box<dyn Rest>,
    options: ChromaOptions,
    /// The collection's id, once rebuilt.
    id: Option<String>,
    pending: Vec<(String, String, Vec<f32>)>,
}

impl Chroma {
    /// Does not connect yet.
    pub fn new(rest: Box<dyn Rest>, options: ChromaOptions) -> Chroma {
        Chroma { rest, options, id: None, pending: Vec::new() }
    }

    fn collections(&self) -> String {
        format!("/api/v2/tenants/{}/databases/{}/collections", self.options.tenant, self.options.database)
    }

    /// Returns the empty collection's id, creating it if necessary.
    fn collection(&mut self) -> Result<String, String> {
        if let Some(id) = &self.id {
            return Ok(id.clone());
        }
        let (all, name) = (self.collections(), &self.options.collection);
        match self.rest.send("GET", &format!("{all}/{name}"), None) {
            Ok(present) if present["metadata"][OWNER].as_str() == Some(&self.options.owner) => {
                self.send("DELETE", &format!("{all}/{name}"), None)?;
            }
            Ok(_) => {
                return Err(format!(
                    "Chroma's collection {name} is another store's, and is not changed; set knowledge.collection to \
                     another name, or delete it"
                ));
            }
            Err(RestError::Status(404)) => {}
            Err(error) => return Err(words(&error)),
        }
        let made = json!({
            "name": name,
            "metadata": { OWNER: self.options.owner },
            "configuration": { "hnsw": { "space": "cosine", "ef_construction": 200, "ef_search": 200 } },
        });
        let made = self.send("POST", &all, Some(&made))?;
        let id = made["id"].as_str().ok_or("Chroma returned no id for its collection")?.to_owned();
        self.id = Some(id.clone());
        Ok(id)
    }

    fn send(&self, method: &str, path: &str, body: Option<&Value>) -> Result<Value, String> {
        self.rest.send(method, path, body).map_err(|error| words(&error))
    }
}

impl Candidates for Chroma {
    fn add(&mut self, scope: &str, row: u32, vector: &DemandVector) -> Result<(), String> {
        self.pending.push((id_of(scope, row), scope.to_owned(), expand(vector, self.options.axes)));
        if self.pending.len() >= self.options.batch { self.flush() } else { Ok(()) }
    }

    fn flush(&mut self) -> Result<(), String> {
        let id = self.collection()?;
        for batch in self.pending.chunks(self.options.batch.max(1)) {
            let ids: Vec<&str> = batch.iter().map(|(id, _, _)| id.as_str()).collect();
            let scopes: Vec<Value> = batch.iter().map(|(_, scope, _)| json!({ "scope": scope })).collect();
            let vectors: Vec<&[f32]> = batch.iter().map(|(_, _, vector)| vector.as_slice()).collect();
            let body = json!({ "ids": ids, "embeddings": vectors, "metadatas": scopes });
            self.send("POST", &format!("{}/{id}/upsert", self.collections()), Some(&body))?;
        }
        self.pending.clear();
        Ok(())
    }

    fn near(&mut self, scope: &str, vector: &DemandVector, count: usize) -> Result<Vec<u32>, String> {
        let id = self.collection()?;
        let body = json!({
            "query_embeddings": [expand(vector, self.options.axes)],
            "n_results": count,
            "where": { "scope": { "$eq": scope } },
            "include": [],
        });
        let found = self.send("POST", &format!("{}/{id}/query", self.collections()), Some(&body))?;
        let ids = found["ids"][0].as_array().ok_or("Chroma returned no list of ids")?;
        let row = |id: &Value| id.as_str()?.rsplit_once('-')?.1.parse().ok();
        ids.iter().map(|id| row(id).ok_or_else(|| "Chroma returned an id that it was not given".to_owned())).collect()
    }

    fn clear(&mut self) {
        self.id = None;
        self.pending.clear();
    }
}

/// A scope may contain characters that an id may not.
fn id_of(scope: &str, row: u32) -> String {
    format!("{}-{row}", &blake3::hash(scope.as_bytes()).to_hex()[..16])
}

fn words(error: &RestError) -> String {
    match error {
        RestError::Status(401 | 403) => format!("Chroma: {error}; check knowledge.api_key_file"),
        RestError::Status(404) => format!("Chroma: {error}; check knowledge.tenant and knowledge.database"),
        _ => format!("Chroma: {error}"),
    }
}
