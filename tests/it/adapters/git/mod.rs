//! The Git store on real repositories, verified by the `git` program.

use crate::harness::wait_until;
use feedbackd::adapters::git::{GitReader, GitWriter, InitOutcome, WriterOptions, init};
use feedbackd::ports::{ChangeSet, CommitOutcome, FileWrite, StoreError, StoreReader, StoreWriter};
use feedbackd::text::ids::CommitId;
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::{Duration, SystemTime};
use tempfile::TempDir;

mod durability;
mod model;
mod remote;
mod signing;

const NOW: i64 = 1_795_000_000;
const DAY: Duration = Duration::from_secs(24 * 3600);

fn options() -> WriterOptions {
    WriterOptions::new(|| NOW)
}

/// A store in its own directory.
struct Store {
    _directory: TempDir,
    path: PathBuf,
}

impl Store {
    fn new() -> Store {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("store.git");
        let template = [
            ("README.md".to_owned(), b"# A store\n".to_vec()),
            ("reviewers.yaml".to_owned(), b"reviewers: []\n".to_vec()),
        ];
        let made = init(&path, &template, "main", options(), false).unwrap();
        assert!(matches!(made, InitOutcome::Created(_)));
        Store { _directory: directory, path }
    }

    fn writer(&self) -> GitWriter {
        GitWriter::open(&self.path, options()).unwrap()
    }

    fn git(&self, args: &[&str]) -> String {
        git(&self.path, args)
    }

    fn fsck(&self) {
        let said = self.git(&["fsck", "--full", "--strict", "--no-dangling"]);
        assert_eq!(said, "", "fsck has something to say");
    }

    fn in_tree(&self) -> BTreeMap<String, String> {
        let listed = self.git(&["ls-tree", "-r", "main"]);
        let file = |line: &str| {
            let (meta, path) = line.split_once('\t').unwrap();
            (path.to_owned(), self.git(&["cat-file", "blob", meta.split(' ').nth(2).unwrap()]))
        };
        listed.lines().map(file).collect()
    }

    /// A person clones, changes something, commits and pushes.
    fn push(&self, change: impl FnOnce(&Path)) {
        let clone = tempfile::tempdir().unwrap();
        run(Command::new("git").args(["clone", "-q"]).arg(&self.path).arg(clone.path()));
        change(clone.path());
        git(clone.path(), &["add", "-A"]);
        git(
            clone.path(),
            &["-c", "user.name=Ann", "-c", "user.email=ann@example.org", "commit", "-q", "-m", "By hand"],
        );
        git(clone.path(), &["push", "-q", "origin", "HEAD:main"]);
    }
}

fn git(at: &Path, args: &[&str]) -> String {
    let output = run(Command::new("git").arg("-C").arg(at).args(args));
    String::from_utf8(output.stdout).unwrap()
}

fn run(command: &mut Command) -> Output {
    let output = command.output().unwrap();
    assert!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
    output
}

fn writes(files: &[(&str, &str)]) -> ChangeSet {
    let write = |(path, content): &(&str, &str)| FileWrite { path: (*path).into(), content: content.as_bytes().into() };
    ChangeSet {
        writes: files.iter().map(write).collect(),
        subject: format!("Record {} decisions", files.len()),
        body: "From the stream.".into(),
        trailers: vec![("Source".into(), "asdlc:events:hitl_decisions 1700000000000-3".into())],
        ..ChangeSet::default()
    }
}

fn removes(paths: &[&str]) -> ChangeSet {
    ChangeSet { removes: paths.iter().map(|p| (*p).into()).collect(), subject: "Remove".into(), ..ChangeSet::default() }
}

/// Commits on top of the current head.
fn commit(writer: &mut GitWriter, change: &ChangeSet) -> CommitId {
    let head = writer.head().unwrap();
    match writer.commit(head.as_ref(), change).unwrap() {
        CommitOutcome::Committed(id) => id,
        other => panic!("{other:?}"),
    }
}

fn changes(reader: &dyn StoreReader, from: Option<&CommitId>, to: &CommitId) -> Vec<(String, Option<String>)> {
    let mut found = Vec::new();
    let visit = &mut |c: feedbackd::ports::FileChange| {
        found.push((c.path, c.content.map(|c| String::from_utf8(c).unwrap())));
        Ok(())
    };
    reader.for_each_change(from, to, visit).unwrap();
    found
}

#[test]
fn a_commit_is_sound_and_reads_well() {
    let store = Store::new();
    let mut writer = store.writer();
    let id = commit(&mut writer, &writes(&[("feedback/decisions/HITL-1/a.yaml", "a: 1\n"), ("feedback/b.yaml", "")]));
    store.fsck();
    assert_eq!(store.git(&["rev-parse", "main"]).trim(), id.0);
    insta::assert_snapshot!(store.git(&["log", "--reverse", "--format=%an <%ae> %ct%n%B%(trailers:key=Source)", "--stat"]), @r"
    feedbackd <feedbackd@localhost> 1795000000
    Create the store


     README.md      | 1 +
     reviewers.yaml | 1 +
     2 files changed, 2 insertions(+)
    feedbackd <feedbackd@localhost> 1795000000
    Record 2 decisions

    From the stream.

    Source: asdlc:events:hitl_decisions 1700000000000-3
    Source: asdlc:events:hitl_decisions 1700000000000-3


     feedback/b.yaml                  | 0
     feedback/decisions/HITL-1/a.yaml | 1 +
     2 files changed, 1 insertion(+)
    ");
    let clone = tempfile::tempdir().unwrap();
    run(Command::new("git").args(["clone", "-q"]).arg(&store.path).arg(clone.path()));
    assert_eq!(fs::read_to_string(clone.path().join("feedback/decisions/HITL-1/a.yaml")).unwrap(), "a: 1\n");
    for entry in fs::read_dir(store.path.join("objects/pack")).unwrap().map(|e| e.unwrap().path()) {
        if entry.extension().is_some_and(|e| e == "idx") {
            run(Command::new("git").arg("verify-pack").arg(&entry));
            let again = clone.path().join("again.idx");
            run(Command::new("git")
                .arg("-C")
                .arg(&store.path)
                .args(["index-pack", "--strict", "-o"])
                .arg(&again)
                .arg(entry.with_extension("pack")));
            assert_eq!(fs::read(&again).unwrap(), fs::read(&entry).unwrap(), "Git would write the same index");
            fs::remove_file(again).unwrap();
        }
    }
}

#[test]
fn a_repeated_batch_changes_nothing() {
    let store = Store::new();
    let batch = writes(&[("feedback/a/b.yaml", "x"), ("feedback/c.yaml", "y")]);
    let mut writer = store.writer();
    let id = commit(&mut writer, &batch);
    let before = count_files(&store.path);
    assert_eq!(writer.commit(Some(&id), &batch).unwrap(), CommitOutcome::Unchanged(id.clone()));
    drop(writer);
    let mut writer = store.writer();
    assert_eq!(writer.commit(Some(&id), &batch).unwrap(), CommitOutcome::Unchanged(id.clone()));
    assert_eq!(
        writer.commit(Some(&id), &removes(&["feedback/no/such", "../x", ""])).unwrap(),
        CommitOutcome::Unchanged(id)
    );
    assert_eq!(count_files(&store.path), before);
}

#[test]
fn removed_files_take_empty_directories_with_them() {
    let store = Store::new();
    let mut writer = store.writer();
    let whole = commit(&mut writer, &writes(&[("feedback/rules/proposed/R.yaml", "r"), ("feedback/x", "x")]));
    let mut change = writes(&[("feedback/rules/active/R.yaml", "r")]);
    change.removes = vec!["feedback/rules/proposed/R.yaml".into()];
    let moved = commit(&mut writer, &change);
    let listed = store.git(&["ls-tree", "-r", "-t", "--name-only", "main", "feedback"]);
    assert_eq!(listed, "feedback\nfeedback/rules\nfeedback/rules/active\nfeedback/rules/active/R.yaml\nfeedback/x\n");
    assert_eq!(
        changes(&writer, Some(&whole), &moved),
        [("feedback/rules/active/R.yaml".into(), Some("r".into())), ("feedback/rules/proposed/R.yaml".into(), None)]
    );
    store.fsck();
}

#[test]
fn a_persons_commit_is_taken_up() {
    let store = Store::new();
    let mut writer = store.writer();
    let first = commit(&mut writer, &writes(&[("feedback/a.yaml", "a")]));
    store.push(|clone| fs::write(clone.join("reviewers.yaml"), "reviewers: [ann]\n").unwrap());
    store.git(&["pack-refs", "--all"]);
    let batch = writes(&[("feedback/b.yaml", "b")]);
    let packs = count_files(&store.path.join("objects/pack"));
    let CommitOutcome::Moved(theirs) = writer.commit(Some(&first), &batch).unwrap() else { panic!("not moved") };
    assert_eq!(count_files(&store.path.join("objects/pack")), packs, "nothing was written");
    assert_eq!(changes(&writer, Some(&first), &theirs), [("reviewers.yaml".into(), Some("reviewers: [ann]\n".into()))]);
    assert!(matches!(writer.commit(Some(&theirs), &batch).unwrap(), CommitOutcome::Committed(_)));
    assert_eq!(store.git(&["show", "main:reviewers.yaml"]), "reviewers: [ann]\n");
    assert_eq!(
        store.git(&["log", "--format=%s"]),
        "Record 1 decisions\nBy hand\nRecord 1 decisions\nCreate the store\n"
    );
    store.fsck();
}

#[test]
fn readers_see_commits_and_survive_a_foreign_gc() {
    let store = Store::new();
    let reader = GitReader::open(&store.path).unwrap();
    let mut writer = store.writer();
    let mut ids = Vec::new();
    for n in 0..20 {
        ids.push(commit(&mut writer, &writes(&[(format!("feedback/{n}.yaml").as_str(), "x")])));
        assert_eq!(reader.head().unwrap().as_ref(), ids.last());
        assert_eq!(reader.read(ids.last().unwrap(), &format!("feedback/{n}.yaml")).unwrap().unwrap(), b"x");
        if n % 5 == 0 {
            store.git(&["gc", "-q"]);
        }
    }
    store.git(&["repack", "-a", "-d", "-q"]);
    let last = ids.last().unwrap();
    assert_eq!(changes(&reader, None, last).len(), 21, "twenty records and the roster");
    assert_eq!(reader.read(&ids[3], "feedback/4.yaml").unwrap(), None);
    assert_eq!(reader.read(last, "feedback").unwrap(), None);
    assert_eq!(reader.read(last, "feedback/4.yaml/x").unwrap(), None);
    let gone = CommitId("1".repeat(40));
    let unknown = reader.for_each_change(Some(&gone), last, &mut |change| panic!("{change:?}"));
    assert!(matches!(unknown, Err(StoreError::Git(why)) if why.contains("there is no commit 1111")));
    assert!(matches!(reader.read(&gone, "x"), Err(StoreError::Git(_))));
    assert_eq!(
        reader.commits(Some(&ids[16]), last).unwrap().iter().map(|c| c.id.clone()).collect::<Vec<_>>(),
        ids[17..]
    );
    assert_eq!(reader.commits(None, last).unwrap().len(), 21);
    assert_eq!(reader.commits(Some(last), last).unwrap(), []);
}

#[test]
fn history_continues_over_a_persons_merge() {
    let store = Store::new();
    let mut writer = store.writer();
    let clone = tempfile::tempdir().unwrap();
    run(Command::new("git").args(["clone", "-q"]).arg(&store.path).arg(clone.path()));
    let ours = commit(&mut writer, &writes(&[("feedback/a.yaml", "a")]));
    fs::write(clone.path().join("note.md"), "n").unwrap();
    git(clone.path(), &["add", "-A"]);
    let me = ["-c", "user.name=Ann", "-c", "user.email=ann@example.org"];
    git(clone.path(), &[&me[..], &["commit", "-q", "-m", "Note"]].concat());
    git(clone.path(), &[&me[..], &["pull", "-q", "--no-rebase", "--no-edit", "origin", "main"]].concat());
    git(clone.path(), &["push", "-q", "origin", "HEAD:main"]);
    let head = writer.head().unwrap().unwrap();
    let subjects: Vec<_> = writer.commits(Some(&ours), &head).unwrap().into_iter().map(|c| c.subject).collect();
    assert_eq!(subjects.len(), 2, "{subjects:?}");
    assert_eq!(subjects[0], "Note");
}

#[test]
fn one_writer_and_stale_locks() {
    let store = Store::new();
    let writer = store.writer();
    assert!(matches!(GitWriter::open(&store.path, options()), Err(StoreError::Locked { .. })));
    drop(writer);
    let old = SystemTime::now() - DAY;
    let pack_dir = store.path.join("objects/pack");
    let orphan = format!("pack-{}.pack", "a".repeat(40));
    let young = format!("pack-{}.pack", "b".repeat(40));
    let stale =
        ["refs/heads/main.lock", "HEAD.lock", "packed-refs.lock", "config.lock"].map(|name| store.path.join(name));
    let left = [pack_dir.join("tmp_feedbackd_pack_1"), pack_dir.join(orphan)];
    for path in stale.iter().chain(&left) {
        File::create(path).unwrap().set_modified(old).unwrap();
    }
    // A person's push in progress.
    fs::write(pack_dir.join(&young), "").unwrap();
    fs::write(pack_dir.join("tmp_pack_XyZ"), "").unwrap();
    // Left behind a moment ago.
    fs::write(store.path.join("refs/heads/main.lock"), "").unwrap();
    let mut writer = store.writer();
    assert!(stale.iter().chain(&left).all(|path| !path.exists()));
    assert!(pack_dir.join(young).exists() && pack_dir.join("tmp_pack_XyZ").exists());
    commit(&mut writer, &writes(&[("feedback/a.yaml", "a")]));
}

#[test]
fn a_held_branch_is_an_error_that_passes() {
    let store = Store::new();
    let mut writer = store.writer();
    let lock = store.path.join("refs/heads/main.lock");
    fs::write(&lock, "").unwrap();
    let head = writer.head().unwrap();
    let batch = writes(&[("feedback/a.yaml", "a")]);
    assert!(matches!(writer.commit(head.as_ref(), &batch), Err(StoreError::Git(_))));
    assert_eq!(writer.head().unwrap(), head);
    fs::remove_file(lock).unwrap();
    commit(&mut writer, &batch);
    store.fsck();
}

#[test]
fn hostile_paths_are_never_written() {
    let store = Store::new();
    let mut writer = store.writer();
    let head = writer.head().unwrap();
    for path in
        ["", "../x", "a/../../x", "/etc/x", ".git/config", "a/.GIT/x", "a\nb", "x:y", "a\\b", "a//b", "\u{202e}x"]
    {
        let outcome = writer.commit(head.as_ref(), &writes(&[("feedback/good", "x"), (path, "x")]));
        assert!(matches!(outcome, Err(StoreError::Git(_))), "{path:?}: {outcome:?}");
    }
    commit(&mut writer, &writes(&[("feedback/good", "x")]));
    assert_eq!(store.in_tree().len(), 3);
}

#[test]
fn init_never_changes_what_is_there() {
    let store = Store::new();
    let head = GitReader::open(&store.path).unwrap().head().unwrap().unwrap();
    let config = fs::read_to_string(store.path.join("config")).unwrap();
    let again = init(&store.path, &[("other".into(), vec![])], "main", options(), false).unwrap();
    assert_eq!(again, InitOutcome::Existing(head));
    assert_eq!(fs::read_to_string(store.path.join("config")).unwrap(), config);
    for (key, value) in [
        ("gc.auto", "0"),
        ("receive.denyNonFastForwards", "true"),
        ("receive.denyDeletes", "true"),
        ("core.bare", "true"),
    ] {
        assert_eq!(store.git(&["config", key]).trim(), value, "{key}");
    }
    assert_eq!(fs::read_to_string(store.path.join("HEAD")).unwrap(), "ref: refs/heads/main\n");

    let other = tempfile::tempdir().unwrap();
    fs::write(other.path().join("file"), "precious").unwrap();
    let refused = init(other.path(), &[], "main", options(), false).unwrap_err();
    assert!(refused.to_string().contains("not empty and not a store"), "{refused}");
    assert_eq!(count_files(other.path()), 1);

    let worktree = tempfile::tempdir().unwrap();
    git(worktree.path(), &["init", "-q"]);
    let refused = init(worktree.path(), &[], "main", options(), false).unwrap_err();
    assert!(refused.to_string().contains("has a worktree"), "{refused}");
    assert!(matches!(GitWriter::open(worktree.path(), options()), Err(StoreError::Git(_))));

    let foreign = tempfile::tempdir().unwrap();
    git(foreign.path(), &["init", "-q", "--bare"]);
    let tree = git(foreign.path(), &["hash-object", "-t", "tree", "-w", "/dev/null"]);
    let made =
        git(foreign.path(), &["-c", "user.name=A", "-c", "user.email=a@b", "commit-tree", "-m", "x", tree.trim()]);
    git(foreign.path(), &["update-ref", "HEAD", made.trim()]);
    assert!(init(foreign.path(), &[], "main", options(), false).unwrap_err().to_string().contains("but not a store"));

    assert!(matches!(GitReader::open(Path::new("/no/such/store")), Err(StoreError::Missing { .. })));
    assert!(init(&other.path().join("new"), &[], "a..b", options(), false).is_err());
}

#[test]
fn an_interrupted_init_is_completed() {
    let directory = tempfile::tempdir().unwrap();
    git(directory.path(), &["init", "-q", "--bare", "-b", "other"]);
    assert!(matches!(init(directory.path(), &[], "main", options(), false).unwrap(), InitOutcome::Created(_)));
    assert_eq!(git(directory.path(), &["config", "gc.auto"]), "0\n");
    assert_eq!(git(directory.path(), &["log", "--format=%s", "main"]), "Create the store\n");
}

#[test]
fn maintenance_combines_packs_and_keeps_everything() {
    let store = Store::new();
    let mut writer = GitWriter::open(&store.path, WriterOptions { max_packs: 10, ..options() }).unwrap();
    let reader = GitReader::open(&store.path).unwrap();
    let mut ids = Vec::new();
    for n in 0..45 {
        ids.push(commit(
            &mut writer,
            &writes(&[(format!("feedback/{}/{n}.yaml", n % 7).as_str(), &format!("n: {n}\n"))]),
        ));
        writer.maintain().unwrap();
        if n == 30 {
            store.push(|clone| fs::write(clone.join("note.md"), "by hand").unwrap());
        }
        assert!(count_files(&store.path.join("objects/pack")) < 60);
    }
    assert!(store.path.join("objects/pack/multi-pack-index").exists());
    store.fsck();
    for r in [&reader as &dyn StoreReader, &writer, &GitReader::open(&store.path).unwrap()] {
        assert_eq!(changes(r, None, ids.last().unwrap()).len(), 46);
        assert_eq!(r.commits(None, ids.last().unwrap()).unwrap().len(), 47);
    }
}

#[test]
fn commits_go_on_while_packs_are_combined_and_what_hangs_is_stopped() {
    let store = Store::new();
    let begun = store.path.with_file_name("begun");
    // A Git that hangs.
    let hangs = store.path.with_file_name("git-that-hangs");
    fs::write(&hangs, format!("#!/bin/sh\ntouch '{}'\nexec sleep 3600\n", begun.display())).unwrap();
    fs::set_permissions(&hangs, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let limit = Duration::from_millis(1);
    let slow = WriterOptions { max_packs: 2, git: hangs.clone(), ..options() };
    let mut writer = GitWriter::open(&store.path, slow.clone()).unwrap();
    for n in 0..4 {
        commit(&mut writer, &writes(&[(format!("feedback/{n}.yaml").as_str(), "n: 1\n")]));
    }
    writer.maintain().unwrap();
    wait_until("it is at work", || begun.exists());
    for n in 4..8 {
        commit(&mut writer, &writes(&[(format!("feedback/{n}.yaml").as_str(), "n: 1\n")]));
        writer.maintain().unwrap();
    }
    drop(writer);

    let mut writer = GitWriter::open(&store.path, WriterOptions { maintenance_limit: limit, ..slow }).unwrap();
    writer.maintain().unwrap();
    let mut told = None;
    wait_until("it is stopped", || {
        told = writer.maintain().err();
        told.is_some()
    });
    let told = told.unwrap().to_string();
    assert!(told.contains("combining packs was stopped after"), "{told}");
    commit(&mut writer, &writes(&[("feedback/8.yaml", "n: 1\n")]));
    store.fsck();
}

fn count_files(at: &Path) -> usize {
    let entries = fs::read_dir(at).unwrap().map(|e| e.unwrap().path());
    entries.map(|path| if path.is_dir() { count_files(&path) } else { 1 }).sum()
}
