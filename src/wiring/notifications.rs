//! Notifications: from the configuration to endpoints, and the queue between them.

use super::clock::clock;
use super::error::WiringError;
use super::store::open_store;
use crate::adapters::notifications::{Hook, HookOptions, MailOptions, Mailer, Smtp, SmtpTls, SqliteQueue};
use crate::app::notifications::{Delivery, Endpoint, EndpointState, Every, NotificationService, TakingUp};
use crate::app::publication::read_note;
use crate::config::{self, Config, MailConfig, WebhookConfig};
use crate::domain::records::notification::{Notification, NotificationKind, Style};
use crate::ports::{Messenger, NotificationQueue, QueueError, StoreReader};
use crate::text::ids::hex;
use crate::text::redact::PurgeTarget;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// Time limit for a mail server's response.
const MAIL_TIMEOUT: Duration = Duration::from_secs(20);

/// Returns the notifier; `None` if there are no recipients.
///
/// # Errors
/// If an endpoint's secret cannot be read or used, or the queue cannot be created.
pub(super) fn telling(config: &Config) -> Result<Option<NotificationService>, WiringError> {
    if !config.notify.is_on() {
        return Ok(None);
    }
    let endpoints = Arc::new(endpoints(config)?);
    let path = queue_file(config);
    let mut queue = SqliteQueue::open(&path)?;
    let named = endpoints.iter().map(|endpoint| (endpoint.name.clone(), endpoint.fingerprint.clone()));
    queue.keep(&named.collect::<Vec<_>>())?;
    let (store, note) = (config.clone(), config.state.dir.join("published"));
    let taking_up = TakingUp {
        endpoints: Arc::clone(&endpoints),
        queue: Box::new(queue),
        open: Box::new(move || Ok(Box::new(open_store(&store)?) as Box<dyn StoreReader>)),
        published: Box::new(move || read_note(&note)),
        clock: clock(),
        needed: config.review.min_approvals,
        max_waiting: config.notify.max_waiting,
    };
    let open_queue =
        move || -> Result<Box<dyn NotificationQueue>, QueueError> { Ok(Box::new(SqliteQueue::open(&path)?)) };
    Ok(Some(NotificationService { taking_up, endpoints, open_queue: Box::new(open_queue), clock: clock() }))
}

/// Sends a test to an endpoint, bypassing the queue; success re-enables the endpoint. `None` if there is no such
/// endpoint.
///
/// # Errors
/// As the daemon's start.
pub fn notify_test(config: &Config, name: &str) -> Result<Option<Delivery>, WiringError> {
    let Some(endpoint) = endpoints(config)?.into_iter().find(|endpoint| endpoint.name == name) else {
        return Ok(None);
    };
    let now = clock().now();
    let notice = Notification::test(name, now);
    let said = endpoint.messenger.send(&notice.id, std::slice::from_ref(&notice), now);
    if matches!(said, Delivery::Taken(_))
        && let Some(mut queue) = SqliteQueue::look(&queue_file(config))?
    {
        queue.delivered(name, &notice.id, now)?;
    }
    Ok(Some(said))
}

/// A configured endpoint: its name, its style, and its state if known.
pub type ConfiguredEndpoint = (String, &'static str, Option<EndpointState>);

/// Returns every configured endpoint by name and style, with its state if known.
///
/// # Errors
/// If the queue cannot be read.
pub fn notify_states(config: &Config) -> Result<Vec<ConfiguredEndpoint>, WiringError> {
    let states = match SqliteQueue::look(&queue_file(config))? {
        Some(queue) => queue.endpoints()?,
        None => Vec::new(),
    };
    let hooks = config.notify.webhooks.iter().map(|hook| (hook.name.clone(), hook.style.into()));
    let mail = config.notify.mail.iter().map(|mail| (mail.name(), Style::Mail.into()));
    let with_state = |(name, style): (String, &'static str)| {
        let state = states.iter().find(|state| state.name == name).cloned();
        (name, style, state)
    };
    Ok(hooks.chain(mail).map(with_state).collect())
}

/// Checks that the endpoints' settings are usable, as far as known without contacting them.
///
/// # Errors
/// What is wrong.
pub fn notify_check(config: &Config) -> Result<(), WiringError> {
    endpoints(config).map(drop)
}

/// Purges pending notifications; returns how many were dropped.
pub(super) fn purge_notices(config: &Config, what: &PurgeTarget) -> Result<usize, WiringError> {
    let Some(mut queue) = SqliteQueue::look(&queue_file(config))? else { return Ok(0) };
    Ok(queue.remove(&|text| what.out_of(text.as_bytes()).is_some())?)
}

fn queue_file(config: &Config) -> PathBuf {
    config.state.dir.join("notices.sqlite")
}

fn endpoints(config: &Config) -> Result<Vec<Endpoint>, WiringError> {
    let hooks = config.notify.webhooks.iter().map(|hook| webhook(config, hook));
    hooks.chain(config.notify.mail.iter().map(|mail| mailer(config, mail))).collect()
}

fn webhook(config: &Config, hook: &WebhookConfig) -> Result<Endpoint, WiringError> {
    let url = hook.address()?;
    let style = style(hook.style);
    let fingerprint = fingerprint(&[<&str>::from(style), url.expose()]);
    let options = HookOptions {
        url,
        style,
        secrets: hook.secrets()?,
        token: hook.token()?,
        topic: hook.topic.clone(),
        allow_private: hook.allow_private,
        timeout: Duration::from_secs(hook.timeout_seconds),
        base: base(config),
    };
    let made = Hook::new(options).map_err(|why| WiringError::Notices(format!("{}: {why}", hook.name)))?;
    Ok(Endpoint {
        name: hook.name.clone(),
        style,
        fingerprint,
        kinds: kinds(&hook.kinds),
        agents: hook.agents.clone(),
        person: None,
        every: Every::Instant,
        messenger: Box::new(made) as Box<dyn Messenger>,
    })
}

fn mailer(config: &Config, mail: &MailConfig) -> Result<Endpoint, WiringError> {
    let notify = &config.notify;
    let hour = i8::try_from(notify.digest_hour).unwrap_or(0);
    let (every, often) = match mail.every {
        config::Every::Instant => (Every::Instant, "at once"),
        config::Every::Daily => (Every::Day(hour), "once a day"),
        config::Every::Weekly => (Every::Week(hour), "once a week"),
    };
    let password = notify.smtp_password()?;
    let login = Some(notify.smtp_user.clone()).filter(|user| !user.is_empty()).zip(password);
    let options = MailOptions {
        person: mail.person.clone(),
        address: mail.address.clone(),
        from: notify.mail_from.clone(),
        because: format!("you asked for {}, {often},", mail.kinds.join(", ")),
        unsubscribe: Some(notify.mail_unsubscribe.clone()).filter(|target| !target.is_empty()),
        base: base(config),
        smtp: Smtp {
            host: notify.smtp_host.clone(),
            port: u16::try_from(notify.smtp_port).unwrap_or(0),
            tls: match notify.smtp_tls {
                config::SmtpTls::Tls => SmtpTls::Tls,
                config::SmtpTls::Starttls => SmtpTls::Starttls,
                config::SmtpTls::Plain => SmtpTls::Plain,
            },
            login,
            timeout: MAIL_TIMEOUT,
        },
    };
    let made = Mailer::new(options).map_err(|why| WiringError::Notices(format!("{}: {why}", mail.person)))?;
    Ok(Endpoint {
        name: mail.name(),
        style: Style::Mail,
        fingerprint: fingerprint(&[&mail.address, &notify.smtp_host]),
        kinds: kinds(&mail.kinds),
        agents: mail.agents.clone(),
        person: Some(mail.person.clone()),
        every,
        messenger: Box::new(made) as Box<dyn Messenger>,
    })
}

fn style(style: config::WebhookStyle) -> Style {
    match style {
        config::WebhookStyle::Standard => Style::Standard,
        config::WebhookStyle::Cloudevents => Style::Cloudevents,
        config::WebhookStyle::Slack => Style::Slack,
        config::WebhookStyle::Mattermost => Style::Mattermost,
        config::WebhookStyle::Teams => Style::Teams,
        config::WebhookStyle::Ntfy => Style::Ntfy,
    }
}

/// The configuration uses the same names of kinds.
fn kinds(names: &[String]) -> Vec<NotificationKind> {
    names.iter().filter_map(|name| name.parse().ok()).collect()
}

/// Returns the base URL of the pages, if any.
pub(super) fn base(config: &Config) -> Option<String> {
    Some(config.http.public_url.clone()).filter(|url| !url.is_empty())
}

/// Returns a text that changes with any of the parts, and reveals none of them.
fn fingerprint(parts: &[&str]) -> String {
    hex(&blake3::hash(parts.join("\n").as_bytes()).as_bytes()[..16])
}
