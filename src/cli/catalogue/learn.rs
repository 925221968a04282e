//! `catalogue learn`: adds what people confirmed to the store's own catalogue.

use crate::app::pipeline::reviews::catalogue_learning;
use crate::cli::context::Context;
use crate::cli::exit::{CliError, Exit};
use crate::cli::output::Output;
use crate::cli::page::count;
use crate::domain::records::layout;
use crate::text::language::catalogue::learned;
use crate::text::language::catalogue::learned::LearnedCatalogue;
use crate::text::language::catalogue::{Catalogue, Layers};
use crate::wiring::{self, WiringError};
use serde::Serialize;
use std::collections::BTreeMap;

/// Options for learning.
#[derive(Debug, clap::Args)]
pub struct Learn {
    /// Print the file instead of writing it
    #[arg(long)]
    dry_run: bool,
}

/// The answer.
#[derive(Serialize)]
struct Answer<'a> {
    path: &'static str,
    /// Whether it changed the store.
    written: bool,
    new_concerns: usize,
    more_phrasings: usize,
    of_concerns: usize,
    left_out: &'a BTreeMap<String, String>,
    /// The file.
    text: &'a str,
}

/// Runs the command.
pub fn run(args: &Learn, context: &Context<'_>, out: &mut Output<'_>) -> Result<Exit, CliError> {
    let comparing = context.comparing_silently()?;
    let policy = context.remembered(comparing.understanding())?.remarks.policy;
    let groups = catalogue_learning::taught(&comparing.comparisons(), policy, wiring::now())?;
    let (before, others): (Vec<_>, Vec<_>) =
        context.catalogue_files()?.into_iter().partition(|(path, _)| path == layout::LEARNED);
    // A file broken by a manual edit is rebuilt all the same.
    let files = before.iter().map(|(path, text)| (path.as_str(), text.as_str()));
    let own = Catalogue::read(files).unwrap_or_default();
    let learned = learned::learn(Layers::over_shipped(&others).catalogue(), &own, groups);
    let failure = |why: String| CliError::new(Exit::Failure, format!("cannot write what was learned: {why}"), "");
    let text = learned.to_yaml().map_err(failure)?;
    let present = before.first().map(|(_, text)| text.as_str());
    let wanted = (!learned.is_empty()).then_some(text.as_str());
    let written = !args.dry_run && present != wanted && write(wanted, &learned, context)?;
    let answer = Answer {
        path: layout::LEARNED,
        written,
        new_concerns: learned.concerns.len(),
        more_phrasings: learned.more_phrasings.values().map(Vec::len).sum(),
        of_concerns: learned.more_phrasings.len(),
        left_out: &learned.left_out,
        text: wanted.unwrap_or_default(),
    };
    for (whom, why) in answer.left_out {
        out.notice(&format!("left out {whom}: {why}"));
    }
    out.answer(&answer, |_| if args.dry_run { answer.text.to_owned() } else { said(&answer) })?;
    Ok(Exit::Ok)
}

fn write(text: Option<&str>, learned: &LearnedCatalogue, context: &Context<'_>) -> Result<bool, CliError> {
    let mut pipeline = wiring::pipeline(&context.config()?)?;
    let subject = format!(
        "Learn {} and more phrasings of {}",
        count(learned.concerns.len() as u64, "concern"),
        learned.more_phrasings.len()
    );
    let written = pipeline.write_catalogue(layout::LEARNED, text, &subject, wiring::now());
    Ok(written.map_err(WiringError::from)?)
}

fn said(answer: &Answer<'_>) -> String {
    if answer.text.is_empty() {
        return "Nothing to learn yet. Teach it with `feedbackd clusters review`, and by approving rules.\n".to_owned();
    }
    let what = format!(
        "{} of the store, {} of {}",
        count(answer.new_concerns as u64, "concern"),
        count(answer.more_phrasings as u64, "more phrasing"),
        count(answer.of_concerns as u64, "concern"),
    );
    if answer.written {
        format!("{what} are now in {}; they take effect at the next start of the daemon.\n", answer.path)
    } else {
        format!("{what}: already in {}.\n", answer.path)
    }
}
