//! Rules for the keys about the channels and the running daemon: refine, actions, http, log, traces, shutdown.

use super::predicates::{is_filter, is_header, is_host, is_name, is_origin, is_path_or_empty, within};
use super::rule::Rule;
use crate::http::AnonymousReading;
use crate::intake::LogFormat;
use crate::model::{is_base_url, is_trusted_url};
use crate::oidc::CLAIMS;
use crate::traces::WITHOUT_OTEL;
use std::collections::BTreeSet;
use std::path::Path;

pub(super) const RULES: &[Rule] = &[
    Rule {
        key: "refine.stop_score",
        allowed: "0 to 10",
        hint: "a prompt with this score is not refined further",
        ok: |c| (0.0..=10.0).contains(&c.refine.stop_score),
    },
    Rule {
        key: "actions.max_attempts",
        allowed: "1 to 100",
        hint: "people are asked after this many failed attempts",
        ok: |c| (1..=100).contains(&c.actions.max_attempts),
    },
    Rule {
        key: "actions.max_suggestions",
        allowed: "1 to 20",
        hint: "the best ones are kept",
        ok: |c| (1..=20).contains(&c.actions.max_suggestions),
    },
    Rule {
        key: "http.listen",
        allowed: "an IP address and a port, such as 127.0.0.1:9464 or [::1]:9464",
        hint: "write 127.0.0.1 for localhost; health and metrics have no authentication, so keep it on a loopback address",
        ok: |_| true,
    },
    Rule {
        key: "http.api_token_file",
        allowed: "a path, or empty for none",
        hint: "the file contains only the token, 16 characters or more; generate one with `openssl rand -hex 32`",
        ok: |c| is_path_or_empty(&c.http.api_token_file),
    },
    Rule {
        key: "http.hosts",
        allowed: "names or addresses separated by commas, such as feedback.example.org, 192.0.2.7; or empty",
        hint: "omit ports and http://; this machine's names and the address it listens on need not be listed",
        ok: |c| c.http.host_names().all(is_host),
    },
    Rule {
        key: "http.origins",
        allowed: "origins separated by commas, such as http://localhost:5173, https://review.example.org; or empty",
        hint: "write them as browsers do: scheme, name and port, in lower case and without a path",
        ok: |c| c.http.origin_names().all(is_origin),
    },
    Rule {
        key: "http.proxy.header",
        allowed: "the name of a header, such as X-Forwarded-User; or empty for none",
        hint: "letters, digits and hyphens; not one with a meaning of its own, such as Host or Cookie",
        ok: |c| c.http.proxy.header.is_empty() || is_header(&c.http.proxy.header),
    },
    Rule {
        key: "http.proxy.addresses",
        allowed: "IP addresses separated by commas, such as 127.0.0.1, 192.0.2.7",
        hint: "the addresses that the proxy connects from; a client at one of them can claim to be anyone",
        ok: |c| c.http.proxy.ips().is_some_and(|ips| ips.iter().all(|ip| !ip.is_unspecified())),
    },
    Rule {
        key: "http.proxy.signature_key_file",
        allowed: "a path, or empty for none",
        hint: "with it http.proxy.header must be one that oauth2-proxy signs: X-Forwarded-User, X-Forwarded-Email or GAP-Auth",
        ok: |c| is_path_or_empty(&c.http.proxy.signature_key_file) && c.http.proxy.is_covered(),
    },
    Rule {
        key: "http.oidc.issuer",
        allowed: "https:// and the rest of the address, as the provider writes it; or empty",
        hint: "it needs an http.public_url with https://; both may use http:// only on this machine",
        ok: |c| {
            let oidc = &c.http.oidc;
            // Otherwise browsers keep no cookie without TLS.
            let safe = [&oidc.issuer, &c.http.public_url].iter().all(|url| is_trusted_url(url));
            !oidc.is_on() || safe
        },
    },
    Rule {
        key: "http.oidc.client_id",
        allowed: "the name under which the provider knows this daemon; empty only if http.oidc.issuer is empty",
        hint: "the provider issues it when the daemon is registered there",
        ok: |c| !c.http.oidc.is_on() || !c.http.oidc.client_id.trim().is_empty(),
    },
    Rule {
        key: "http.oidc.client_secret_file",
        allowed: "a path, or empty for none",
        hint: "the file contains only the client's secret",
        ok: |c| is_path_or_empty(&c.http.oidc.client_secret_file),
    },
    Rule {
        key: "http.oidc.claim",
        allowed: "email, preferred_username or sub",
        hint: "an address counts only if the provider has verified it; users can often change their names",
        ok: |c| CLAIMS.contains(&c.http.oidc.claim.as_str()),
    },
    Rule {
        key: "http.oidc.people",
        allowed: "claim=id separated by commas, such as ana@example.org=ana; or empty",
        hint: "the ids are those of reviewers.yaml, and each claim appears once; without it a claim must itself be an \
               id",
        ok: |c| {
            let mut seen = BTreeSet::new();
            c.http.oidc.mapped().all(|pair| pair.is_some_and(|(claim, _)| seen.insert(claim.to_lowercase())))
        },
    },
    Rule {
        key: "http.oidc.hosts",
        allowed: "names separated by commas, such as oauth2.googleapis.com, www.googleapis.com; or empty",
        hint: "omit ports and https://; the issuer's own need not be listed",
        ok: |c| c.http.oidc.host_names().all(is_host),
    },
    Rule {
        key: "http.public_url",
        allowed: "http:// or https:// and a name, such as https://feedback.example.org; or empty",
        hint: "omit the trailing slash, users, passwords and queries",
        ok: |c| {
            let url = &c.http.public_url;
            url.is_empty() || (is_base_url(url) && !url.ends_with('/'))
        },
    },
    Rule {
        key: "http.anonymous_reading",
        allowed: "auto, on or off",
        hint: "auto means off if http.public_url, http.hosts or a similar key shows that others connect",
        ok: |c| {
            let known = [AnonymousReading::Auto, AnonymousReading::On, AnonymousReading::Off];
            known.contains(&c.http.anonymous_reading)
        },
    },
    Rule {
        key: "http.max_connections",
        allowed: "8 to 2000",
        hint: "",
        ok: |c| within(c.http.max_connections, 8..=2_000),
    },
    Rule {
        key: "http.max_connections_per_client",
        allowed: "1 to 2000",
        hint: "a proxy in front counts as one client",
        ok: |c| within(c.http.max_connections_per_client, 1..=2_000),
    },
    Rule {
        key: "http.requests_per_second",
        allowed: "1 to 100000 (per client)",
        hint: "a proxy in front counts as one client",
        ok: |c| within(u64::from(c.http.requests_per_second), 1..=100_000),
    },
    Rule {
        key: "http.max_head_bytes",
        allowed: "8192 to 262144 (bytes)",
        hint: "",
        ok: |c| within(c.http.max_head_bytes, 8_192..=262_144),
    },
    Rule {
        key: "http.head_timeout_seconds",
        allowed: "1 to 60 (seconds)",
        hint: "",
        ok: |c| within(c.http.head_timeout_seconds, 1..=60),
    },
    Rule {
        key: "http.max_body_bytes",
        allowed: "1024 to 67108864 (bytes)",
        hint: "",
        ok: |c| within(c.http.max_body_bytes, 1_024..=67_108_864),
    },
    Rule {
        key: "http.body_timeout_seconds",
        allowed: "1 to 60 (seconds)",
        hint: "",
        ok: |c| within(c.http.body_timeout_seconds, 1..=60),
    },
    Rule {
        key: "http.stalled_after_seconds",
        allowed: "5 to 3600 (seconds)",
        hint: "",
        ok: |c| within(c.http.stalled_after_seconds, 5..=3_600),
    },
    Rule { key: "review_ui.enabled", allowed: "true or false", hint: "", ok: |_| true },
    Rule {
        key: "review_ui.peers",
        allowed: "addresses separated by commas, and the word loopback for this machine",
        hint: "name the address of the UI's own server, which forwards the calls; omit ports",
        ok: |c| c.review_ui.addresses().all(|address| address.is_some()),
    },
    Rule {
        key: "review_ui.token_file",
        allowed: "a path, or empty for none",
        hint: "the file contains only the token, 16 characters or more; generate one with `openssl rand -hex 32`",
        ok: |c| is_path_or_empty(&c.review_ui.token_file),
    },
    Rule {
        key: "review_ui.people",
        allowed: "id=person separated by commas, such as admin=ana, or id@address=person for one peer; or empty",
        hint: "the person is an id of reviewers.yaml",
        ok: |c| c.review_ui.mapped().all(|mapped| mapped.is_some()),
    },
    Rule {
        key: "review_ui.roster_ids",
        allowed: "true or false",
        hint: "anyone who reaches the UI can then decide as any person on the roster",
        ok: |_| true,
    },
    Rule {
        key: "review_ui.gate_form_id",
        allowed: "an id without spaces",
        hint: "map it to a person in review_ui.people",
        ok: |c| is_name(&c.review_ui.gate_form_id),
    },
    Rule {
        key: "log.format",
        allowed: "text or json",
        hint: "",
        ok: |c| matches!(c.log.format, LogFormat::Text | LogFormat::Json),
    },
    Rule {
        key: "log.level",
        allowed: "error, warn, info, debug or trace, or directives such as info,feedbackd::app=debug",
        hint: "",
        ok: |c| is_filter(&c.log.level),
    },
    Rule {
        key: "traces.endpoint",
        allowed: if cfg!(feature = "otel") {
            "http:// or https:// and a host, without a user, a password or a query; or empty"
        } else {
            "empty"
        },
        hint: if cfg!(feature = "otel") {
            "for example http://127.0.0.1:4318; /v1/traces is appended"
        } else {
            WITHOUT_OTEL
        },
        ok: |c| c.traces.endpoint.is_empty() || (cfg!(feature = "otel") && is_base_url(&c.traces.endpoint)),
    },
    Rule {
        key: "traces.headers_file",
        allowed: "a path, or empty for none; with traces.endpoint only if that has https:// or is on this machine",
        hint: "the file has a name, a colon and a value on each line",
        ok: |c| {
            let (file, endpoint) = (&c.traces.headers_file, &c.traces.endpoint);
            let is_safe = endpoint.is_empty() || file == Path::new("") || is_trusted_url(endpoint);
            is_path_or_empty(file) && (is_safe || !is_base_url(endpoint))
        },
    },
    Rule {
        key: "traces.service_name",
        allowed: "a name without spaces or control characters, or empty",
        hint: "",
        ok: |c| c.traces.service_name.is_empty() || is_name(&c.traces.service_name),
    },
    Rule {
        key: "traces.attributes",
        allowed: "name=value separated by commas, such as deployment.environment.name=production; or empty",
        hint: "they identify this daemon among others",
        ok: |c| c.traces.pairs().all(|pair| pair.is_some()),
    },
    Rule {
        key: "traces.untraced_share",
        allowed: "0 to 1",
        hint: "1 traces every entry; a trace that an entry names is recorded if its origin decided so",
        ok: |c| (0.0..=1.0).contains(&c.traces.untraced_share),
    },
    Rule {
        key: "traces.timeout_seconds",
        allowed: "1 to 60 (seconds)",
        hint: "",
        ok: |c| within(c.traces.timeout_seconds, 1..=60),
    },
    Rule { key: "traces.use_environment_proxy", allowed: "true or false", hint: "", ok: |_| true },
    Rule {
        key: "shutdown.drain_seconds",
        allowed: "1 to 600 (seconds)",
        hint: "keep the service manager's own limit (TimeoutStopSec) above it",
        ok: |c| within(c.shutdown.drain_seconds, 1..=600),
    },
];
