//! The JSON Schemas of the store template: generated from the types, valid, and matching a sample of each record.
//!
//! After changing a type, run `UPDATE_SCHEMAS=1 cargo test schemas` and check the diff.

use feedbackd::domain::channels::action::{ActionFeedback, ActionRecord};
use feedbackd::domain::channels::turn::TurnMetadata;
use feedbackd::domain::records::message::{
    Alert, DeadLetterMessage, FeedbackEvaluated, RefinedPrompt, ReviewOutcomeMessage, RuleStop,
};
use feedbackd::domain::records::purges::PurgesRecord;
use feedbackd::domain::records::record::*;
use feedbackd::domain::rules::in_force::prompt::ActiveRules;
use feedbackd::text::yaml;
use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use std::fs;
use std::path::PathBuf;

/// Returns every schema. A record's comes from the list of records; a message is one more line here:
/// `entry::<ItsData>("feedbackd.feedback_evaluated/1")`. The sample of each is `samples/<name>.yaml`.
fn all() -> Vec<Entry> {
    macro_rules! records {
        ($($kind:ident($record:ident) = $number:literal, $name:literal;)*) => {
            vec![$(entry::<$record>(<$record>::SCHEMA)),*]
        };
    }
    let mut all = feedbackd::domain::each_stored_record!(records);
    all.extend([
        entry::<PurgesRecord>("feedbackd.purges/1"),
        entry::<ActiveRules>("feedbackd.active_rules/1"),
        entry::<FeedbackEvaluated>("feedbackd.feedback_evaluated/1"),
        entry::<Alert>("feedbackd.alert/1"),
        entry::<DeadLetterMessage>("feedbackd.dead_letter_message/1"),
        entry::<ReviewOutcomeMessage>("feedbackd.review_outcome/1"),
        entry::<RuleStop>("feedbackd.rule_stop/1"),
        entry::<RefinedPrompt>("feedbackd.refined_prompt/1"),
        entry::<ActionFeedback>("feedbackd.action_feedback/1"),
    ]);
    all
}

#[test]
fn the_committed_schemas_are_those_of_the_types() {
    let update = std::env::var_os("UPDATE_SCHEMAS").is_some();
    let mut stale = Vec::new();
    for entry in all() {
        let file = template("schemas").join(format!("{}.json", entry.name));
        let text = format!("{:#}\n", entry.schema);
        if update {
            fs::write(&file, &text).expect("written");
        }
        if fs::read_to_string(&file).unwrap_or_default() != text {
            stale.push(entry.name);
        }
    }
    assert!(
        stale.is_empty(),
        "not the schemas of the types: {}\nrun `UPDATE_SCHEMAS=1 cargo test schemas` and look at the difference",
        stale.join(", ")
    );
}

#[test]
fn the_committed_asyncapi_document_is_that_of_the_types() {
    let file = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("docs/asyncapi.json");
    let text = format!("{:#}\n", feedbackd::domain::records::asyncapi::document());
    if std::env::var_os("UPDATE_SCHEMAS").is_some() {
        fs::write(&file, &text).expect("written");
    }
    let committed = fs::read_to_string(&file).unwrap_or_default();
    assert!(committed == text, "run `UPDATE_SCHEMAS=1 cargo test schemas` and look at the difference");
}

#[test]
fn there_is_no_schema_or_sample_without_a_type() {
    for folder in ["schemas", "samples"] {
        for file in fs::read_dir(template(folder)).expect("a folder").flatten() {
            let path = file.path();
            let stem = path.file_stem().and_then(|s| s.to_str()).unwrap_or_default().to_owned();
            // The specification defines this one itself.
            let given = stem == "actionable-feedback";
            assert!(given || all().iter().any(|e| e.name == stem), "{} belongs to no type", path.display());
        }
    }
}

#[test]
fn what_programs_rely_on_stands_in_the_list_of_changes() {
    let file = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("docs/contract-changes.md");
    let text = fs::read_to_string(file).expect("the list");
    for entry in all() {
        let mut contract = entry.schema.clone();
        remove_descriptions(&mut contract);
        let digest = blake3::hash(format!("{contract:#}\n").as_bytes()).to_hex();
        let id = entry.schema["$id"].as_str().expect("an id").replace("urn:feedbackd:", "feedbackd.").replace(':', "/");
        let row = text.lines().find(|line| line.starts_with(&format!("| `{id}` ")));
        let row = row.unwrap_or_else(|| panic!("docs/contract-changes.md has no row for {id}"));
        let shown = &digest[..12];
        assert!(
            row.ends_with(&format!("`{shown}` |")),
            "{id} changed: say how in docs/contract-changes.md, and put `{shown}` at the end of its row there"
        );
    }
    let document = feedbackd::domain::records::asyncapi::document();
    for (name, channel) in document["channels"].as_object().expect("channels") {
        let address = channel["address"].as_str().expect("an address");
        assert!(text.contains(&format!("`{address}`")), "docs/contract-changes.md does not name {name}");
    }
}

#[test]
fn every_schema_is_valid_2020_12() {
    for entry in all() {
        assert_eq!(entry.schema["$schema"], "https://json-schema.org/draft/2020-12/schema");
        jsonschema::draft202012::meta::validate(&entry.schema)
            .unwrap_or_else(|e| panic!("{}: {e} at {}", entry.name, e.instance_path()));
    }
}

#[test]
fn every_sample_is_what_its_schema_says_and_what_is_written() {
    for entry in all() {
        let sample = sample(entry.name);
        let problems = (entry.problems)(&entry.schema, &sample);
        assert!(problems.is_empty(), "{}:\n{}", entry.name, problems.join("\n"));
    }
}

#[test]
fn schemas_refuse_what_is_wrong() {
    for entry in all() {
        let validator = jsonschema::draft202012::new(&entry.schema).expect("a schema");
        let good: Value = yaml::parse(&sample(entry.name)).expect("YAML");
        assert!(validator.is_valid(&good), "{}", entry.name);
        let mut bad = vec![json!({}), json!([]), json!("text")];
        if good.get("schema").is_some() {
            let mut other_version = good.clone();
            other_version["schema"] = json!("feedbackd.other/1");
            let mut without_version = good.clone();
            without_version.as_object_mut().expect("an object").remove("schema");
            bad.extend([other_version, without_version]);
        }
        for bad in bad {
            assert!(!validator.is_valid(&bad), "{}: {bad}", entry.name);
        }
    }
}

/// Words about a field are no part of the contract. A property may itself be called `description`: its schema is no text.
fn remove_descriptions(schema: &mut Value) {
    match schema {
        Value::Object(map) => {
            map.retain(|key, value| !(key == "description" && value.is_string()));
            map.values_mut().for_each(remove_descriptions);
        }
        Value::Array(list) => list.iter_mut().for_each(remove_descriptions),
        _ => {}
    }
}

/// A schema with its name, and the check of a sample against it.
struct Entry {
    name: &'static str,
    schema: Value,
    problems: fn(&Value, &str) -> Vec<String>,
}

fn entry<T: JsonSchema + Serialize + DeserializeOwned>(id: &'static str) -> Entry {
    let (name, version) =
        id.strip_prefix("feedbackd.").and_then(|id| id.split_once('/')).expect("a name and a version");
    let generated = SchemaSettings::draft2020_12().into_generator().into_root_schema_for::<T>().to_value();
    let mut schema = json!({ "$schema": generated["$schema"], "$id": format!("urn:feedbackd:{name}:{version}") });
    for (key, value) in generated.as_object().into_iter().flatten() {
        schema[key] = value.clone();
    }
    // The type allows any text there; only this one is ever written.
    if schema["properties"].get("schema").is_some() {
        schema["properties"]["schema"]["const"] = json!(id);
    }
    Entry { name, schema, problems: problems::<T> }
}

/// Returns what is wrong with a sample: by its schema, or because a round trip changes it.
fn problems<T: Serialize + DeserializeOwned>(schema: &Value, sample: &str) -> Vec<String> {
    let validator = jsonschema::draft202012::options().should_validate_formats(true).build(schema).expect("a schema");
    let (by_hand, typed) = match (yaml::parse::<Value>(sample), yaml::parse::<T>(sample)) {
        (Ok(by_hand), Ok(typed)) => (by_hand, typed),
        (Err(e), _) | (_, Err(e)) => return vec![e],
    };
    let written = serde_json::to_value(typed).expect("JSON");
    let mut problems: Vec<String> = [&by_hand, &written]
        .into_iter()
        .flat_map(|value| {
            validator.iter_errors(value).map(|e| format!("{e} at `{}`", e.instance_path())).collect::<Vec<_>>()
        })
        .collect();
    if by_hand != written {
        problems.push(format!("reading and writing it changes it:\n{by_hand:#}\n{written:#}"));
    }
    problems
}

fn sample(name: &str) -> String {
    let file = template("samples").join(format!("{name}.yaml"));
    fs::read_to_string(&file).unwrap_or_else(|e| panic!("{}: {e}", file.display()))
}

fn template(folder: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("feedback-store-template").join(folder)
}
