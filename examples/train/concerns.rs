//! Training of the concern reader: softmax regression with AdaGrad, in a fixed order, so that the same texts give the
//! same table.

use anyhow::{Context, bail, ensure};
use feedbackd::adapters::embedder::StaticEmbedder;
use feedbackd::ports::Embedder;
use feedbackd::text::language::catalogue::trained;
use feedbackd::text::language::catalogue::trained::{DENSE, NONE, OTHER, PARTICULAR, TrainedReader, fingerprint};
use feedbackd::text::language::catalogue::{Catalogue, CompiledCatalogue, Features, SHIPPED, shipped, shipped_reader};
use std::collections::{BTreeMap, HashMap};
use std::path::Path;

/// Only one in this many phrasings is trained on for concerns never seen in practice.
const OTHERS: usize = 9;
const EPOCHS: usize = 10;
const RATE: f32 = 0.5;
/// Weight of the known frequencies, which come from only a few collections.
const FREQUENCIES: f32 = 0.5;
/// Added to every count.
const SMOOTHING: f32 = 3.0;
/// Weights below this are dropped.
const PRUNED: f32 = 0.03;
/// Minimum number of texts a feature must occur in: word features, letter features.
const SEEN: [u32; 2] = [2, 3];

/// The files of phrasings modelled on real comments.
const REAL: [&str; 2] = ["drafts.yaml", "review.yaml"];

struct Example {
    features: Vec<(u32, f32)>,
    label: usize,
}

struct Text {
    label: String,
    text: String,
}

/// The concern of each demand.
type Demands = BTreeMap<String, String>;

/// Trains and returns the table.
pub fn concerns(remarks: &Path) -> anyhow::Result<Vec<u8>> {
    let catalogue = shipped();
    let frequencies = frequencies(remarks)?;
    let made_up = Catalogue::read(SHIPPED.into_iter().filter(|(file, _)| !REAL.contains(file)))?;
    let texts = texts(remarks, &catalogue, &frequencies)?;
    let mut labels: Vec<String> = texts.iter().map(|text| text.label.clone()).collect();
    labels.sort_unstable();
    labels.dedup();
    let vocabulary = Vocabulary::of(texts.iter().map(|text| text.text.as_str()));
    let embedder = StaticEmbedder::embedded()?;
    let all: Vec<String> = texts.iter().map(|text| text.text.clone()).collect();
    let vectors = embedder.embed(&all)?;
    let width = vectors.iter().flatten().map(|v| v.components().len()).max().unwrap_or(0);
    let examples: Vec<Example> = texts
        .iter()
        .zip(&vectors)
        .map(|(text, vector)| Example {
            features: vocabulary.features(&text.text, vector.as_ref().map_or(&[], |v| v.components())),
            label: labels.binary_search(&text.label).unwrap_or_default(),
        })
        .collect();
    eprintln!("{} texts, {} features, {} labels", examples.len(), vocabulary.features.len(), labels.len());
    let weights = fit(&examples, vocabulary.features.len() + width, labels.len());
    let right = examples.iter().step_by(10).filter(|e| weights.best(&e.features) == e.label).count();
    eprintln!("{:.3} of them read right", right as f64 / examples.len().div_ceil(10) as f64);
    let mut table = table(labels, &catalogue, &made_up, &frequencies, &examples, vocabulary, &weights);
    let files = trained::FILES.iter().map(|file| std::fs::read_to_string(remarks.join(file)));
    table.trained_on = fingerprint(&files.collect::<Result<Vec<_>, _>>()?);
    table.to_bytes().map_err(anyhow::Error::msg)
}

/// Returns the precomputed data of the shipped catalogue.
pub fn prepared() -> anyhow::Result<Vec<u8>> {
    let embedder = StaticEmbedder::embedded()?;
    let reader = Some(shipped_reader());
    let compiled = CompiledCatalogue::new(shipped(), None, reader, embedder.id(), &|texts| embedder.embed(texts))?;
    compiled.prepared(embedder.id()).to_bytes().map_err(anyhow::Error::msg)
}

/// Returns, by label, how often it was demanded on code and on documents.
fn frequencies(remarks: &Path) -> anyhow::Result<BTreeMap<String, [f32; 2]>> {
    let mut found = BTreeMap::new();
    for line in lines(remarks, "frequency.tsv")? {
        let [label, code, documents] = line.split('\t').collect::<Vec<_>>()[..] else { bail!("frequency.tsv: {line}") };
        found.insert(label.to_owned(), [code.parse()?, documents.parse()?]);
    }
    Ok(found)
}

/// Returns the lines of a file, without comment lines.
fn lines(remarks: &Path, file: &'static str) -> anyhow::Result<Vec<String>> {
    let text = std::fs::read_to_string(remarks.join(file)).context(file)?;
    Ok(text.lines().filter(|line| !line.starts_with('#')).map(str::to_owned).collect())
}

fn demands(remarks: &Path) -> anyhow::Result<Demands> {
    let lines = lines(remarks, "demands.tsv")?;
    let mut named: BTreeMap<&str, &str> = BTreeMap::new();
    for line in &lines {
        let [demand, _, concern, ..] = line.split('\t').collect::<Vec<_>>()[..] else { bail!("demands.tsv: {line}") };
        named.insert(demand, concern);
    }
    // A demand equivalent to another one refers to it.
    let concern = |demand: &str| {
        let mut name = *named.get(demand)?;
        while let Some(other) = name.strip_prefix('@') {
            name = named.get(other)?;
        }
        Some((demand.to_owned(), name.to_owned()))
    };
    Ok(named.keys().filter_map(|demand| concern(demand)).collect())
}

/// Returns the texts with their labels, in a fixed order.
fn texts(remarks: &Path, catalogue: &Catalogue, frequencies: &BTreeMap<String, [f32; 2]>) -> anyhow::Result<Vec<Text>> {
    let mut texts = Vec::new();
    let demands = demands(remarks)?;
    for file in ["code.tsv", "documents.tsv"] {
        for line in lines(remarks, file)? {
            let [demand, _, text] = line.split('\t').collect::<Vec<_>>()[..] else { bail!("{file}: {line}") };
            let label = demands.get(demand).with_context(|| format!("{file}: {demand} is not in demands.tsv"))?.clone();
            ensure!(catalogue.get(&label).is_some(), "demands.tsv: {demand} is {label}, which is not in the catalogue");
            texts.push(Text { label, text: text.to_owned() });
        }
    }
    for line in lines(remarks, "nothing.tsv")? {
        match line.split_once('\t') {
            Some((label @ (NONE | PARTICULAR), text)) => {
                texts.push(Text { label: label.to_owned(), text: text.to_owned() });
            }
            _ => bail!("nothing.tsv: {line}"),
        }
    }
    // Concerns never seen in practice serve as examples of how other demands sound.
    let unheard = catalogue.concerns().filter(|concern| !frequencies.contains_key(&concern.id));
    let others = unheard.flat_map(|concern| &concern.phrasings).skip(OTHERS - 1).step_by(OTHERS);
    texts.extend(others.map(|text| Text { label: OTHER.to_owned(), text: text.clone() }));
    Ok(texts)
}

/// The features that count, with their rarity.
struct Vocabulary {
    features: Vec<u32>,
    rareness: Vec<f32>,
    place: HashMap<u32, u32>,
}

impl Vocabulary {
    fn of<'t>(texts: impl Iterator<Item = &'t str>) -> Vocabulary {
        let mut seen: [HashMap<u32, u32>; 2] = [HashMap::new(), HashMap::new()];
        let mut count = 0.0_f32;
        for text in texts {
            count += 1.0;
            for (kind, seen) in Features::of(text).kinds().into_iter().zip(&mut seen) {
                kind.iter().for_each(|(hash, _)| *seen.entry(*hash).or_default() += 1);
            }
        }
        let often = seen.into_iter().zip(SEEN).flat_map(|(seen, min)| seen.into_iter().filter(move |(_, n)| *n >= min));
        let often: BTreeMap<u32, u32> = often.collect();
        Vocabulary {
            features: often.keys().copied().collect(),
            rareness: often.values().map(|n| ((1.0 + count) / (1.0 + *n as f32)).ln() + 1.0).collect(),
            place: often.keys().copied().zip(0..).collect(),
        }
    }

    /// Returns the features of a text with their values, followed by the components of its vector.
    fn features(&self, text: &str, vector: &[i16]) -> Vec<(u32, f32)> {
        let mut found = Vec::new();
        for kind in Features::of(text).kinds() {
            let begin = found.len();
            for (hash, count) in kind {
                if let Some(at) = self.place.get(hash) {
                    found.push((*at, (1.0 + count.ln()) * self.rareness[*at as usize]));
                }
            }
            let length = found[begin..].iter().map(|(_, v)| v * v).sum::<f32>().sqrt().max(1e-9);
            found[begin..].iter_mut().for_each(|(_, value)| *value /= length);
        }
        let dense = (self.features.len() as u32..).zip(vector);
        found.extend(dense.map(|(at, component)| (at, f32::from(*component) / 32_767.0 * DENSE)));
        found
    }
}

struct Weights {
    labels: usize,
    rows: Vec<f32>,
    bias: Vec<f32>,
}

impl Weights {
    fn row(&self, feature: usize) -> &[f32] {
        &self.rows[feature * self.labels..(feature + 1) * self.labels]
    }

    fn scores(&self, features: &[(u32, f32)]) -> Vec<f32> {
        let mut scores = self.bias.clone();
        for (at, value) in features {
            scores.iter_mut().zip(self.row(*at as usize)).for_each(|(score, weight)| *score += value * weight);
        }
        scores
    }

    fn best(&self, features: &[(u32, f32)]) -> usize {
        let scores = self.scores(features);
        (0..scores.len()).max_by(|a, b| scores[*a].total_cmp(&scores[*b])).unwrap_or_default()
    }
}

fn fit(examples: &[Example], features: usize, labels: usize) -> Weights {
    let mut weights = Weights { labels, rows: vec![0.0; features * labels], bias: vec![0.0; labels] };
    let mut squares = vec![1e-6_f32; features];
    let stride = stride(examples.len());
    for epoch in 0..EPOCHS {
        let step = RATE * (1.0 - epoch as f32 / EPOCHS as f32);
        let mut at = epoch * 7919 % examples.len();
        for _ in 0..examples.len() {
            at = (at + stride) % examples.len();
            learn(&mut weights, &mut squares, &examples[at], step);
        }
    }
    weights
}

fn learn(weights: &mut Weights, squares: &mut [f32], example: &Example, step: f32) {
    let mut errors = weights.scores(&example.features);
    let best = errors.iter().copied().fold(f32::MIN, f32::max);
    errors.iter_mut().for_each(|e| *e = (*e - best).exp());
    let sum: f32 = errors.iter().sum();
    errors.iter_mut().for_each(|e| *e /= sum);
    errors[example.label] -= 1.0;
    // Nearly all labels are negligible: skipping them cuts a step to a tenth.
    let errors: Vec<(usize, f32)> = errors.into_iter().enumerate().filter(|(_, e)| e.abs() > 1e-3).collect();
    let square: f32 = errors.iter().map(|(_, e)| e * e).sum();
    for (at, value) in &example.features {
        let at = *at as usize;
        squares[at] += value * value * square;
        let step = step * value / squares[at].sqrt();
        let row = &mut weights.rows[at * weights.labels..(at + 1) * weights.labels];
        errors.iter().for_each(|(label, error)| row[*label] -= step * error);
    }
    errors.iter().for_each(|(label, error)| weights.bias[*label] -= 0.02 * step * error);
}

/// Returns a step through all examples that separates neighbours widely.
fn stride(count: usize) -> usize {
    let mut stride = (count as f64 * 0.618_034) as usize | 1;
    while gcd(stride, count) != 1 {
        stride += 2;
    }
    stride
}

fn gcd(a: usize, b: usize) -> usize {
    if b == 0 { a } else { gcd(b, a % b) }
}

fn table(
    labels: Vec<String>,
    catalogue: &Catalogue,
    made_up: &Catalogue,
    frequencies: &BTreeMap<String, [f32; 2]>,
    examples: &[Example],
    vocabulary: Vocabulary,
    weights: &Weights,
) -> TrainedReader {
    let count = labels.len();
    let mut table =
        trained::TrainedReader { bias: bias(&labels, frequencies, examples, weights), ..TrainedReader::default() };
    for (at, (hash, rareness)) in vocabulary.features.iter().zip(&vocabulary.rareness).enumerate() {
        let row = weights.row(at);
        let most = row.iter().map(|w| w.abs()).fold(0.0, f32::max);
        if most < PRUNED {
            continue;
        }
        let unit = most / 127.0;
        for (label, weight) in row.iter().enumerate().filter(|(_, w)| w.abs() >= PRUNED) {
            table.of.push(label as u16);
            table.weights.push((weight / unit).round() as i8);
        }
        table.features.push(*hash);
        table.rareness.push(*rareness);
        table.unit.push(unit);
        table.ends.push(table.weights.len() as u32);
    }
    for at in vocabulary.features.len()..weights.rows.len() / count {
        let row = weights.row(at);
        let unit = row.iter().map(|w| w.abs()).fold(1e-9, f32::max) / 127.0;
        table.dense.extend(row.iter().map(|w| (w / unit).round() as i8));
        table.dense_unit.push(unit);
    }
    for label in &labels {
        let begin = made_up.get(label).map_or(0, |concern| concern.phrasings.len());
        let phrasings = catalogue.get(label).map_or(&[][..], |concern| &concern.phrasings[begin..]);
        table.phrasings.push(fingerprint(phrasings));
        table.begins.push(begin as u32);
        table.counts.push(phrasings.len() as u32);
    }
    table.labels = labels;
    table
}

/// Returns the initial score of each label: the trained bias, shifted from its frequency in the texts towards its
/// frequency in practice.
fn bias(
    labels: &[String],
    frequencies: &BTreeMap<String, [f32; 2]>,
    examples: &[Example],
    weights: &Weights,
) -> [Vec<f32>; 2] {
    let mut trained_on = vec![0.0_f32; labels.len()];
    examples.iter().for_each(|e| trained_on[e.label] += 1.0);
    let all_trained: f32 = trained_on.iter().sum();
    [0, 1].map(|kind| {
        let asked = |label: &String| frequencies.get(label).map_or(0.0, |counts| counts[kind]) + SMOOTHING;
        let all: f32 = labels.iter().map(asked).sum();
        let bias = labels.iter().zip(&weights.bias).zip(&trained_on).map(|((label, bias), count)| {
            let (asked, trained) = (asked(label) / all, count / all_trained);
            bias + FREQUENCIES * (asked / trained).ln()
        });
        bias.collect()
    })
}
