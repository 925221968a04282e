//! What a model says of where demands belong.

use super::json;
use super::place_question::{PlaceQuestion, ToPlace};
use super::readings::{MAX_BYTES, number};
use super::screen::Refused;
use crate::records::record::{PlaceReply, Placed};
use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeMap;

/// How long the name of a new demand may be.
const MAX_NEW: usize = 12;

/// Where one demand belongs, as it must be written.
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

/// Reads an answer: what is said of each demand, by the store's names. What names nothing that was shown is left out; what is
/// said twice of a demand counts as it was said first.
///
/// # Errors
/// If the answer is too long, or says nothing of any demand.
pub fn read_places(question: &PlaceQuestion, text: &str) -> Result<PlaceReply, Refused> {
    if text.len() > MAX_BYTES {
        return Err(Refused::Schema("the answer is too long"));
    }
    let lines: Vec<Line> = json::each(text);
    // The whole object has no `id`, so that lines are found within it.
    let whole: Option<Whole> = json::one(text);
    let group = |name: &str| question.known.iter().find(|known| known.name == name.trim()).map(|k| k.about.clone());
    let said: Vec<(&ToPlace, &str)> = question
        .demands
        .iter()
        .filter_map(|shown| Some((shown, lines.iter().find(|line| number(&line.id) == Some(shown.id))?.to.trim())))
        .filter(|(_, to)| group(to).is_some() || is_new(to))
        .collect();
    // Of those that were placed before, it names those alone that do not stay where they are.
    let none = question.again && whole.as_ref().is_some_and(|whole| whole.places.is_empty());
    if said.is_empty() && !none {
        return Err(Refused::Schema("the answer places none of the demands that were shown"));
    }
    // What is placed beside a group that was shown as a demand belongs to that group.
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

/// Whether a name is that of a new demand: `N` and a number.
fn is_new(name: &str) -> bool {
    let number = name.strip_prefix('N').unwrap_or_default();
    name.len() <= MAX_NEW && !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit())
}
