//! Nothing is reported before it is on disk, whatever the disk does. Kernel calls are traced with strace.

use super::*;
use std::io;
use std::sync::atomic::{AtomicBool, Ordering};

#[test]
fn a_failing_disk_stops_the_commit_and_leaves_no_trace() {
    static FAIL: AtomicBool = AtomicBool::new(false);
    let sync = |file: &File| {
        if FAIL.load(Ordering::SeqCst) { Err(io::Error::from(io::ErrorKind::StorageFull)) } else { file.sync_all() }
    };
    let store = Store::new();
    let mut writer = GitWriter::open(&store.path, WriterOptions { sync, ..options() }).unwrap();
    let head = writer.head().unwrap();
    let before = count_files(&store.path);
    let batch = writes(&[("feedback/a.yaml", "a")]);
    FAIL.store(true, Ordering::SeqCst);
    for _ in 0..3 {
        assert!(matches!(writer.commit(head.as_ref(), &batch), Err(StoreError::Io(_))));
        assert_eq!(writer.head().unwrap(), head);
        assert_eq!(count_files(&store.path), before, "nothing is left");
    }
    FAIL.store(false, Ordering::SeqCst);
    commit(&mut writer, &batch);
    store.fsck();
}

#[test]
fn a_damaged_store_is_told_and_never_panics() {
    let store = Store::new();
    let mut writer = store.writer();
    let id = commit(&mut writer, &writes(&[("feedback/a.yaml", "some content that can be damaged\n")]));
    drop(writer);
    let packs = store.path.join("objects/pack");
    for entry in fs::read_dir(packs).unwrap().map(|e| e.unwrap().path()) {
        let sound = fs::read(&entry).unwrap();
        fs::remove_file(&entry).unwrap();
        for at in (0..sound.len()).step_by(sound.len() / 40 + 1) {
            let mut damaged = sound.clone();
            damaged[at] ^= 0x55;
            fs::write(&entry, &damaged).unwrap();
            let Ok(reader) = GitReader::open(&store.path) else { continue };
            if let Ok(Some(content)) = reader.read(&id, "feedback/a.yaml") {
                assert_eq!(content, b"some content that can be damaged\n", "byte {at} of {entry:?}");
            }
            let _ = GitWriter::open(&store.path, options())
                .and_then(|mut w| w.commit(Some(&id), &writes(&[("feedback/b", "b")])));
            let _ = fs::write(store.path.join("refs/heads/main"), format!("{id}\n"));
        }
        fs::write(&entry, &sound).unwrap();
    }
    fs::write(store.path.join("refs/heads/main"), "nonsense\n").unwrap();
    assert!(GitReader::open(&store.path).and_then(|r| r.head()).is_err());
    fs::write(store.path.join("refs/heads/main"), format!("{}\n", "1".repeat(40))).unwrap();
    let mut writer = store.writer();
    let head = writer.head().unwrap();
    assert!(matches!(writer.commit(head.as_ref(), &writes(&[("feedback/b", "b")])), Err(StoreError::Damaged(_))));
}

/// What one batch makes durable, in order, as seen by the kernel. The child is this test binary.
#[test]
fn a_batch_is_durable_before_it_is_reported() {
    let batch = writes(&[("feedback/a.yaml", "a"), ("feedback/b/c.yaml", "b")]);
    if let Some(path) = traced_store() {
        let mut writer = GitWriter::open(&path, options()).unwrap();
        let head = writer.head().unwrap();
        mark("begins");
        writer.commit(head.as_ref(), &batch).unwrap();
        mark("ends");
        return;
    }
    let store = Store::new();
    let Some(trace) = strace(&store, "a_batch_is_durable_before_it_is_reported", &["trace=all"], &[]) else { return };
    assert_eq!(
        steps(&trace),
        [
            "sync tmp_feedbackd_pack",
            "sync tmp_feedbackd_idx",
            "rename pack-.pack",
            "rename pack-.idx",
            "sync objects/pack",
            "sync refs/heads/main.lock",
            "rename refs/heads/main",
            "sync refs/heads",
        ]
    );
}

/// The branch has moved, but its directory could not be synced: the commit failed. The repeated batch finds its
/// records, and may report them only after the branch was rewritten and synced.
#[test]
fn a_branch_that_was_not_synced_is_written_anew() {
    let batch = writes(&[("feedback/a.yaml", "a")]);
    if let Some(path) = traced_store() {
        let mut writer = GitWriter::open(&path, options()).unwrap();
        let first = writer.head().unwrap();
        assert!(matches!(writer.commit(first.as_ref(), &batch), Err(StoreError::Io(_))));
        let Ok(CommitOutcome::Moved(head)) = writer.commit(first.as_ref(), &batch) else { panic!("not moved") };
        mark("begins");
        assert_eq!(writer.commit(Some(&head), &batch).unwrap(), CommitOutcome::Unchanged(head));
        mark("ends");
        return;
    }
    let store = Store::new();
    let heads = store.path.join("refs/heads");
    let lock = heads.join("main.lock");
    let name = "a_branch_that_was_not_synced_is_written_anew";
    // Of the syncs on these paths, the first is at the start, the second is the lock's, the third the directory's.
    let expressions = ["trace=all", "inject=fsync:error=EIO:when=3"];
    let Some(trace) = strace(&store, name, &expressions, &[&heads, &lock, Path::new(BEGINS), Path::new(ENDS)]) else {
        return;
    };
    assert_eq!(steps(&trace), ["sync refs/heads/main.lock", "rename refs/heads/main", "sync refs/heads"]);
    store.fsck();
}

/// The pack was stored, the branch was not.
#[test]
fn a_full_disk_while_the_branch_moves_is_an_error_that_passes() {
    let batch = writes(&[("feedback/a.yaml", "a")]);
    if let Some(path) = traced_store() {
        let mut writer = GitWriter::open(&path, options()).unwrap();
        let first = writer.head().unwrap();
        let failed = writer.commit(first.as_ref(), &batch);
        assert!(matches!(failed, Err(StoreError::Io(_))), "{failed:?}");
        assert_eq!(writer.head().unwrap(), first);
        commit(&mut writer, &batch);
        return;
    }
    let store = Store::new();
    let lock = store.path.join("refs/heads/main.lock");
    let name = "a_full_disk_while_the_branch_moves_is_an_error_that_passes";
    if strace(&store, name, &["trace=all", "inject=write:error=ENOSPC:when=1"], &[&lock]).is_some() {
        assert_eq!(store.git(&["show", "main:feedback/a.yaml"]), "a");
        store.fsck();
    }
}

const BEGINS: &str = "/batch/begins";
const ENDS: &str = "/batch/ends";

/// Marks the beginning and end of the batch in the trace.
fn mark(what: &str) {
    let _ = fs::metadata(Path::new("/batch").join(what));
}

/// Returns the store, which is set in the traced child.
fn traced_store() -> Option<PathBuf> {
    std::env::var_os("FEEDBACKD_TRACED_STORE").map(PathBuf::from)
}

/// Runs one test of this binary under strace; `None`, with a message, if that is not possible.
fn strace(store: &Store, test: &str, expressions: &[&str], paths: &[&Path]) -> Option<String> {
    let trace = store.path.with_extension("trace");
    let mut command = Command::new("strace");
    command.args(["-f", "-y", "-o"]).arg(&trace);
    expressions.iter().for_each(|e| _ = command.args(["-e", e]));
    paths.iter().for_each(|p| _ = command.arg("-P").arg(p));
    command.arg(std::env::current_exe().unwrap()).args([
        "--exact",
        &format!("adapters::git::durability::{test}"),
        "--nocapture",
    ]);
    let output = match command.env("FEEDBACKD_TRACED_STORE", &store.path).output() {
        Err(e) if e.kind() == io::ErrorKind::NotFound => {
            eprintln!("strace is not installed: not checked");
            return None;
        }
        other => other.unwrap(),
    };
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    if said.to_ascii_lowercase().contains("ptrace") {
        eprintln!("strace is not allowed here: not checked");
        return None;
    }
    assert!(output.status.success(), "{said}{}", String::from_utf8_lossy(&output.stdout));
    Some(fs::read_to_string(&trace).unwrap())
}

fn steps(trace: &str) -> Vec<String> {
    let after = trace.lines().skip_while(|line| !line.contains(BEGINS));
    after.take_while(|line| !line.contains(ENDS)).filter_map(step).collect()
}

/// Returns `sync NAME` or `rename NAME` from a trace line, without hashes.
fn step(line: &str) -> Option<String> {
    let (verb, path) = if line.contains("sync(") {
        ("sync", line.split_once('<')?.1.split_once('>')?.0)
    } else if line.contains("rename") {
        ("rename", line.rsplit('"').nth(1)?)
    } else {
        return None;
    };
    let path = path.split("store.git/").nth(1)?;
    let name = path.strip_prefix("objects/pack/").unwrap_or(path);
    let is_hash = |part: &&str| part.len() == 40 && part.bytes().all(|c| c.is_ascii_hexdigit());
    let hash = name.split(['_', '-', '.']).find(is_hash).unwrap_or("\0");
    Some(format!("{verb} {}", name.replace(&format!("_{hash}"), "").replace(hash, "")))
}
