//! Trains the tables of the next-turn judge and of the stance reader.
//!
//! `train concerns REMARKS_DIR TABLE [--check]`: the reader of concerns, from remarks in the manner of real ones.
//! `train prepared TABLE [--check]`: what of the shipped catalogue is costly to work out at each start; after `train concerns`.
//! `train stance ASSETS_DIR TABLE [--check]`: from `stance.jsonl`, text of our own and nothing else.
//! `train turn ASSETS_DIR TABLE [--check]`: from `next_turn.grammar` and `next_turn.tsv`, text of our own and nothing else.
//! `train rephrase ASSETS_DIR EMBEDDER_DIR PAIRS.jsonl TABLE [--check]`: from `rephrase.tsv`, our own, and pairs of banking77
//! (CC BY 4.0), each with the embedder's similarity and without. The same input gives the same table; `--check` compares
//! with the committed one instead of writing it.

mod concerns;
mod grammar;

use std::path::Path;

use anyhow::{Context, bail, ensure};
use feedbackd::domain::channels::signal::train_stance;
use feedbackd::domain::channels::turn::{Exchange, features, rephrase_features};
use feedbackd::text::language::linear::{Example, Options, train};
use grammar::Grammar;
use model2vec_rs::model::StaticModel;

/// How many exchanges the grammar makes.
const EXCHANGES: usize = 12_000;

fn main() -> anyhow::Result<()> {
    let mut args: Vec<String> = std::env::args().skip(1).collect();
    let check = args.last().is_some_and(|last| last == "--check");
    args.truncate(args.len() - usize::from(check));
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    match args.as_slice() {
        ["concerns", remarks, path] => return keep(&concerns::concerns(Path::new(remarks))?, path, check),
        ["prepared", path] => return keep(&concerns::prepared()?, path, check),
        _ => {}
    }
    let (table, path) = match args.as_slice() {
        ["stance", assets, path] => (stance(Path::new(assets))?, *path),
        ["turn", assets, path] => (turn(Path::new(assets))?, *path),
        ["rephrase", assets, embedder, pairs, path] => (rephrase(Path::new(assets), embedder, pairs)?, *path),
        _ => bail!(
            "train stance|turn ASSETS_DIR TABLE | train rephrase ASSETS_DIR EMBEDDER_DIR PAIRS.jsonl TABLE [--check]"
        ),
    };
    eprintln!("{} lines; {}", table.lines().count(), table.lines().nth(1).unwrap_or_default());
    keep(table.as_bytes(), path, check)
}

/// Writes a table, or compares it with the one that is there.
fn keep(table: &[u8], path: &str, check: bool) -> anyhow::Result<()> {
    eprintln!("{} bytes", table.len());
    if check {
        ensure!(std::fs::read(path)? == table, "{path} is not what training gives");
    } else {
        std::fs::write(path, table)?;
    }
    Ok(())
}

fn stance(assets: &Path) -> anyhow::Result<String> {
    let own = std::fs::read_to_string(assets.join("stance.jsonl")).context("stance.jsonl")?;
    Ok(train_stance(&own).map_err(anyhow::Error::msg)?.render())
}

fn turn(assets: &Path) -> anyhow::Result<String> {
    let grammar = std::fs::read_to_string(assets.join("next_turn.grammar")).context("next_turn.grammar")?;
    let mut examples: Vec<Example> = Grammar::parse(&grammar)?
        .expand(EXCHANGES)
        .into_iter()
        .map(|made| example(&made.label, 1.0, &made.response, &made.text))
        .collect();
    let own = std::fs::read_to_string(assets.join("next_turn.tsv")).context("next_turn.tsv")?;
    for line in own.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        let [label, response, text] = line.split('\t').collect::<Vec<_>>()[..] else { bail!("next_turn.tsv: {line}") };
        examples.push(example(label, 1.5, response, text));
    }
    let options = Options { epochs: 12, rate: 0.08, l2: 2e-4, prune_below: 0.06, min_seen: 4, folds: 5 };
    Ok(train(&examples, &options).render())
}

fn example(label: &str, weight: f32, response: &str, text: &str) -> Example {
    let exchange = Exchange { previous_response: response.to_owned(), text: text.to_owned(), ..Exchange::default() };
    Example { features: features(&exchange), label: label.to_owned(), weight, group: String::new() }
}

fn rephrase(assets: &Path, embedder: &str, data: &str) -> anyhow::Result<String> {
    let embedder = StaticModel::from_pretrained(embedder, None, None, None)?;
    let mut pairs = Vec::new();
    for line in std::fs::read_to_string(data)?.lines() {
        let one: serde_json::Value = serde_json::from_str(line)?;
        let field = |name: &str| one[name].as_str().unwrap_or_default().to_owned();
        pairs.push((field("previous_query"), field("text"), field("label"), 1.0));
    }
    let own = std::fs::read_to_string(assets.join("rephrase.tsv"))?;
    for line in own.lines().filter(|line| !line.starts_with('#')) {
        let [label, previous, text] = line.split('\t').collect::<Vec<_>>()[..] else { bail!("rephrase.tsv: {line}") };
        pairs.push((previous.to_owned(), text.to_owned(), label.to_owned(), 2.0));
    }
    let mut examples = Vec::new();
    for (at, (previous, text, label, weight)) in pairs.into_iter().enumerate() {
        for similarity in [Some(similarity(&embedder, &previous, &text)), None] {
            if let Some(features) = rephrase_features(&previous, &text, similarity) {
                examples.push(Example { features, label: label.clone(), weight, group: at.to_string() });
            }
        }
    }
    let options = Options { epochs: 30, rate: 0.05, l2: 3e-3, prune_below: 0.05, min_seen: 4, folds: 5 };
    Ok(train(&examples, &options).render())
}

/// Cosine, calibrated for the static embedder: 0.66 becomes 0.8.
fn similarity(embedder: &StaticModel, a: &str, b: &str) -> f64 {
    let vectors = embedder.encode(&[a.to_owned(), b.to_owned()]);
    let (mut dot, mut left, mut right) = (0.0_f64, 0.0_f64, 0.0_f64);
    for (x, y) in vectors[0].iter().zip(&vectors[1]) {
        dot += f64::from(x * y);
        left += f64::from(x * x);
        right += f64::from(y * y);
    }
    let cosine = (dot / (left * right).sqrt().max(1e-9)).clamp(0.0, 1.0);
    if cosine < 0.66 { cosine / 0.66 * 0.8 } else { 0.8 + (cosine - 0.66) / 0.34 * 0.2 }
}
