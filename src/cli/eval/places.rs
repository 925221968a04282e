//! `eval places`: what the places of labelled comments reveal, and whether proposed scopes hold.

use super::data;
use crate::cli::exit::{CliError, Exit};
use crate::cli::output::Output;
use crate::cli::page::{count, list};
use crate::config::Config;
use crate::domain::intake::decode::{Decoded, decode, from_json_line};
use crate::domain::intake::place::{RemarkedPlace, places};
use crate::domain::records::record::Scope;
use crate::domain::reporting::placed::{LabelledComment, PlacedFigures, ProposedScope, figures};
use crate::domain::rules::in_force::prompt::{Place, may_apply};
use crate::wiring;
use serde::Serialize;
use std::path::PathBuf;

/// Explanation of the figures in `--help`.
const DEFINITIONS: &str = "Comments are processed in file order; those without a theme or a place are left \
                           out.\n\nPairs\n  Of all pairs of comments that ask for the same thing, and of all others, \
                           the share that\n  is about one file, about files of one kind (source, test, migration, \
                           document,\n  configuration, build, generated), and about files in one language. If the \
                           shares are\n  similar, a place says nothing about what is asked for.\nScopes\n  For each \
                           theme, the scope that would be proposed with a rule at the first comment that\n  leads to \
                           one, and the theme's later comments inside and outside of it. The theme's name\n  replaces \
                           the rule's text.";

/// What to check.
#[derive(Debug, clap::Args)]
#[command(after_long_help = DEFINITIONS)]
pub struct Args {
    /// A file with one JSON decision per line, with `theme_id` and the `file` it is about; may be given more than once
    #[arg(long, value_name = "FILE", required = true)]
    data: Vec<PathBuf>,
}

/// The result for one file.
#[derive(Serialize)]
struct OfFile {
    file: String,
    #[serde(flatten)]
    figures: PlacedFigures,
}

/// Runs the command.
pub fn run(args: &Args, config: &Config, out: &mut Output<'_>) -> Result<Exit, CliError> {
    let mut answer = Vec::new();
    for path in &args.data {
        let remarks = read(path, config)?;
        let file = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned();
        answer.push(OfFile { file, figures: figures(&remarks, is_inside) });
    }
    out.answer(&answer, |o| page(&answer, o.list_width()))?;
    Ok(Exit::Ok)
}

fn read(path: &std::path::Path, config: &Config) -> Result<Vec<LabelledComment>, CliError> {
    let limits = wiring::decode_limits(config);
    let mut remarks = Vec::new();
    for line in data::read(path)? {
        let entry = from_json_line(&line.event, line.number, &limits);
        let (Decoded::Decision(decision), Some(theme)) = (decode(&entry, &limits, wiring::now()), line.labels.theme)
        else {
            continue;
        };
        let places = places(&decision.extra);
        if !places.is_empty() {
            remarks.push(LabelledComment { theme, reviewer: decision.reviewer_id, places });
        }
    }
    Ok(remarks)
}

fn is_inside(scope: &ProposedScope, place: &RemarkedPlace) -> bool {
    let scope = Scope { gates: Vec::new(), paths: scope.paths.clone() };
    may_apply(&scope, &Place { gate: None, path: Some(&place.file) })
}

fn page(answer: &[OfFile], width: Option<usize>) -> String {
    let shares = |share: [f64; 3]| share.map(|share| format!("{share:.3}"));
    let rows = answer.iter().map(|of| {
        let f = &of.figures;
        let (same, different) = (shares(f.same.shares()), shares(f.different.shares()));
        let pairs = same.into_iter().zip(different).flat_map(|(same, different)| [same, different]);
        [of.file.clone(), f.remarks.to_string()].into_iter().chain(pairs).collect()
    });
    let header = ["of", "remarks", "same: file", "others", "same: kind", "others", "same: language", "others"];
    let mut text = list(&header, rows.collect(), width);
    let patterns: u64 = answer.iter().map(|of| of.figures.patterns).sum();
    let scopes: Vec<(&str, &ProposedScope)> =
        answer.iter().flat_map(|of| of.figures.scopes.iter().map(|scope| (of.file.as_str(), scope))).collect();
    text += &format!("\n{}, {} proposed\n", count(patterns, "pattern"), count(scopes.len() as u64, "scope"));
    if !scopes.is_empty() {
        let rows = scopes.iter().map(|(file, s)| {
            let figures = [s.after, s.inside, s.outside].map(|n| n.to_string());
            [(*file).to_owned(), s.theme.clone(), s.paths.join(" ")].into_iter().chain(figures).collect()
        });
        text += &list(&["of", "theme", "scope", "after", "then inside", "outside"], rows.collect(), width);
    }
    text
}
