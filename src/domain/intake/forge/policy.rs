//! Whose comments count, and whose work it is.
//!
//! The agent that did the work is a claim by its author; each claim comes with its basis.

use super::event::{Kind, Person, Reason, Work};
use serde::{Deserialize, Serialize};

/// Forges' programs that their payloads do not identify as such.
const OWN_PROGRAMS: [&str; 3] = ["github-actions", "gitea-actions", "forgejo-actions"];

/// The basis of a claim to the work.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ClaimBy {
    /// The account that opened it, a person's or an app's.
    Author,
    /// The prefix of the branch name.
    Branch,
    /// A line of the description, such as `Co-Authored-By: Claude`, or part of one.
    Trailer,
}

/// A claim to the work.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Claim {
    pub by: ClaimBy,
    /// The account, the branch prefix, or the content of a description line; case is ignored.
    pub is: String,
    /// The agent, as named in its rules.
    pub agent: String,
}

/// Whose comments count, and whose work it is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Policy {
    /// The first match counts.
    pub claims: Vec<Claim>,
    /// The agent for work without a matching claim; if unset, such work is ignored.
    pub default_agent: Option<String>,
    /// Accounts that are ignored.
    pub ignored: Vec<String>,
    /// Branch prefixes of our own pull requests.
    pub own_branches: Vec<String>,
    /// Whose comments count, by role in the repository.
    pub heard_from: HeardFrom,
}

/// Whose comments count, by role in the repository.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum HeardFrom {
    /// Those of all accounts.
    #[default]
    Anyone,
    /// Those of accounts with one of these roles. Accounts of unknown role also count, since there is nothing else to
    /// go by.
    Usual(Vec<String>),
    /// The same, as configured: no others count.
    Named(Vec<String>),
}

/// Denotes deleted accounts among the roles.
pub const DELETED: &str = "deleted";
/// Denotes all accounts among the roles.
pub const ANYONE: &str = "anyone";

impl HeardFrom {
    /// Returns the default for a kind of forge: accounts given a role by people of the repository. On a public forge,
    /// anyone can comment. Gerrit has its own groups, none of which is a default.
    pub fn usual(kind: Kind) -> HeardFrom {
        let usual: &[&str] = match kind {
            Kind::Github => &["owner", "member", "collaborator"],
            Kind::Gitlab => &["owner", "maintainer", "developer", "reporter"],
            Kind::Gitea | Kind::Forgejo => &["owner", "admin", "write"],
            Kind::Gerrit => return HeardFrom::Anyone,
        };
        HeardFrom::Usual(usual.iter().map(|part| (*part).to_owned()).collect())
    }

    /// Returns the configured roles for a kind of forge; the defaults if none are configured.
    pub fn named(kind: Kind, parts: &[String]) -> HeardFrom {
        match parts {
            [] => HeardFrom::usual(kind),
            parts if parts.iter().any(|part| part == ANYONE) => HeardFrom::Anyone,
            parts => HeardFrom::Named(parts.to_vec()),
        }
    }

    /// Reports whether comments count by this role alone; `None` means an unknown role.
    pub fn counts(&self, standing: Option<&str>) -> bool {
        match (self, standing) {
            (HeardFrom::Anyone, _) | (HeardFrom::Usual(_), None) => true,
            (HeardFrom::Named(_), None) => false,
            (HeardFrom::Usual(parts) | HeardFrom::Named(parts), Some(standing)) => {
                parts.iter().any(|part| part.eq_ignore_ascii_case(standing))
            }
        }
    }

    /// Reports whether comments of deleted accounts count.
    fn counts_deleted(&self) -> bool {
        match self {
            HeardFrom::Anyone => true,
            HeardFrom::Usual(_) => false,
            HeardFrom::Named(parts) => parts.iter().any(|part| part == DELETED),
        }
    }
}

impl Policy {
    /// Returns whose work it is and the basis of that, if this person's comments on it count.
    ///
    /// # Errors
    /// The reason why they do not.
    pub fn hear(&self, by: &Person, work: &Work) -> Result<(String, String), Reason> {
        if by.bot || by.login.to_ascii_lowercase().ends_with("[bot]") || OWN_PROGRAMS.iter().any(|own| by.login == *own)
        {
            return Err(Reason::Bot);
        }
        if self.ignored.iter().any(|ignored| ignored.eq_ignore_ascii_case(&by.login)) {
            return Err(Reason::IgnoredPerson);
        }
        if is_same(by, &work.author) {
            return Err(Reason::Author);
        }
        if by.deleted && !self.heard_from.counts_deleted() {
            return Err(Reason::AccountDeleted);
        }
        let branch = work.branch.as_deref().unwrap_or_default();
        if self.own_branches.iter().any(|own| begins(branch, own)) {
            return Err(Reason::OwnExport);
        }
        let claimed = self.claims.iter().find(|claim| claim.fits(work));
        match (claimed, &self.default_agent) {
            (Some(claim), _) => Ok((claim.agent.clone(), claim.rests_on())),
            (None, Some(agent)) => Ok((agent.clone(), "default_agent".to_owned())),
            (None, None) => Err(Reason::NoAgent),
        }
    }
}

impl Claim {
    fn fits(&self, work: &Work) -> bool {
        let lower = self.is.to_lowercase();
        match self.by {
            ClaimBy::Author => {
                work.author.login.to_lowercase() == lower || work.author.number.as_ref() == Some(&self.is)
            }
            ClaimBy::Branch => begins(work.branch.as_deref().unwrap_or_default(), &self.is),
            ClaimBy::Trailer => {
                let description = work.description.as_deref().unwrap_or_default();
                description.lines().any(|line| line.to_lowercase().contains(&lower))
            }
        }
    }

    fn rests_on(&self) -> String {
        let by = match self.by {
            ClaimBy::Author => "author",
            ClaimBy::Branch => "branch",
            ClaimBy::Trailer => "trailer",
        };
        format!("{by} {}", self.is)
    }
}

fn begins(branch: &str, with: &str) -> bool {
    !with.is_empty() && branch.to_lowercase().starts_with(&with.to_lowercase())
}

fn is_same(one: &Person, other: &Person) -> bool {
    let number = one.number.is_some() && one.number == other.number;
    number || !other.login.is_empty() && one.login.eq_ignore_ascii_case(&other.login)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn person(login: &str) -> Person {
        Person { login: login.to_owned(), ..Person::default() }
    }

    fn policy() -> Policy {
        let claim = |by, is: &str, agent: &str| Claim { by, is: is.to_owned(), agent: agent.to_owned() };
        Policy {
            claims: vec![
                claim(ClaimBy::Author, "devin[bot]", "devin"),
                claim(ClaimBy::Branch, "codex/", "codex"),
                claim(ClaimBy::Trailer, "co-authored-by: claude", "claude"),
            ],
            default_agent: None,
            ignored: vec!["ci".to_owned()],
            own_branches: vec!["feedbackd/".to_owned()],
            heard_from: HeardFrom::usual(Kind::Github),
        }
    }

    #[test]
    fn the_first_claim_that_fits_counts_and_says_what_it_rests_on() {
        let work = |author: &str, branch: &str, description: &str| Work {
            author: person(author),
            branch: Some(branch.to_owned()),
            description: Some(description.to_owned()),
            ..Work::default()
        };
        let hear = |work: &Work| policy().hear(&person("ann"), work);
        let said = |agent: &str, by: &str| Ok((agent.to_owned(), by.to_owned()));
        assert_eq!(hear(&work("Devin[bot]", "codex/x", "")), said("devin", "author devin[bot]"));
        assert_eq!(hear(&work("eva", "Codex/x", "")), said("codex", "branch codex/"));
        let trailer = "Fix it\n\nCo-Authored-By: Claude <c@example.org>";
        assert_eq!(hear(&work("eva", "x", trailer)), said("claude", "trailer co-authored-by: claude"));
        assert_eq!(hear(&work("eva", "x", "")), Err(Reason::NoAgent));
        let default = Policy { default_agent: Some("coder".to_owned()), ..policy() };
        assert_eq!(default.hear(&person("ann"), &work("eva", "x", "")), said("coder", "default_agent"));
    }

    #[test]
    fn programs_authors_and_reviews_of_our_own_rules_teach_nothing() {
        let work = |author: Person, branch: &str| Work { author, branch: Some(branch.to_owned()), ..Work::default() };
        let hear = |by: Person, work: &Work| policy().hear(&by, work).map(|_| ());
        let codex = work(person("eva"), "codex/x");
        assert_eq!(hear(person("ann"), &codex), Ok(()));
        assert_eq!(hear(person("Eva"), &codex), Err(Reason::Author));
        assert_eq!(hear(person("CI"), &codex), Err(Reason::IgnoredPerson));
        assert_eq!(hear(person("helper[bot]"), &codex), Err(Reason::Bot));
        assert_eq!(hear(Person { bot: true, ..person("helper") }, &codex), Err(Reason::Bot));
        assert_eq!(hear(person("ann"), &work(person("eva"), "feedbackd/rules")), Err(Reason::OwnExport));
        for program in ["HELPER[BOT]", "forgejo-actions"] {
            assert_eq!(hear(person(program), &codex), Err(Reason::Bot), "{program}");
        }
        let gone = || Person { deleted: true, ..person("ghost") };
        assert_eq!(hear(gone(), &codex), Err(Reason::AccountDeleted));
        assert_eq!(hear(gone(), &work(gone(), "codex/x")), Err(Reason::Author));
        let numbered = |login: &str, number: &str| Person { number: Some(number.to_owned()), ..person(login) };
        let by_number = work(numbered("", "7"), "codex/x");
        assert_eq!(hear(numbered("eva", "7"), &by_number), Err(Reason::Author));
        assert_eq!(hear(numbered("ann", "8"), &by_number), Ok(()));
    }
}
