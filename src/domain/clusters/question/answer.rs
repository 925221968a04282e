//! An answer to a question, as the reviews it produces: the fields of the review stream.

use super::list::ListQuestion;
use serde_json::{Value, json};

/// A person's marks on a list: comments by position. Any that are not named ask for something else.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Marks {
    /// Those that ask for the same.
    pub same: Vec<usize>,
    /// Those that ask for nothing.
    pub nothing: Vec<usize>,
    /// Those that are too specific for a rule.
    pub particular: Vec<usize>,
    /// Those that ask for a concern, with its id.
    pub demands: Vec<(usize, String)>,
}

impl ListQuestion {
    /// Returns the reviews that an answer produces; none if it says nothing.
    pub fn answered(&self, marks: &Marks) -> Vec<Value> {
        let remarks: Vec<&str> = self.remarks.iter().map(|said| said.feedback_id.as_str()).collect();
        sorted(&remarks, self.group.as_ref().map(|group| group.id.as_str()), marks)
    }
}

/// Returns the reviews that an answer about these comments produces: one about the list, and one for each named demand;
/// none if it says nothing. `into` is the cluster shown with them.
pub fn sorted(remarks: &[&str], into: Option<&str>, marks: &Marks) -> Vec<Value> {
    let ids = |places: &[usize]| places.iter().map(|place| remarks[*place]).collect::<Vec<_>>();
    let told = |place: &usize| {
        marks.nothing.contains(place)
            || marks.particular.contains(place)
            || marks.demands.iter().any(|(other, _)| other == place)
    };
    let left = (0..remarks.len()).filter(|place| !told(place));
    let (same, others): (Vec<usize>, Vec<usize>) = left.partition(|place| marks.same.contains(place));
    let mut action = json!({"decision": "SORT"});
    // A single one left over has nothing to differ from, and a single match has nothing to match.
    let compared = into.is_some() || same.len() > 1 || (same.is_empty() && others.len() > 1);
    let lists = [("same", &same), ("others", &others), ("nothing", &marks.nothing), ("particular", &marks.particular)];
    for (name, places) in lists {
        let is_compared = ["same", "others"].contains(&name);
        if !places.is_empty() && (compared || !is_compared) {
            action[name] = json!(ids(places));
        }
    }
    let says = lists.iter().any(|(name, _)| action.get(*name).is_some());
    if let Some(group) = into {
        action["into"] = json!(group);
    }
    let demands = marks.demands.iter().map(
        |(place, concern)| json!({"decision": "MARK", "feedback_id": remarks[*place], "mark": "DEMAND", "demand": concern}),
    );
    says.then_some(action).into_iter().chain(demands).collect()
}

/// Returns the review that states whether two ask for the same.
pub fn is_same(a: &str, b: &str, same: bool) -> Value {
    json!({"decision": if same { "SAME" } else { "KEEP_APART" }, "a": a, "b": b})
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_become_reviews() {
        let said = |marks: &Marks, into: Option<&str>| json!(sorted(&["d1", "d2", "d3", "d4"], into, marks));
        let two = Marks { same: vec![0, 2], ..Marks::default() };
        assert_eq!(said(&two, None), json!([{"decision":"SORT","others":["d2","d4"],"same":["d1","d3"]}]));
        let all_but_praise = Marks { same: vec![0, 2, 3], nothing: vec![1], ..Marks::default() };
        assert_eq!(said(&all_but_praise, None), json!([{"decision":"SORT","nothing":["d2"],"same":["d1","d3","d4"]}]));
        let none = Marks::default();
        assert_eq!(said(&none, None), json!([{"decision":"SORT","others":["d1","d2","d3","d4"]}]));
        // The remaining one is compared with nothing.
        let one_left = Marks { particular: vec![0, 2], nothing: vec![1], ..Marks::default() };
        assert_eq!(said(&one_left, None), json!([{"decision":"SORT","nothing":["d2"],"particular":["d1","d3"]}]));
        let demand = Marks {
            same: vec![0, 1],
            particular: vec![3],
            demands: vec![(2, "test.add".to_owned())],
            ..Marks::default()
        };
        assert_eq!(
            said(&demand, None),
            json!([
                {"decision":"SORT","particular":["d4"],"same":["d1","d2"]},
                {"decision":"MARK","demand":"test.add","feedback_id":"d3","mark":"DEMAND"}
            ])
        );
        // Next to a cluster, even one comment is informative.
        let one = Marks { same: vec![3], ..Marks::default() };
        assert_eq!(
            said(&one, Some("CLUSTER-1")),
            json!([{"decision":"SORT","into":"CLUSTER-1","others":["d1","d2","d3"],"same":["d4"]}])
        );
        assert_eq!(json!(sorted(&["d1"], None, &Marks { same: vec![0], ..Marks::default() })), json!([]));
    }
}
