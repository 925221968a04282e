//! An OpenID Connect provider: its metadata, fetched on demand and cached for a while.

use openidconnect::core::{CoreClient, CoreProviderMetadata};
use openidconnect::url::{Host, Url};
use openidconnect::{
    ClientId, ClientSecret, EndpointMaybeSet, EndpointNotSet, EndpointSet, HttpRequest, HttpResponse, IssuerUrl,
    RedirectUrl,
};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// How long the provider's metadata is cached.
const HOLDS: Duration = Duration::from_secs(3600);
/// Minimum interval between refetches caused by a token with an unknown key.
const AGAIN: Duration = Duration::from_secs(60);

/// Sends one request to the provider, or rejects it.
pub type SendRequest = Box<dyn Fn(HttpRequest) -> Result<HttpResponse, RequestError> + Send + Sync>;

/// Why the provider could not be contacted.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct RequestError(pub String);

/// Our client for one provider.
pub type Client =
    CoreClient<EndpointSet, EndpointNotSet, EndpointNotSet, EndpointNotSet, EndpointMaybeSet, EndpointMaybeSet>;

/// Why the login failed, as shown to the person.
#[derive(Debug, thiserror::Error)]
pub enum NotKnown {
    /// The provider cannot be contacted or answers incorrectly; the reason is for the log.
    #[error("the login provider is unavailable; try again later, or log in with a token")]
    Provider(String),
    /// The request came from another browser, or the login started too long ago or is already complete.
    #[error("this login was started in another browser, or too long ago; start again")]
    NotBegun,
    /// The provider denies it.
    #[error("the provider did not log you in")]
    Refused(String),
    /// Its response proves nothing; the reason is for the log.
    #[error("the provider's response is not valid proof of identity; ask an administrator to check the daemon's log")]
    Unproven(String),
    /// The provider knows the person, but the roster does not.
    #[error("the provider knows you, but feedbackd does not: ask an administrator to add you (http.oidc.people)")]
    Nobody(String),
}

/// How current the metadata must be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Age {
    /// Fetched within the hour.
    Known,
    /// Fetched now, unless that happened within the minute.
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
    ask: SendRequest,
    known: Mutex<ProviderMetadata>,
}

/// Its metadata, and when it was fetched.
#[derive(Default)]
struct ProviderMetadata {
    last: Option<(Instant, CoreProviderMetadata)>,
    /// When it was last fetched because of an unknown key.
    anew: Option<Instant>,
}

impl Provider {
    /// Creates it without contacting the provider.
    ///
    /// # Errors
    /// A sentence that states which address is invalid.
    pub fn new(
        issuer: String,
        client_id: String,
        client_secret: Option<String>,
        redirect: String,
        hosts: Vec<String>,
        ask: SendRequest,
    ) -> Result<Provider, String> {
        let host = Url::parse(&issuer).ok().and_then(|url| Some(url.host_str()?.to_owned()));
        let host = host.ok_or("http.oidc.issuer is not a valid URL")?;
        Ok(Provider {
            issuer: IssuerUrl::new(issuer).map_err(|_| "http.oidc.issuer is not a valid URL")?,
            host,
            hosts,
            client_id: ClientId::new(client_id),
            client_secret: client_secret.map(ClientSecret::new),
            redirect: RedirectUrl::new(redirect).map_err(|_| "http.public_url is not a valid URL")?,
            ask,
            known: Mutex::default(),
        })
    }

    /// Returns its host.
    pub fn host(&self) -> &str {
        &self.host
    }

    /// Sends it one request.
    ///
    /// # Errors
    /// If that is not possible, or the host is not permitted.
    pub fn ask(&self, request: HttpRequest) -> Result<HttpResponse, RequestError> {
        let url = Url::parse(&request.uri().to_string()).map_err(|error| RequestError(error.to_string()))?;
        self.known_place(&url).map_err(RequestError)?;
        (self.ask)(request)
    }

    /// Checks that an address may be trusted: on a named host, and over TLS.
    fn known_place(&self, url: &Url) -> Result<(), String> {
        let host = url.host_str().unwrap_or_default();
        if host != self.host && !self.hosts.iter().any(|one| one == host) {
            return Err(format!("{host} is not among the provider's hosts (http.oidc.hosts)"));
        }
        let here = match url.host() {
            Some(Host::Domain(name)) => name == "localhost",
            Some(Host::Ipv4(address)) => address.is_loopback(),
            Some(Host::Ipv6(address)) => address.is_loopback(),
            None => false,
        };
        match url.scheme() {
            "https" => Ok(()),
            "http" if here => Ok(()),
            _ => Err(format!("{host} would be reached without TLS")),
        }
    }

    /// Returns our client with its metadata. May block.
    ///
    /// # Errors
    /// If it is unknown and cannot be fetched.
    pub fn client(&self, age: Age) -> Result<Client, NotKnown> {
        self.client_at(age, Instant::now())
    }

    fn client_at(&self, age: Age, now: Instant) -> Result<Client, NotKnown> {
        // Held during the fetch: concurrent logins need the same data.
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let within = |at: Instant, time| now.duration_since(at) < time;
        let anew = age == Age::New && known.anew.is_none_or(|at| !within(at, AGAIN));
        let metadata = match known.last.as_ref().filter(|(at, _)| !anew && within(*at, HOLDS)) {
            Some((_, metadata)) => metadata.clone(),
            None => {
                known.anew = if anew { Some(now) } else { known.anew };
                let asked = CoreProviderMetadata::discover(&self.issuer, &|request| self.ask(request));
                let metadata = asked.map_err(|error| NotKnown::Provider(chain(&error)))?;
                // People are sent there.
                self.known_place(metadata.authorization_endpoint().url()).map_err(NotKnown::Provider)?;
                known.last = Some((now, metadata.clone()));
                metadata
            }
        };
        let client = CoreClient::from_provider_metadata(metadata, self.client_id.clone(), self.client_secret.clone());
        Ok(client.set_redirect_uri(self.redirect.clone()))
    }
}

/// Formats an error with all its causes.
pub fn chain(error: &dyn std::error::Error) -> String {
    let mut why = error.to_string();
    let mut cause = error.source();
    while let Some(deeper) = cause {
        why = format!("{why}: {deeper}");
        cause = deeper.source();
    }
    why
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};

    const ISSUER: &str = "https://sso.example.org";

    /// Returns a provider with its login page at `authorize`, and a counter of key requests.
    fn provider(authorize: &'static str) -> (Provider, Arc<AtomicUsize>) {
        let asked = Arc::new(AtomicUsize::new(0));
        let keys = Arc::clone(&asked);
        let ask = move |request: HttpRequest| {
            let body = if request.uri().path() == "/keys" {
                let times = keys.fetch_add(1, Ordering::Relaxed);
                format!(r#"{{"keys":[{{"kty":"RSA","kid":"k{times}","n":"AQAB","e":"AQAB"}}]}}"#)
            } else {
                format!(
                    r#"{{"issuer":"{ISSUER}","authorization_endpoint":"{authorize}","token_endpoint":"{ISSUER}/token",
                    "jwks_uri":"{ISSUER}/keys","response_types_supported":["code"],"subject_types_supported":["public"],
                    "id_token_signing_alg_values_supported":["RS256"]}}"#
                )
            };
            Ok(HttpResponse::new(body.into_bytes()))
        };
        let own = |text: &str| text.to_owned();
        let redirect = own("https://feedback.example.org/login/oidc/callback");
        let hosts = vec![own("login.example.org")];
        (Provider::new(own(ISSUER), own("feedbackd"), None, redirect, hosts, Box::new(ask)).expect("an address"), asked)
    }

    #[test]
    fn what_it_says_of_itself_holds_for_an_hour_and_new_keys_are_looked_for_once_a_minute() {
        let (provider, asked) = provider("https://login.example.org/authorize");
        let began = Instant::now();
        let keys = |age, seconds| {
            provider.client_at(age, began + Duration::from_secs(seconds)).expect("known");
            asked.load(Ordering::Relaxed)
        };
        assert_eq!([keys(Age::Known, 0), keys(Age::Known, 3_599), keys(Age::Known, 3_600)], [1, 1, 2]);
        assert_eq!([keys(Age::New, 3_601), keys(Age::New, 3_660), keys(Age::New, 3_661)], [3, 3, 4]);
        assert_eq!(keys(Age::Known, 7_260), 4, "an hour from when it was last asked");
    }

    #[test]
    fn people_are_sent_to_its_own_hosts_alone_and_over_tls() {
        for (authorize, why) in [
            ("https://evil.example/authorize", "evil.example is not among the provider's hosts (http.oidc.hosts)"),
            ("http://login.example.org/authorize", "login.example.org would be reached without TLS"),
            ("javascript://login.example.org/%0aalert(1)", "login.example.org would be reached without TLS"),
        ] {
            match provider(authorize).0.client(Age::Known) {
                Err(NotKnown::Provider(said)) => assert_eq!(said, why),
                _ => panic!("{authorize}"),
            }
        }
    }
}
