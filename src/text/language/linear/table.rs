//! Conversion of a model to a human-readable table, and back.
//!
//! Tab-separated: `#labels`, `#temperature` and `#bias` first, then one line per feature, sorted by name, with one
//! weight per label. Weights have three decimals; a feature whose weights all round to zero is omitted.

use super::model::Model;
use std::collections::BTreeMap;

impl Model {
    /// Renders the table. `parse` restores the same model, up to rounding.
    pub fn render(&self) -> String {
        let mut text = format!("#labels\t{}\n", self.labels.join("\t"));
        text.push_str(&format!("#temperature\t{:.3}\n", self.temperature));
        text.push_str(&format!("#bias\t{}\n", numbers(&self.bias)));
        for (name, weights) in &self.weights {
            if weights.iter().any(|weight| weight.abs() >= 0.0005) {
                text.push_str(&format!("{}\t{}\n", escaped(name), numbers(weights)));
            }
        }
        text
    }

    /// Parses a table.
    ///
    /// # Errors
    /// The line and its problem: a missing header, an invalid number, too few or too many weights, a duplicate feature.
    pub fn parse(tsv: &str) -> Result<Self, String> {
        let mut lines = tsv.lines().enumerate().map(|(at, line)| (at + 1, line));
        let labels: Vec<String> = header(lines.next(), "#labels")?.map(str::to_owned).collect();
        if labels.is_empty() || labels.iter().any(String::is_empty) {
            return Err("line 1: no labels, or an empty one".to_owned());
        }
        let temperature = weights(header(lines.next(), "#temperature")?, 1, 2)?[0];
        if temperature <= 0.0 {
            return Err(format!("line 2: the temperature is above 0, not {temperature}"));
        }
        let bias = weights(header(lines.next(), "#bias")?, labels.len(), 3)?;
        let mut table = BTreeMap::new();
        for (at, line) in lines.filter(|(_, line)| !line.is_empty()) {
            let mut cells = line.split('\t');
            let name = unescaped(cells.next().unwrap_or_default());
            let row = weights(cells, labels.len(), at)?;
            if table.insert(name, row).is_some() {
                return Err(format!("line {at}: this feature has a line already"));
            }
        }
        Ok(Self { labels, temperature: (f64::from(temperature) * 1000.0).round() / 1000.0, bias, weights: table })
    }
}

fn header<'a>(line: Option<(usize, &'a str)>, name: &str) -> Result<std::str::Split<'a, char>, String> {
    let (at, line) = line.ok_or_else(|| format!("the line `{name}` is missing"))?;
    let mut cells = line.split('\t');
    if cells.next() != Some(name) {
        return Err(format!("line {at}: `{name}` and its values are expected here"));
    }
    Ok(cells)
}

fn weights<'a>(cells: impl Iterator<Item = &'a str>, count: usize, at: usize) -> Result<Vec<f32>, String> {
    let row = cells
        .map(|cell| match cell.parse::<f32>() {
            Ok(number) if number.is_finite() => Ok(number),
            _ => Err(format!("line {at}: `{cell}` is not a finite number")),
        })
        .collect::<Result<Vec<f32>, String>>()?;
    if row.len() == count {
        Ok(row)
    } else {
        Err(format!("line {at}: {} numbers where {count} are expected", row.len()))
    }
}

/// Formats with three decimals, without trailing zeros.
fn numbers(values: &[f32]) -> String {
    let cells: Vec<String> = values
        .iter()
        .map(|value| {
            let text = format!("{value:.3}");
            let short = text.trim_end_matches('0').trim_end_matches('.');
            if short == "-0" { "0".to_owned() } else { short.to_owned() }
        })
        .collect();
    cells.join("\t")
}

/// Escapes the characters with a meaning in the table. A name that begins with `#` still parses as a feature: only the
/// first three lines are headers.
fn escaped(name: &str) -> String {
    name.replace('\\', "\\\\").replace('\t', "\\t").replace('\n', "\\n").replace('\r', "\\r")
}

fn unescaped(name: &str) -> String {
    let mut text = String::with_capacity(name.len());
    let mut chars = name.chars();
    while let Some(one) = chars.next() {
        if one != '\\' {
            text.push(one);
            continue;
        }
        match chars.next() {
            Some('t') => text.push('\t'),
            Some('n') => text.push('\n'),
            Some('r') => text.push('\r'),
            Some(other) => text.push(other),
            None => text.push('\\'),
        }
    }
    text
}
