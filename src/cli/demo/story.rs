//! The steps, in order.

use super::people::{self, AGENT};
use super::show::{Show, published};
use super::stage::{self, failed, git, wait};
use crate::cli::exit::{CliError, Exit};
use crate::cli::output::Output;
use crate::cli::runtime::runtime;
use crate::config::Config;
use crate::wiring::{self, WiringError};
use jiff::Timestamp;
use serde_json::Value;
use std::io::IsTerminal;
use std::path::PathBuf;

/// Shows all lines of output.
const ALL: usize = usize::MAX;
const RULES: &str = "asdlc:events:rules";

/// Where to show it.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The directory to work in; must not exist or be empty
    #[arg(long, value_name = "DIR", default_value = "target/demo")]
    dir: PathBuf,
}

/// Runs the command.
pub fn run(args: &Args, out: &mut Output<'_>) -> Result<Exit, CliError> {
    let dir = stage::fresh(&args.dir)?;
    let runtime = runtime()?;
    let config = stage::configure(&dir, stage::free_port()?, stage::free_port()?);
    let mut demo = Demo { dir, config, runtime, show: Show::new(out) };

    demo.show.step("A private Redis server and a new store")?;
    let _redis = stage::start_redis(&demo.dir, &demo.config)?;
    wait("Redis answers", || demo.runtime.block_on(wiring::probe(&demo.config)).is_ok())?;
    wiring::init_store(&demo.config, false)?;
    demo.show.say(&format!("the store is {}", demo.config.store.path.display()))?;

    demo.show.step("The daemon starts")?;
    let daemon = stage::start_daemon(&demo.dir, &demo.config)?;
    let listen = demo.config.http.listen;
    wait("the daemon listens", || std::net::TcpStream::connect(listen).is_ok())?;
    demo.show.say(&format!("feedbackd serve, process {}; health on http://{listen}/ready", daemon.id()))?;

    demo.people_decide()?;
    let rule = demo.a_rule_is_proposed()?;
    demo.people_approve(&rule)?;
    demo.the_agent_reads_it()?;
    demo.it_is_measured(&rule)?;
    demo.something_waits()?;

    drop(daemon);
    demo.show.say(&format!(
        "\nThe store is kept. Explore it with git clone {0}, or\n  FEEDBACKD__STORE__PATH={0} \
         FEEDBACKD__STATE__DIR={1} feedbackd proposals list",
        demo.config.store.path.display(),
        demo.config.state.dir.display()
    ))?;
    Ok(Exit::Ok)
}

/// The running demonstration.
struct Demo<'a, 'b> {
    dir: PathBuf,
    config: Config,
    runtime: tokio::runtime::Runtime,
    show: Show<'a, 'b>,
}

impl Demo<'_, '_> {
    fn people_decide(&mut self) -> Result<(), CliError> {
        self.show.step("People decide at their gates; each decision is one stream entry")?;
        let stream = self.config.redis.hitl_stream.clone();
        for event in people::remarks(now()) {
            self.append(&stream, &event)?;
            self.show.say(&people::line(&event))?;
        }
        self.wait_drained()?;
        let store = &self.config.store.path;
        self.show.step("The daemon records them as commits in a Git repository")?;
        self.show.git(store, &["log", "--reverse", "--format=%h %s"])?;
        self.show.step("Each decision is a file; this is the last of three that ask for the same thing")?;
        self.show.file(store, "feedback/decisions/*/demo-3.yaml")
    }

    fn a_rule_is_proposed(&mut self) -> Result<Value, CliError> {
        let store = self.config.store.path.clone();
        self.show.step("Three people asked for the same thing, so a rule is proposed")?;
        self.show.file(&store, "feedback/rules/proposed/*.yaml")?;
        self.show.step("An approval contradicts them, so a person must decide")?;
        self.show.file(&store, "feedback/ambiguous/demo-6.yaml")?;
        self.show.step("A comment made once is a one-off until a similar one arrives")?;
        self.show.file(&store, "feedback/edge_cases/*.yaml")?;
        self.show.step("Messages published on the outgoing streams")?;
        let streams = ["feedback_evaluated", "rule_proposals", "alerts", "dead_letters"];
        for stream in streams.map(|name| format!("asdlc:events:{name}")) {
            for entry in self.entries(&stream)? {
                self.show.say(&published(&stream, &entry))?;
            }
        }
        let offered = self.entries("asdlc:events:rule_proposals")?;
        let data = offered.first().and_then(|entry| entry.iter().find(|(name, _)| name == "data"));
        data.and_then(|(_, data)| serde_json::from_str(data).ok())
            .ok_or_else(|| failed("no rule was proposed".to_owned(), "see daemon.log"))
    }

    fn people_approve(&mut self, rule: &Value) -> Result<(), CliError> {
        self.show.step("A file in the store lists who may decide; a person adds two, using only Git")?;
        let (store, clone) = (self.config.store.path.display().to_string(), self.dir.join("clone"));
        git(&self.dir, &["clone", "-q", &store, "clone"])?;
        std::fs::write(clone.join("reviewers.yaml"), people::ROSTER)
            .map_err(|e| failed(format!("cannot write to {}: {e}", clone.display()), ""))?;
        // The viewer's own Git settings may differ.
        let ann = ["-c", "user.name=Ann", "-c", "user.email=ann@example.org", "-c", "commit.gpgsign=false"];
        git(&clone, &[&ann[..], &["commit", "-qam", "Ann and Eva may approve"]].concat())?;
        git(&clone, &["push", "-q", "origin", "HEAD"])?;
        self.show.say(&format!(
            "$ git clone {store} clone; cd clone\n$ cat reviewers.yaml\n{}$ git commit -am 'Ann and Eva may approve'; git push",
            people::ROSTER
        ))?;

        let stream = self.config.redis.review_stream.clone();
        self.show.step(&format!("Both approve the text they read; each approval is one entry in {stream}"))?;
        for who in ["ann", "eva"] {
            let approval = people::approval(rule, who, now());
            self.append(&stream, &approval)?;
            self.show.say(&approval.to_string())?;
            self.wait_drained()?;
        }
        wait("the rule is announced", || self.entries(RULES).is_ok_and(|events| !events.is_empty()))?;
        self.show.say("")?;
        self.show.git(&self.config.store.path, &["log", "--reverse", "-3", "--format=%h %an: %s"])?;
        for entry in self.entries(RULES)? {
            self.show.say(&format!("\npublished: {}", published(RULES, &entry)))?;
        }
        self.show.step("The contradiction is resolved on the command line while the daemon runs")?;
        let reason = "the gateway handles some errors, not all";
        let resolve = ["ambiguous", "resolve", "demo-6", "ignore", "--as", "eva", "--reason", reason];
        self.show.ourselves(&self.dir, &self.config, &resolve, ALL)
    }

    fn the_agent_reads_it(&mut self) -> Result<(), CliError> {
        let key = format!("asdlc:rules:prompt:{AGENT}");
        self.show.step("The agent has the rule: a key in Redis, ready to append to the prompt")?;
        let text = self.runtime.block_on(wiring::text_at(&self.config, &key))?;
        let text = text.ok_or_else(|| failed(format!("there is no {key}"), "see daemon.log"))?;
        self.show.say(&format!("GET {key}\n{}", text.trim_end()))?;
        self.show.step("Or the complete prompt; the rules delivered with it are recorded")?;
        std::fs::write(self.dir.join("base.md"), people::BASE_PROMPT)
            .map_err(|e| failed(format!("cannot write to {}: {e}", self.dir.display()), ""))?;
        let prompt = ["prompt", "--agent", AGENT, "--base", "base.md", "--session", "s-1"];
        self.show.ourselves(&self.dir, &self.config, &prompt, ALL)?;
        self.wait_drained()?;
        self.show.say("")?;
        self.show.file(&self.config.store.path, "feedback/injections/*.yaml")
    }

    fn it_is_measured(&mut self, rule: &Value) -> Result<(), CliError> {
        let id = rule["proposal_id"].as_str().unwrap_or_default();
        let stream = self.config.redis.hitl_stream.clone();
        let later = people::later(now());
        self.show.step("Work continues; decisions arrive as before")?;
        for event in &later {
            self.append(&stream, event)?;
        }
        self.wait_drained()?;
        let alike = later.len() - 1;
        self.show.say(&format!("{alike} times: {}", people::line(&later[0]).trim_start()))?;
        self.show.say(&format!("once: {}", people::line(&later[alike]).trim_start()))?;
        self.show.step("Did the rule help? The same correction before and after")?;
        self.show.ourselves(&self.dir, &self.config, &["rules", "effect", id], ALL)?;
        self.show.say("(Normally the first week of a rule does not count; here it does.)")?;
        self.show.step("Why is that line in the prompt?")?;
        self.show.ourselves(&self.dir, &self.config, &["lineage", id], ALL)?;
        self.show.step("How well it works, in figures")?;
        self.show.ourselves(&self.dir, &self.config, &["report"], 22)?;
        self.show.step("The totals")?;
        self.show.ourselves(&self.dir, &self.config, &["status"], ALL)
    }

    /// Shows what is pending and where to decide; with a viewer present, waits for confirmation.
    fn something_waits(&mut self) -> Result<(), CliError> {
        let stream = self.config.redis.hitl_stream.clone();
        self.show.step("Meanwhile three people ask for something else: what is pending for ann")?;
        for event in &people::waiting(now()) {
            self.append(&stream, event)?;
            self.show.say(&people::line(event))?;
        }
        self.wait_drained()?;
        wait("it is proposed", || self.entries("asdlc:events:rule_proposals").is_ok_and(|found| found.len() > 1))?;
        self.show.say("")?;
        self.show.ourselves(&self.dir, &self.config, &["inbox", "--as", "ann"], ALL)?;
        self.show.step("The same on a web page, where people decide")?;
        let page = format!("http://{}/", self.config.http.listen);
        self.show.say(&format!(
            "{page} is readable from this machine; only people on the roster can decide:\n  {page}proposals  \
             proposals, with the comments behind them and the objections\n  {page}rules      rules in force, and \
             whether they helped\n  {page}lineage    why a line is in a prompt\nTo decide as ann, open this link; it \
             logs in once, within five minutes:\n"
        ))?;
        self.show.ourselves(&self.dir, &self.config, &["token", "link", "--as", "ann"], ALL)?;
        if !(std::io::stdin().is_terminal() && std::io::stdout().is_terminal()) {
            return self
                .show
                .say("\nThis is not a terminal, so the demo ends now; in a terminal it waits until you have looked.");
        }
        self.show.say("\nPress Enter to end.")?;
        let mut line = String::new();
        // If nothing can be read, there is no viewer to wait for.
        let _ = std::io::stdin().read_line(&mut line);
        Ok(())
    }

    fn append(&self, stream: &str, event: &Value) -> Result<(), WiringError> {
        let fields = [("data".to_owned(), event.to_string())];
        self.runtime.block_on(wiring::append(&self.config, stream, &fields))
    }

    fn entries(&self, stream: &str) -> Result<Vec<Vec<(String, String)>>, WiringError> {
        self.runtime.block_on(wiring::entries(&self.config, stream))
    }

    fn wait_drained(&self) -> Result<(), CliError> {
        let drained = || self.runtime.block_on(drained(&self.config)).unwrap_or(false);
        wait("everything is recorded and acknowledged", drained)
    }
}

/// Returns the time without needless precision.
fn now() -> Timestamp {
    let now = wiring::now();
    Timestamp::from_millisecond(now.as_millisecond()).unwrap_or(now)
}

/// Reports whether everything was read and acknowledged.
async fn drained(config: &Config) -> Result<bool, WiringError> {
    let probe = wiring::probe(config).await?;
    let is_read = |key: &String| {
        let stream = probe.streams.iter().find(|stream| stream.key == *key);
        let group = stream.and_then(|stream| stream.group.as_ref());
        group.is_some_and(|group| group.pending == 0 && group.lag == Some(0))
    };
    Ok(is_read(&config.redis.hitl_stream) && is_read(&config.redis.review_stream))
}
