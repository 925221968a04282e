//! Helpers for JSON values.

use serde_json::Value;

/// Changes every text of a value, including field names.
pub fn change_texts(value: &mut Value, change: &impl Fn(&str) -> String) {
    match value {
        Value::String(text) => *text = change(text),
        Value::Array(items) => items.iter_mut().for_each(|item| change_texts(item, change)),
        Value::Object(fields) => {
            for (name, mut inside) in std::mem::take(fields) {
                change_texts(&mut inside, change);
                fields.insert(change(&name), inside);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn every_text_is_changed_wherever_it_stands() {
        let mut value = json!({"a": ["b", {"c": "d", "n": 1}], "e": null, "f": true});
        change_texts(&mut value, &str::to_uppercase);
        assert_eq!(value, json!({"A": ["B", {"C": "D", "N": 1}], "E": null, "F": true}));
    }
}
