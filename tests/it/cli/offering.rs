//! Pull requests for rules, from the rules in force to the resulting state on each kind of forge.

use crate::app::reindex::{commit, made, text};
use crate::harness::forge::{Answered, Asked, ForgeServer};
use crate::harness::repository::{Files, Repository};
use feedbackd::adapters::index::SqliteFiles;
use feedbackd::adapters::memory::MemoryStore;
use feedbackd::app::queries::reader::{CompareAccess, ReadAccess, ReindexAccess};
use feedbackd::cli::{CliError, Exit, Opener, Output, invoke};
use feedbackd::config::{Config, load};
use feedbackd::domain::records::layout;
use feedbackd::domain::records::record::{Approval, ProposalRecord, ProposalStatus, Stored};
use feedbackd::domain::testing::sample::{self, moment};
use std::cell::{Cell, RefCell};
use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};

const BRANCH: &str = "feedbackd/rules/coding-agent";

/// A forge of a kind, and a user who runs the command with rules in force.
struct World {
    repository: Arc<Mutex<Repository>>,
    server: ForgeServer,
    config: Config,
    store: RefCell<MemoryStore>,
    directory: tempfile::TempDir,
    writes: Cell<usize>,
}

impl World {
    fn new(kind: &'static str, files: &str) -> World {
        World::behind(kind, files, |_| None)
    }

    /// Creates the same with an intermediary that answers some requests instead of the forge, or cuts the connection
    /// afterwards.
    fn behind(
        kind: &'static str,
        files: &str,
        between: impl Fn(&Asked) -> Option<Between> + Send + Sync + 'static,
    ) -> World {
        let repository = Arc::new(Mutex::new(Repository::new(kind)));
        let base = repository.lock().unwrap().base();
        let answering = Arc::clone(&repository);
        let answer = move |asked: &Asked| answering.lock().expect("no thread panicked").answer(asked);
        let server = ForgeServer::start(move |_, asked| match between(asked) {
            Some(Between::Instead(answered)) => answered,
            Some(Between::Cut) => Answered { cut: Some(1), ..answer(asked) },
            None => answer(asked),
        });
        let directory = tempfile::tempdir().unwrap();
        let path = |name: &str| directory.path().join(name).display().to_string();
        fs::write(path("token"), "secret-token").unwrap();
        let config = format!(
            "[http]\npublic_url = \"https://rules.example.org\"\n[[forges.connected]]\nname = \"git\"\n\
             kind = \"{kind}\"\nsecret_files = [\"{}\"]\napi_url = \"{}{base}\"\ntoken_file = \"{}\"\n\
             [[forges.targets]]\nforge = \"git\"\nrepository = \"team/shop\"\nagent = \"coding-agent\"\n\
             files = [{files}]\n",
            path("secret"),
            server.url(),
            path("token")
        );
        fs::write(path("config.toml"), config).unwrap();
        let config = load(Some(Path::new(&path("config.toml"))), &Vec::new().into_iter().collect()).expect("valid");
        let store = RefCell::new(MemoryStore::new());
        World { repository, server, config, store, directory, writes: Cell::new(0) }
    }

    fn repository(&self) -> MutexGuard<'_, Repository> {
        self.repository.lock().expect("no thread panicked")
    }

    /// Puts exactly these rules in force from now on.
    fn rules(&self, rules: &[(u32, &str)]) {
        let mut store = MemoryStore::new();
        let rule = |(n, content): &(u32, &str)| {
            let approval = |who: &str| Approval {
                reviewer_id: who.into(),
                review_id: format!("{who}-{n}"),
                content_hash: String::new(),
                at: moment(*n),
                wrote_evidence: false,
                signed: false,
            };
            let rule = ProposalRecord {
                status: ProposalStatus::Active,
                rule_content: (*content).into(),
                affected_agents: vec!["coding-agent".into()],
                activated_at: Some(moment(*n)),
                approvals: vec![approval("ann"), approval("cleo")],
                ..sample::proposal(*n)
            };
            (layout::rule(&rule.proposal_id, rule.status), text(&Stored::from(rule)))
        };
        let mut written: Vec<(String, String)> = rules.iter().map(rule).collect();
        written.push((layout::ROSTER.into(), "reviewers: [{id: ana, roles: [reviewer]}]\n".into()));
        commit(&mut store, &written);
        *self.store.borrow_mut() = store;
    }

    fn run(&self, arguments: &[&str]) -> (Exit, String, String) {
        let (mut out, mut err) = (vec![], vec![]);
        let arguments = ["feedbackd", "rules", "offer"].iter().chain(arguments).map(|word| (*word).into());
        let exit = invoke(arguments, self, &mut Output::new(&mut out, &mut err, None));
        let (out, err) = (String::from_utf8(out).unwrap(), String::from_utf8(err).unwrap());
        assert!(!out.contains("secret-token") && !err.contains("secret-token"));
        (exit, out, err)
    }

    /// Runs one round; returns its first line, and how many changes it sent.
    fn offer(&self) -> (String, usize) {
        let (exit, out, err) = self.run(&[]);
        assert_eq!(exit, Exit::Ok, "{out}{err}");
        let said = out.lines().next().unwrap_or_default().split(": ").nth(1).unwrap_or_default();
        (said.split(';').next().unwrap_or_default().to_owned(), self.sent())
    }

    /// Returns how many changes were sent since the last call.
    fn sent(&self) -> usize {
        let now = self.server.asked().iter().filter(|asked| asked.method != "GET").count();
        now - self.writes.replace(now)
    }

    fn agents_md(&self, branch: &str) -> String {
        self.repository().at(branch)["AGENTS.md"].1.clone()
    }
}

impl Opener for World {
    fn config(&self, _: Option<&Path>) -> Result<Config, CliError> {
        Ok(self.config.clone())
    }

    fn reading(&self, _: Option<&Path>) -> Result<ReadAccess, CliError> {
        let files = SqliteFiles { path: self.directory.path().join("index.db"), made: made() };
        Ok(ReadAccess::open(Box::new(self.store.borrow().clone()), &files)?)
    }

    fn comparing(&self, _: Option<&Path>) -> Result<CompareAccess, CliError> {
        unreachable!("nothing is compared")
    }

    fn reindexing(&self, _: Option<&Path>) -> Result<ReindexAccess, CliError> {
        unreachable!("no index is made")
    }
}

/// An intermediary before the forge.
enum Between {
    /// It answers instead of the forge.
    Instead(Answered),
    /// The forge acts, but its answer is cut off.
    Cut,
}

fn set(files: &mut Files, path: &str, mode: &str, content: &str) {
    files.insert(path.to_owned(), (mode.to_owned(), content.to_owned()));
}

const OPENED: &str = "a pull request was opened";
const RENEWED: &str = "the pull request was updated";
const CLOSED: &str = "no rules are left";

/// Goes from the first rule to the last, on a forge of that kind.
fn life(kind: &'static str) {
    let world = World::new(kind, "\"AGENTS.md\", \".github/copilot-instructions.md\"");
    let first = (1, "Handle errors of every call.");
    world.rules(&[first]);
    assert_eq!(world.offer().0, OPENED);
    {
        let repository = world.repository();
        let pull = repository.open().expect("it is open");
        assert_eq!((pull.head.as_str(), pull.base.as_str(), pull.number), (BRANCH, "main", 1));
        assert_eq!(pull.title, "Learned rules for coding-agent: 1 new");
        assert!(pull.body.contains("approved by `ann`, `cleo`"), "{}", pull.body);
        let files = repository.at(BRANCH);
        assert!(files["AGENTS.md"].1.starts_with("# Shop\n\n<!-- feedbackd:begin -->"));
        assert!(files[".github/copilot-instructions.md"].1.contains("Handle errors of every call."));
        assert_eq!(files["src/main.rs"].1, "fn main() {}\n");
        assert_eq!(repository.at("main")["AGENTS.md"].1, "# Shop\n", "the base is left alone");
    }
    assert_eq!(world.offer(), ("up to date".to_owned(), 0));

    // A rule is added, then people change the file on the base branch.
    let both = [first, (2, "Validate input.")];
    world.rules(&both);
    assert_eq!(world.offer().0, RENEWED);
    assert!(world.agents_md(BRANCH).contains("Validate input."));
    assert_eq!(world.repository().open().expect("it is open").title, "Learned rules for coding-agent: 2 new");
    assert_eq!(world.offer(), ("up to date".to_owned(), 0));
    world.repository().push("main", "Say more", |files| set(files, "AGENTS.md", "100644", "# Shop\n\nBe kind.\n"));
    assert_eq!(world.offer().0, RENEWED);
    assert!(world.agents_md(BRANCH).starts_with("# Shop\n\nBe kind.\n\n<!--"));
    assert_eq!(world.offer(), ("up to date".to_owned(), 0));
    assert_eq!(world.repository().pulls.len(), 1, "it is always the same one");

    // A person commits to our branch, or amends it: that is kept.
    let ours = world.repository().branches[BRANCH].clone();
    for amends in [false, true] {
        let edit = |files: &mut Files| set(files, "CHANGES.md", "100644", "Mine\n");
        match amends {
            true => world.repository().amend(BRANCH, edit),
            false => world.repository().push(BRANCH, "Mine", edit),
        }
        world.rules(&[first, (3, "Name units.")]);
        assert_eq!(world.offer(), ("left alone".to_owned(), 0));
        let (_, told, _) = world.run(&[]);
        assert!(told.contains("another author committed to the branch"), "{told}");
        assert!(world.repository().at(BRANCH).contains_key("CHANGES.md"));
        world.repository().branches.insert(BRANCH.to_owned(), ours.clone());
    }
    assert_eq!(world.offer().0, RENEWED);

    // A person closes it: it stays closed until the rules change, whatever happens to the base, even without its
    // branch.
    world.repository().pulls[0].state = "closed";
    assert_eq!(world.offer(), ("left alone".to_owned(), 0));
    world.repository().push("main", "Say less", |files| set(files, "AGENTS.md", "100644", "# The shop\n"));
    world.repository().branches.remove(BRANCH);
    assert_eq!(world.offer(), ("left alone".to_owned(), 0));
    world.rules(&both);
    assert_eq!(world.offer().0, OPENED);
    assert_eq!(world.repository().open().expect("another one").number, 2);

    // It is merged: the branch is deleted, and the next rule gets its own pull request.
    world.repository().merge();
    assert!(world.offer().0.starts_with(CLOSED));
    assert!(!world.repository().branches.contains_key(BRANCH));
    assert_eq!(world.offer(), ("up to date".to_owned(), 0));
    world.rules(&[both[0], both[1], (4, "Close what you open.")]);
    assert_eq!(world.offer().0, OPENED);
    assert_eq!(world.repository().open().expect("a third one").title, "Learned rules for coding-agent: 1 new");

    // The rule is gone before a merge: nothing is left to propose. That was no rejection.
    world.rules(&both);
    assert!(world.offer().0.starts_with(CLOSED));
    assert_eq!(world.repository().pulls[2].state, "closed");
    assert_eq!(world.offer(), ("up to date".to_owned(), 0));
    world.rules(&[both[0], both[1], (4, "Close what you open.")]);
    assert_eq!(world.offer().0, OPENED);

    // No rule is left: the section is removed, and with it a file that held nothing else.
    world.rules(&[]);
    assert_eq!(world.offer().0, RENEWED);
    assert_eq!(world.agents_md(BRANCH), "# The shop\n");
    assert!(!world.repository().at(BRANCH).contains_key(".github/copilot-instructions.md"));
    world.repository().merge();
    assert!(world.offer().0.starts_with(CLOSED));
    assert_eq!(world.agents_md("main"), "# The shop\n");
    assert_eq!(world.offer(), ("up to date".to_owned(), 0));
}

#[test]
fn on_github_a_pull_request_is_opened_renewed_and_closed() {
    life("github");
}

#[test]
fn on_gitea_a_pull_request_is_opened_renewed_and_closed() {
    life("gitea");
}

#[test]
fn on_forgejo_a_pull_request_is_opened_renewed_and_closed() {
    life("forgejo");
}

#[test]
fn on_gitlab_a_merge_request_is_opened_renewed_and_closed() {
    life("gitlab");
}

#[test]
fn a_dry_run_prints_all_and_sends_nothing() {
    let world = World::new("github", "\"AGENTS.md\"");
    world.rules(&[(1, "Handle errors of every call.")]);
    let (exit, out, _) = world.run(&["--dry-run"]);
    assert_eq!((exit, world.sent()), (Exit::Ok, 0));
    insta::assert_snapshot!(out, @r"
    team/shop (git), coding-agent: a pull request would be opened; 7 requests

    Learned rules for coding-agent: 1 new

    The rules in force for `coding-agent`, for agents to read in `AGENTS.md`. Each comes from reviewers' comments and was approved by people. Only the section between the markers changes.

    ### New

    - [`RULE-2026-0001`](<https://rules.example.org/rules/RULE-2026-0001>) `Handle errors of every call.`
      2 comments by 2 reviewers; approved by `ann`, `cleo`.

    ---
    If you merge it, agents read the rules. If you close it, it stays closed until the rules change. It is updated automatically until you commit to its branch.

    <!-- feedbackd-rules: b6cd324a0bb1 37dcb8b6aace -->

    --- a/AGENTS.md
    +++ b/AGENTS.md
    @@ -1 +1,10 @@
     # Shop
    +
    +<!-- feedbackd:begin -->
    +<!-- Generated by `feedbackd rules export`. The next export overwrites changes made here. -->
    +
    +## Learned Rules (from feedback)
    +
    +- Handle errors of every call. (RULE-2026-0001)
    +
    +<!-- feedbackd:end -->
    ");
    let (exit, _, err) = world.run(&["team/other"]);
    assert_eq!(exit, Exit::Usage);
    assert!(err.contains("no such target is configured"), "{err}");
}

#[test]
fn links_and_broken_markers_are_left_alone_and_told() {
    for kind in ["github", "gitea", "gitlab"] {
        let world = World::new(kind, "\"AGENTS.md\", \"CLAUDE.md\", \".cursor/rules/feedbackd.mdc\"");
        let broken = "<!-- feedbackd:begin -->\nhalf\n";
        world.repository().push("main", "Link", |files| {
            set(files, "CLAUDE.md", "120000", "AGENTS.md");
            set(files, ".cursor/rules/feedbackd.mdc", "100644", broken);
        });
        world.rules(&[(1, "Handle errors of every call.")]);
        let (exit, out, _) = world.run(&[]);
        assert_eq!(exit, Exit::Ok, "{out}");
        assert!(out.contains("CLAUDE.md: it is a link") && out.contains("has no `<!-- feedbackd:end -->`"), "{out}");
        let files = world.repository().at(BRANCH);
        assert_eq!(files["CLAUDE.md"], ("120000".to_owned(), "AGENTS.md".to_owned()));
        assert_eq!(files[".cursor/rules/feedbackd.mdc"].1, broken);
        assert!(files["AGENTS.md"].1.contains("Handle errors"));
        let parents = world.repository().head(BRANCH).parents.len();
        assert_eq!((parents, world.repository().pulls.len()), (1, 1));
    }
}

#[test]
fn what_breaks_off_is_gone_on_with_and_nothing_is_done_twice() {
    for (kind, place) in [("github", "/git/refs"), ("github", "/pulls"), ("gitea", "/contents"), ("gitlab", "/commits")]
    {
        let cuts = AtomicUsize::new(1);
        let world = World::behind(kind, "\"AGENTS.md\"", move |asked| {
            let is_meant = asked.method == "POST" && asked.path.ends_with(place);
            (is_meant && cuts.swap(0, Ordering::SeqCst) == 1).then_some(Between::Cut)
        });
        world.rules(&[(1, "Handle errors of every call.")]);
        let (exit, _, err) = world.run(&[]);
        assert_eq!(exit, Exit::Unavailable, "{err}");
        let head = world.repository().branches[BRANCH].clone();
        let said = world.offer().0;
        assert_eq!(said, if place == "/pulls" { "up to date" } else { OPENED });
        let repository = world.repository();
        assert_eq!((&repository.branches[BRANCH], repository.pulls.len()), (&head, 1), "{kind} {place}");
    }
}

#[test]
fn a_change_waits_for_a_limit_and_follows_nothing() {
    let limits = AtomicUsize::new(1);
    let world = World::behind("github", "\"AGENTS.md\"", move |asked| {
        let is_first = asked.method == "POST" && limits.swap(0, Ordering::SeqCst) == 1;
        is_first.then(|| Between::Instead(Answered::status(429).with("retry-after", "1")))
    });
    world.rules(&[(1, "Handle errors of every call.")]);
    assert_eq!(world.offer().0, OPENED);

    // If followed, a change would become a query, and its answer look like success.
    let moved = World::behind("github", "\"AGENTS.md\"", |asked| {
        let to = asked.path.replace("/shop/", "/store/");
        (asked.method != "GET").then(|| Between::Instead(Answered::status(301).with("location", to)))
    });
    moved.rules(&[(1, "Handle errors of every call.")]);
    let (exit, _, err) = moved.run(&[]);
    assert_eq!((exit, moved.sent()), (Exit::Unavailable, 1));
    assert!(err.contains("HTTP status 301") && err.contains("check api_url and the repository's name"), "{err}");
}

#[test]
fn targets_that_cannot_work_are_refused_with_the_configuration() {
    let forge = |name: &str, more: &str| {
        format!("[[forges.connected]]\nname = \"{name}\"\nkind = \"github\"\nsecret_files = [\"/s\"]\n{more}\n")
    };
    let forges = forge("hub", "token_file = \"/t\"") + &forge("open", "");
    let target = |forge: &str, agent: &str, more: &str| {
        format!("[[forges.targets]]\nforge = \"{forge}\"\nrepository = \"team/shop\"\nagent = \"{agent}\"\n{more}\n")
    };
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("config.toml");
    let check = |targets: &str| {
        fs::write(&path, forges.clone() + targets).unwrap();
        load(Some(&path), &Vec::new().into_iter().collect()).err().map(|error| error.to_string())
    };
    let one = target("hub", "coder", "");
    assert_eq!(check(&one), None);
    assert_eq!(check(&(one.clone() + &target("hub", "tester", "files = [\"CLAUDE.md\"]"))), None);
    for (targets, says) in [
        (target("lab", "coder", ""), "must be the `name` of one of [[forges.connected]]"),
        (target("open", "coder", ""), "needs a `token_file`"),
        (one.clone() + &target("hub", "coder", "base = \"next\""), "both would use one branch"),
        (one.clone() + &target("hub", "tester", ""), "another target writes one of its files"),
        (target("hub", "coder", "files = [\"README.md\"]"), "README.md"),
        (target("hub", "coder", "files = []"), "must name at least one file"),
        (target("hub", "coder", "base = \"feedbackd/rules/coder\""), "must not be one of feedbackd's own branches"),
    ] {
        let error = check(&targets).expect("it is refused");
        assert!(error.contains(says) && error.contains("forges.targets"), "{error}");
    }
}
