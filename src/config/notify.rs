//! The section about notifications: who receives what, and how.

use super::forges::ForgeConfig;
use super::problem::{ConfigError, read_file};
use super::secret::Secret;
use super::targets::TargetConfig;
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use strum::IntoStaticStr;

/// The kinds of notifications.
const KINDS: [&str; 6] = ["waiting", "overdue", "decided", "refused", "rules", "alerts"];

/// `[notify]`
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NotifyConfig {
    /// Webhooks and chat.
    #[serde(default)]
    pub webhooks: Vec<WebhookConfig>,
    /// Mail recipients.
    #[serde(default)]
    pub mail: Vec<MailConfig>,
    /// Maximum queued notifications per endpoint; the oldest are dropped.
    pub max_waiting: u64,
    /// The hour of the UTC day at which digests are sent.
    pub digest_hour: u64,
    /// The sender of mail.
    pub mail_from: String,
    /// The address for unsubscribing from mail.
    pub mail_unsubscribe: String,
    /// The mail server.
    pub smtp_host: String,
    /// Its port; 0: the default.
    pub smtp_port: u64,
    /// Its message format.
    pub smtp_tls: SmtpTls,
    /// The login name; empty: no login.
    pub smtp_user: String,
    /// A file with only the password.
    pub smtp_password_file: PathBuf,
}

/// The encryption of mail connections.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum SmtpTls {
    /// Encrypted from the first byte.
    #[default]
    Tls,
    /// Encrypted before any command is sent.
    Starttls,
    /// Unencrypted.
    Plain,
}

/// `[[notify.webhooks]]`
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WebhookConfig {
    /// Its name.
    pub name: String,
    /// Its URL; the path may be a secret, so it is never shown.
    #[serde(default = "nothing", serialize_with = "hidden")]
    pub url: Secret,
    /// A file that holds only the URL.
    #[serde(default)]
    pub url_file: PathBuf,
    /// Its message format.
    #[serde(default)]
    pub style: WebhookStyle,
    /// Files with the secrets for signing: one or, during rotation, two.
    #[serde(default)]
    pub secret_files: Vec<PathBuf>,
    /// What it is notified of; everything if empty.
    #[serde(default)]
    pub kinds: Vec<String>,
    /// Only of these agents.
    #[serde(default)]
    pub agents: Vec<String>,
    /// Whether it may be in a private network and lack TLS.
    #[serde(default)]
    pub allow_private: bool,
    /// How long an answer may take, in seconds.
    #[serde(default = "fifteen")]
    pub timeout_seconds: u64,
    /// A file with the token for ntfy.
    #[serde(default)]
    pub token_file: PathBuf,
    /// ntfy's topic.
    #[serde(default)]
    pub topic: String,
}

/// The message format of a webhook.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, IntoStaticStr, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase")]
pub enum WebhookStyle {
    /// Standard Webhooks 1.0.0.
    #[default]
    Standard,
    /// The same signature around a CloudEvent.
    Cloudevents,
    /// A Slack incoming webhook.
    Slack,
    /// A Mattermost incoming webhook.
    Mattermost,
    /// A Teams workflow.
    Teams,
    /// ntfy.
    Ntfy,
}

impl WebhookStyle {
    /// Reports whether its messages are signed.
    fn is_signed(self) -> bool {
        matches!(self, WebhookStyle::Standard | WebhookStyle::Cloudevents)
    }
}

/// `[[notify.mail]]`
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MailConfig {
    /// The person's id on the roster.
    pub person: String,
    /// The mail address.
    pub address: String,
    /// What the person is notified of.
    pub kinds: Vec<String>,
    /// Only of these agents.
    #[serde(default)]
    pub agents: Vec<String>,
    /// How often.
    #[serde(default)]
    pub every: Every,
}

/// How often a person gets mail.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Every {
    /// Immediately.
    Instant,
    /// Once a day.
    #[default]
    Daily,
    /// Once a week, on Mondays.
    Weekly,
}

impl NotifyConfig {
    /// Reports whether any notifications are sent.
    pub fn is_on(&self) -> bool {
        !self.webhooks.is_empty() || !self.mail.is_empty()
    }

    /// Returns the mail server's password, without its trailing newline; `None` if no file is set.
    ///
    /// # Errors
    /// [`ConfigError::Unreadable`] if the file is set but cannot be read.
    pub fn smtp_password(&self) -> Result<Option<Secret>, ConfigError> {
        secret(&self.smtp_password_file, "notify.smtp_password_file")
    }

    /// Returns faults that no single key shows: the key, and what is wrong with one of its entries.
    pub(super) fn faults(&self) -> Vec<(&'static str, String)> {
        let mut faults = Vec::new();
        let mut names = BTreeSet::new();
        for (n, hook) in self.webhooks.iter().enumerate() {
            let name = if is_name(&hook.name) { hook.name.clone() } else { format!("entry {}", n + 1) };
            let mut wrong: Vec<String> = hook.faults().into_iter().map(str::to_owned).collect();
            wrong.extend(wrong_kind(&hook.kinds));
            if !names.insert(hook.name.clone()) {
                wrong.push("another endpoint has the same name".to_owned());
            }
            faults.extend(wrong.into_iter().map(|wrong| ("notify.webhooks", format!("{name}: {wrong}"))));
        }
        for mail in &self.mail {
            let mut wrong = Vec::new();
            wrong.extend(wrong_kind(&mail.kinds));
            if mail.kinds.is_empty() {
                wrong.push("no `kinds`: list the notifications to send by mail".to_owned());
            }
            if mail.person.is_empty() || !mail.address.contains('@') {
                wrong.push("no `person`, or an invalid `address`".to_owned());
            }
            if !names.insert(mail.name()) {
                wrong.push("this person has another entry with the same `every`".to_owned());
            }
            faults.extend(wrong.into_iter().map(|wrong| ("notify.mail", format!("{}: {wrong}", mail.person))));
        }
        if !self.mail.is_empty() && (self.smtp_host.is_empty() || self.mail_from.is_empty()) {
            faults.push(("notify.mail", "notify.smtp_host or notify.mail_from is not set".to_owned()));
        }
        faults
    }
}

impl WebhookConfig {
    /// Returns its URL, from the configuration or from its file.
    ///
    /// # Errors
    /// [`ConfigError::Unreadable`] if the file cannot be read.
    pub fn address(&self) -> Result<Secret, ConfigError> {
        Ok(secret(&self.url_file, "notify.webhooks: url_file")?.unwrap_or_else(|| self.url.clone()))
    }

    /// Returns the secrets for signing, the permanent one first.
    ///
    /// # Errors
    /// [`ConfigError::Unreadable`] if a file cannot be read.
    pub fn secrets(&self) -> Result<Vec<Secret>, ConfigError> {
        let read = |path: &PathBuf| read_file(path, "notify.webhooks: secret_files");
        self.secret_files.iter().map(|path| Ok(Secret::new(read(path)?.trim_end()))).collect()
    }

    /// Returns the token for ntfy.
    ///
    /// # Errors
    /// [`ConfigError::Unreadable`] if the file cannot be read.
    pub fn token(&self) -> Result<Option<Secret>, ConfigError> {
        secret(&self.token_file, "notify.webhooks: token_file")
    }

    fn faults(&self) -> Vec<&'static str> {
        let named = self.url_file != Path::new("");
        let checks = [
            (is_name(&self.name), "its `name` must be letters, digits, - and _, 40 at most, and not begin with mail-"),
            (self.url.expose().is_empty() == named, "it needs a `url` or a `url_file`, not both"),
            (
                self.style.is_signed() == matches!(self.secret_files.len(), 1 | 2),
                "`secret_files` names one or two files for standard and cloudevents, and none for chat",
            ),
            ((1..=30).contains(&self.timeout_seconds), "`timeout_seconds` is 1 to 30"),
            (
                (self.style == WebhookStyle::Ntfy) != self.topic.is_empty(),
                "ntfy needs a `topic`; other styles must have none",
            ),
        ];
        checks.into_iter().filter(|(right, _)| !right).map(|(_, wrong)| wrong).collect()
    }
}

impl MailConfig {
    /// Returns its name among the endpoints.
    pub fn name(&self) -> String {
        let every = match self.every {
            Every::Instant => "instant",
            Every::Daily => "daily",
            Every::Weekly => "weekly",
        };
        format!("mail-{}-{every}", self.person)
    }
}

/// Describes why entries of a list are invalid, without their contents.
pub(super) fn misread(key: &str, entries: &[Value]) -> String {
    fn first<T: DeserializeOwned>(entries: &[Value]) -> Option<String> {
        let read = |(n, entry): (usize, &Value)| Some((n, serde_json::from_value::<T>(entry.clone()).err()?));
        entries.iter().enumerate().find_map(read).map(|(n, error)| format!("entry {}: {error}", n + 1))
    }
    let wrong = match key {
        "notify.webhooks" => first::<WebhookConfig>(entries),
        "notify.mail" => first::<MailConfig>(entries),
        "forges.connected" => first::<ForgeConfig>(entries),
        "forges.targets" => first::<TargetConfig>(entries),
        _ => None,
    };
    wrong.unwrap_or_else(|| "a list".to_owned())
}

fn is_name(text: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
    !text.is_empty() && text.len() <= 40 && text.chars().all(plain) && !text.starts_with("mail-")
}

fn wrong_kind(kinds: &[String]) -> Option<String> {
    let wrong = kinds.iter().find(|kind| !KINDS.contains(&kind.as_str()))?;
    Some(format!("`{wrong}` is not a kind; use one of {}", KINDS.join(", ")))
}

fn secret(path: &Path, what: &str) -> Result<Option<Secret>, ConfigError> {
    if path == Path::new("") {
        return Ok(None);
    }
    Ok(Some(Secret::new(read_file(path, what)?.trim_end_matches(['\n', '\r']))))
}

fn nothing() -> Secret {
    Secret::new("")
}

fn fifteen() -> u64 {
    15
}

fn hidden<S: serde::Serializer>(url: &Secret, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(if url.expose().is_empty() { "" } else { "***" })
}
