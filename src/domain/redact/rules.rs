//! The table: where a secret may stand, and what it is called.
//!
//! Patterns are bounded or consume what they scan, so that every rule is linear. The group `s` is what is masked, the
//! whole match where there is none. Earlier rules win.

use super::guard::{self, SECRET_NAME, always};
use regex::{Captures, Regex, RegexSet};
use std::sync::LazyLock;

/// One kind of secret.
pub(super) struct SecretRule {
    /// What the replacement calls it.
    pub(super) kind: &'static str,
    /// Where it may be.
    pub(super) regex: Regex,
    /// Whether what was found is one.
    pub(super) guard: Guard,
}

/// Judges a match within its text.
pub(super) type Guard = fn(&Captures<'_>, &str) -> bool;

static TABLE: LazyLock<Vec<(&'static str, String, Guard)>> = LazyLock::new(|| {
    let rule = |kind, pattern: &str, guard: Guard| (kind, pattern.to_owned(), guard);
    vec![
        rule("aws-access-key", r"\b(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}\b", always),
        rule("github-token", r"\b(?:gh[pousr]_[A-Za-z0-9]{16,}|github_pat_[A-Za-z0-9_]{16,})", always),
        rule("gitlab-token", r"\bgl(?:pat|ptt|dt|rt|cbt|ft|soat|imt|agent|oas)-[A-Za-z0-9_\-]{16,}", guard::has_digit),
        rule("slack-token", r"\bxox[abeoprs]-[A-Za-z0-9-]{10,}|\bxapp-[A-Za-z0-9-]{20,}", guard::has_digit),
        rule(
            "slack-webhook",
            r"https://hooks\.slack\.com/(?:services|workflows|triggers)/(?P<s>[A-Za-z0-9/_-]{16,})",
            always,
        ),
        rule("stripe-key", r"\b(?:sk|rk)_(?:live|test)_[A-Za-z0-9]{10,}|\bwhsec_[A-Za-z0-9+/=]{16,}", always),
        rule(
            "google-key",
            r"\bAIza[0-9A-Za-z_\-]{30,}|\bya29\.[0-9A-Za-z_\-]{20,}|\bGOCSPX-[0-9A-Za-z_\-]{20,}",
            always,
        ),
        rule("anthropic-key", r"\bsk-ant-[A-Za-z0-9_\-]{16,}", always),
        rule("openai-key", r"\bsk-(?:proj-|svcacct-|admin-|or-v1-)?[A-Za-z0-9_\-]{20,}", guard::random_tail),
        rule("npm-token", r"\bnpm_[A-Za-z0-9]{30,}", always),
        rule("pypi-token", r"\bpypi-[A-Za-z0-9_\-]{16,}", guard::has_digit_and_upper),
        rule("sendgrid-key", r"\bSG\.[A-Za-z0-9_\-]{16,}\.[A-Za-z0-9_\-]{16,}", always),
        rule("huggingface-token", r"\bhf_[A-Za-z0-9]{30,}", always),
        rule("vault-token", r"\bhv[sbr]\.[A-Za-z0-9_\-]{20,}", always),
        rule("digitalocean-token", r"\bdo[opr]_v1_[a-f0-9]{32,}", always),
        rule("databricks-token", r"\bdapi[a-f0-9]{32}\b", always),
        rule("twilio-key", r"\bSK[a-f0-9]{32}\b", always),
        rule("shopify-token", r"\bshp(?:at|ca|pa|ss)_[A-Fa-f0-9]{32}", always),
        rule("mailgun-key", r"\bkey-[a-f0-9]{32}\b", always),
        rule("telegram-token", r"\b[0-9]{8,10}:AA[A-Za-z0-9_\-]{32,}", always),
        rule("age-key", r"\bAGE-SECRET-KEY-1[A-Z0-9]{20,}", always),
        rule("jwt", r"\beyJ[A-Za-z0-9_\-]{8,}\.[A-Za-z0-9_\-]{8,}(?:\.[A-Za-z0-9_\-]*)?", always),
        rule("bearer-token", r"(?i)\bbearer[ \t]+(?P<s>[A-Za-z0-9._~+/=\-]{16,})", guard::has_digit_or_mixed),
        rule("basic-auth", r"(?i)\bauthorization[ '\x22]*[:=][ '\x22]*basic[ \t]+(?P<s>[A-Za-z0-9+/=]{8,})", always),
        rule(
            "url-password",
            r#"(?i)\b[a-z][a-z0-9+.\-]{1,30}://[^\s:/?\#@'"<>`]{0,256}:(?P<s>[^\s/'"<>`]+)@"#,
            guard::url_password,
        ),
        // name = value: the value in quotes, or bare up to white space or a separator.
        (
            "password",
            format!(
                r#"(?i)(?P<key>[a-z0-9_.\-]{{0,64}}{SECRET_NAME}[a-z0-9_.\-]{{0,32}})\\?["'`]?(?P<op>[ \t]{{0,8}}(?:=>|:=|==|=|:)[ \t]{{0,8}}|[ \t]+(?:is|was|ist|est|es)[ \t]+)(?:\\"(?P<eq>[^"\\\n]*)\\"|[rbfu]{{0,2}}"(?P<dq>(?:[^"\\\n]|\\.)*)"|[rbfu]{{0,2}}'(?P<sq>(?:[^'\\\n]|\\.)*)'|`(?P<bq>[^`\n]*)`|(?P<bare>[^\s"'`,;]+))"#
            ),
            guard::assignment,
        ),
        (
            "high-entropy",
            format!(
                r#"(?i){SECRET_NAME}[a-z0-9_]{{0,20}}[^a-z0-9\n]{{1,5}}(?:[a-z]{{1,20}}[^a-z0-9\n]{{1,3}}){{0,4}}(?P<s>[A-Za-z0-9+/_=\-]{{32,}})"#
            ),
            guard::random,
        ),
    ]
});

/// The rules, compiled.
pub(super) static RULES: LazyLock<Vec<SecretRule>> = LazyLock::new(|| {
    let compile = |(kind, pattern, guard): &(&'static str, String, Guard)| SecretRule {
        kind,
        regex: Regex::new(pattern).expect("the table holds valid patterns"),
        guard: *guard,
    };
    TABLE.iter().map(compile).collect()
});

/// All rules at once: most texts match none.
pub(super) static SET: LazyLock<RegexSet> = LazyLock::new(|| {
    RegexSet::new(TABLE.iter().map(|(_, pattern, _)| pattern)).expect("the table holds valid patterns")
});
