//! The roster: who may decide about proposed rules (specification, "The store"). People edit it; the daemon only reads
//! it.

use super::signature;
use crate::identity;
use crate::text::yaml;
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;

/// The file `reviewers.yaml`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Roster {
    /// Everyone on the roster.
    #[serde(default)]
    pub reviewers: Vec<Reviewer>,
}

/// A person on the roster.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Reviewer {
    /// The id used in decisions.
    pub id: String,
    /// The name, for people.
    #[serde(default)]
    pub name: String,
    /// `approver`, `reviewer`.
    #[serde(default)]
    pub roles: Vec<String>,
    /// Keys that may sign this person's decisions.
    #[serde(default)]
    pub ssh_public_keys: Vec<RosterKey>,
}

/// A person's key: a line as in `~/.ssh/id_ed25519.pub`, alone or with its validity period.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum RosterKey {
    /// Valid at all times.
    Line(String),
    /// Valid within a period.
    Dated(DatedKey),
}

/// A key with a validity period. Anything signed within it remains signed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DatedKey {
    /// A line as in `~/.ssh/id_ed25519.pub`.
    pub key: String,
    /// Signatures before this moment do not count.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub valid_from: Option<Timestamp>,
    /// Signatures from this moment on do not count.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub valid_until: Option<Timestamp>,
    /// The same, because the key was lost or stolen then. Once this is set, no new signature counts, whatever its date:
    /// a thief can write any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub revoked_at: Option<Timestamp>,
}

impl RosterKey {
    /// Returns the key as a line.
    pub fn line(&self) -> &str {
        match self {
            RosterKey::Line(line) => line,
            RosterKey::Dated(dated) => &dated.key,
        }
    }

    /// Reports whether a signature dated at this moment and received now counts.
    fn counts_at(&self, at: Timestamp) -> bool {
        match self {
            RosterKey::Line(_) => true,
            RosterKey::Dated(DatedKey { valid_from, valid_until, revoked_at, .. }) => {
                valid_from.is_none_or(|from| from <= at)
                    && valid_until.is_none_or(|until| at < until)
                    && revoked_at.is_none()
            }
        }
    }
}

/// The keys of the file, and of a person in it.
const KEYS: [&[&str]; 2] = [&["reviewers"], &["id", "name", "roles", "ssh_public_keys"]];

/// Rejects misspelt keys such as `role`, whose values would be ignored. Other unknown keys belong to the user.
fn misspelt(text: &str) -> Result<(), String> {
    let file: serde_json::Value = yaml::parse(text)?;
    let people = file["reviewers"].as_array().into_iter().flatten();
    let maps = std::iter::once((&file, KEYS[0])).chain(people.map(|person| (person, KEYS[1])));
    for (map, known) in maps {
        for key in map.as_object().into_iter().flat_map(|map| map.keys()).filter(|key| !known.contains(&key.as_str())) {
            let near = |meant: &&&str| strsim::levenshtein(&key.to_lowercase(), meant) <= meant.len() / 4;
            if let Some(meant) = known.iter().find(near) {
                let who = map["id"].as_str().map_or_else(String::new, |id| format!("{id} has "));
                return Err(format!("{who}`{key}`, which is not a known key; write `{meant}`"));
            }
        }
    }
    Ok(())
}

/// All roles.
const ROLES: [&str; 2] = ["approver", "reviewer"];

impl Roster {
    /// Parses the file.
    ///
    /// # Errors
    /// A sentence that states what is wrong and where.
    pub fn parse(text: &str) -> Result<Roster, String> {
        let roster: Roster = yaml::parse(text)?;
        misspelt(text)?;
        roster.one_for_each()?;
        Ok(roster)
    }

    /// Checks that no two entries are one person, neither by id, regardless of case and script, nor by key.
    fn one_for_each(&self) -> Result<(), String> {
        let mut seen: [HashMap<String, &str>; 2] = [HashMap::new(), HashMap::new()];
        let mut keys: HashMap<String, &str> = HashMap::new();
        for person in &self.reviewers {
            let id = person.id.as_str();
            for (form, seen) in identity::forms(id).into_iter().zip(&mut seen) {
                match seen.insert(form, id) {
                    Some(other) if other == id => {
                        return Err(format!("the id {id} is on the roster twice; remove one"));
                    }
                    Some(other) => {
                        return Err(format!("the ids {other} and {id} are too similar; keep one of them"));
                    }
                    None => {}
                }
            }
            for key in person.ssh_public_keys.iter().filter_map(|key| signature::fingerprint(key.line())) {
                if let Some(other) = keys.insert(key, id).filter(|other| *other != id) {
                    return Err(format!("{other} and {id} have the same key; each person needs their own"));
                }
            }
        }
        Ok(())
    }

    /// Returns warnings about entries that parse but have no effect: unknown roles, and keys that cannot verify
    /// signatures. One sentence each.
    pub fn doubts(&self) -> Vec<String> {
        let mut doubts = Vec::new();
        for person in &self.reviewers {
            for role in person.roles.iter().filter(|role| !ROLES.contains(&role.as_str())) {
                doubts.push(format!(
                    "{} has the unknown role {role:?}; the roles are {}",
                    person.id,
                    ROLES.join(" and ")
                ));
            }
            for key in person.ssh_public_keys.iter().map(RosterKey::line).filter(|key| !key.trim().is_empty()) {
                if let Err(why) = signature::usable(key) {
                    doubts.push(format!("a key of {}: {why}", person.id));
                }
            }
        }
        doubts
    }

    /// Reports whether the key with this fingerprint was revoked at or before a moment.
    pub fn revoked(&self, fingerprint: &str, at: Timestamp) -> bool {
        let keys = self.reviewers.iter().flat_map(|person| &person.ssh_public_keys);
        let mut dated = keys.filter_map(|key| match key {
            RosterKey::Dated(dated) if dated.revoked_at.is_some_and(|revoked| revoked <= at) => Some(&dated.key),
            _ => None,
        });
        dated.any(|key| signature::fingerprint(key).as_deref() == Some(fingerprint))
    }

    /// Returns how many people may approve rules.
    pub fn approvers(&self) -> usize {
        self.reviewers.iter().filter(|r| r.is_approver()).count()
    }

    /// Returns the person with this id; ids are compared exactly.
    pub fn find(&self, id: &str) -> Option<&Reviewer> {
        self.reviewers.iter().find(|r| r.id == id)
    }

    /// Reports whether this id is an approver's. With an empty roster there are none.
    pub fn is_approver(&self, id: &str) -> bool {
        self.find(id).is_some_and(Reviewer::is_approver)
    }
}

impl Reviewer {
    /// Reports whether this person may approve rules.
    pub fn is_approver(&self) -> bool {
        self.roles.iter().any(|role| role == "approver")
    }

    /// Returns the keys whose signatures dated at a moment count if received under this roster.
    pub fn keys_at(&self, at: Timestamp) -> Vec<&str> {
        self.ssh_public_keys.iter().filter(|key| key.counts_at(at)).map(RosterKey::line).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_that_is_nearly_right_is_refused_and_people_may_have_others() {
        let said = |text: &str| Roster::parse(text).map(|roster| roster.reviewers.len());
        let near = said("reviewers: [{id: ana, role: approver}]");
        assert_eq!(near, Err("ana has `role`, which is not a known key; write `roles`".to_owned()));
        assert!(said("reviewer: [{id: ana}]").is_err_and(|why| why.contains("write `reviewers`")));
        assert!(said("reviewers: [{id: ana, ssh_public_key: x}]").is_err());
        assert_eq!(said("team: ours\nreviewers: [{id: ana, roles: [approver], email: a, note: x}]"), Ok(1));
    }

    #[test]
    fn the_roster_is_read_and_twins_are_refused() {
        let roster = Roster::parse("reviewers:\n  - {id: a, roles: [approver]}\n  - {id: b}\n").unwrap();
        assert_eq!((roster.reviewers.len(), roster.approvers()), (2, 1));
        assert_eq!(["a", "b", "c", "A", ""].map(|id| roster.is_approver(id)), [true, false, false, false, false]);
        assert_eq!(roster.find("b").map(|r| r.id.as_str()), Some("b"));
        assert_eq!(roster.find("c"), None);
        let doubtful = Roster::parse("reviewers: [{id: a, roles: [aprover], ssh_public_keys: [rubbish]}]").unwrap();
        assert_eq!(doubtful.doubts().len(), 2, "{:?}", doubtful.doubts());
        assert_eq!(roster.doubts(), Vec::<String>::new());
        assert!(Roster::parse("reviewers: [{id: a}, {id: a}]").unwrap_err().contains("twice"));
        assert!(Roster::parse("reviewers: [{name: a}]").is_err());
    }

    const KEY: &str = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAILM+rvN+ot98qgEN796jTiQfZfG1KaT0PtFDJ/XFSqti";

    #[test]
    fn nobody_stands_on_it_under_two_names() {
        for twin in ["Ana", "\u{430}na", "ana\u{200b}", "ａna"] {
            let text = format!("reviewers: [{{id: ana}}, {{id: \"{twin}\"}}]");
            assert!(Roster::parse(&text).unwrap_err().contains("are too similar"), "{twin:?}");
        }
        let keys = |other: &str| {
            format!("reviewers: [{{id: ana, ssh_public_keys: [{KEY}]}}, {{id: ben, ssh_public_keys: [{other}]}}]")
        };
        assert!(Roster::parse(&keys(&format!("{KEY} ben@example.org"))).unwrap_err().contains("same key"));
        assert!(Roster::parse(&keys(&format!("{{key: {KEY}, valid_until: 2026-01-01T00:00:00Z}}"))).is_err());
        Roster::parse(&keys("")).unwrap();
    }

    #[test]
    fn a_key_counts_within_its_time() {
        let text = format!(
            "reviewers: [{{id: a, ssh_public_keys: [{{key: {KEY}, valid_from: 2026-01-01T00:00:00Z, valid_until: 2026-02-01T00:00:00Z}}]}}]"
        );
        let roster = Roster::parse(&text).unwrap();
        let counts = |at: &str| !roster.reviewers[0].keys_at(at.parse().unwrap()).is_empty();
        assert_eq!(
            ["2025-12-31T23:59:59Z", "2026-01-01T00:00:00Z", "2026-01-31T23:59:59Z", "2026-02-01T00:00:00Z"]
                .map(counts),
            [false, true, true, false]
        );
        let lost = Roster::parse(&text.replace("valid_until", "revoked_at")).unwrap();
        assert!(
            lost.reviewers[0].keys_at("2026-01-31T00:00:00Z".parse().unwrap()).is_empty(),
            "any date can be written"
        );
        let typo = text.replace("valid_until", "revoked");
        assert!(Roster::parse(&typo).is_err(), "a date that nobody reads must not pass unseen");
    }
}
