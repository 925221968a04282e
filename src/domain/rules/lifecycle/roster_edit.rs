//! Adding the first people to a roster file, leaving everything else unchanged. Later changes are made by people: they
//! need approvals.

use super::roster::{Reviewer, Roster};
use serde_json::json;

/// Returns the roster's text with these people added.
///
/// # Errors
/// A sentence: the file is invalid, it already has approvers, or it would be invalid with these people.
pub fn with_first(text: &str, people: &[Reviewer]) -> Result<String, String> {
    let before = Roster::parse(text)?;
    if before.approvers() > 0 {
        return Err(
            "the roster already has approvers: edit reviewers.yaml in a clone and push it; the change then needs \
             their approvals"
                .to_owned(),
        );
    }
    let mut out = String::with_capacity(text.len() + 128 * people.len());
    let mut done = false;
    let mut lines = text.split_inclusive('\n').peekable();
    while let Some(line) = lines.next() {
        let is_list = line.starts_with("reviewers:") && !done;
        if !is_list {
            out.push_str(line);
            continue;
        }
        done = true;
        let rest = line["reviewers:".len()..].split('#').next().unwrap_or_default().trim();
        if !matches!(rest, "" | "[]" | "null" | "~") {
            return Err(
                "reviewers.yaml lists its people on one line; put each on a separate line, or edit it in a clone"
                    .to_owned(),
            );
        }
        // Matches the next item's indentation, if there is one.
        let next = lines.peek().filter(|next| next.trim_start().starts_with('-'));
        let indent = next.map_or("  ", |next| &next[..next.len() - next.trim_start().len()]);
        out.push_str("reviewers:\n");
        for Reviewer { id, name, roles, .. } in people {
            out.push_str(&format!("{indent}- {{id: {}, name: {}, roles: {}}}\n", json!(id), json!(name), json!(roles)));
        }
    }
    if !done {
        return Err("reviewers.yaml has no line `reviewers:`; edit it in a clone".to_owned());
    }
    let expected = people.iter().cloned().chain(before.reviewers).collect::<Vec<_>>();
    match Roster::parse(&out)? {
        after if after.reviewers == expected => Ok(out),
        _ => Err("reviewers.yaml has an unsupported layout; edit it in a clone".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn person(id: &str) -> Reviewer {
        Reviewer { id: id.into(), name: "A: \"B\"".into(), roles: vec!["approver".into()], ssh_public_keys: Vec::new() }
    }

    #[test]
    fn the_first_people_are_put_before_others_and_the_rest_stays() {
        let empty = "# Ours.\n\nreviewers: []\n";
        let text = with_first(empty, &[person("ana"), person("1")]).unwrap();
        insta::assert_snapshot!(text, @r#"
        # Ours.

        reviewers:
          - {id: "ana", name: "A: \"B\"", roles: ["approver"]}
          - {id: "1", name: "A: \"B\"", roles: ["approver"]}
        "#);
        let listed = "reviewers:\n- id: cem # gives feedback\n  roles: [reviewer]\n";
        let text = with_first(listed, &[person("ana")]).unwrap();
        assert!(
            text.ends_with("- id: cem # gives feedback\n  roles: [reviewer]\n") && text.contains("\n- {id: \"ana\"")
        );
        for (file, id, says) in [
            ("reviewers:\n  - {id: ben, roles: [approver]}\n", "ana", "already has approvers"),
            ("reviewers:\n  - {id: ana, roles: [reviewer]}\n", "Ana", "are too similar"),
            ("reviewers: [{id: ben}]\n", "ana", "on one line"),
            ("people: 1\n", "ana", "no line"),
            ("reviewers: 1\n", "ana", ""),
        ] {
            let error = with_first(file, &[person(id)]).unwrap_err();
            assert!(error.contains(says), "{error}");
        }
    }
}
