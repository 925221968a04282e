//! A separate store with the pipeline on it, in this process: batches in, files out.

use feedbackd::app::pipeline::{Pipeline, ProcessedBatch};
use feedbackd::config::Config;
use feedbackd::domain::clusters::evaluation::Classification;
use feedbackd::domain::intake::event::{RawEntry, StreamKind};
use feedbackd::domain::records::layout;
use feedbackd::domain::records::record::{DecisionRecord, ProposalRecord};
use feedbackd::domain::rules::lifecycle::rule::newborn;
use feedbackd::text::ids::{numbered, parse_numbered};
use feedbackd::text::yaml;
use feedbackd::wiring;
use jiff::Timestamp;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

/// A separate store with the pipeline on it, in this process.
pub struct Run {
    pub dir: tempfile::TempDir,
    pub config: Config,
    pub pipeline: Option<Pipeline>,
    /// The clock's time.
    pub now: Timestamp,
    sequence: u64,
}

impl Run {
    pub fn new() -> Run {
        let dir = tempfile::tempdir().unwrap();
        let mut config = Config::default();
        config.store.path = dir.path().join("store.git");
        config.state.dir = dir.path().join("state");
        config.intake.corrections_root = dir.path().join("corrections");
        wiring::init_store(&config, false).unwrap();
        let pipeline = Some(wiring::pipeline(&config).unwrap());
        Run { dir, config, pipeline, now: now(), sequence: 0 }
    }

    pub fn entry(&mut self, event: &Value) -> RawEntry {
        self.sequence += 1;
        RawEntry {
            stream: "asdlc:events:hitl_decisions".into(),
            kind: StreamKind::HitlDecisions,
            id: format!("1768000000000-{}", self.sequence),
            fields: vec![("data".into(), event.to_string().into_bytes())],
            gate_request: None,
            oversize: None,
        }
    }

    pub fn send(&mut self, events: &[Value]) -> ProcessedBatch {
        let entries: Vec<RawEntry> = events.iter().map(|e| self.entry(e)).collect();
        self.process(&entries)
    }

    pub fn process(&mut self, entries: &[RawEntry]) -> ProcessedBatch {
        self.pipeline.as_mut().unwrap().process(entries, self.now).unwrap()
    }

    /// Does due work while nothing arrives.
    pub fn tick(&mut self) -> ProcessedBatch {
        self.process(&[])
    }

    /// Processes events of another stream.
    pub fn hear(&mut self, kind: StreamKind, events: &[Value]) -> ProcessedBatch {
        let entries: Vec<RawEntry> = events
            .iter()
            .map(|event| {
                let stream = format!("asdlc:events:{}", kind.label());
                RawEntry { kind, stream, ..self.entry(event) }
            })
            .collect();
        self.process(&entries)
    }

    /// Files a proposal under the next number, as people may: by committing its file.
    pub fn file_proposal(&mut self, proposal: ProposalRecord) -> (String, ProcessedBatch) {
        let names = self.paths(layout::RULES).into_iter();
        let number = |path: String| parse_numbered("RULE", path.rsplit('/').next()?.trim_end_matches(".yaml"));
        let last = names.filter_map(number).map(|(_, number)| number).max().unwrap_or(0);
        let id = numbered("RULE", 2026, last + 1);
        let record = newborn(ProposalRecord { created_at: self.now, raw_confidence: None, ..proposal }, &id);
        self.commit_file(&layout::rule(&id, record.status), |_| yaml::render(&record).unwrap());
        (id, self.tick())
    }

    /// Returns a JSON file of the store.
    pub fn json(&self, path: &str) -> Value {
        let text = self.text(path).unwrap_or_else(|| panic!("{path} is not in the store: {:#?}", self.paths("")));
        serde_json::from_str(&text).unwrap()
    }

    /// Processes a review from its stream.
    pub fn review(&mut self, review: &Value) -> ProcessedBatch {
        let mut entry = self.entry(review);
        entry.stream = "asdlc:events:meta_hitl_decisions".into();
        entry.kind = StreamKind::MetaHitl;
        self.process(&[entry])
    }

    /// Commits a file as a person.
    pub fn commit_file(&mut self, path: &str, edit: impl FnOnce(String) -> String) {
        let clone = self.dir.path().join(format!("clone-{}", self.sequence));
        self.sequence += 1;
        git(&["clone", "-q", self.config.store.path.to_str().unwrap(), clone.to_str().unwrap()], self.dir.path());
        let file = clone.join(path);
        match edit(std::fs::read_to_string(&file).unwrap_or_default()) {
            // An empty file is removed.
            text if text.is_empty() => std::fs::remove_file(&file).unwrap(),
            text => {
                std::fs::create_dir_all(file.parent().unwrap()).unwrap();
                std::fs::write(&file, text).unwrap();
            }
        }
        git(&["add", "-A"], &clone);
        push(&clone, "Edit by hand");
    }

    /// Adds approvers to the roster.
    pub fn approvers(&mut self, ids: &[&str]) {
        let people: String = ids.iter().map(|id| format!("  - {{id: {id}, roles: [approver]}}\n")).collect();
        self.commit_file(layout::ROSTER, |_| format!("reviewers:\n{people}"));
    }

    pub fn restart(&mut self) {
        self.pipeline = None;
        self.pipeline = Some(wiring::pipeline(&self.config).unwrap());
    }

    pub fn text(&self, path: &str) -> Option<String> {
        let pipeline = self.pipeline.as_ref().unwrap();
        let head = pipeline.head().unwrap();
        pipeline.store().read(head, path).unwrap().map(|bytes| String::from_utf8(bytes).unwrap())
    }

    pub fn read<T: DeserializeOwned>(&self, path: &str) -> T {
        yaml::parse(&self.text(path).unwrap_or_else(|| panic!("{path} is not in the store: {:#?}", self.paths(""))))
            .unwrap()
    }

    pub fn paths(&self, prefix: &str) -> Vec<String> {
        let pipeline = self.pipeline.as_ref().unwrap();
        let mut paths = Vec::new();
        pipeline
            .store()
            .for_each_change(None, pipeline.head().unwrap(), &mut |change| {
                if change.path.starts_with(prefix) {
                    paths.push(change.path);
                }
                Ok(())
            })
            .unwrap();
        paths
    }

    /// Returns a decision, or what its record contains about one of its comments.
    pub fn decision(&self, id: &str) -> DecisionRecord {
        let (whole, comment) = layout::file_and_comment(id);
        let path = self.paths(layout::DECISIONS).into_iter().find(|path| is_of(path, whole));
        let record: DecisionRecord = self.read(&path.unwrap_or_else(|| panic!("no record of {id}")));
        comment.map_or(record.clone(), |name| record.view(name).unwrap_or_else(|| panic!("no comment {id}")))
    }

    /// Returns the subject of the last commit.
    pub fn subject(&self) -> String {
        let mut log = std::process::Command::new("git");
        log.args(["log", "-1", "--format=%s"]).current_dir(&self.config.store.path);
        String::from_utf8_lossy(&log.output().unwrap().stdout).trim().to_owned()
    }

    /// Returns everything ever committed: messages, names, paths and content.
    pub fn objects(&self) -> String {
        let mut log = std::process::Command::new("git");
        log.args(["log", "-p", "--text", "--all", "--format=%B %an %ae"]).current_dir(&self.config.store.path);
        String::from_utf8_lossy(&log.output().unwrap().stdout).into_owned()
    }

    pub fn clone_store(&self) -> PathBuf {
        let clone = self.dir.path().join("clone");
        git(&["clone", "-q", self.config.store.path.to_str().unwrap(), clone.to_str().unwrap()], self.dir.path());
        clone
    }

    pub fn class(&self, id: &str) -> Classification {
        self.decision(id).evaluation.classification
    }
}

/// Reports whether a path is that of the file with this id.
pub fn is_of(path: &str, id: &str) -> bool {
    let name = path.rsplit('/').next().and_then(|name| name.strip_suffix(".yaml"));
    name.is_some_and(|name| layout::id_of_name(name) == id)
}

pub fn git(args: &[&str], dir: &Path) {
    let out = std::process::Command::new("git").args(args).current_dir(dir).output().unwrap();
    assert!(out.status.success(), "{args:?}: {}", String::from_utf8_lossy(&out.stderr));
}

/// Commits everything in a clone as a person, and pushes it.
pub fn push(clone: &Path, message: &str) {
    git(&["-c", "user.name=Ann", "-c", "user.email=ann@example.org", "commit", "-qam", message], clone);
    git(&["push", "-q"], clone);
}

pub fn now() -> Timestamp {
    "2026-01-12T12:00:00Z".parse().unwrap()
}

pub fn decision(id: &str, reviewer: &str, verdict: &str, comment: Option<&str>) -> Value {
    json!({
        "decision_id": id, "gate_id": "HITL-4", "epic_id": "EP-1", "task_id": "T-1", "decision": verdict,
        "reviewer_id": reviewer, "timestamp": "2026-01-12T10:00:00Z", "review_duration_seconds": 30,
        "agent_output_sha": "ba4220b8f472a8d1e2972bb999efbac1c47bfe1c", "reviewer_comment": comment,
        "tags": ["code"], "agent": "coding-agent",
    })
}
