//! Logging in through an OpenID Connect provider: the authorization code flow with PKCE (RFC 6749, 7636; OpenID Connect
//! Core 1.0, 3.1).
//!
//! State between the two steps is kept here, and the second step must present the cookie of the browser that began. The
//! provider is contacted only at login, so it may be unavailable while the daemon starts.

use super::cookie::CookieStorage;
use super::provider::{Age, Client, NotKnown, Provider, SendRequest, chain};
use crate::text::ids::hex;
use openidconnect::core::{CoreAuthenticationFlow, CoreIdTokenClaims, CoreJwsSigningAlgorithm as Alg};
use openidconnect::{
    AuthorizationCode, ClaimsVerificationError, CsrfToken, Nonce, PkceCodeChallenge, PkceCodeVerifier,
    RequestTokenError, Scope, SignatureVerificationError, TokenResponse,
};
use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// How long a pending login is valid.
pub const PATIENCE: Duration = Duration::from_secs(600);
/// Maximum number of pending logins; beyond it, the oldest is dropped.
const MANY: usize = 1_000;
/// Accepted ID token algorithms: only with a key of the provider's alone. A shared secret (HS256) does not prove who
/// signed, and `none` proves nothing.
const SIGNED: [Alg; 8] = [
    Alg::RsaSsaPkcs1V15Sha256,
    Alg::RsaSsaPkcs1V15Sha384,
    Alg::RsaSsaPkcs1V15Sha512,
    Alg::RsaSsaPssSha256,
    Alg::RsaSsaPssSha384,
    Alg::EcdsaP256Sha256,
    Alg::EcdsaP384Sha384,
    Alg::EdDsa,
];

/// The claim that identifies a person.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Claim {
    /// The mail address, if verified by the provider.
    Email,
    /// The person's user name there.
    PreferredUsername,
    /// The provider's own id of the person.
    Subject,
}

/// The provider, and our registration with it.
pub struct OidcOptions {
    /// The issuer, exactly.
    pub issuer: String,
    /// Our client id.
    pub client_id: String,
    /// Our client secret.
    pub client_secret: Option<String>,
    /// The callback address.
    pub redirect: String,
    /// The claim that identifies a person.
    pub claim: Claim,
    /// Roster ids by claim; if empty, a claim is itself an id.
    pub people: HashMap<String, String>,
    /// Hosts of its addresses besides the issuer's own: no others are contacted.
    pub hosts: Vec<String>,
    /// The transport.
    pub ask: SendRequest,
}

/// Logging in through a provider.
pub struct Oidc {
    provider: Provider,
    kept: CookieStorage,
    claim: Claim,
    people: HashMap<String, String>,
    pending: Mutex<HashMap<[u8; 32], PendingLogin>>,
}

/// A person who was sent to the provider.
struct PendingLogin {
    browser: [u8; 32],
    nonce: Nonce,
    verifier: PkceCodeVerifier,
    next: String,
    began: Instant,
}

/// Where a person is sent to log in.
pub struct Begun {
    /// The provider's page.
    pub to: String,
    /// What the browser must present on return.
    pub browser: String,
}

/// A person who returned.
#[derive(Debug)]
pub struct VerifiedPerson {
    /// Their id, not yet checked against the roster.
    pub reviewer: String,
    /// Where they wanted to go.
    pub next: String,
}

impl Oidc {
    /// Creates it without contacting the provider.
    ///
    /// # Errors
    /// A sentence that states which address is invalid.
    pub fn new(options: OidcOptions) -> Result<Oidc, String> {
        let OidcOptions { issuer, client_id, client_secret, redirect, claim, people, hosts, ask } = options;
        let people = match claim {
            Claim::Email => people.into_iter().map(|(address, id)| (address.to_lowercase(), id)).collect(),
            Claim::PreferredUsername | Claim::Subject => people,
        };
        // A link leads there and back, and names no origin as a form does.
        let kept = if redirect.starts_with("https://") { CookieStorage::Safe } else { CookieStorage::Plain };
        let provider = Provider::new(issuer, client_id, client_secret, redirect, hosts, ask)?;
        Ok(Oidc { provider, kept, claim, people, pending: Mutex::default() })
    }

    /// Returns the provider's host, as shown to people.
    pub fn host(&self) -> &str {
        self.provider.host()
    }

    /// Returns how browsers store its cookies.
    pub fn kept(&self) -> CookieStorage {
        self.kept
    }

    /// Starts a login that continues at `next`. May block.
    ///
    /// # Errors
    /// If the provider's metadata cannot be fetched, or the system's random number source fails.
    pub fn begin(&self, next: String) -> Result<Begun, NotKnown> {
        let client = self.provider.client(Age::Known)?;
        let (challenge, verifier) = PkceCodeChallenge::new_random_sha256();
        let mut asked =
            client.authorize_url(CoreAuthenticationFlow::AuthorizationCode, CsrfToken::new_random, Nonce::new_random);
        for scope in match self.claim {
            Claim::Email => &["email"][..],
            Claim::PreferredUsername => &["profile"],
            Claim::Subject => &[],
        } {
            asked = asked.add_scope(Scope::new((*scope).to_owned()));
        }
        let (to, state, nonce) = asked.set_pkce_challenge(challenge).url();
        let mut random = [0_u8; 32];
        getrandom::fill(&mut random).map_err(|error| NotKnown::Provider(error.to_string()))?;
        let browser = hex(&random);
        let pending = PendingLogin { browser: hashed(&browser), nonce, verifier, next, began: Instant::now() };
        let mut all = self.pending();
        all.retain(|_, one| one.began.elapsed() < PATIENCE);
        if all.len() >= MANY
            && let Some(first) = all.iter().min_by_key(|(_, one)| one.began).map(|(state, _)| *state)
        {
            all.remove(&first);
        }
        all.insert(hashed(state.secret()), pending);
        Ok(Begun { to: to.into(), browser })
    }

    /// Identifies who returned with this state and code, in the browser with this cookie. Both are valid once. May
    /// block.
    ///
    /// # Errors
    /// If that identifies no one.
    pub fn finish(&self, state: &str, code: Result<String, String>, browser: &str) -> Result<VerifiedPerson, NotKnown> {
        let pending = self.pending().remove(&hashed(state)).ok_or(NotKnown::NotBegun)?;
        // Both are hashes, so timing reveals nothing.
        if pending.began.elapsed() >= PATIENCE || pending.browser != hashed(browser) {
            return Err(NotKnown::NotBegun);
        }
        let code = code.map_err(NotKnown::Refused)?;
        let client = self.provider.client(Age::Known)?;
        let exchange = client.exchange_code(AuthorizationCode::new(code)).map_err(|e| unproven(&e))?;
        let answer = exchange.set_pkce_verifier(pending.verifier).request(&|request| self.provider.ask(request));
        let answer = answer.map_err(|error| match error {
            RequestTokenError::Request(why) => NotKnown::Provider(why.to_string()),
            other => unproven(&other),
        })?;
        let token = answer.id_token().ok_or_else(|| NotKnown::Unproven("there is no ID token".to_owned()))?;
        let read = |client: &Client| {
            let verifier = client.id_token_verifier().set_allowed_algs(SIGNED);
            token.claims(&verifier, &pending.nonce).cloned()
        };
        let claims = match read(&client) {
            // The provider may have rotated its keys.
            Err(ClaimsVerificationError::SignatureVerification(SignatureVerificationError::NoMatchingKey)) => {
                read(&self.provider.client(Age::New)?)
            }
            claims => claims,
        };
        Ok(VerifiedPerson { reviewer: self.person(&claims.map_err(|e| unproven(&e))?)?, next: pending.next })
    }

    /// Returns the person identified by the provider.
    fn person(&self, claims: &CoreIdTokenClaims) -> Result<String, NotKnown> {
        let said = match self.claim {
            Claim::Email => {
                let verified = claims.email().filter(|_| claims.email_verified() == Some(true));
                verified.map(|address| address.to_lowercase())
            }
            Claim::PreferredUsername => claims.preferred_username().map(|name| name.to_string()),
            Claim::Subject => Some(claims.subject().to_string()),
        };
        let Some(said) = said else {
            return Err(NotKnown::Nobody("the provider sent no such claim, or an unverified address".into()));
        };
        if self.people.is_empty() {
            return Ok(said);
        }
        let unknown = || NotKnown::Nobody(format!("`{said}` is not mapped in http.oidc.people"));
        self.people.get(&said).cloned().ok_or_else(unknown)
    }

    fn pending(&self) -> MutexGuard<'_, HashMap<[u8; 32], PendingLogin>> {
        self.pending.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn unproven(error: &dyn std::error::Error) -> NotKnown {
    NotKnown::Unproven(chain(error))
}

fn hashed(text: &str) -> [u8; 32] {
    *blake3::hash(text.as_bytes()).as_bytes()
}
