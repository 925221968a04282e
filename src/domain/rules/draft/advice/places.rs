//! A model's placement of demands.

use super::json;
use super::place_question::{PlaceQuestion, ToPlace};
use super::readings::{MAX_BYTES, number};
use super::screen::ScreenError;
use crate::records::record::{PlaceReply, Placed};
use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeMap;

/// The maximum length of a new demand's name.
const MAX_NEW: usize = 12;

/// The required form of one demand's place.
#[derive(Deserialize)]
struct Line {
    id: Value,
    to: String,
}

#[derive(Deserialize)]
struct Whole {
    places: Vec<Value>,
    #[serde(default)]
    same: Vec<Vec<String>>,
}

/// Parses an answer: the place of each demand, by the store's names. Names of nothing that was shown are ignored; the
/// first answer about a demand counts.
///
/// # Errors
/// If the answer is too long or covers no demand.
pub fn read_places(question: &PlaceQuestion, text: &str) -> Result<PlaceReply, ScreenError> {
    if text.len() > MAX_BYTES {
        return Err(ScreenError::Schema("the answer is too long"));
    }
    let lines: Vec<Line> = json::each(text);
    // The outer object has no `id`, so that the lines within it are found.
    let whole: Option<Whole> = json::one(text);
    let group = |name: &str| question.known.iter().find(|known| known.name == name.trim()).map(|k| k.about.clone());
    let said: Vec<(&ToPlace, &str)> = question
        .demands
        .iter()
        .filter_map(|shown| Some((shown, lines.iter().find(|line| number(&line.id) == Some(shown.id))?.to.trim())))
        .filter(|(_, to)| group(to).is_some() || is_new(to))
        .collect();
    // For demands placed before, the model names only those that do not stay.
    let none = question.again && whole.as_ref().is_some_and(|whole| whole.places.is_empty());
    if said.is_empty() && !none {
        return Err(ScreenError::Schema("the answer places none of the demands that were shown"));
    }
    // A demand placed with a cluster that was shown as a demand belongs to that cluster.
    let mut named: BTreeMap<&str, String> = BTreeMap::new();
    let (mut places, mut same) = (Vec::new(), Vec::new());
    for (shown, to) in &said {
        let Some(own) = &shown.group else { continue };
        match group(to).or_else(|| named.get(to).cloned()) {
            Some(other) if other != *own => same.push([own.clone(), other]),
            Some(_) => {}
            None => drop(named.insert(to, own.clone())),
        }
    }
    for (shown, to) in said.iter().filter(|(shown, _)| shown.group.is_none()) {
        let group = group(to).or_else(|| named.get(to).cloned());
        let new = group.is_none().then(|| (*to).to_owned());
        places.push(Placed { feedback_id: shown.about.clone(), group, new });
    }
    let pair = |names: &Vec<String>| match names.as_slice() {
        [a, b] => group(a).zip(group(b)).filter(|(a, b)| a != b).map(|(a, b)| [a, b]),
        _ => None,
    };
    same.extend(whole.iter().flat_map(|whole| &whole.same).filter_map(pair));
    Ok(PlaceReply { places, same })
}

/// Reports whether a name is that of a new demand: `N` and a number.
fn is_new(name: &str) -> bool {
    let number = name.strip_prefix('N').unwrap_or_default();
    name.len() <= MAX_NEW && !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit())
}
