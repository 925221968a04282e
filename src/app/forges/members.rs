//! An account's role in a repository if the forge's payload does not give it: the API is queried, and the answer cached
//! for a while.
//!
//! GitHub gives the role with each comment, but a webhook reports an organisation member with private membership as a
//! mere contributor. So accounts without a role in the payload are looked up too.

use crate::domain::intake::forge::{Kind, Person};
use crate::ports::{ForgeAnswer, ForgeApi, RestError};
use jiff::{SignedDuration, Timestamp};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::Value;
use std::collections::HashMap;
use std::fmt;
use std::sync::{Mutex, PoisonError};

/// How long an account's role is cached.
const REMEMBERED: SignedDuration = SignedDuration::from_mins(60);
/// Pause after a query failed.
const REST: SignedDuration = SignedDuration::from_secs(10);
/// Maximum number of cached accounts.
const MOST: usize = 10_000;
/// Role of an account that has none known to the forge.
const NONE: &str = "none";
/// Role of an account with write or triage access to a GitHub repository.
const COLLABORATOR: &str = "collaborator";

/// GitLab's levels, highest first.
const LEVELS: [(u64, &str); 6] =
    [(50, "owner"), (40, "maintainer"), (30, "developer"), (20, "reporter"), (15, "planner"), (10, "guest")];

/// The members of a forge's repositories, by its API.
pub struct Members {
    /// The forge's name in the configuration.
    forge: String,
    kind: Kind,
    api: Box<dyn ForgeApi>,
    /// The Gerrit groups whose members are looked up.
    groups: Vec<String>,
    known: Mutex<HashMap<String, (Timestamp, Option<String>)>>,
    resting: Mutex<Option<Timestamp>>,
}

impl fmt::Debug for Members {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Members").field("kind", &self.kind).finish_non_exhaustive()
    }
}

impl Members {
    /// Creates a lookup with this API. Contacts nothing.
    pub fn new(forge: &str, kind: Kind, api: Box<dyn ForgeApi>, groups: Vec<String>) -> Members {
        let forge = forge.to_owned();
        Members { forge, kind, api, groups, known: Mutex::default(), resting: Mutex::default() }
    }

    /// Returns an account's role; `None` if the forge does not reveal it to this token. May block.
    ///
    /// # Errors
    /// If the API does not answer; then nothing is queried for a moment.
    pub fn standing(&self, repository: &str, by: &Person, now: Timestamp) -> Result<Option<String>, RestError> {
        let mut resting = self.resting.lock().unwrap_or_else(PoisonError::into_inner);
        if resting.is_some_and(|until| now < until) {
            return Err(RestError::Failed("it did not answer a moment ago".to_owned()));
        }
        let found = self.standing_by(repository, by, now, &mut |address| match self.api.read(address, None)? {
            // It would answer with another token.
            answer if answer.is_limited || answer.status == 401 || answer.status >= 500 => {
                Err(RestError::Status(answer.status))
            }
            answer => Ok(answer),
        });
        *resting = None;
        if let Err(error) = &found {
            *resting = now.checked_add(REST).ok();
            let forge = self.forge.as_str();
            tracing::warn!(forge, %error, "reviews are pending until the forge's API reports a repository's members");
        }
        found
    }

    /// Same with `ask` as the client: it returns every answer except those that ask to retry later.
    ///
    /// # Errors
    /// Those of `ask`.
    pub fn standing_by<E>(
        &self,
        repository: &str,
        by: &Person,
        now: Timestamp,
        ask: &mut dyn FnMut(&str) -> Result<ForgeAnswer, E>,
    ) -> Result<Option<String>, E> {
        let who = format!("{repository} {} {}", by.login.to_lowercase(), by.number.as_deref().unwrap_or_default());
        if let Some(found) = self.remembered(&who, now) {
            return Ok(found.or_else(|| by.standing.clone()));
        }
        let found = match self.kind {
            Kind::Github => self.of_github(repository, by, ask)?,
            Kind::Gitlab => self.of_gitlab(repository, by, ask)?,
            Kind::Gitea | Kind::Forgejo => self.of_gitea(repository, by, ask)?,
            Kind::Gerrit => self.of_gerrit(by, now, ask)?,
        };
        self.remember(who, now, found.clone());
        Ok(found.or_else(|| by.standing.clone()))
    }

    fn remembered(&self, who: &str, now: Timestamp) -> Option<Option<String>> {
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let (at, found) = known.get(who)?;
        (now.duration_since(*at) < REMEMBERED).then(|| found.clone())
    }

    fn remember(&self, who: String, now: Timestamp, found: Option<String>) {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if known.len() >= MOST {
            known.clear();
        }
        known.insert(who, (now, found));
    }

    /// Read access to a public repository is not a role; in that case the payload says more.
    fn of_github<E>(
        &self,
        repository: &str,
        by: &Person,
        ask: &mut dyn FnMut(&str) -> Result<ForgeAnswer, E>,
    ) -> Result<Option<String>, E> {
        let answer = ask(&format!("/repos/{repository}/collaborators/{}/permission", encoded(&by.login)))?;
        let says = |name: &str| answer.body[name].as_str().unwrap_or_default().to_ascii_lowercase();
        let may = ["admin", "maintain", "write", "triage"];
        let has_part =
            answer.status == 200 && (may.contains(&&*says("permission")) || may.contains(&&*says("role_name")));
        Ok(has_part.then(|| COLLABORATOR.to_owned()))
    }

    fn of_gitlab<E>(
        &self,
        repository: &str,
        by: &Person,
        ask: &mut dyn FnMut(&str) -> Result<ForgeAnswer, E>,
    ) -> Result<Option<String>, E> {
        let Some(number) = &by.number else { return Ok(None) };
        let project = format!("/projects/{}", encoded(repository));
        let answer = ask(&format!("{project}/members/all/{}", encoded(number)))?;
        let level = answer.body["access_level"].as_u64().unwrap_or_default();
        Ok(match answer.status {
            200 => {
                let found = LEVELS.iter().find(|(from, _)| level >= *from);
                Some(found.map_or(NONE, |(_, name)| *name).to_owned())
            }
            404 => none_where_shown(ask(&project)?.status),
            _ => None,
        })
    }

    fn of_gitea<E>(
        &self,
        repository: &str,
        by: &Person,
        ask: &mut dyn FnMut(&str) -> Result<ForgeAnswer, E>,
    ) -> Result<Option<String>, E> {
        let place = format!("/repos/{repository}");
        let answer = ask(&format!("{place}/collaborators/{}/permission", encoded(&by.login)))?;
        Ok(match answer.status {
            200 => answer.body["permission"].as_str().map(str::to_ascii_lowercase),
            404 => none_where_shown(ask(&place)?.status),
            // Only a repository's administrators may see other accounts.
            _ => None,
        })
    }

    fn of_gerrit<E>(
        &self,
        by: &Person,
        now: Timestamp,
        ask: &mut dyn FnMut(&str) -> Result<ForgeAnswer, E>,
    ) -> Result<Option<String>, E> {
        let mut all_told = true;
        for group in &self.groups {
            match self.members_of(group, now, ask)? {
                Some(members) => {
                    let mut names = members.split(' ');
                    if names.any(|name| Some(name) == by.number.as_deref() || name.eq_ignore_ascii_case(&by.login)) {
                        return Ok(Some(group.clone()));
                    }
                }
                None => all_told = false,
            }
        }
        Ok(all_told.then(|| NONE.to_owned()))
    }

    /// Returns the numbers and names of a group's members.
    fn members_of<E>(
        &self,
        group: &str,
        now: Timestamp,
        ask: &mut dyn FnMut(&str) -> Result<ForgeAnswer, E>,
    ) -> Result<Option<String>, E> {
        let key = format!("group {group}");
        if let Some(found) = self.remembered(&key, now) {
            return Ok(found);
        }
        let answer = ask(&format!("/groups/{}/members/?recursive", encoded(group)))?;
        let names = |member: &Value| {
            let number = member["_account_id"].as_u64().map(|number| number.to_string());
            let name = member["username"].as_str().map(str::to_owned);
            number.into_iter().chain(name).collect::<Vec<_>>()
        };
        let members = (answer.status == 200)
            .then(|| answer.body.as_array().into_iter().flatten().flat_map(names).collect::<Vec<String>>().join(" "));
        self.remember(key, now, members.clone());
        Ok(members)
    }
}

/// Returns that there is no role, if the repository itself is visible: a hidden one has the same status.
fn none_where_shown(status: u16) -> Option<String> {
    (status == 200).then(|| NONE.to_owned())
}

fn encoded(text: &str) -> String {
    utf8_percent_encode(text, NON_ALPHANUMERIC).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;
    use std::sync::Arc;

    /// An API with fixed pages that records its requests.
    struct Pages(HashMap<String, Value>, Arc<Mutex<Vec<String>>>);

    impl ForgeApi for Pages {
        fn read(&self, address: &str, _etag: Option<&str>) -> Result<ForgeAnswer, RestError> {
            self.1.lock().unwrap().push(address.to_owned());
            if address.contains("away") {
                return Err(RestError::TimedOut);
            }
            let body = self.0.get(address).cloned();
            let status = body.as_ref().map_or(404, |body| body["status"].as_u64().unwrap_or(200) as u16);
            Ok(ForgeAnswer { status, body: body.unwrap_or_default(), ..ForgeAnswer::default() })
        }

        fn write(&self, _method: &str, _address: &str, _body: &Value) -> Result<ForgeAnswer, RestError> {
            Err(RestError::TimedOut)
        }
    }

    fn members(kind: Kind, pages: &[(&str, Value)], groups: &[&str]) -> (Members, Arc<Mutex<Vec<String>>>) {
        let asked = Arc::new(Mutex::new(Vec::new()));
        let pages = pages.iter().map(|(address, body)| ((*address).to_owned(), body.clone())).collect();
        let groups = groups.iter().map(|group| (*group).to_owned()).collect();
        (Members::new("forge", kind, Box::new(Pages(pages, Arc::clone(&asked))), groups), asked)
    }

    fn person(login: &str, number: &str, standing: Option<&str>) -> Person {
        let number = Some(number.to_owned());
        Person { login: login.to_owned(), number, standing: standing.map(str::to_owned), ..Person::default() }
    }

    #[test]
    fn each_kind_says_it_in_its_own_way() {
        let now = Timestamp::UNIX_EPOCH;
        let standing = |kind, pages: &[(&str, Value)], by: &Person| {
            members(kind, pages, &["core", "docs"]).0.standing("octo/shop", by, now).unwrap()
        };
        let ann = person("ann", "7", None);
        let permission = "/repos/octo/shop/collaborators/ann/permission";
        let contributor = person("ann", "7", Some("contributor"));
        for (may, expected) in [("admin", "collaborator"), ("write", "collaborator"), ("read", "contributor")] {
            let pages = [(permission, json!({ "permission": may, "role_name": may }))];
            assert_eq!(standing(Kind::Github, &pages, &contributor).as_deref(), Some(expected), "{may}");
            assert_eq!(standing(Kind::Forgejo, &pages, &ann).as_deref(), Some(may));
        }
        let member = "/projects/octo%2Fshop/members/all/7";
        for (level, expected) in [(60, "owner"), (40, "maintainer"), (25, "reporter"), (10, "guest"), (5, "none")] {
            let pages = [(member, json!({ "access_level": level }))];
            assert_eq!(standing(Kind::Gitlab, &pages, &ann).as_deref(), Some(expected), "{level}");
        }
        let shown = [("/projects/octo%2Fshop", json!({}))];
        assert_eq!(standing(Kind::Gitlab, &shown, &ann).as_deref(), Some("none"));
        assert_eq!(standing(Kind::Gitlab, &[], &ann), None, "a repository that is not shown says nothing");
        assert_eq!(standing(Kind::Gitea, &[(permission, json!({ "status": 403 }))], &ann), None);
        let group = |numbers: &[u64]| json!(numbers.iter().map(|n| json!({ "_account_id": n })).collect::<Vec<_>>());
        let pages =
            [("/groups/core/members/?recursive", group(&[1])), ("/groups/docs/members/?recursive", group(&[7]))];
        assert_eq!(standing(Kind::Gerrit, &pages, &ann).as_deref(), Some("docs"));
        assert_eq!(standing(Kind::Gerrit, &pages, &person("ben", "8", None)).as_deref(), Some("none"));
        assert_eq!(standing(Kind::Gerrit, &pages[..1], &ann), None, "a group that is not shown says nothing");
    }

    #[test]
    fn it_is_asked_once_an_hour_and_rests_where_there_is_no_answer() {
        let (known, asked) =
            members(Kind::Gitlab, &[("/projects/a%2Fb/members/all/7", json!({ "access_level": 30 }))], &[]);
        let at = |second: i64| Timestamp::from_second(second).unwrap();
        let ann = person("ann", "7", None);
        for second in [0, 100, 3_599, 3_601] {
            assert_eq!(known.standing("a/b", &ann, at(second)).unwrap().as_deref(), Some("developer"));
        }
        assert_eq!(asked.lock().unwrap().len(), 2);
        for second in [4_000, 4_009, 4_011] {
            assert!(known.standing("away/b", &ann, at(second)).is_err());
        }
        assert_eq!(asked.lock().unwrap().len(), 4);
    }
}
