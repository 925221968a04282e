//! A model's folder: its required files and its digest.

use crate::ports::EmbedError;
use std::path::Path;

/// Reads the three files of a model's folder: `config.json`, `tokenizer.json`, `model.safetensors`.
pub fn files(folder: &Path) -> Result<[Vec<u8>; 3], EmbedError> {
    let names = ["config.json", "tokenizer.json", "model.safetensors"];
    let missing: Vec<&str> = names.into_iter().filter(|name| !folder.join(name).is_file()).collect();
    if !missing.is_empty() {
        return Err(EmbedError(format!("the folder {} lacks {}", folder.display(), missing.join(" and "))));
    }
    let read = |name: &str| {
        std::fs::read(folder.join(name))
            .map_err(|e| EmbedError(format!("{} cannot be read: {e}", folder.join(name).display())))
    };
    Ok([read(names[0])?, read(names[1])?, read(names[2])?])
}

/// Returns a digest that identifies the model.
pub fn digest(files: &[&[u8]]) -> String {
    let mut hasher = blake3::Hasher::new();
    for file in files {
        hasher.update(blake3::hash(file).as_bytes());
    }
    hasher.finalize().to_hex()[..12].to_owned()
}
