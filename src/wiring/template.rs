//! The skeleton of a store from `feedback-store-template/`, compiled into the binary.

use crate::daemon::PublishedSchema;

macro_rules! embedded {
    ($($path:literal),* $(,)?) => {
        &[$(($path, include_bytes!(concat!("../../feedback-store-template/", $path)))),*]
    };
}

const FILES: &[(&str, &[u8])] = embedded![
    "README.md",
    "catalogue/README.md",
    "reviewers.yaml",
    "samples/action.yaml",
    "samples/action_feedback.yaml",
    "samples/active_rules.yaml",
    "samples/advice.yaml",
    "samples/alert.yaml",
    "samples/alert_record.yaml",
    "samples/ambiguous.yaml",
    "samples/cluster.yaml",
    "samples/dead_letter.yaml",
    "samples/dead_letter_message.yaml",
    "samples/decision.yaml",
    "samples/edge_case.yaml",
    "samples/feedback_evaluated.yaml",
    "samples/follow_up.yaml",
    "samples/import.yaml",
    "samples/injection.yaml",
    "samples/iteration.yaml",
    "samples/proposal.yaml",
    "samples/purges.yaml",
    "samples/reading.yaml",
    "samples/refined_prompt.yaml",
    "samples/refinement.yaml",
    "samples/review.yaml",
    "samples/review_outcome.yaml",
    "samples/rule_stop.yaml",
    "samples/stops.yaml",
    "samples/turn.yaml",
    "samples/turn_feedback.yaml",
    "samples/turn_metadata.yaml",
    "schemas/action.json",
    "schemas/action_feedback.json",
    "schemas/actionable-feedback.json",
    "schemas/active_rules.json",
    "schemas/advice.json",
    "schemas/alert.json",
    "schemas/alert_record.json",
    "schemas/ambiguous.json",
    "schemas/cluster.json",
    "schemas/dead_letter.json",
    "schemas/dead_letter_message.json",
    "schemas/decision.json",
    "schemas/edge_case.json",
    "schemas/feedback_evaluated.json",
    "schemas/follow_up.json",
    "schemas/import.json",
    "schemas/injection.json",
    "schemas/iteration.json",
    "schemas/proposal.json",
    "schemas/purges.json",
    "schemas/reading.json",
    "schemas/refined_prompt.json",
    "schemas/refinement.json",
    "schemas/review.json",
    "schemas/review_outcome.json",
    "schemas/rule_stop.json",
    "schemas/stops.json",
    "schemas/turn.json",
    "schemas/turn_feedback.json",
    "schemas/turn_metadata.json",
];

/// Returns every file of a new store with its path.
pub fn files() -> Vec<(String, Vec<u8>)> {
    FILES.iter().map(|(path, content)| ((*path).to_owned(), content.to_vec())).collect()
}

/// Returns the JSON Schemas of a new store.
pub fn schemas() -> Vec<PublishedSchema> {
    let schema = |(path, content): &(&str, &[u8])| {
        let name = path.strip_prefix("schemas/")?.strip_suffix(".json")?.to_owned();
        Some(PublishedSchema { name, text: String::from_utf8_lossy(content).into_owned() })
    };
    FILES.iter().filter_map(schema).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    fn list(dir: &Path, base: &Path, found: &mut Vec<String>) {
        for entry in std::fs::read_dir(dir).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                list(&path, base, found);
            } else {
                found.push(path.strip_prefix(base).unwrap().to_string_lossy().into_owned());
            }
        }
    }

    #[test]
    fn the_binary_has_every_file_of_the_template() {
        let base = Path::new(env!("CARGO_MANIFEST_DIR")).join("feedback-store-template");
        let mut found = Vec::new();
        list(&base, &base, &mut found);
        found.sort();
        assert_eq!(found, files().into_iter().map(|(path, _)| path).collect::<Vec<_>>());
    }
}
