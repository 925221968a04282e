//! The sentences of the agents' base prompts, compared with rules.

use crate::app::comments::analyzer::Analyzer;
use crate::config::Config;
use crate::domain::rules::draft::restate;
use crate::domain::rules::draft::restate::KnownSentence;
use crate::ports::EmbedError;
use std::collections::BTreeMap;
use std::path::PathBuf;

/// Returns the sentences of the agents' base prompts. An unreadable file does not prevent the start.
pub(super) fn base_prompts(
    config: &Config,
    understanding: &Analyzer,
) -> Result<BTreeMap<String, Vec<KnownSentence>>, EmbedError> {
    let directory = &config.rules.base_prompts;
    let mut prompts = BTreeMap::new();
    if directory.as_os_str().is_empty() {
        return Ok(prompts);
    }
    let files = std::fs::read_dir(directory).map(|entries| entries.flatten().map(|entry| entry.path()).collect());
    let files: Vec<PathBuf> = files.unwrap_or_else(|error| {
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
