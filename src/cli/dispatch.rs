//! Dispatch from the command line to the commands.
//!
//! Every variant of [`Command`] has its arm: an unhandled command does not compile.

use super::args::{Cli, Command};
use super::context::Context;
use super::exit::{CliError, Exit};
use super::opener::{Configured, Opener};
use super::output::Output;
use super::terminal::Screen;
use super::{
    actions, ambiguous, asyncapi, catalogue, clusters, completions, config, dead_letters, demands, demo, detect,
    doctor, edge_cases, eval, explain, feedback, forge, help, import, inbox, init, lineage, man, mcp, notify, prompt,
    proposals, purge, redact, redis, refine, reindex, replay, report, retract, review, roster, rules, selftest, serve,
    status, store, token, turns, validate, verify,
};
use crate::telemetry;
use clap::CommandFactory;
use std::ffi::OsString;
use std::process::ExitCode;

/// The program entry: parses the arguments, runs the command, prints the error and its hint.
pub fn main() -> ExitCode {
    let (mut out, mut err) = (std::io::stdout(), std::io::stderr());
    let screen = Screen::of_stdout();
    let width = screen.as_ref().map(|screen| screen.columns);
    let mut output = Output::new(&mut out, &mut err, width);
    output.show_on(screen);
    invoke(std::env::args_os(), &Configured, &mut output).into()
}

/// Runs one command line against a given opener and output.
pub fn invoke(args: impl IntoIterator<Item = OsString>, opener: &dyn Opener, out: &mut Output<'_>) -> Exit {
    let args: Vec<OsString> = args.into_iter().collect();
    // A command-line error is reported like any other.
    out.set_json(args.iter().any(|arg| arg == "--json"));
    let cli = match help::parse(&args) {
        Ok(cli) => cli,
        Err(e) if e.use_stderr() => return out.usage(&e.to_string()),
        // Help and version are answers, not errors.
        Err(e) => return out.raw(e.to_string().as_bytes()).map_or_else(|e| out.failure(&e), |()| Exit::Ok),
    };
    out.set_json(cli.json);
    match run(cli, opener, out) {
        Ok(exit) => exit,
        Err(e) => out.failure(&e),
    }
}

fn run(cli: Cli, opener: &dyn Opener, out: &mut Output<'_>) -> Result<Exit, CliError> {
    // The daemon configures its own logging.
    if !matches!(cli.command, Command::Serve) {
        telemetry::init_for_commands();
    }
    let context = &Context { opener, file: cli.config.as_deref() };
    match cli.command {
        Command::Init(args) => init::run(&args, &context.config()?, out),
        Command::Serve => serve::run(context),
        Command::Replay(args) => replay::run(&args, &context.config()?, out),
        Command::Forge(command) => forge::run(&command, context, out),
        Command::Import(command) => import::run(&command, context, out),
        Command::Doctor => doctor::run(context, out),
        Command::Config(command) => config::run(&command, context, out),
        Command::Demo(args) => demo::run(&args, out),
        Command::Status => status::run(context, out),
        Command::Inbox(args) => inbox::run(&args, context, out),
        Command::Demands(args) => demands::run(&args, context, out),
        Command::Review(args) => review::run(&args, context, out),
        Command::Feedback(command) => feedback::run(&command, context, out),
        Command::Clusters(command) => clusters::run(&command, context, out),
        Command::Proposals(command) => proposals::run(&command, context, out),
        Command::Roster(command) => roster::run(&command, context, out),
        Command::Token(command) => token::run(&command, context, out),
        Command::Rules(command) => rules::run(&command, context, out),
        Command::Prompt(args) => prompt::run(&args, context, out),
        Command::Catalogue(command) => catalogue::run(&command, context, out),
        Command::Explain(args) => explain::run(&args, &context.comparing(out)?.comparisons(), out),
        Command::EdgeCases(command) => edge_cases::run(&command, &context.reading(out)?.queries(), out),
        Command::Ambiguous(command) => ambiguous::run(&command, context, out),
        Command::DeadLetters(command) => dead_letters::run(&command, context, out),
        Command::Retract(args) => retract::run(&args, context, out),
        Command::Lineage(args) => lineage::run(&args, &context.reading(out)?.queries(), out),
        Command::Report(args) => report::run(&args, context, out),
        Command::Selftest => selftest::run(context, out),
        Command::Verify(args) => verify::run(&args, context, out),
        Command::Validate(args) => validate::run(&args, out),
        Command::Detect(args) => detect::run(&args, out),
        Command::Redact(args) => redact::run(&args, *context, out),
        Command::Purge(args) => purge::run(&args, *context, out),
        Command::Refine(args) => refine::run(&args, context, out),
        Command::Turns(command) => turns::run(&command, context, out),
        Command::Actions(command) => actions::run(&command, context, out),
        Command::Mcp => mcp::run(context),
        Command::Eval(args) => eval::run(&args, context, out),
        Command::Notify(command) => notify::run(&command, context, out),
        Command::Store(command) => store::run(&command, *context, out),
        Command::Redis(command) => redis::run(&command, *context, out),
        Command::Reindex(args) => reindex::run(&args, &context.reindexing(args.makes())?, out),
        Command::Asyncapi => asyncapi::run(out),
        Command::Completions(args) => completions::run(&args, &mut Cli::command(), out),
        Command::Man(args) => man::run(&args, Cli::command(), out),
    }
}
