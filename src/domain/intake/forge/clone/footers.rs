//! The last paragraph of a message: lines such as `Patch-set: 2`.

/// Iterates over the lines `Name: value` of a message's last paragraph. Other lines are skipped.
pub(super) fn footers(message: &str) -> impl Iterator<Item = (&str, &str)> {
    let message = message.trim_end();
    let last = message.rfind("\n\n").map_or(message, |at| &message[at + 2..]);
    last.lines().filter_map(|line| {
        let (name, value) = line.split_once(':')?;
        let is_name = !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '-');
        is_name.then(|| (name, value.trim()))
    })
}

/// Returns the value of a footer that occurs once; case is ignored.
pub(super) fn footer<'a>(message: &'a str, name: &str) -> Option<&'a str> {
    let mut found = footers(message).filter(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, value)| value);
    let value = found.next()?;
    found.next().is_none().then_some(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_last_paragraph_counts() {
        let message =
            "Update patch set 2\n\nPatch-set: 1\nis what I mean.\n\nPatch-set: 2\nLabel: A=+1\nlabel: B=-1\n\n";
        assert_eq!(footer(message, "patch-set"), Some("2"));
        assert_eq!(footer(message, "Label"), None);
        assert_eq!(footers(message).map(|(_, value)| value).collect::<Vec<_>>(), ["2", "A=+1", "B=-1"]);
        assert_eq!(footers("").count(), 0);
        assert_eq!(footers("one line: it is").count(), 0);
    }
}
