//! People's answers to a question, converted to reviews.
//!
//! The form's content counts: the comments that the person saw, not those that would be asked about by now.

use super::failure::Failure;
use super::form_values::FormValues;
use super::request::Visit;
use crate::domain::clusters::question::{Marks, is_same, sorted};
use crate::text::prose::count;
use axum::http::StatusCode;

/// Parses an answer.
///
/// # Errors
/// If something is missing, or the answer is empty.
pub fn read(visit: &Visit, decision: &str, subject: String) -> Result<FormValues, Failure> {
    let (actions, what) = match decision {
        "same" | "different" => {
            let sides = [visit.option("a"), visit.option("b")];
            let [Some(a), Some(b)] = sides else { return Err(unfit("Choose two; nothing was decided.")) };
            let same = decision == "same";
            let what = if same { "ask for the same" } else { "ask for different things" };
            (vec![is_same(a, b, same)], format!("You said that {a} and {b} {what}"))
        }
        _ => {
            let remarks: Vec<&str> = visit.all("remark").iter().map(String::as_str).collect();
            let marks = if decision == "sorted" { marks(visit, &remarks)? } else { Marks::default() };
            let of = count(remarks.len() as u64, "comment");
            let what = if decision == "sorted" {
                format!("You said that {} of {of} ask for the same", marks.same.len())
            } else {
                format!("You said that no two of {of} ask for the same")
            };
            (sorted(&remarks, visit.option("into"), &marks), what)
        }
    };
    if actions.is_empty() {
        return Err(unfit(
            "You marked only one comment: mark two or more that ask for the same, or skip the question. Nothing was \
             decided.",
        ));
    }
    Ok(FormValues { actions, what, items: vec![subject.clone()], subject, ..FormValues::default() })
}

/// Returns the mark of each comment.
fn marks(visit: &Visit, remarks: &[&str]) -> Result<Marks, Failure> {
    let mut marks = Marks::default();
    for (place, id) in remarks.iter().enumerate() {
        match visit.option(&field(id)) {
            Some("same") => marks.same.push(place),
            Some("others") => {}
            Some("nothing") => marks.nothing.push(place),
            Some("particular") => marks.particular.push(place),
            _ => return Err(unfit("Choose for each comment what it asks for; nothing was decided.")),
        }
    }
    Ok(marks)
}

/// Returns the field for a comment's mark.
pub fn field(feedback_id: &str) -> String {
    format!("is.{feedback_id}")
}

fn unfit(detail: &str) -> Failure {
    Failure::new(StatusCode::UNPROCESSABLE_ENTITY, detail)
}
