//! The lists of `clusters review`: how one is shown, and how what a person types becomes an answer.

use super::page::{count, paragraph, percent};
use crate::domain::grouping::question::{ListQuestion, Said};
use crate::domain::language::catalogue::Compiled;
use serde_json::{Value, json};

/// What can be typed.
pub const HELP: &str = "Type the numbers of those that ask for the same (1 3 4), or all, or none. Add p5 where 5 is praise or asks \
     for nothing, t5 where it is too particular for a rule, d5=CONCERN where it asks for a concern of the catalogue. \
     n = not sure, q = quit: ";

/// What a person made of a list: which of the remarks are what, by their places.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Marks {
    /// Those that ask for the same.
    pub same: Vec<usize>,
    /// Those that ask for nothing.
    pub nothing: Vec<usize>,
    /// Those that are too particular for a rule.
    pub particular: Vec<usize>,
    /// Those that ask for a concern, with its id.
    pub demands: Vec<(usize, String)>,
}

/// Reads what was typed about a list of so many. The error says what is wrong.
pub fn read(line: &str, shown: usize) -> Result<Marks, String> {
    let mut marks = Marks::default();
    let mut named = Vec::new();
    let (mut all, mut none) = (false, false);
    for word in line.split([' ', ',', ';', '\t']).filter(|word| !word.is_empty()) {
        let lower = word.to_ascii_lowercase();
        match lower.as_str() {
            // As a pair is answered, too: the same, or different.
            "all" | "a" | "s" | "same" => all = true,
            "none" | "0" | "d" | "different" => none = true,
            _ => {
                let (kind, rest) = lower.split_at(lower.find(|c: char| c.is_ascii_digit()).unwrap_or(0));
                let (number, concern) = rest.split_once('=').map_or((rest, None), |(n, id)| (n, Some(id)));
                let place = number.parse::<usize>().ok().filter(|n| (1..=shown).contains(n));
                let Some(place) = place.map(|n| n - 1) else {
                    return Err(format!("`{word}` is no number from 1 to {shown}"));
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
                    _ => return Err(format!("`{word}` is nothing that can be typed here")),
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

/// The reviews that an answer makes: one about the list, and one for each demand that was named.
pub fn actions(list: &ListQuestion, marks: &Marks) -> Vec<Value> {
    let id = |place: &usize| list.remarks[*place].feedback_id.as_str();
    let ids = |places: &[usize]| places.iter().map(id).collect::<Vec<_>>();
    let told = |place: &usize| {
        marks.nothing.contains(place)
            || marks.particular.contains(place)
            || marks.demands.iter().any(|(other, _)| other == place)
    };
    let left = (0..list.remarks.len()).filter(|place| !told(place));
    let (same, others): (Vec<usize>, Vec<usize>) = left.partition(|place| marks.same.contains(place));
    let mut action = json!({"decision": "SORT"});
    // One that is left over differs from nothing that was named, and one alone asks for the same as nothing.
    let compared = list.group.is_some() || same.len() > 1 || (same.is_empty() && others.len() > 1);
    let lists = [("same", &same), ("others", &others), ("nothing", &marks.nothing), ("particular", &marks.particular)];
    for (name, places) in lists {
        let is_compared = ["same", "others"].contains(&name);
        if !places.is_empty() && (compared || !is_compared) {
            action[name] = json!(ids(places));
        }
    }
    let says = lists.iter().any(|(name, _)| action.get(*name).is_some());
    if let Some(group) = &list.group {
        action["into"] = json!(group.id);
    }
    let demands = marks.demands.iter().map(
        |(place, concern)| json!({"decision": "MARK", "feedback_id": id(place), "mark": "DEMAND", "demand": concern}),
    );
    says.then_some(action).into_iter().chain(demands).collect()
}

/// The list as it is shown. `catalogue` names what the remarks may ask for.
pub fn page(list: &ListQuestion, catalogue: Option<&Compiled>, width: usize) -> String {
    let remarks = list.remarks.iter().enumerate().map(|(n, said)| one(n + 1, said, width));
    head(list, catalogue, width) + &remarks.collect::<String>()
}

/// What is asked about the list, and the group that it may belong to.
pub fn head(list: &ListQuestion, catalogue: Option<&Compiled>, width: usize) -> String {
    let concern = list.axis.and_then(|axis| catalogue?.concerns().get(usize::from(axis)));
    let perhaps =
        concern.map_or_else(String::new, |c| format!(" Perhaps: {} ({}).", c.title.trim_end_matches('.'), c.id));
    let likely = percent(list.probability);
    match &list.group {
        None => format!("{}, {likely} likely that three ask for the same: which of these do?{perhaps}\n", list.agent),
        Some(group) => {
            let head = format!(
                "{}: which of the remarks below ask for the same as {} ({})?{perhaps}\n",
                list.agent,
                group.id,
                count(group.size, "remark")
            );
            group.remarks.iter().fold(head, |text, said| text + &paragraph(&format!("“{}”", said.text), width, 5))
                + "\n"
        }
    }
}

fn one(number: usize, said: &Said, width: usize) -> String {
    paragraph(&format!("{number}  {}: “{}”", said.reviewer_id, said.text), width, 3)
}

/// The command that answers a list; people put the ids where they belong.
pub fn command(list: &ListQuestion, who: &str) -> String {
    let ids: Vec<&str> = list.remarks.iter().map(|said| said.feedback_id.as_str()).collect();
    let into = list.group.as_ref().map_or_else(String::new, |group| format!(" --into {}", group.id));
    format!("feedbackd clusters sort --same {}{into} --as {who}", ids.join(" --same "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(count: usize) -> ListQuestion {
        let said =
            |n: usize| Said { feedback_id: format!("d{n}"), reviewer_id: "ana".into(), text: format!("text {n}") };
        ListQuestion {
            tenant: String::new(),
            agent: "coder".into(),
            axis: None,
            group: None,
            remarks: (1..=count).map(said).collect(),
            probability: 0.6,
            gain: 0.6,
        }
    }

    #[test]
    fn what_is_typed_becomes_reviews() {
        let said = |line: &str| {
            let marks = read(line, 4).unwrap();
            serde_json::to_value(actions(&list(4), &marks)).unwrap()
        };
        assert_eq!(said("1, 3"), serde_json::json!([{"decision":"SORT","others":["d2","d4"],"same":["d1","d3"]}]));
        assert_eq!(said("all p2"), serde_json::json!([{"decision":"SORT","nothing":["d2"],"same":["d1","d3","d4"]}]));
        assert_eq!(said("none"), serde_json::json!([{"decision":"SORT","others":["d1","d2","d3","d4"]}]));
        assert_eq!(
            said("t1 p2 t3"),
            serde_json::json!([{"decision":"SORT","nothing":["d2"],"particular":["d1","d3"]}])
        );
        assert_eq!(
            said("1 2 d3=test.add t4"),
            serde_json::json!([{"decision":"SORT","particular":["d4"],"same":["d1","d2"]},{"decision":"MARK","demand":"test.add","feedback_id":"d3","mark":"DEMAND"}])
        );
    }

    #[test]
    fn what_cannot_be_meant_is_said() {
        for (line, why) in [
            ("5", "`5` is no number from 1 to 4"),
            ("1 p1", "1 is named twice"),
            ("x2", "`x2` is nothing that can be typed here"),
            ("", "type numbers, or all, or none"),
            ("all none", "type numbers, or all, or none"),
            ("what", "`what` is no number from 1 to 4"),
        ] {
            assert_eq!(read(line, 4), Err(why.to_owned()), "{line}");
        }
    }
}
