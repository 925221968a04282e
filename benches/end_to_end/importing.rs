//! `git fast-import` of what the daemon committed.

use feedbackd::adapters::git::GitReader;
use feedbackd::domain::records::layout;
use feedbackd::ports::StoreReader;
use feedbackd::text::ids::CommitId;
use std::collections::HashSet;
use std::io::{BufRead, BufReader, BufWriter, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// The result of one import.
pub struct Import {
    pub name: &'static str,
    pub records: usize,
    pub wall: Duration,
}

impl Import {
    /// Returns decisions per second.
    pub fn rate(&self) -> f64 {
        self.records as f64 / self.wall.as_secs_f64()
    }
}

/// The files of one commit, by path.
type Files = Vec<(String, Vec<u8>)>;

/// Imports the decision records alone, each once and in the daemon's batches, and then everything it wrote. Each with
/// fast-import's defaults, and durable after every batch, as in the daemon.
pub fn all(directory: &Path) -> Vec<Import> {
    let everything = commits(&directory.join("store.git"));
    let mut seen = HashSet::new();
    let decisions: Vec<Files> = everything
        .iter()
        .map(|files| {
            files.iter().filter(|(p, _)| p.starts_with(layout::DECISIONS) && seen.insert(p.clone())).cloned().collect()
        })
        .collect();
    let records = seen.len();
    [
        ("the decision records, defaults", &decisions, false),
        ("the decision records, durable by batch", &decisions, true),
        ("every file that was written, defaults", &everything, false),
        ("every file that was written, durable by batch", &everything, true),
    ]
    .into_iter()
    .map(|(name, commits, durable)| Import { name, records, wall: import(directory, commits, durable) })
    .collect()
}

/// Returns what each commit of the daemon wrote, in order. Omits the first one, which creates the store, and the
/// commits of single events at idle: with those, fast-import would pay for one commit per event.
fn commits(store: &Path) -> Vec<Files> {
    let reader = GitReader::open(store).expect("a store");
    let head: CommitId = reader.head().expect("readable").expect("a commit");
    let commits = reader.commits(None, &head).expect("history");
    let batches = commits.iter().skip(1).map(|commit| {
        let mut files = Files::new();
        let visited = reader.for_each_change(commit.parent.as_ref(), &commit.id, &mut |change| {
            files.extend(change.content.map(|content| (change.path, content)));
            Ok(())
        });
        visited.expect("readable");
        files
    });
    batches.filter(|files| files.iter().filter(|(path, _)| path.starts_with(layout::DECISIONS)).count() > 1).collect()
}

fn import(directory: &Path, commits: &[Files], durable: bool) -> Duration {
    let store = directory.join("import.git");
    let _ = std::fs::remove_dir_all(&store);
    let made = Command::new("git").args(["init", "-q", "--bare", "-b", "main"]).arg(&store).status();
    assert!(made.expect("git").success());
    let mut git = Command::new("git");
    git.arg("-C").arg(&store);
    if durable {
        git.args(["-c", "core.fsync=all"]);
    }
    let started = Instant::now();
    let mut child = git
        .args(["fast-import", "--quiet", "--date-format=raw"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("git fast-import");
    let mut input = BufWriter::with_capacity(1 << 20, child.stdin.take().expect("a pipe"));
    let mut output = BufReader::new(child.stdout.take().expect("a pipe"));
    for files in commits {
        feed(&mut input, files).expect("fed");
        if durable {
            input.write_all(b"checkpoint\nprogress done\n").and_then(|()| input.flush()).expect("fed");
            output.read_line(&mut String::new()).expect("an answer");
        }
    }
    drop(input);
    assert!(child.wait().expect("an end").success());
    let wall = started.elapsed();
    let _ = std::fs::remove_dir_all(&store);
    wall
}

fn feed(input: &mut impl Write, files: &Files) -> std::io::Result<()> {
    let text = format!("Record {} files\n", files.len());
    write!(input, "commit refs/heads/main\ncommitter feedbackd <feedbackd@localhost> 1767600000 +0000\n")?;
    write!(input, "data {}\n{text}", text.len())?;
    for (path, content) in files {
        write!(input, "M 100644 inline {path}\ndata {}\n", content.len())?;
        input.write_all(content)?;
        input.write_all(b"\n")?;
    }
    Ok(())
}
