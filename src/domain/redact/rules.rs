//! The table: where a secret may stand, and what it is called.
//!
//! Patterns are bounded or consume what they scan, so that every rule is linear. The group `s` is what is masked, the
//! whole match where there is none. Earlier rules win.

use super::guard::{self, always};
use super::naming::{SECRET_NAME, SHORT_NAME};
use aho_corasick::{AhoCorasick, AhoCorasickKind};
use regex::{Captures, Regex};
use std::collections::BTreeMap;
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

/// Where a secret may stand: what it is called, words of which one is there (any case), the pattern, the guard.
type Row = (&'static str, &'static str, String, Guard);

/// Words of which one is in every name that tells of a secret.
const NAMES: &str = "pass kennwort contrase mot_de mot-de pwd secret key token credential connection";

/// The kind of what only looks random.
pub(super) const HIGH_ENTROPY: &str = "high-entropy";

/// Stands for a long run of letters and digits in place of a word.
const LONG: &str = "";

static TABLE: LazyLock<Vec<Row>> = LazyLock::new(|| {
    let rule = |kind, words, pattern: &str, guard: Guard| (kind, words, pattern.to_owned(), guard);
    vec![
        rule("aws-access-key", "AKIA ASIA ABIA ACCA", r"\b(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}\b", always),
        rule(
            "github-token",
            "ghp_ gho_ ghu_ ghs_ ghr_ github_pat_",
            r"\b(?:gh[pousr]_[A-Za-z0-9]{16,}|github_pat_[A-Za-z0-9_]{16,})",
            always,
        ),
        rule(
            "gitlab-token",
            "glpat- glptt- gldt- glrt- glcbt- glft- glsoat- glimt- glagent- gloas-",
            r"\bgl(?:pat|ptt|dt|rt|cbt|ft|soat|imt|agent|oas)-[A-Za-z0-9_\-]{16,}",
            guard::has_digit,
        ),
        rule(
            "slack-token",
            "xox xapp-",
            r"\bxox[abeoprs]-[A-Za-z0-9-]{10,}|\bxapp-[A-Za-z0-9-]{20,}",
            guard::has_digit,
        ),
        rule(
            "slack-webhook",
            "hooks.slack.com",
            r"https://hooks\.slack\.com/(?:services|workflows|triggers)/(?P<s>[A-Za-z0-9/_-]{16,})",
            always,
        ),
        rule(
            "stripe-key",
            "sk_live sk_test rk_live rk_test whsec_",
            r"\b(?:sk|rk)_(?:live|test)_[A-Za-z0-9]{10,}|\bwhsec_[A-Za-z0-9+/=]{16,}",
            always,
        ),
        rule(
            "google-key",
            "AIza ya29. GOCSPX-",
            r"\bAIza[0-9A-Za-z_\-]{30,}|\bya29\.[0-9A-Za-z_\-]{20,}|\bGOCSPX-[0-9A-Za-z_\-]{20,}",
            always,
        ),
        rule("anthropic-key", "sk-ant-", r"\bsk-ant-[A-Za-z0-9_\-]{16,}", always),
        rule("openai-key", "sk-", r"\bsk-(?:proj-|svcacct-|admin-|or-v1-)?[A-Za-z0-9_\-]{20,}", guard::random_tail),
        rule("npm-token", "npm_", r"\bnpm_[A-Za-z0-9]{30,}", always),
        rule("new-relic-key", "NRAK- NRII- NRJS- NRRA-", r"\bNR(?:AK|II|JS|RA)-[A-Za-z0-9]{16,}", guard::has_digit),
        rule("pypi-token", "pypi-", r"\bpypi-[A-Za-z0-9_\-]{16,}", guard::has_digit_and_upper),
        rule("sendgrid-key", "SG.", r"\bSG\.[A-Za-z0-9_\-]{16,}\.[A-Za-z0-9_\-]{16,}", always),
        rule("huggingface-token", "hf_", r"\bhf_[A-Za-z0-9]{30,}", always),
        rule("vault-token", "hvs. hvb. hvr.", r"\bhv[sbr]\.[A-Za-z0-9_\-]{20,}", always),
        rule("digitalocean-token", "doo_v1_ dop_v1_ dor_v1_", r"\bdo[opr]_v1_[a-f0-9]{32,}", always),
        rule("databricks-token", LONG, r"\bdapi[a-f0-9]{32}\b", always),
        rule("twilio-key", LONG, r"\bSK[a-f0-9]{32}\b", always),
        rule("shopify-token", "shpat shpca shppa shpss", r"\bshp(?:at|ca|pa|ss)_[A-Fa-f0-9]{32}", always),
        rule("mailgun-key", LONG, r"\bkey-[a-f0-9]{32}\b", always),
        rule("telegram-token", ":AA", r"\b[0-9]{8,10}:AA[A-Za-z0-9_\-]{32,}", always),
        rule("age-key", "AGE-SECRET", r"\bAGE-SECRET-KEY-1[A-Z0-9]{20,}", always),
        rule("jwt", "eyJ", r"\beyJ[A-Za-z0-9_\-]{8,}\.[A-Za-z0-9_\-]{8,}(?:\.[A-Za-z0-9_\-]*)?", always),
        rule("bearer-token", "bearer", r"(?i)\bbearer[ \t]+(?P<s>[A-Za-z0-9._~+/=\-]{16,})", guard::has_digit_or_mixed),
        rule(
            "basic-auth",
            "authorization",
            r"(?i)\bauthorization[ '\x22\\]*[:=][ '\x22\\]*basic[ \t]+(?P<s>[A-Za-z0-9+/=]{8,})",
            always,
        ),
        rule(
            "token",
            "authorization",
            r"(?i)\bauthorization[ '\x22\\]*[:=][ '\x22\\]*(?:token|apikey|api-key|negotiate|digest)[ \t]+(?:token=)?(?P<s>[A-Za-z0-9._~+/=\-]{8,})",
            guard::has_digit,
        ),
        rule(
            "basic-auth",
            "auth",
            r#"(?i)\b_?auth\\?["']?[ \t]{0,4}[:=][ \t]{0,4}\\?["']?(?P<s>[A-Za-z0-9+/]{8,}={0,2})"#,
            guard::encoded_login,
        ),
        rule(
            "url-password",
            "://",
            r#"(?i)\b[a-z][a-z0-9+.\-]{1,30}://[^\s:/?\#@'"<>`]{0,256}:(?P<s>[^\s/'"<>`]+)@"#,
            guard::url_password,
        ),
        rule(
            "url-token",
            "://",
            r"(?i)\b[a-z][a-z0-9+.\-]{1,30}://(?P<s>[A-Za-z0-9_.~\-]{16,})(?::[^\s@/]{0,64})?@",
            guard::url_token,
        ),
        rule(
            "url-password",
            "jdbc:oracle",
            r"\bjdbc:oracle:thin:[^/\s]{1,64}/(?P<s>[^@\s/]{3,})@",
            guard::url_password,
        ),
        rule(
            "url-signature",
            "sig= signature= security-token=",
            r"(?i)[?&;](?:sig|x-amz-signature|x-amz-security-token|x-goog-signature)=(?P<s>[A-Za-z0-9%+/=_\-]{16,})",
            always,
        ),
        // What commands are given.
        rule(
            "password",
            " -p",
            r#"(?i)\b(?:mysql|mysqldump|mysqladmin|mysqlimport|mariadb|mariadb-dump|sshpass|mongo|mongosh|mongodump|7z|unzip)\b[^\n|;&]{0,200}?[ \t]-p[ \t]?["']?(?P<s>[^\s"'`-][^\s"'`]*)"#,
            guard::telling_argument,
        ),
        rule(
            "password",
            " -p",
            r#"(?i)[ \t]-u[ \t]?[^\s-][^\s]{0,64}[ \t]+-p[ \t]?["']?(?P<s>[^\s"'`-][^\s"'`]*)"#,
            guard::argument,
        ),
        rule("password", "-p", r#"(?:^|[\s`'"(])-p["']?(?P<s>[A-Za-z0-9][^\s"'`]{5,})"#, guard::glued_argument),
        rule(
            "password",
            "curl wget http xh ab hurl",
            r#"(?i)\b(?:curl|wget|https?|httpie|xh|ab|hurl)\b[^\n]{0,300}?[ \t](?:-u|-a|--user|--proxy-user|--auth|-U)[ \t=]{0,2}["']?[^\s:'"]{1,64}:(?P<s>[^\s'"`]+)"#,
            guard::url_password,
        ),
        rule(
            "password",
            " -u --user",
            r#"(?i)[ \t](?:-u|--user)[ \t=]{1,2}["']?[^\s:'"/]{1,64}:(?P<s>[^\s'"`/]{4,})"#,
            guard::telling_argument,
        ),
        rule(
            "password",
            "redis-cli valkey-cli",
            r#"(?i)\b(?:redis-cli|valkey-cli)\b[^\n|;&]{0,200}?[ \t](?:-a|--pass)[ \t=]{1,2}["']?(?P<s>[^\s"'`]+)"#,
            guard::argument,
        ),
        rule(
            "password",
            "ldap kinit login",
            r#"(?i)\b(?:ldapsearch|ldapadd|ldapmodify|kinit|az[ \t]+login|docker[ \t]+login|podman[ \t]+login|helm[ \t]+registry[ \t]+login)\b[^\n|;&]{0,200}?[ \t](?:-w|-p)[ \t]?["']?(?P<s>[^\s"'`-][^\s"'`]*)"#,
            guard::argument,
        ),
        rule(
            "password",
            "htpasswd",
            r#"(?i)\bhtpasswd\b[^\n]{0,100}?-[a-z]*b[a-z]*[ \t]+\S+[ \t]+\S+[ \t]+["']?(?P<s>[^\s"'`]+)"#,
            guard::argument,
        ),
        (
            "password",
            NAMES,
            format!(
                r#"(?i)(?:^|[\s`'"(\[,])--?(?P<key>(?:[a-z0-9]+-){{0,4}}(?:{SECRET_NAME}|{SHORT_NAME}))(?:[ \t]+|=|["'],[ \t]*)["']?(?P<s>[^\s"'`,\])]+)"#
            ),
            guard::option,
        ),
        // What files say.
        rule(
            "password",
            "login",
            r#"(?i)\b(?:machine[ \t]+\S{1,256}|default)[\s+\-]+login\s+\S{1,256}[\s+\-]+password\s+(?P<s>\S+)"#,
            guard::url_password,
        ),
        rule("password", "login", r"(?i)\blogin[ \t]+\S{1,256}\s+password[ \t]+(?P<s>\S{4,})", guard::telling_argument),
        rule(
            "password",
            ":5432: :3306: :1433: :1521: :27017: :6379: :5433: :*:",
            r"[A-Za-z0-9.*\-]{2,}:(?:[0-9]{2,5}|\*):[A-Za-z_*][^\s:]{0,64}:[A-Za-z_*][^\s:]{0,64}:(?P<s>[^\s:'\x22`,;]{4,})",
            guard::telling_argument,
        ),
        rule(
            "password",
            "requirepass masterauth sasl_passwd",
            r#"(?i)\b(?:requirepass|masterauth|sasl_passwd)[ \t]+["']?(?P<s>[^\s"']{4,})"#,
            guard::argument,
        ),
        rule(
            "password",
            "identified password",
            r#"(?i)\b(?:identified[ \t]+(?:with[ \t]+\S+[ \t]+)?by|password)[ \t]+(?:'(?P<s>[^'\n]{4,})'|"(?P<dq>[^"\n]{4,})")"#,
            guard::quoted_argument,
        ),
        rule(
            "password-hash",
            "$",
            r"\$(?:apr1|1|2[abxy]|5|6|7|y|gy|argon2(?:id|i|d)|scrypt|pbkdf2[a-z0-9\-]*)\$[^\s:'\x22`]{16,}",
            always,
        ),
        rule(
            "private-key",
            "Private-Lines",
            r"(?P<s>Private-Lines:[ \t]*[0-9]{1,4}(?:\s|\\n|\\r|[+\- ])+(?:[A-Za-z0-9+/=]{4,}(?:\s|\\n|\\r|[\- ])*){1,400}(?:Private-(?:MAC|Hash):[ \t]*[0-9a-fA-F]+)?)",
            always,
        ),
        (
            "secret",
            "</",
            format!(
                r#"(?i)<(?P<key>[a-z0-9_.:\-]{{0,64}}(?:{SECRET_NAME}|{SHORT_NAME})[a-z0-9_.:\-]{{0,16}})(?:[ \t][^<>\n]{{0,128}})?>\s{{0,16}}(?P<s>[^<>\n]{{4,}})</"#
            ),
            guard::named,
        ),
        (
            "secret",
            "value",
            format!(
                r#"(?i)\b(?:name|key)\\?["']?[ \t]{{0,4}}[:=][ \t]{{0,4}}\\?["']?(?P<key>[a-z0-9_.\-]{{0,64}}(?:{SECRET_NAME}|{SHORT_NAME})[a-z0-9_.\-]{{0,16}})\\?["']?[,;]?\s{{1,32}}[+\-]?\s{{0,16}}\\?["']?value\\?["']?[ \t]{{0,4}}[:=][ \t]{{0,4}}\\?["']?(?P<s>[^\s"',;}}]{{4,}})"#
            ),
            guard::named,
        ),
        rule(
            "cookie",
            "sess sid=",
            r"(?i)\b(?:PHPSESSID|JSESSIONID|ASP\.NET_SessionId|ASPSESSIONID[A-Z]{8}|connect\.sid|laravel_session|sessionid|session_token|_[a-z]{2,20}_session|__(?:Secure|Host)-[\w.\-]{2,40}|wordpress_logged_in_[0-9a-f]+|sid|SSID|session)=(?P<s>[A-Za-z0-9%._+/=:\-]{12,})",
            guard::cookie,
        ),
        rule(
            "cookie",
            "cookie",
            r"(?i)\b(?:set-)?cookie2?\\?['\x22]?[ \t]*[:=][ \t]*\\?['\x22]?(?:[^=;\s]{1,64}=[^;\s]{0,8};[ \t]*){0,8}[^=;\s]{1,64}=(?P<s>[^;\s'\x22]{12,})",
            guard::cookie,
        ),
        // name = value: the value in quotes, or bare up to white space or a separator.
        ("password", NAMES, assigned(&format!("[a-z0-9_.\\-]*{SECRET_NAME}[a-z0-9_.\\-]*")), guard::assignment),
        ("password", "pass psk pw auth", assigned(&format!("[a-z0-9_.\\-]*{SHORT_NAME}")), guard::assignment),
        (
            HIGH_ENTROPY,
            LONG,
            format!(
                r#"(?i){SECRET_NAME}[a-z0-9_]{{0,20}}[^a-z0-9\n]{{1,5}}(?:[a-z]{{1,20}}[^a-z0-9\n]{{1,3}}){{0,4}}(?P<s>[A-Za-z0-9+/_=\-]{{32,}})"#
            ),
            guard::random,
        ),
        rule(HIGH_ENTROPY, LONG, r"(?P<s>[A-Za-z0-9+/_\-]{40,128}={0,2})", guard::alone),
    ]
});

/// The pattern of a name that matches `key` with a value behind it.
fn assigned(key: &str) -> String {
    format!(
        r#"(?i)(?P<key>{key})\\?["'`]?\]?(?P<op>[ \t]{{0,8}}(?:=>|:=|==|\?=|=|:)(?:[ \t]{{0,8}}|[ \t]{{0,4}}\\?\n[+\-]?[ \t]{{1,16}})|[ \t]+(?:is|was|ist|est|es)[ \t]+)(?:\\"(?P<eq>[^"\\\n]*)\\"|[rbfu]{{0,2}}"(?P<dq>(?:[^"\\\n]|\\.)*)"|[rbfu]{{0,2}}'(?P<sq>(?:[^'\\\n]|\\.)*)'|`(?P<bq>[^`\n]*)`|(?P<bare>[^\s"'`,;]+))"#
    )
}

/// The rules, compiled.
static RULES: LazyLock<Vec<SecretRule>> = LazyLock::new(|| {
    let compile = |(kind, _, pattern, guard): &Row| SecretRule {
        kind,
        regex: Regex::new(pattern).expect("the table holds valid patterns"),
        guard: *guard,
    };
    TABLE.iter().map(compile).collect()
});

/// The words of all rules, and the rules of each: most texts have none of them.
static WORDS: LazyLock<(AhoCorasick, Vec<u128>)> = LazyLock::new(|| {
    let mut rules: BTreeMap<&str, u128> = BTreeMap::new();
    for (index, (_, words, ..)) in TABLE.iter().enumerate() {
        words.split(' ').filter(|word| !word.is_empty()).for_each(|word| *rules.entry(word).or_default() |= 1 << index);
    }
    let kind = Some(AhoCorasickKind::DFA);
    let automaton = AhoCorasick::builder().ascii_case_insensitive(true).kind(kind).build(rules.keys());
    (automaton.expect("the table holds few words"), rules.into_values().collect())
});

/// The rules that may find something in a text, in their order.
pub(super) fn of(text: &str) -> impl Iterator<Item = &'static SecretRule> {
    let (automaton, rules) = &*WORDS;
    let mut wanted = 0_u128;
    for found in automaton.find_overlapping_iter(text) {
        wanted |= rules[found.pattern().as_usize()];
    }
    let run = longest_run(text);
    if run >= LONGEST_WORD {
        wanted |= *LONG_RULES;
    }
    if run < SHORTEST_KEY {
        wanted &= !*KEY_RULES;
    }
    RULES.iter().enumerate().filter(move |(index, _)| wanted >> index & 1 == 1).map(|(_, rule)| rule)
}

/// The rules that look for long runs.
static LONG_RULES: LazyLock<u128> = LazyLock::new(|| mask(|row| row.1 == LONG));

/// The rules of vendors' keys: the first of the table.
static KEY_RULES: LazyLock<u128> = LazyLock::new(|| {
    let keys = TABLE.iter().position(|row| row.0 == "bearer-token").unwrap_or_default();
    (1 << keys) - 1
});

fn mask(is_in: impl Fn(&Row) -> bool) -> u128 {
    TABLE.iter().enumerate().filter(|(_, row)| is_in(row)).fold(0, |mask, (index, _)| mask | 1 << index)
}

/// Nothing but a key or a digest has so many letters and digits in a row.
const LONGEST_WORD: usize = 32;

/// No key of a vendor has fewer.
const SHORTEST_KEY: usize = 12;

/// How many letters, digits and signs of keys stand together at most.
fn longest_run(text: &str) -> usize {
    let (mut run, mut longest) = (0, 0);
    for b in text.bytes() {
        run = if b.is_ascii_alphanumeric() || b"+/_-.:".contains(&b) { run + 1 } else { 0 };
        longest = longest.max(run);
    }
    longest
}
