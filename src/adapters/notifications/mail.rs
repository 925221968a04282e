//! Mail: one notification, or a digest of many, as plain text.

use super::post::failed;
use crate::config::Secret;
use crate::domain::records::notification::{Notification, NotificationKind};
use crate::ports::{Delivery, Messenger};
use crate::text::ids::hex;
use crate::text::prose::{count, line};
use jiff::Timestamp;
use lettre::message::header::{ContentType, HeaderName, HeaderValue};
use lettre::message::{Mailbox, Message};
use lettre::transport::smtp::authentication::Credentials;
use lettre::{SmtpTransport, Transport};
use std::collections::BTreeSet;
use std::time::{Duration, SystemTime};

/// Maximum proposals in the references of one mail: header length is limited.
const MOST_REFERENCES: usize = 20;

/// The encryption of the mail connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SmtpTls {
    /// Encrypted from the first byte.
    Tls,
    /// Encrypted before anything is sent; nothing is sent if the server refuses.
    Starttls,
    /// Unencrypted.
    Plain,
}

/// The mail server.
#[derive(Clone, Debug)]
pub struct Smtp {
    /// Its name.
    pub host: String,
    /// Its port; 0 for the default.
    pub port: u16,
    /// Its encryption.
    pub tls: SmtpTls,
    /// User and password, if required.
    pub login: Option<(String, Secret)>,
    /// The timeout for each response.
    pub timeout: Duration,
}

/// Who gets mail, and what it contains besides notifications.
#[derive(Clone, Debug)]
pub struct MailOptions {
    /// The person.
    pub person: String,
    /// The recipient.
    pub address: String,
    /// The sender.
    pub from: String,
    /// Why the person gets it: `you asked for waiting, refused, once a day`.
    pub because: String,
    /// An address or URL for unsubscribing.
    pub unsubscribe: Option<String>,
    /// The base URL of the pages, if known.
    pub base: Option<String>,
    /// The server.
    pub smtp: Smtp,
}

/// Sends mail to one person.
pub struct Mailer {
    options: MailOptions,
    from: Mailbox,
    to: Mailbox,
}

impl Mailer {
    /// Parses the addresses. Does not connect.
    ///
    /// # Errors
    /// A sentence that states which address is invalid.
    pub fn new(options: MailOptions) -> Result<Mailer, String> {
        let mailbox = |text: &str, what: &str| {
            text.parse::<Mailbox>().map_err(|error| format!("{what} `{text}` is not a mail address: {error}"))
        };
        let from = mailbox(&options.from, "notify.mail_from")?;
        let to = mailbox(&options.address, "address")?;
        Ok(Mailer { options, from, to })
    }

    fn message(&self, batch: &str, notices: &[Notification], now: Timestamp) -> Result<Message, String> {
        let domain = self.from.email.domain();
        let whose = hex(&blake3::hash(self.options.address.as_bytes()).as_bytes()[..8]);
        let mut builder = Message::builder()
            .from(self.from.clone())
            .to(self.to.clone())
            .subject(subject(notices))
            .message_id(Some(format!("<{batch}.{whose}@{domain}>")))
            .date(SystemTime::from(now))
            .header(ContentType::TEXT_PLAIN);
        // No mail has this id: it threads mails about the same proposal.
        let about: BTreeSet<String> = notices.iter().map(|notice| thread(&notice.subject)).collect();
        let about: Vec<String> = about.iter().take(MOST_REFERENCES).map(|name| format!("<{name}@{domain}>")).collect();
        builder = builder.references(about.join(" "));
        let mut message = builder.body(self.text(notices)).map_err(|error| format!("it cannot be written: {error}"))?;
        let raw = |name: &'static str, value: String| HeaderValue::new(HeaderName::new_from_ascii_str(name), value);
        let headers = message.headers_mut();
        headers.insert_raw(raw("Auto-Submitted", "auto-generated".to_owned()));
        if let Some(unsubscribe) = &self.options.unsubscribe {
            let target = if unsubscribe.contains(':') { unsubscribe.clone() } else { format!("mailto:{unsubscribe}") };
            headers.insert_raw(raw("List-Unsubscribe", format!("<{target}>")));
        }
        Ok(message)
    }

    fn text(&self, notices: &[Notification]) -> String {
        let open = still_open(notices);
        let mut text = String::new();
        for (title, waits) in [("Waiting for a decision", true), ("What happened", false)] {
            let part: Vec<&&Notification> = open.iter().filter(|notice| waits_for(notice) == waits).collect();
            if part.is_empty() {
                continue;
            }
            if open.len() > 1 {
                text += &format!("{title}\n\n");
            }
            for notice in part {
                text += &entry(notice, self.options.base.as_deref());
            }
        }
        let MailOptions { person, because, .. } = &self.options;
        text += &format!(
            "-- \nYou receive this because {because} as {person} (notify.mail in feedbackd's \
                      configuration).\n"
        );
        text
    }

    fn transport(&self) -> Result<SmtpTransport, String> {
        let Smtp { host, port, tls, login, timeout } = &self.options.smtp;
        // Fails if one is already installed: then that one is used.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let builder = match tls {
            SmtpTls::Tls => SmtpTransport::relay(host),
            SmtpTls::Starttls => SmtpTransport::starttls_relay(host),
            SmtpTls::Plain => Ok(SmtpTransport::builder_dangerous(host)),
        };
        let mut builder = builder.map_err(|error| format!("{host} cannot be used: {error}"))?.timeout(Some(*timeout));
        if *port != 0 {
            builder = builder.port(*port);
        }
        if let Some((user, password)) = login {
            builder = builder.credentials(Credentials::new(user.clone(), password.expose().to_owned()));
        }
        Ok(builder.build())
    }
}

impl Messenger for Mailer {
    fn send(&self, batch: &str, notices: &[Notification], now: Timestamp) -> Delivery {
        let sent = self.message(batch, notices, now).and_then(|message| Ok((message, self.transport()?)));
        let (message, transport) = match sent {
            Ok(both) => both,
            Err(why) => return failed(why),
        };
        match transport.send(&message) {
            Ok(response) => Delivery::Taken(format!("the mail server says {}", response.code())),
            Err(error) => failed(format!("the mail server rejected it: {error}")),
        }
    }
}

/// Renders one notification in a mail.
fn entry(notice: &Notification, base: Option<&str>) -> String {
    let mut text = format!("{}\n", notice.title);
    let more = [notice.progress(), Some(notice.text.clone())];
    for part in more.into_iter().flatten().filter(|part| !part.is_empty()) {
        text += &format!("  {part}\n");
    }
    match base {
        Some(base) => text += &format!("  {base}{}\n", notice.page),
        None if notice.event == "proposal.waiting" => {
            text += &format!("  feedbackd proposals show {}\n", notice.subject)
        }
        None => {}
    }
    text + "\n"
}

fn subject(notices: &[Notification]) -> String {
    let open = still_open(notices);
    if let [only] = open.as_slice() {
        return line(&only.title, 120);
    }
    let waiting = open.iter().filter(|notice| waits_for(notice)).count() as u64;
    let other = open.len() as u64 - waiting;
    match (waiting, other) {
        (0, other) => count(other, "notice"),
        (waiting, 0) => format!("{} to make", count(waiting, "decision")),
        (waiting, other) => format!("{} to make, {}", count(waiting, "decision"), count(other, "notice")),
    }
}

fn waits_for(notice: &Notification) -> bool {
    matches!(notice.kind, NotificationKind::Waiting | NotificationKind::Overdue)
}

/// Returns the notifications without those settled by a later one that reports the decision. Of two that report the
/// same thing as pending, keeps the later one.
fn still_open(notices: &[Notification]) -> Vec<&Notification> {
    let settled = |notice: &Notification, later: &[Notification]| {
        waits_for(notice)
            && later.iter().any(|other| {
                other.subject == notice.subject
                    && (waits_for(other) || matches!(other.event.as_str(), "rule.activated" | "proposal.rejected"))
            })
    };
    let numbered = notices.iter().enumerate();
    numbered.filter(|(n, notice)| !settled(notice, &notices[n + 1..])).map(|(_, notice)| notice).collect()
}

/// Encodes a subject for references: letters, digits, dots and dashes.
fn thread(subject: &str) -> String {
    let safe = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_');
    let name: String = subject.chars().map(|c| if safe(c) { c } else { '-' }).take(100).collect();
    format!("about.{name}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::records::notification::Progress;

    fn notice(kind: NotificationKind, event: &str, subject: &str) -> Notification {
        let at = "2026-01-20T09:00:00Z".parse().unwrap();
        let title = format!("{subject} {event}");
        let progress = Some(Progress { have: 1, needed: 2 });
        Notification {
            kind,
            event: event.into(),
            subject: subject.into(),
            title,
            progress,
            ..Notification::test("x", at)
        }
    }

    fn mailer() -> Mailer {
        let smtp =
            Smtp { host: "localhost".into(), port: 0, tls: SmtpTls::Tls, login: None, timeout: Duration::from_secs(1) };
        Mailer::new(MailOptions {
            person: "ann".into(),
            address: "Ann <ann@example.org>".into(),
            from: "feedbackd <feedback@example.org>".into(),
            because: "you asked for waiting, once a day,".into(),
            unsubscribe: Some("stop@example.org".into()),
            base: Some("https://feedback.example.org".into()),
            smtp,
        })
        .unwrap()
    }

    #[test]
    fn a_digest_says_what_waits_and_leaves_out_what_was_decided_since() {
        let notices = [
            notice(NotificationKind::Waiting, "proposal.waiting", "RULE-2026-0001"),
            notice(NotificationKind::Waiting, "proposal.waiting", "RULE-2026-0002"),
            notice(NotificationKind::Decided, "rule.activated", "RULE-2026-0002"),
        ];
        let now = "2026-01-20T09:00:00Z".parse().unwrap();
        let message = mailer().message("digest-2026-01-20T09", &notices, now).unwrap();
        let text = String::from_utf8(message.formatted()).unwrap();
        let unfolded = text.replace("\r\n ", " ");
        for part in [
            "Subject: 1 decision to make, 1 notice",
            "References: <about.RULE-2026-0001@example.org> <about.RULE-2026-0002@example.org>",
            "List-Unsubscribe: <mailto:stop@example.org>",
            "Waiting for a decision",
            "1 of 2 approvals",
            "You receive this because you asked for waiting, once a day, as ann",
        ] {
            assert!(unfolded.contains(part), "{part}\n{text}");
        }
        assert!(!text.contains("RULE-2026-0002 proposal.waiting"), "{text}");
        let again = mailer().message("digest-2026-01-20T09", &notices, now).unwrap();
        assert_eq!(text, String::from_utf8(again.formatted()).unwrap(), "the same mail again has the same id");
        let one = mailer().message("msg_1", &notices[..1], now).unwrap();
        let one = String::from_utf8(one.formatted()).unwrap();
        assert!(one.contains("Subject: RULE-2026-0001 proposal.waiting\r\n"), "{one}");
    }

    #[test]
    fn nothing_that_was_quoted_becomes_a_header() {
        let hostile = Notification {
            title: "x\r\nBcc: all@example.org\r\n\r\nbody".into(),
            subject: "a>\r\nBcc: b@example.org".into(),
            ..notice(NotificationKind::Waiting, "proposal.waiting", "x")
        };
        let now = "2026-01-20T09:00:00Z".parse().unwrap();
        let message = mailer().message("msg_1", &[hostile], now).unwrap();
        let text = String::from_utf8(message.formatted()).unwrap();
        let head = text.split("\r\n\r\n").next().unwrap();
        assert!(!head.lines().any(|line| line.starts_with("Bcc")), "{head}");
    }
}
