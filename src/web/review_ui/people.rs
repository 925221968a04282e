//! Who may call, and the people behind the ids they name.

use crate::auth::{Caller, Scope};
use crate::problem::Problem;
use axum::http::StatusCode;
use std::collections::BTreeMap;
use std::net::IpAddr;

/// Who may call, and the people behind the ids they name.
#[derive(Clone, Debug, Default)]
pub struct StandIns {
    /// Whether this machine may call.
    pub loopback: bool,
    /// The other permitted addresses.
    pub addresses: Vec<IpAddr>,
    /// The hash of the UI server's token: two hashes are compared in constant time.
    pub token: Option<blake3::Hash>,
    /// The configuration keys that show that others come through this machine.
    pub published_by: Vec<&'static str>,
    /// The person for each `id`, and for each `id@address`, which takes precedence.
    pub mapped: BTreeMap<String, String>,
    /// Whether an unmapped id counts as the person with that id.
    pub roster_ids: bool,
    /// The id that represents the person filling in the gate form.
    pub gate_form_id: String,
}

/// How a call arrived.
#[derive(Clone, Debug)]
pub struct Arrival<'a> {
    /// The caller's address.
    pub peer: IpAddr,
    /// Whether the caller is identified otherwise.
    pub is_known: bool,
    /// The presented token.
    pub token: Option<&'a str>,
    /// Evidence that the call was forwarded; none if there is none.
    pub passed_on: Option<String>,
}

impl StandIns {
    /// Checks that a call comes from the UI's server or an identified person.
    ///
    /// # Errors
    /// 401 if it lacks a required token, else 403.
    pub fn admit(&self, call: &Arrival<'_>) -> Result<(), Problem> {
        let peer = call.peer;
        let is_listed = self.addresses.iter().any(|one| one.to_canonical() == peer);
        if !(is_listed || self.loopback && peer.is_loopback()) {
            let detail = format!("{peer} may not call the review UI's API; to allow it, list it in review_ui.peers");
            return Err(Problem::new(StatusCode::FORBIDDEN, detail));
        }
        // They are identified by more than an address.
        if call.is_known {
            return Ok(());
        }
        if let Some(token) = &self.token {
            let shown = call.token.map(|shown| blake3::hash(shown.as_bytes()));
            let detail = "the review UI's server sent no token, or a wrong one; let it send Authorization: Bearer and \
                          the token in the file that review_ui.token_file names";
            return if shown.as_ref() == Some(token) {
                Ok(())
            } else {
                Err(Problem::new(StatusCode::UNAUTHORIZED, detail))
            };
        }
        if !peer.is_loopback() {
            return Ok(());
        }
        // A proxy on this machine shares its address: anyone coming through it would pass as the UI's server.
        let why = if !self.published_by.is_empty() {
            format!("other callers come through this machine ({})", self.published_by.join(", "))
        } else {
            match &call.passed_on {
                Some(sign) if !is_listed => format!("this call was forwarded: {sign}"),
                _ => return Ok(()),
            }
        };
        let detail = format!(
            "{why}, so its address does not identify the review UI's server; give that server a token \
             (review_ui.token_file)"
        );
        Err(Problem::new(StatusCode::FORBIDDEN, detail))
    }

    /// Returns the deciding person: the identified caller, otherwise the person that the named id represents.
    ///
    /// # Errors
    /// 403 if it represents no one, or if the caller may only read.
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
                    "`{named}` is not a known person; map it to a person on the roster in review_ui.people \
                     (\"{named}=<id>\"), or use a proxy that identifies the caller"
                );
                Err(Problem::new(StatusCode::FORBIDDEN, detail))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::auth::AuthMethod;

    fn people() -> StandIns {
        let mapped = [("admin", "ana"), ("admin@192.0.2.7", "ben")];
        StandIns {
            loopback: true,
            addresses: vec![[192, 0, 2, 7].into()],
            mapped: mapped.map(|(id, person)| (id.to_owned(), person.to_owned())).into(),
            ..StandIns::default()
        }
    }

    fn from(peer: [u8; 4]) -> Arrival<'static> {
        Arrival { peer: peer.into(), is_known: false, token: None, passed_on: None }
    }

    fn status(people: &StandIns, call: &Arrival<'_>) -> Option<StatusCode> {
        people.admit(call).err().map(|problem| problem.status())
    }

    const HERE: [u8; 4] = [127, 0, 0, 1];

    #[test]
    fn only_those_who_are_listed_may_call() {
        let admitted = |peer: [u8; 4]| status(&people(), &from(peer)).is_none();
        assert!(admitted(HERE) && admitted([127, 8, 8, 8]) && admitted([192, 0, 2, 7]));
        assert!(!admitted([192, 0, 2, 8]));
        assert!(status(&StandIns { loopback: false, ..people() }, &from(HERE)).is_some());
    }

    #[test]
    fn whoever_comes_through_a_proxy_on_this_machine_is_not_the_server() {
        let passed_on = Arrival { passed_on: Some("it has the header `via`".to_owned()), ..from(HERE) };
        assert_eq!(status(&people(), &passed_on), Some(StatusCode::FORBIDDEN));
        let known = Arrival { is_known: true, ..passed_on.clone() };
        assert_eq!(status(&people(), &known), None, "their own token says who they are");
        let listed = StandIns { addresses: vec![HERE.into(), [192, 0, 2, 7].into()], ..people() };
        assert_eq!(status(&listed, &passed_on), None, "a server that says that it passes on");
        // Not every proxy reveals itself.
        for people in [people(), listed] {
            let people = StandIns { published_by: vec!["http.hosts"], ..people };
            assert_eq!(status(&people, &from(HERE)), Some(StatusCode::FORBIDDEN));
            assert_eq!(status(&people, &from([192, 0, 2, 7])), None, "it has an address of its own");
            assert_eq!(status(&people, &known), None);
        }
    }

    #[test]
    fn with_a_token_nothing_else_lets_a_call_in() {
        let token = Some(blake3::hash(b"the-token-of-the-server"));
        let people = StandIns { token, published_by: vec!["http.hosts"], ..people() };
        let shown = |peer, token| status(&people, &Arrival { token, ..from(peer) });
        assert_eq!(shown(HERE, Some("the-token-of-the-server")), None);
        for peer in [HERE, [192, 0, 2, 7]] {
            assert_eq!(shown(peer, None), Some(StatusCode::UNAUTHORIZED));
            assert_eq!(shown(peer, Some("another-token")), Some(StatusCode::UNAUTHORIZED));
        }
        assert_eq!(shown([192, 0, 2, 8], Some("the-token-of-the-server")), Some(StatusCode::FORBIDDEN));
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
        let caller = |scope| Caller { reviewer: "eva".to_owned(), how: AuthMethod::Proxy, scope };
        assert_eq!(who(&people, Some(&caller(Scope::Decide)), "admin", here), Ok("eva".to_owned()));
        assert_eq!(who(&people, Some(&caller(Scope::Read)), "admin", here), Err(StatusCode::FORBIDDEN));
    }
}
