//! Known ids that resemble an unknown one. For hints only; never used for lookups.

/// Returns the ids most similar to `wanted`, best first; at most three.
pub fn nearest<'a>(wanted: &str, ids: impl Iterator<Item = &'a str>) -> Vec<String> {
    let mut found: Vec<(usize, &str)> = ids
        .filter(|id| worth_a_look(wanted, id))
        .filter_map(|id| {
            let distance = if id.contains(wanted) { 0 } else { distance(wanted, id) };
            (distance <= reach(wanted)).then_some((distance, id))
        })
        .collect();
    found.sort_unstable();
    found.dedup();
    found.into_iter().take(3).map(|(_, id)| id.to_owned()).collect()
}

/// Cheap test that excludes most ids.
pub fn worth_a_look(wanted: &str, id: &str) -> bool {
    !wanted.is_empty()
        && wanted.len() <= 100
        && (id.len().abs_diff(wanted.len()) <= reach(wanted) || id.contains(wanted))
}

fn reach(wanted: &str) -> usize {
    (wanted.len() / 5).clamp(1, 3)
}

/// Returns the case-insensitive edit distance in letters.
fn distance(a: &str, b: &str) -> usize {
    strsim::levenshtein(&a.to_ascii_lowercase(), &b.to_ascii_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_of_the_finger_is_found() {
        let ids = ["dec-0042", "dec-0043", "dec-0420", "vdec-9", "other"];
        let near = |wanted| nearest(wanted, ids.into_iter());
        assert_eq!(near("dec-0044"), ["dec-0042", "dec-0043"]);
        assert_eq!(near("DEC-0420"), ["dec-0420"]);
        assert_eq!(near("042"), ["dec-0042", "dec-0420"]);
        assert!(near("nothing-like-it").is_empty());
        assert!(near("").is_empty());
    }
}
