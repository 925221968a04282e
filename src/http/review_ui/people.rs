//! Who may call, and for whom the ids stand that they name.

use crate::http::identity::{Caller, Scope};
use crate::http::problem::Problem;
use axum::http::StatusCode;
use std::collections::BTreeMap;
use std::net::IpAddr;

/// Who may call, and for whom the ids stand that they name.
#[derive(Clone, Debug, Default)]
pub struct StandIns {
    /// Whether this machine may call.
    pub loopback: bool,
    /// The other addresses that may.
    pub addresses: Vec<IpAddr>,
    /// The person for each `id`, and for each `id@address`, which comes first.
    pub mapped: BTreeMap<String, String>,
    /// Whether an id that stands for nobody counts as the person of that id.
    pub roster_ids: bool,
    /// The id that stands for whoever fills in the form at a gate.
    pub gate_form_id: String,
}

impl StandIns {
    /// That calls may come from here.
    ///
    /// # Errors
    /// 403 where they may not.
    pub fn admit(&self, peer: IpAddr) -> Result<(), Problem> {
        if self.loopback && peer.is_loopback() || self.addresses.iter().any(|one| one.to_canonical() == peer) {
            return Ok(());
        }
        let detail = format!("{peer} may not call the review UI's calls; to let it, list it in review_ui.peers");
        Err(Problem::new(StatusCode::FORBIDDEN, detail))
    }

    /// Who decides: the person who is known to ask, else the one for whom the id stands that is named.
    ///
    /// # Errors
    /// 403 where it stands for nobody, or where who asks may only read.
    pub fn who(&self, caller: Option<&Caller>, named: &str, peer: IpAddr) -> Result<String, Problem> {
        if let Some(caller) = caller {
            caller.may(Scope::Decide)?;
            return Ok(caller.reviewer.clone());
        }
        let named = named.trim();
        let mapped = self.mapped.get(&format!("{named}@{peer}")).or_else(|| self.mapped.get(named));
        match mapped {
            Some(person) => Ok(person.clone()),
            None if self.roster_ids && !named.is_empty() => Ok(named.to_owned()),
            None => {
                let detail = format!(
                    "`{named}` stands for nobody here; to let it, map it to a person of the roster in review_ui.people \
                     (\"{named}=<id>\"), or put a proxy in front that says who asks"
                );
                Err(Problem::new(StatusCode::FORBIDDEN, detail))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::http::identity::How;

    fn people() -> StandIns {
        let mapped = [("admin", "ana"), ("admin@192.0.2.7", "ben")];
        StandIns {
            loopback: true,
            addresses: vec![[192, 0, 2, 7].into()],
            mapped: mapped.map(|(id, person)| (id.to_owned(), person.to_owned())).into(),
            ..StandIns::default()
        }
    }

    #[test]
    fn only_those_who_are_listed_may_call() {
        let admitted = |peer: [u8; 4]| people().admit(peer.into()).is_ok();
        assert!(admitted([127, 0, 0, 1]) && admitted([127, 8, 8, 8]) && admitted([192, 0, 2, 7]));
        assert!(!admitted([192, 0, 2, 8]));
        assert!(StandIns { loopback: false, ..people() }.admit([127, 0, 0, 1].into()).is_err());
    }

    #[test]
    fn an_id_stands_for_whom_the_configuration_says() {
        let here = IpAddr::from([127, 0, 0, 1]);
        let who = |people: &StandIns, caller: Option<&Caller>, named: &str, peer| {
            people.who(caller, named, peer).map_err(|problem| problem.status())
        };
        let people = people();
        assert_eq!(who(&people, None, "admin", here), Ok("ana".to_owned()));
        assert_eq!(who(&people, None, "admin", [192, 0, 2, 7].into()), Ok("ben".to_owned()));
        assert_eq!(who(&people, None, "ana", here), Err(StatusCode::FORBIDDEN));
        assert_eq!(who(&StandIns { roster_ids: true, ..people.clone() }, None, "eva", here), Ok("eva".to_owned()));
        assert_eq!(who(&StandIns { roster_ids: true, ..people.clone() }, None, " ", here), Err(StatusCode::FORBIDDEN));
        let caller = |scope| Caller { reviewer: "eva".to_owned(), how: How::Proxy, scope };
        assert_eq!(who(&people, Some(&caller(Scope::Decide)), "admin", here), Ok("eva".to_owned()));
        assert_eq!(who(&people, Some(&caller(Scope::Read)), "admin", here), Err(StatusCode::FORBIDDEN));
    }
}
