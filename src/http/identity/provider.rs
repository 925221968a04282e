//! A provider of OpenID Connect: what it says of itself, which is asked for when somebody needs it and kept for a while.

use openidconnect::core::{CoreClient, CoreProviderMetadata};
use openidconnect::url::Url;
use openidconnect::{
    ClientId, ClientSecret, EndpointMaybeSet, EndpointNotSet, EndpointSet, HttpRequest, HttpResponse, IssuerUrl,
    RedirectUrl,
};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// What is known of the provider holds for so long.
const HOLDS: Duration = Duration::from_secs(3600);
/// A token of an unknown key has it asked for again, but not sooner than after so long.
const AGAIN: Duration = Duration::from_secs(60);

/// Sends one request to the provider, or refuses to.
pub type Ask = Box<dyn Fn(HttpRequest) -> Result<HttpResponse, NotAsked> + Send + Sync>;

/// Why the provider could not be asked.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct NotAsked(pub String);

/// Us, as one provider knows us.
pub type Client =
    CoreClient<EndpointSet, EndpointNotSet, EndpointNotSet, EndpointNotSet, EndpointMaybeSet, EndpointMaybeSet>;

/// Why nobody was logged in. What it says is for that person.
#[derive(Debug, thiserror::Error)]
pub enum NotKnown {
    /// The provider cannot be asked, or does not answer as it should; the reason is for the log.
    #[error("the provider that people log in through cannot be asked now; try again later, or log in with a token")]
    Provider(String),
    /// It is not the browser that began, or it began too long ago, or was here before.
    #[error("this login was not begun in this browser, or too long ago; begin anew")]
    NotBegun,
    /// The provider says no.
    #[error("the provider did not log you in")]
    Refused(String),
    /// What it sent proves nothing; the reason is for the log.
    #[error("what the provider sent proves nothing; tell whoever runs the daemon, whose log says why")]
    Unproven(String),
    /// The provider knows the person, and nobody here does.
    #[error("you are known there, but not here: ask whoever runs the daemon to add you (http.oidc.people)")]
    Nobody(String),
}

/// How well something has to be known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Age {
    /// As it was told within the hour.
    Known,
    /// As it was told within the minute.
    New,
}

/// A provider.
pub struct Provider {
    issuer: IssuerUrl,
    host: String,
    hosts: Vec<String>,
    client_id: ClientId,
    client_secret: Option<ClientSecret>,
    redirect: RedirectUrl,
    ask: Ask,
    known: Mutex<Option<(Instant, CoreProviderMetadata)>>,
}

impl Provider {
    /// Nothing is asked yet.
    ///
    /// # Errors
    /// A sentence that says which address is none.
    pub fn new(
        issuer: String,
        client_id: String,
        client_secret: Option<String>,
        redirect: String,
        hosts: Vec<String>,
        ask: Ask,
    ) -> Result<Provider, String> {
        let host = Url::parse(&issuer).ok().and_then(|url| Some(url.host_str()?.to_owned()));
        let host = host.ok_or("http.oidc.issuer is no address")?;
        Ok(Provider {
            issuer: IssuerUrl::new(issuer).map_err(|_| "http.oidc.issuer is no address")?,
            host,
            hosts,
            client_id: ClientId::new(client_id),
            client_secret: client_secret.map(ClientSecret::new),
            redirect: RedirectUrl::new(redirect).map_err(|_| "http.public_url is no address")?,
            ask,
            known: Mutex::default(),
        })
    }

    /// Its host.
    pub fn host(&self) -> &str {
        &self.host
    }

    /// Sends it one request.
    ///
    /// # Errors
    /// Where that is not possible, or the host is none of those that may be asked.
    pub fn ask(&self, request: HttpRequest) -> Result<HttpResponse, NotAsked> {
        let host = request.uri().host().unwrap_or_default();
        if host != self.host && !self.hosts.iter().any(|one| one == host) {
            return Err(NotAsked(format!("{host} is not among the hosts that may be asked (http.oidc.hosts)")));
        }
        (self.ask)(request)
    }

    /// Us, with what is known of it. May block.
    ///
    /// # Errors
    /// Where it is not known and cannot be asked.
    pub fn client(&self, age: Age) -> Result<Client, NotKnown> {
        // Held while it is asked: whoever else logs in meanwhile needs the same.
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let holds = if age == Age::New { AGAIN } else { HOLDS };
        let metadata = match known.as_ref().filter(|(at, _)| at.elapsed() < holds) {
            Some((_, metadata)) => metadata.clone(),
            None => {
                let asked = CoreProviderMetadata::discover(&self.issuer, &|request| self.ask(request));
                let metadata = asked.map_err(|error| NotKnown::Provider(chain(&error)))?;
                *known = Some((Instant::now(), metadata.clone()));
                metadata
            }
        };
        let client = CoreClient::from_provider_metadata(metadata, self.client_id.clone(), self.client_secret.clone());
        Ok(client.set_redirect_uri(self.redirect.clone()))
    }
}

/// An error with all its causes.
pub fn chain(error: &dyn std::error::Error) -> String {
    let mut why = error.to_string();
    let mut cause = error.source();
    while let Some(deeper) = cause {
        why = format!("{why}: {deeper}");
        cause = deeper.source();
    }
    why
}
