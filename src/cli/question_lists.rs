//! The lists of `clusters review`: their display and the parsing of typed answers.

use super::page::{count, paragraph, percent};
use crate::domain::clusters::question::{ListQuestion, Marks, ShownComment};
use crate::text::language::catalogue::CompiledCatalogue;

/// The possible answers.
pub const HELP: &str = "Type the numbers of those that ask for the same (1 3 4), or all, or none. Add p5 if 5 is \
                        praise or asks for nothing, t5 if it is too specific for a rule, d5=CONCERN if it asks for a \
                        concern of the catalogue. n = not sure, q = quit: ";

/// Parses an answer about a list of `shown` comments. The error describes what is wrong.
pub fn read(line: &str, shown: usize) -> Result<Marks, String> {
    let mut marks = Marks::default();
    let mut named = Vec::new();
    let (mut all, mut none) = (false, false);
    for word in line.split([' ', ',', ';', '\t']).filter(|word| !word.is_empty()) {
        let lower = word.to_ascii_lowercase();
        match lower.as_str() {
            // Also as for a pair: the same, or different.
            "all" | "a" | "s" | "same" => all = true,
            "none" | "0" | "d" | "different" => none = true,
            _ => {
                let (kind, rest) = lower.split_at(lower.find(|c: char| c.is_ascii_digit()).unwrap_or(0));
                let (number, concern) = rest.split_once('=').map_or((rest, None), |(n, id)| (n, Some(id)));
                let place = number.parse::<usize>().ok().filter(|n| (1..=shown).contains(n));
                let Some(place) = place.map(|n| n - 1) else {
                    return Err(format!("`{word}` is not a number from 1 to {shown}"));
                };
                if named.contains(&place) {
                    return Err(format!("{} is named twice", place + 1));
                }
                named.push(place);
                match (kind, concern) {
                    ("", None) => marks.same.push(place),
                    ("p", None) => marks.nothing.push(place),
                    ("t", None) => marks.particular.push(place),
                    ("d", Some(id)) if !id.is_empty() => marks.demands.push((place, id.to_owned())),
                    _ => return Err(format!("`{word}` is not a valid answer")),
                }
            }
        }
    }
    match (all, none, marks.same.is_empty()) {
        (true, false, true) => marks.same = (0..shown).filter(|place| !named.contains(place)).collect(),
        (false, _, true) if none || !named.is_empty() => {}
        (false, false, false) => {}
        _ => return Err("type numbers, or all, or none".to_owned()),
    }
    Ok(marks)
}

/// Formats the list. `catalogue` names what the comments may ask for.
pub fn page(list: &ListQuestion, catalogue: Option<&CompiledCatalogue>, width: usize) -> String {
    let remarks = list.remarks.iter().enumerate().map(|(n, said)| one(n + 1, said, width));
    head(list, catalogue, width) + &remarks.collect::<String>()
}

/// Formats the question about the list, and the cluster that it may belong to.
pub fn head(list: &ListQuestion, catalogue: Option<&CompiledCatalogue>, width: usize) -> String {
    let concern = list.axis.and_then(|axis| catalogue?.concerns().get(usize::from(axis)));
    let perhaps =
        concern.map_or_else(String::new, |c| format!(" Perhaps: {} ({}).", c.title.trim_end_matches('.'), c.id));
    let likely = percent(list.probability);
    match &list.group {
        None => format!("{}, {likely} likely that three ask for the same: which of these do?{perhaps}\n", list.agent),
        Some(group) => {
            let head = format!(
                "{}: which of the comments below ask for the same as {} ({})?{perhaps}\n",
                list.agent,
                group.id,
                count(group.size, "comment")
            );
            group.remarks.iter().fold(head, |text, said| text + &paragraph(&format!("“{}”", said.text), width, 5))
                + "\n"
        }
    }
}

fn one(number: usize, said: &ShownComment, width: usize) -> String {
    paragraph(&format!("{number}  {}: “{}”", said.reviewer_id, said.text), width, 3)
}

/// Returns the command that answers a list; people insert the ids.
pub fn command(list: &ListQuestion, who: &str) -> String {
    let ids: Vec<&str> = list.remarks.iter().map(|said| said.feedback_id.as_str()).collect();
    let into = list.group.as_ref().map_or_else(String::new, |group| format!(" --into {}", group.id));
    format!("feedbackd clusters sort --same {}{into} --as {who}", ids.join(" --same "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_typed_becomes_marks() {
        let all = Marks { same: vec![0, 2, 3], nothing: vec![1], ..Marks::default() };
        assert_eq!(read("all p2", 4), Ok(all));
        assert_eq!(read("none", 4), Ok(Marks::default()));
        let demand = Marks {
            same: vec![0, 1],
            particular: vec![3],
            demands: vec![(2, "test.add".to_owned())],
            ..Marks::default()
        };
        assert_eq!(read("1 2 d3=test.add t4", 4), Ok(demand));
    }

    #[test]
    fn what_cannot_be_meant_is_said() {
        for (line, why) in [
            ("5", "`5` is not a number from 1 to 4"),
            ("1 p1", "1 is named twice"),
            ("x2", "`x2` is not a valid answer"),
            ("", "type numbers, or all, or none"),
            ("all none", "type numbers, or all, or none"),
            ("what", "`what` is not a number from 1 to 4"),
        ] {
            assert_eq!(read(line, 4), Err(why.to_owned()), "{line}");
        }
    }
}
