//! `doctor`: looks at everything the daemon needs, and says what is wrong and how to mend it.
//!
//! It only looks: nothing is made, repaired or written, except a file of its own that it removes at once.

use super::context::Context;
use super::exit::{CliError, Exit};
use super::output::Output;
use super::page::count;
use crate::app::pipeline::{self, CatalogueFiles};
use crate::app::queries::{QueryError, RuleFile};
use crate::config::Config;
use crate::domain::ids::Gate;
use crate::domain::language::catalogue::Layers;
use crate::domain::records::layout;
use crate::domain::rules::lifecycle::roster::{Reviewer, Roster};
use crate::wiring;
use serde::Serialize;
use std::path::Path;

/// How a check came out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
enum Verdict {
    Ok,
    Warning,
    Problem,
}

#[derive(Debug, PartialEq, Eq, Serialize)]
struct Check {
    name: &'static str,
    verdict: Verdict,
    finding: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    hint: String,
}

/// Runs all checks. Exit code 1 where there is a problem.
pub fn run(context: &Context<'_>, out: &mut Output<'_>) -> Result<Exit, CliError> {
    let mut checks = Vec::new();
    match context.config() {
        Err(error) => checks.push(problem("configuration", error.message, error.hint)),
        Ok(config) => {
            checks.push(ok("configuration", "every key is right"));
            check_redis(&config, &mut checks);
            check_store(&config, &mut checks);
            checks.push(check_understanding(&config));
            checks.extend(check_catalogue(&config));
            checks.push(check_model(&config));
            checks.push(check_state(&config));
            checks.extend(check_corrections(&config));
            checks.push(check_http(&config));
        }
    }
    let bad = checks.iter().any(|c| c.verdict == Verdict::Problem);
    out.answer(&checks, |_| describe(&checks))?;
    Ok(if bad { Exit::Failure } else { Exit::Ok })
}

fn check_redis(config: &Config, checks: &mut Vec<Check>) {
    let runtime = match tokio::runtime::Builder::new_current_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => {
            checks.push(problem("redis", format!("cannot look: {error}"), ""));
            return;
        }
    };
    match runtime.block_on(wiring::probe(config)) {
        Err(error) => {
            let error = CliError::from(error);
            checks.push(problem("redis", error.message, error.hint));
        }
        Ok(probe) => {
            checks.push(ok("redis", format!("version {}, answers in {:.1} ms", probe.version, probe.ping_ms)));
            for stream in &probe.streams {
                // Its key has the tenant before it.
                let reviews = stream.key.ends_with(&config.redis.review_stream);
                let name = if reviews { "review stream" } else { "stream" };
                let state = match (&stream.group, stream.entries_added) {
                    // Redis has other words for what is no stream; they follow below.
                    (None, None) if stream.wrong_type.is_some() => continue,
                    (None, None) => "not there yet, the daemon makes it when it starts".to_owned(),
                    (None, Some(_)) => format!("{} entries, the daemon has not read it yet", stream.length),
                    (Some(group), _) => format!(
                        "{} entries, {} pending, {} not yet read",
                        stream.length,
                        group.pending,
                        group.lag.map_or_else(|| "an unknown number".to_owned(), |lag| lag.to_string())
                    ),
                };
                checks.push(ok(name, format!("{}: {state}", stream.key)));
            }
            for finding in probe.findings() {
                checks.push(warning("redis", finding.problem, finding.hint));
            }
        }
    }
}

fn check_store(config: &Config, checks: &mut Vec<Check>) {
    let path = &config.store.path;
    let comparing = match wiring::comparing(config) {
        Ok(comparing) => comparing,
        Err(error) => {
            let error = CliError::from(error);
            checks.push(problem("store", error.message, error.hint));
            return;
        }
    };
    let reading = comparing.reading();
    match reading.notice() {
        Some(notice) => checks.push(warning(
            "index",
            notice,
            "the daemon brings it up at its next start, or `feedbackd reindex` now",
        )),
        None => checks.push(ok("index", "up to date with the store")),
    }
    let queries = reading.queries();
    match queries.status() {
        Err(error) => {
            let error = CliError::from(error);
            checks.push(problem("store", error.message, error.hint));
        }
        Ok(status) => {
            let at = status.head.as_ref().map_or("no commits", |c| c.short());
            checks.push(ok("store", format!("{}, {} feedback records, at {at}", path.display(), status.feedback)));
            for file in &status.unreadable {
                checks.push(warning(
                    "store",
                    format!("{} cannot be read: {}", file.path, file.why),
                    "mend the file in a clone of the store and push it",
                ));
            }
        }
    }
    checks.push(check_writable("store permissions", path));
    check_roster(queries.roster(), config, checks);
    check_rules(queries.proposals(None, None), checks);
    checks.push(check_git());
}

/// Who may decide. A store works without them, so that nobody can approve anything is a warning.
fn check_roster(roster: Result<Option<Roster>, QueryError>, config: &Config, checks: &mut Vec<Check>) {
    let edit = "edit reviewers.yaml in a clone of the store, commit and push";
    let roster = match roster {
        Err(error) => return checks.push(problem("roster", error.to_string(), edit)),
        Ok(None) => return checks.push(warning("roster", "there is no reviewers.yaml in the store", edit)),
        Ok(Some(roster)) => roster,
    };
    let (found, needed) = (roster.approvers(), config.review.min_approvals as usize);
    checks.push(match found {
        0 if roster.reviewers.is_empty() => warning("roster", "nobody is on it: no rule can come into force", edit),
        0 => warning("roster", "nobody on it is an approver: no rule can come into force", edit),
        few if few < needed => warning(
            "roster",
            format!("it has {}, and a rule needs {needed} (review.min_approvals)", approvers(few)),
            "add approvers to reviewers.yaml; a team of one sets review.min_approvals to 1",
        ),
        n => ok(
            "roster",
            format!("{} people, {n} of them may approve rules; a rule needs {needed}", roster.reviewers.len()),
        ),
    });
    for doubt in roster.doubts() {
        checks.push(warning("roster", doubt, edit));
    }
    let keyless = |r: &&Reviewer| r.is_approver() && r.ssh_public_keys.iter().all(|key| key.trim().is_empty());
    let keyless: Vec<&str> = roster.reviewers.iter().filter(keyless).map(|r| r.id.as_str()).collect();
    if config.review.require_signatures && !keyless.is_empty() {
        checks.push(warning(
            "roster",
            format!("reviews must be signed, and there is no key of {}", keyless.join(", ")),
            "add ssh_public_keys in reviewers.yaml, or set review.require_signatures to false",
        ));
    }
}

fn approvers(number: usize) -> String {
    count(number as u64, "approver")
}

/// Whether each rule lies where its status belongs. Only where both say so is a rule in force.
fn check_rules(rules: Result<Vec<RuleFile>, QueryError>, checks: &mut Vec<Check>) {
    let rules = match rules {
        Err(error) => {
            let error = CliError::from(error);
            return checks.push(problem("rules", error.message, error.hint));
        }
        Ok(rules) => rules,
    };
    let astray: Vec<Check> = rules.iter().filter_map(check_place).collect();
    if astray.is_empty() {
        let active = rules.iter().filter(|r| r.record.status.in_force()).count();
        checks.push(ok("rules", format!("{active} in force; directory and status agree for all {}", rules.len())));
    }
    checks.extend(astray);
}

fn check_place(rule: &RuleFile) -> Option<Check> {
    let home = layout::rule(&rule.record.proposal_id, rule.record.status);
    (home != rule.path).then(|| {
        warning(
            "rules",
            format!("{} has the status {}: it is not in force", rule.path, rule.record.status.as_str()),
            format!("its place would be {home}; in a clone of the store put back what was there, commit and push"),
        )
    })
}

fn check_understanding(config: &Config) -> Check {
    let hint =
        "look at the section embedder of the configuration; the embedded model fails only where the program is damaged";
    let understanding = match wiring::understanding(config) {
        Ok(understanding) => understanding,
        Err(error) => return problem("understanding", error.to_string(), hint),
    };
    let gate = Gate::new(4);
    let words = ["the handler has no error handling", "add error handling to the handler", "translate the notes"];
    let read = words.map(|text| understanding.read(text, gate, false));
    let (embedder, concerns) = (understanding.embedder().id(), understanding.catalogue().concerns().len());
    match read {
        [Ok(Some(a)), Ok(Some(b)), Ok(Some(c))] if a.vector.cosine(&b.vector) > a.vector.cosine(&c.vector) => {
            ok("understanding", format!("{embedder} works, with {concerns} concerns"))
        }
        [Err(error), _, _] | [_, Err(error), _] | [_, _, Err(error)] => {
            problem("understanding", error.to_string(), hint)
        }
        _ => problem("understanding", format!("{embedder} does not tell near texts from far ones"), hint),
    }
}

/// The files of the store's own catalogue, where it has some and can be read.
fn check_catalogue(config: &Config) -> Vec<Check> {
    let files = wiring::catalogue_files(config).unwrap_or_default();
    if files.is_empty() {
        return Vec::new();
    }
    catalogue_findings(&files)
}

fn catalogue_findings(files: &CatalogueFiles) -> Vec<Check> {
    let errors = pipeline::reasons(&Layers::over_shipped(files));
    if errors.is_empty() {
        return vec![ok("catalogue", format!("{} of the store's own can be read", count(files.len() as u64, "file")))];
    }
    let hint = "a daemon that runs goes on with the catalogue it has, a start leaves the file out; `feedbackd catalogue lint` \
                says more; mend it in a clone of the store, commit and push";
    errors.into_iter().map(|error| warning("catalogue", error, hint)).collect()
}

/// Only what stands here: the model is not contacted.
fn check_model(config: &Config) -> Check {
    let model = &config.model;
    match model.api_key() {
        _ if !model.is_on() => ok("model", model.described()),
        Err(error) => problem(
            "model",
            error.to_string(),
            "let model.api_key_file name a file with the key that the daemon's user can read, or empty model.provider",
        ),
        Ok(Some(_)) if model.url.starts_with("http://") && !is_local(&model.url) => warning(
            "model",
            format!("{}; the key and the remarks go there unencrypted", model.described()),
            "use https:// in model.url",
        ),
        Ok(_) => ok("model", model.described()),
    }
}

fn is_local(url: &str) -> bool {
    let host = url.trim_start_matches("http://");
    ["127.", "localhost", "[::1]"].iter().any(|local| host.starts_with(local))
}

fn check_state(config: &Config) -> Check {
    let dir = &config.state.dir;
    if dir.exists() {
        return check_writable("state permissions", dir);
    }
    match dir.parent().filter(|p| !p.as_os_str().is_empty()) {
        Some(parent) if !parent.exists() => problem(
            "state permissions",
            format!("neither {} nor the directory above it is there", dir.display()),
            "make it, or let state.dir name another",
        ),
        _ => ok("state permissions", format!("{} will be made at the first start", dir.display())),
    }
}

fn check_writable(name: &'static str, dir: &Path) -> Check {
    let file = dir.join(format!(".doctor-{}", std::process::id()));
    match std::fs::write(&file, b"").and_then(|()| std::fs::remove_file(&file)) {
        Ok(()) => ok(name, format!("{} can be written", dir.display())),
        Err(error) => problem(
            name,
            format!("{} cannot be written: {error}", dir.display()),
            "run this as the daemon's user, or give that user the directory (chown)",
        ),
    }
}

fn check_corrections(config: &Config) -> Option<Check> {
    let root = &config.intake.corrections_root;
    if root.as_os_str().is_empty() {
        return None;
    }
    Some(match std::fs::read_dir(root) {
        Ok(_) => ok("corrections", format!("{} can be read", root.display())),
        Err(error) => warning(
            "corrections",
            format!("{} cannot be read: {error}", root.display()),
            "corrections that come as files will be missing; intake.corrections_root names the directory",
        ),
    })
}

fn check_http(config: &Config) -> Check {
    let listen = config.http.listen;
    let api = match config.http.api_token() {
        Err(error) => {
            let hint = "let http.api_token_file name a file with a token that the daemon's user can read, or empty it";
            return problem("http", error.to_string(), hint);
        }
        Ok(None) => "no API",
        Ok(Some(_)) => "the API",
    };
    if config.http.is_exposed() {
        warning(
            "http",
            format!("health, metrics and {api} are open on {listen}, not only on this machine"),
            "set http.listen to 127.0.0.1:9464, or guard the port: health and metrics have no authentication, and nothing is \
             encrypted",
        )
    } else if let Err(error) = std::net::TcpListener::bind(listen) {
        warning(
            "http",
            format!("{listen} for health and metrics cannot be taken: {error}"),
            "right while the daemon runs; otherwise http.listen names an address that something else has",
        )
    } else {
        ok("http", format!("health, metrics and {api} on {listen}"))
    }
}

/// The daemon works without Git's program; only old packs stay apart.
fn check_git() -> Check {
    let found = std::env::var_os("PATH")
        .is_some_and(|paths| std::env::split_paths(&paths).any(|dir| dir.join("git").is_file()));
    if found {
        ok("git", "found, packs are combined when the daemon is idle")
    } else {
        warning(
            "git",
            "not found on the PATH",
            "install git: without it packs are never combined and reading slows down",
        )
    }
}

fn ok(name: &'static str, finding: impl Into<String>) -> Check {
    Check { name, verdict: Verdict::Ok, finding: finding.into(), hint: String::new() }
}

fn warning(name: &'static str, finding: impl Into<String>, hint: impl Into<String>) -> Check {
    Check { name, verdict: Verdict::Warning, finding: finding.into(), hint: hint.into() }
}

fn problem(name: &'static str, finding: impl Into<String>, hint: impl Into<String>) -> Check {
    Check { name, verdict: Verdict::Problem, finding: finding.into(), hint: hint.into() }
}

fn describe(checks: &[Check]) -> String {
    let mut text = String::new();
    for check in checks {
        let mark = match check.verdict {
            Verdict::Ok => "ok     ",
            Verdict::Warning => "warning",
            Verdict::Problem => "PROBLEM",
        };
        text += &format!("{mark}  {:17}  {}\n", check.name, check.finding);
        if !check.hint.is_empty() {
            text += &format!("{:28}-> {}\n", "", check.hint);
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::records::record::ProposalStatus;
    use crate::domain::records::record::RuleState;
    use crate::domain::testing::sample;

    fn roster_of(text: &str, config: &Config) -> String {
        let roster =
            Roster::parse(text).map_err(|message| QueryError::Unreadable { path: layout::ROSTER.into(), message });
        let mut checks = Vec::new();
        check_roster(roster.map(Some), config, &mut checks);
        describe(&checks)
    }

    #[test]
    fn a_catalogue_that_cannot_be_used_is_named_with_its_file() {
        let good = ("catalogue/a.yaml".to_owned(), "more_phrasings: {err.swallowed: [eaten again]}".to_owned());
        let wrong = ("catalogue/b.yaml".to_owned(), "more: [1]".to_owned());
        let useless = OWN.replace("ours.x", "ours");
        let said = |files: &[(String, String)]| describe(&catalogue_findings(&files.to_vec()));
        insta::assert_snapshot!(said(std::slice::from_ref(&good)), @"ok       catalogue          1 file of the store's own can be read");
        assert!(said(&[good, wrong]).starts_with("warning  catalogue          catalogue/b.yaml: "));
        insta::assert_snapshot!(said(&[("catalogue/c.yaml".into(), useless)]), @r"
        warning  catalogue          catalogue/c.yaml: ours needs an id like area.name, of a-z, 0-9 and _
                                    -> a daemon that runs goes on with the catalogue it has, a start leaves the file out; `feedbackd catalogue lint` says more; mend it in a clone of the store, commit and push
        ");
    }

    const OWN: &str = "concerns: [{id: ours.x, title: T, description: D, gates: [code], direction: less, phrasings: [p], \
                       rule: Do it., why: W}]";

    #[test]
    fn a_roster_that_cannot_bring_a_rule_into_force_is_named() {
        let mut config = Config::default();
        let one = "reviewers: [{id: a, roles: [approver]}, {id: b, roles: [reviewer]}]";
        let two = "reviewers: [{id: a, roles: [approver], ssh_public_keys: [k]}, {id: b, roles: [approver]}]";
        let all =
            ["reviewers: []", "reviewers: [{id: b, roles: [reviewer]}]", one, two, "reviewers: [{id: a}, {id: a}]"];
        insta::assert_snapshot!(all.map(|text| roster_of(text, &config)).concat(), @r#"
        warning  roster             nobody is on it: no rule can come into force
                                    -> edit reviewers.yaml in a clone of the store, commit and push
        warning  roster             nobody on it is an approver: no rule can come into force
                                    -> edit reviewers.yaml in a clone of the store, commit and push
        warning  roster             it has 1 approver, and a rule needs 2 (review.min_approvals)
                                    -> add approvers to reviewers.yaml; a team of one sets review.min_approvals to 1
        ok       roster             2 people, 2 of them may approve rules; a rule needs 2
        warning  roster             a key of a: it is no public key in OpenSSH's format
                                    -> edit reviewers.yaml in a clone of the store, commit and push
        PROBLEM  roster             reviewers.yaml cannot be read: the id a stands on the roster twice
                                    -> edit reviewers.yaml in a clone of the store, commit and push
        "#);
        config.review.min_approvals = 1;
        config.review.require_signatures = true;
        insta::assert_snapshot!([one, two].map(|text| roster_of(text, &config)).concat(), @r#"
        ok       roster             2 people, 1 of them may approve rules; a rule needs 1
        warning  roster             reviews must be signed, and there is no key of a
                                    -> add ssh_public_keys in reviewers.yaml, or set review.require_signatures to false
        ok       roster             2 people, 2 of them may approve rules; a rule needs 1
        warning  roster             a key of a: it is no public key in OpenSSH's format
                                    -> edit reviewers.yaml in a clone of the store, commit and push
        warning  roster             reviews must be signed, and there is no key of b
                                    -> add ssh_public_keys in reviewers.yaml, or set review.require_signatures to false
        "#);
        let mut checks = Vec::new();
        check_roster(Ok(None), &config, &mut checks);
        assert_eq!(checks[0].verdict, Verdict::Warning);
    }

    #[test]
    fn a_rule_whose_directory_and_status_disagree_is_named() {
        let file = |path: &str, state, status| {
            let record = crate::domain::records::record::ProposalRecord { status, ..sample::proposal(1) };
            RuleFile { path: path.to_owned(), state, record }
        };
        let said = |rules: Vec<RuleFile>| {
            let mut checks = Vec::new();
            check_rules(Ok(rules), &mut checks);
            describe(&checks)
        };
        let (active, proposed) =
            ("feedback/rules/active/RULE-2026-0001.yaml", "feedback/rules/proposed/RULE-2026-0001.yaml");
        let good = file(active, RuleState::Active, ProposalStatus::Flagged);
        let moved = file(active, RuleState::Active, ProposalStatus::Pending);
        let raised = file(proposed, RuleState::Proposed, ProposalStatus::Active);
        insta::assert_snapshot!(said(vec![good.clone()]), @"ok       rules              1 in force; directory and status agree for all 1");
        insta::assert_snapshot!(said(vec![good, moved, raised]), @r"
        warning  rules              feedback/rules/active/RULE-2026-0001.yaml has the status PENDING: it is not in force
                                    -> its place would be feedback/rules/proposed/RULE-2026-0001.yaml; in a clone of the store put back what was there, commit and push
        warning  rules              feedback/rules/proposed/RULE-2026-0001.yaml has the status ACTIVE: it is not in force
                                    -> its place would be feedback/rules/active/RULE-2026-0001.yaml; in a clone of the store put back what was there, commit and push
        ");
    }
}
