//! Finds JSON in a model's output, whatever surrounds it and as far as it is complete.

use serde::de::DeserializeOwned;
use serde_json::Value;

/// End tags of reasoning blocks that servers leave in the text.
const THOUGHT: [&str; 3] = ["</think>", "</thinking>", "</reasoning>"];

/// Returns the part of a text after the model's reasoning.
fn answered(text: &str) -> &str {
    let ends = THOUGHT.iter().filter_map(|end| text.rfind(end).map(|at| at + end.len()));
    ends.max().and_then(|at| text.get(at..)).unwrap_or(text)
}

/// Returns the first object of this type in a text, whatever surrounds it.
pub(super) fn one<T: DeserializeOwned>(text: &str) -> Option<T> {
    every(answered(text), &mut |value| T::deserialize(value).ok()).into_iter().next()
}

/// Returns the objects of this type in a text, at any depth. In a truncated array, the complete ones are found.
pub(super) fn each<T: DeserializeOwned>(text: &str) -> Vec<T> {
    every(answered(text), &mut |value| T::deserialize(value).ok())
}

/// Returns everything that can be built from the objects in a text; unusable objects are searched recursively.
fn every<T>(text: &str, made: &mut dyn FnMut(&Value) -> Option<T>) -> Vec<T> {
    let (mut found, mut from) = (Vec::new(), 0);
    while let Some(at) = text[from..].find('{') {
        let begin = from + at;
        let mut values = serde_json::Deserializer::from_str(&text[begin..]).into_iter::<Value>();
        match values.next() {
            Some(Ok(value)) => match made(&value) {
                Some(one) => {
                    found.push(one);
                    from = begin + values.byte_offset();
                }
                None => from = begin + 1,
            },
            _ => from = begin + 1,
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde::Deserialize;

    #[derive(Debug, Deserialize, PartialEq)]
    struct Named {
        id: u32,
    }

    #[test]
    fn an_object_is_found_whatever_stands_around_it() {
        for text in [
            "{\"id\": 7}",
            "```JSON\n{\"id\": 7}\n```",
            "Sure, here it is: {\"id\": 7}. Anything else?",
            "<think>{\"id\": 1} or {no</think>\n{\"id\": 7}",
            "thought without a beginning</think>{\"id\": 7}",
            "{\"answer\": {\"id\": 7}}",
        ] {
            assert_eq!(one::<Named>(text), Some(Named { id: 7 }), "{text}");
        }
        for text in ["", "seven", "[7]", "{\"id\": \"seven\"}", "{\"id\": 7"] {
            assert_eq!(one::<Named>(text), None, "{text}");
        }
    }

    #[test]
    fn what_is_whole_of_an_array_counts() {
        let cut = "{\"all\": [{\"id\": 1}, {\"id\": 2}, {\"id\": 3";
        assert_eq!(each::<Named>(cut), [Named { id: 1 }, Named { id: 2 }]);
    }
}
