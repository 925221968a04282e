//! Addresses on this page.

use form_urlencoded::byte_serialize;

/// Builds `/proposals/RULE-2026-0001`: a place, and an id with any characters.
pub fn to<T: AsRef<str> + ?Sized>(place: &str, id: &T) -> String {
    // In a path a space is not a plus.
    let id: String = byte_serialize(id.as_ref().as_bytes()).collect::<String>().replace('+', "%20");
    format!("/{place}/{id}")
}

/// Builds a place with a query; empty values are omitted.
pub fn query(place: &str, pairs: &[(&str, &str)]) -> String {
    let mut query = form_urlencoded::Serializer::new(String::new());
    for (name, value) in pairs.iter().filter(|(_, value)| !value.is_empty()) {
        query.append_pair(name, value);
    }
    let query = query.finish();
    if query.is_empty() { place.to_owned() } else { format!("{place}?{query}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_stays_one_part_of_a_path() {
        assert_eq!(to("feedback", "dec 1/../x?y#z"), "/feedback/dec%201%2F..%2Fx%3Fy%23z");
        assert_eq!(
            query("/proposals", &[("state", "active"), ("agent", ""), ("q", "a&b")]),
            "/proposals?state=active&q=a%26b"
        );
    }
}
