//! Rules for the keys about notifications.

use super::predicates::{is_host, is_path_or_empty, within};
use super::rule::Rule;

pub(super) const RULES: &[Rule] = &[
    Rule {
        key: "notify.webhooks",
        allowed: "a list of tables [[notify.webhooks]] with name, url or url_file, style, secret_files, kinds, agents, \
                  allow_private, timeout_seconds, token_file, topic",
        hint: "docs/notifying.md has an example of each style",
        ok: |_| true,
    },
    Rule {
        key: "notify.mail",
        allowed: "a list of tables [[notify.mail]] with person, address, kinds, agents, every (instant, daily, weekly)",
        hint: "docs/notifying.md has an example",
        ok: |_| true,
    },
    Rule {
        key: "notify.max_waiting",
        allowed: "10 to 1000000 (notifications per endpoint)",
        hint: "the oldest are dropped",
        ok: |c| within(c.notify.max_waiting, 10..=1_000_000),
    },
    Rule {
        key: "notify.digest_hour",
        allowed: "0 to 23 (hour of the UTC day)",
        hint: "",
        ok: |c| within(c.notify.digest_hour, 0..=23),
    },
    Rule {
        key: "notify.mail_from",
        allowed: "a mail address such as feedbackd@example.org; or empty if no mail is sent",
        hint: "",
        ok: |c| c.notify.mail_from.is_empty() || c.notify.mail_from.contains('@'),
    },
    Rule {
        key: "notify.mail_unsubscribe",
        allowed: "a mail address, or an https:// or mailto: address, for unsubscribing; or empty",
        hint: "",
        ok: |c| {
            let target = &c.notify.mail_unsubscribe;
            let plain = !target.chars().any(|c| c.is_whitespace() || c.is_control() || matches!(c, '<' | '>' | ','));
            plain && (target.is_empty() || target.contains('@') || target.starts_with("https://"))
        },
    },
    Rule {
        key: "notify.smtp_host",
        allowed: "the mail server's name or address, without a port; or empty if no mail is sent",
        hint: "",
        ok: |c| c.notify.smtp_host.is_empty() || is_host(&c.notify.smtp_host),
    },
    Rule {
        key: "notify.smtp_port",
        allowed: "0 to 65535 (0: 465 with tls, 587 with starttls, 25 with plain)",
        hint: "",
        ok: |c| within(c.notify.smtp_port, 0..=65_535),
    },
    Rule {
        key: "notify.smtp_tls",
        allowed: "tls, starttls or plain",
        hint: "plain sends passwords and notifications unencrypted",
        ok: |_| true,
    },
    Rule {
        key: "notify.smtp_user",
        allowed: "the name to log in with, or empty",
        hint: "its password is in the file that notify.smtp_password_file names",
        ok: |c| c.notify.smtp_user.is_empty() || !c.notify.smtp_user.chars().any(char::is_control),
    },
    Rule {
        key: "notify.smtp_password_file",
        allowed: "a path, or empty",
        hint: "the file contains only the password",
        ok: |c| is_path_or_empty(&c.notify.smtp_password_file),
    },
];
