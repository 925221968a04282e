//! The table: where a secret may occur, and what it is called.
//!
//! Patterns are bounded or consume what they scan, so every rule is linear. The group `s` is masked, or the whole match
//! if there is none. Earlier rules win.

use super::foreign::foreign_words;
use super::guard::{self, always};
use super::secret_names::{FOREIGN_NAME, SECRET_NAME, SHORT_NAME};
use aho_corasick::{AhoCorasick, AhoCorasickKind};
use regex::{Captures, Regex};
use std::collections::BTreeMap;
use std::sync::LazyLock;

/// One kind of secret.
pub(super) struct SecretRule {
    /// Its name in the replacement.
    pub(super) kind: &'static str,
    /// Where it may occur.
    pub(super) regex: Regex,
    /// Decides whether a match is one.
    pub(super) guard: Guard,
}

/// Judges a match within its text.
pub(super) type Guard = fn(&Captures<'_>, &str) -> bool;

/// A rule: its kind, words of which one must be present (any case), the pattern, the guard.
type Row = (&'static str, &'static str, String, Guard);

/// Words, one of which is in every name of a secret.
const NAMES: &str = "pass p@ss kennwort contrase pwd pswd bindpw rootpw secret key token credential connection";

/// The same for `FOREIGN_NAME`.
const FOREIGN: &str = foreign_words!();

/// The kind of a text that only looks random.
pub(super) const HIGH_ENTROPY: &str = "high-entropy";

/// Denotes a long run of letters and digits instead of a word.
const LONG: &str = "";

static TABLE: LazyLock<Vec<Row>> = LazyLock::new(|| {
    let rule = |kind, words, pattern: &str, guard: Guard| (kind, words, pattern.to_owned(), guard);
    // A letter of another script, or an underscore, may precede a key: neither is a word boundary.
    let vendor =
        |kind, words, pattern: &str, guard: Guard| (kind, words, format!("(?:^|[^A-Za-z0-9])(?P<s>{pattern})"), guard);
    vec![
        vendor("aws-access-key", "AKIA ASIA ABIA ACCA", r"(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}", always),
        vendor(
            "github-token",
            "ghp_ gho_ ghu_ ghs_ ghr_ github_pat_",
            r"gh[pousr]_[A-Za-z0-9]{16,}|github_pat_[A-Za-z0-9_]{16,}",
            always,
        ),
        vendor(
            "gitlab-token",
            "glpat- glptt- gldt- glrt- glrtr- glcbt- glft- glsoat- glimt- glagent- gloas- glwt- glffct-",
            r"gl(?:pat|ptt|dt|rtr?|cbt|ft|soat|imt|agent|oas|wt|ffct)-[A-Za-z0-9_\-]{16,}(?:\.[A-Za-z0-9]{2,12}){0,2}",
            guard::has_digit,
        ),
        vendor("slack-token", "xox xapp-", r"xox[abeoprs]-[A-Za-z0-9-]{10,}|xapp-[A-Za-z0-9-]{20,}", guard::has_digit),
        rule(
            "slack-webhook",
            "hooks.slack.com",
            r"https://hooks\.slack\.com/(?:services|workflows|triggers)/(?P<s>[A-Za-z0-9/_-]{16,})",
            always,
        ),
        rule(
            "discord-webhook",
            "/webhooks/",
            r"(?i)(?-u:\b)discord(?:app)?\.com/api/(?:v[0-9]{1,2}/)?webhooks/(?P<s>[0-9]{15,20}/[A-Za-z0-9_\-]{40,})",
            always,
        ),
        rule(
            "teams-webhook",
            "webhook",
            r"(?i)(?-u:\b)(?:[a-z0-9.\-]{0,64}webhook\.office\.com/webhookb2|outlook\.office(?:365)?\.com/webhook)/(?P<s>[a-z0-9@/\-]{32,})",
            always,
        ),
        rule(
            "webhook",
            "/hook /webhook",
            r"(?i)(?:/open-apis/bot/v2/hook/|/cgi-bin/webhook/send\?key=|hooks\.zapier\.com/hooks/catch/|/hooks/)(?P<s>[a-z0-9][a-z0-9/\-]{15,})",
            guard::telling_address,
        ),
        vendor(
            "stripe-key",
            "sk_live sk_test rk_live rk_test whsec_",
            r"(?:sk|rk)_(?:live|test)_[A-Za-z0-9]{10,}|whsec_[A-Za-z0-9+/=]{16,}",
            always,
        ),
        vendor(
            "google-key",
            "AIza ya29. GOCSPX-",
            r"AIza[0-9A-Za-z_\-]{30,}|ya29\.[0-9A-Za-z_\-]{20,}|GOCSPX-[0-9A-Za-z_\-]{20,}",
            always,
        ),
        vendor("anthropic-key", "sk-ant-", r"sk-ant-[A-Za-z0-9_\-]{16,}", always),
        vendor("openai-key", "sk-", r"sk-(?:proj-|svcacct-|admin-|or-v1-)?[A-Za-z0-9_\-]{20,}", guard::random_tail),
        vendor("npm-token", "npm_", r"npm_[A-Za-z0-9]{30,}", always),
        vendor("new-relic-key", "NRAK- NRII- NRJS- NRRA-", r"NR(?:AK|II|JS|RA)-[A-Za-z0-9_\-]{16,}", guard::has_digit),
        vendor(
            "vendor-key",
            LONG,
            r"AKID[A-Za-z0-9]{32}|sk_[0-9a-f]{48}|[A-Za-z0-9]{32,40}NRAL|[0-9a-f]{32}-[0-9a-f]{8}-[0-9a-f]{8}|[0-9]/[0-9]{10,}/[0-9]{10,}:[0-9a-f]{32}",
            guard::ends,
        ),
        vendor(
            "vendor-key",
            "access_token$ live_ test_ fw_ ik_ sl. EAA IGQV napi_ AQE",
            r"access_token\$(?:production|sandbox)\$[a-z0-9]{8,}\$[a-f0-9]{32}|(?:live|test)_[A-Za-z0-9]{28,}|fw_[A-Za-z0-9]{20,}|hc[a-z]ik_[a-z0-9]{50,}|sl\.[A-Za-z0-9_\-]{60,}|(?:EAA|IGQV)[A-Za-z0-9_\-]{60,}|napi_[a-z0-9]{50,}|AQE[A-Za-z0-9+/=\-]{60,}",
            guard::has_digit,
        ),
        vendor(
            "vendor-key",
            "sb_secret_ tskey- dp.",
            r"sb_secret_[A-Za-z0-9_\-]{16,}|tskey-[a-z]{2,12}-[A-Za-z0-9\-]{16,}|dp\.(?:st|pt|ct|sa|scim|audit)\.[A-Za-z0-9_.\-]{16,}",
            guard::has_digit,
        ),
        vendor(
            "launchdarkly-key",
            "sdk- mob- api-",
            r"(?:sdk|mob|api)-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}",
            guard::ends,
        ),
        vendor("twitter-token", "AAAAAAAAAAAAAAAAAAAAA", r"A{21}[A-Za-z0-9%]{40,}", always),
        vendor("k3s-token", "K10", r"K10[0-9a-f]{64}(?:::[a-z0-9.\-]{1,40}:[0-9a-f]{16,})?", always),
        vendor("pypi-token", "pypi-", r"pypi-[A-Za-z0-9_\-]{16,}", guard::has_digit_and_upper),
        vendor("sendgrid-key", "SG.", r"SG\.[A-Za-z0-9_\-]{16,}\.[A-Za-z0-9_\-]{16,}", always),
        vendor("huggingface-token", "hf_", r"hf_[A-Za-z0-9]{30,}", always),
        vendor("vault-token", "hvs. hvb. hvr.", r"hv[sbr]\.[A-Za-z0-9_\-]{20,}", always),
        vendor("vault-token", " s. `s. =s. \"s. (s. :s.", r"s\.[A-Za-z0-9]{24}", guard::ends_random),
        vendor("digitalocean-token", "doo_v1_ dop_v1_ dor_v1_", r"do[opr]_v1_[a-f0-9]{32,}", always),
        vendor("databricks-token", LONG, r"dapi[a-f0-9]{32}", guard::ends),
        vendor("twilio-key", LONG, r"SK[a-f0-9]{32}", guard::ends),
        vendor("shopify-token", "shpat shpca shppa shpss", r"shp(?:at|ca|pa|ss)_[A-Fa-f0-9]{32}", always),
        vendor("mailgun-key", LONG, r"key-[a-f0-9]{32}", guard::ends),
        // In a URL the token follows `bot`.
        rule("telegram-token", ":AA", r"(?:^|[^A-Za-z0-9]|bot)(?P<s>[0-9]{8,10}:AA[A-Za-z0-9_\-]{32,})", always),
        vendor("sonar-token", "squ_ sqp_ sqa_", r"sq[upa]_[0-9a-f]{40}", guard::ends),
        vendor(
            "discord-token",
            LONG,
            r"[MNO][A-Za-z0-9_\-]{23,27}\.[A-Za-z0-9_\-]{6}\.[A-Za-z0-9_\-]{27,40}",
            guard::has_digit_and_upper,
        ),
        vendor("azure-secret", "Q~", r"[A-Za-z0-9_~.]{3}[0-9]Q~[A-Za-z0-9_~.\-]{31,34}", always),
        vendor("atlassian-token", "ATATT3 ATCTT3 ATBB", r"AT[AC]TT3[A-Za-z0-9_\-=]{40,}|ATBB[A-Za-z0-9]{28,}", always),
        vendor("sentry-token", "sntry", r"sntry[su]_[A-Za-z0-9_+/=\-]{40,}", always),
        vendor("airtable-token", LONG, r"pat[A-Za-z0-9]{14}\.[0-9a-f]{64}", guard::ends),
        vendor("supabase-token", "sbp_", r"sbp_[0-9a-f]{40}", guard::ends),
        vendor("rubygems-key", "rubygems_", r"rubygems_[0-9a-f]{48}", guard::ends),
        vendor("render-key", "rnd_", r"rnd_[A-Za-z0-9]{28,}", guard::has_digit_and_upper),
        vendor("pulumi-token", "pul-", r"pul-[0-9a-f]{40}", guard::ends),
        vendor("postman-key", "PMAK-", r"PMAK-[0-9a-f]{24}-[0-9a-f]{34}", guard::ends),
        vendor("docker-token", "dckr_", r"dckr_[po]at_[A-Za-z0-9_\-]{24,}", always),
        vendor("razorpay-key", "rzp_", r"rzp_(?:live|test)_[A-Za-z0-9]{14}", guard::ends),
        vendor("mailchimp-key", LONG, r"[0-9a-f]{32}-us[0-9]{1,2}", guard::ends),
        vendor(
            "hubspot-token",
            "pat-na pat-eu",
            r"pat-(?:na|eu)[0-9]-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}",
            guard::ends,
        ),
        vendor("resend-key", "re_", r"re_[A-Za-z0-9]{8}_[A-Za-z0-9]{24}", guard::ends_random),
        vendor("alibaba-key", "LTAI", r"LTAI[A-Za-z0-9]{16,26}", guard::ends_random),
        vendor("buildkite-token", "bkua_", r"bkua_[0-9a-f]{40}", guard::ends),
        vendor("langsmith-key", "lsv2_", r"lsv2_(?:pt|sk)_[0-9a-f]{32}_[0-9a-f]{10}", guard::ends),
        vendor("nuget-key", LONG, r"oy2[a-z0-9]{43}", guard::ends),
        vendor("crates-token", LONG, r"cio[A-Za-z0-9]{32}", guard::ends_random),
        vendor("age-key", "AGE-SECRET", r"AGE-SECRET-KEY-1[A-Z0-9]{20,}", always),
        vendor("jwt", "eyJ", r"eyJ[A-Za-z0-9_\-]{8,}\.[A-Za-z0-9_\-]{8,}(?:\.[A-Za-z0-9_\-]*)?", always),
        rule(
            "bearer-token",
            "bearer",
            r"(?i)(?-u:\b)bearer[ \t]+(?P<s>[A-Za-z0-9._~+/=\-]{16,})",
            guard::has_digit_or_mixed,
        ),
        rule(
            "basic-auth",
            "authorization",
            r"(?i)(?-u:\b)authorization[ '\x22\\]*[:=][ '\x22\\]*basic[ \t]+(?P<s>[A-Za-z0-9+/=]{8,})",
            always,
        ),
        rule(
            "token",
            "authorization",
            r"(?i)(?-u:\b)authorization[ '\x22\\]*[:=][ '\x22\\]*(?:[a-z][a-z0-9-]{2,20})[ \t]+(?:token=)?(?P<s>[A-Za-z0-9._~+/=\-]{8,})",
            guard::has_digit,
        ),
        rule(
            "basic-auth",
            "auth",
            r#"(?i)(?-u:\b)_?auth\\?["']?[ \t]{0,4}[:=][ \t]{0,4}\\?["']?(?P<s>[A-Za-z0-9+/]{8,}={0,2})"#,
            guard::encoded_login,
        ),
        rule(
            "url-password",
            "://",
            r#"(?i)[a-z][a-z0-9+.\-]{1,30}://[^\s:/?\#@'"<>`]{0,256}:(?P<s>[^\s/'"<>`]+)@"#,
            guard::url_password,
        ),
        // A slash in it should be escaped. The text before the slash is then not a port.
        rule(
            "url-password",
            "://",
            r#"(?i)[a-z][a-z0-9+.\-]{1,30}://[^\s:/?\#@'"<>`]{1,256}:(?P<s>[^\s/'"<>`@]{0,64}(?:/[^\s/'"<>`@]{0,64}){1,8})@[a-z0-9\[]"#,
            guard::url_password_with_slash,
        ),
        rule(
            "url-token",
            "://",
            r"(?i)[a-z][a-z0-9+.\-]{1,30}://(?P<s>[A-Za-z0-9_.~\-]{16,})(?::[^\s@/]{0,64})?@",
            guard::url_token,
        ),
        rule(
            "url-password",
            "jdbc:oracle",
            r"(?-u:\b)jdbc:oracle:thin:[^/\s]{1,64}/(?P<s>[^@\s/]{3,})@",
            guard::url_password,
        ),
        rule(
            "url-signature",
            "sig= signature= security-token=",
            r"(?i)[?&;](?:sig|x-amz-signature|x-amz-security-token|x-goog-signature)=(?P<s>[A-Za-z0-9%+/=_\-]{16,})",
            always,
        ),
        // Command arguments.
        rule(
            "password",
            " -p",
            r#"(?i)(?-u:\b)(?:mysql|mysqldump|mysqladmin|mysqlimport|mariadb|mariadb-dump|sshpass|mongo|mongosh|mongodump|7z|unzip)\b[^\n|;&]{0,200}?[ \t]-p[ \t]?["']?(?P<s>[^\s"'`-][^\s"'`]*)"#,
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
            r#"(?i)(?-u:\b)(?:curl|wget|https?|httpie|xh|ab|hurl)\b[^\n]{0,300}?[ \t](?:-[a-z]{0,5}u|-a|--user|--proxy-user|--auth|-U)[ \t=]{0,2}["']?[^\s:'"]{1,64}:(?P<s>[^\s'"`]+)"#,
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
            r#"(?i)(?-u:\b)(?:redis-cli|valkey-cli)\b[^\n|;&]{0,200}?[ \t](?:-a|--pass)[ \t=]{1,2}["']?(?P<s>[^\s"'`]+)"#,
            guard::argument,
        ),
        rule(
            "password",
            "ldap kinit login",
            r#"(?i)(?-u:\b)(?:ldapsearch|ldapadd|ldapmodify|kinit|az[ \t]+login|docker[ \t]+login|podman[ \t]+login|helm[ \t]+registry[ \t]+login)\b[^\n|;&]{0,200}?[ \t](?:-w|-p)[ \t]?["']?(?P<s>[^\s"'`-][^\s"'`]*)"#,
            guard::argument,
        ),
        rule(
            "password",
            "htpasswd",
            r#"(?i)(?-u:\b)htpasswd\b[^\n]{0,100}?-[a-z]*b[a-z]*[ \t]+\S+[ \t]+\S+[ \t]+["']?(?P<s>[^\s"'`]+)"#,
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
        // File contents.
        rule(
            "password",
            "login",
            r#"(?i)(?-u:\b)(?:machine[ \t]+\S{1,256}|default)[\s+\-]+login\s+\S{1,256}[\s+\-]+password\s+(?P<s>\S+)"#,
            guard::url_password,
        ),
        rule(
            "password",
            "login",
            r"(?i)(?-u:\b)login[ \t]+\S{1,256}\s+password[ \t]+(?P<s>\S{4,})",
            guard::telling_argument,
        ),
        rule(
            "password",
            ":5432: :3306: :1433: :1521: :27017: :6379: :5433: :*:",
            r"[A-Za-z0-9.*\-]{2,}:(?:[0-9]{2,5}|\*):[A-Za-z_*][^\s:]{0,64}:[A-Za-z_*][^\s:]{0,64}:(?P<s>[^\s:'\x22`,;]{4,})",
            guard::telling_argument,
        ),
        rule(
            "password",
            "requirepass masterauth sasl_passwd",
            r#"(?i)(?-u:\b)(?:requirepass|masterauth|sasl_passwd)[ \t]+["']?(?P<s>[^\s"']{4,})"#,
            guard::argument,
        ),
        rule(
            "password",
            "identified password",
            r#"(?i)(?-u:\b)(?:identified[ \t]+(?:with[ \t]+\S+[ \t]+)?by|password)[ \t]+(?:'(?P<s>[^'\n]{4,})'|"(?P<dq>[^"\n]{4,})")"#,
            guard::quoted_argument,
        ),
        rule(
            "password-hash",
            "$",
            r"\$(?:apr1|1|2[abxy]|5|6|7|y|gy|argon2(?:id|i|d)|scrypt|pbkdf2[a-z0-9\-]*)\$[^\s:'\x22`]{16,}|(?-u:\b)(?:pbkdf2_[a-z0-9]{2,10}|bcrypt_sha256|argon2|scrypt)\$[^\s'\x22`]{20,}",
            always,
        ),
        rule("password-hash", "{sha} {ssha", r"(?i)\{s?sha(?:256|512)?\}(?P<s>[A-Za-z0-9+/=]{20,})", always),
        rule("password-hash", ":::", r":[0-9]{3,6}:(?P<s>[0-9a-f]{32}:[0-9a-f]{32}):::", always),
        rule(
            "vault",
            "$ANSIBLE_VAULT",
            r"(?P<s>\$ANSIBLE_VAULT;[^\s;]{1,8};[A-Z0-9]{1,12}(?:;[^\s]{1,64})?(?:\s{1,32}[0-9a-f]{8,}){0,400})",
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
                r#"(?i)(?-u:\b)(?:name|key)\\?["']?[ \t]{{0,4}}[:=][ \t]{{0,4}}\\?["']?(?P<key>[a-z0-9_.\-]{{0,64}}(?:{SECRET_NAME}|{SHORT_NAME})[a-z0-9_.\-]{{0,16}})\\?["']?[,;]?\s{{1,32}}[+\-]?\s{{0,16}}\\?["']?value\\?["']?[ \t]{{0,4}}[:=][ \t]{{0,4}}\\?["']?(?P<s>[^\s"',;}}]{{4,}})"#
            ),
            guard::named,
        ),
        (
            "secret",
            "default",
            format!(
                r#"(?i)(?-u:\b)(?:variable|parameter|param|input)[ \t]+["']?(?P<key>[a-z0-9_.\-]{{0,64}}(?:{SECRET_NAME}|{SHORT_NAME})[a-z0-9_.\-]{{0,16}})["']?\s{{0,4}}\{{[^{{}}]{{0,400}}?\bdefault[ \t]{{0,16}}[=:][ \t]{{0,8}}["']?(?P<s>[^\s"'{{}},;]{{4,}})"#
            ),
            guard::named,
        ),
        (
            "secret",
            "default",
            format!(
                r#"(?i)(?P<key>[a-z0-9_.\-]{{0,64}}(?:{SECRET_NAME}|{SHORT_NAME})[a-z0-9_.\-]{{0,16}})\\?["']?[ \t]{{0,4}}:[ \t]{{0,4}}(?:\{{[^{{}}]{{0,400}}?|(?P<between>\n(?:[^\n]{{0,160}}\n){{0,6}}?[+\- \t]{{1,32}}))\\?["']?\bdefault\\?["']?[ \t]{{0,4}}:[ \t]{{0,8}}\\?["']?(?P<s>[^\s"'{{}},;\\]{{4,}})"#
            ),
            guard::default_of,
        ),
        rule(
            "password",
            "stdin chpasswd sudo",
            r#"(?i)(?-u:\b)echo[ \t]+(?:-n[ \t]+)?["']?(?:[\w.\-]{1,64}:)?(?P<s>[^\s"'|]{4,})["']?[ \t]*\|[^\n|]{0,80}(?:password-stdin|chpasswd|passwd[ \t]+--stdin|sudo[ \t]+-S|pass(?:word|phrase)-fd)"#,
            guard::argument,
        ),
        rule(
            "cookie",
            "sess sid= .aspnetcore",
            r"(?i)(?-u:\b)(?:PHPSESSID|JSESSIONID|ASP\.NET_SessionId|ASPSESSIONID[A-Z]{8}|connect\.sid|laravel_session|sessionid|session_token|_[a-z]{2,20}_session|__(?:Secure|Host)-[\w.\-]{2,40}|wordpress_logged_in_[0-9a-f]+|sid|SSID|session|\.AspNetCore\.[\w.]{2,60})=(?P<s>[A-Za-z0-9%._+/=:\-]{12,})",
            guard::cookie,
        ),
        rule(
            "cookie",
            "cookie",
            r"(?i)(?-u:\b)(?:set-)?cookie2?\\?['\x22]?[ \t]*[:=][ \t]*\\?['\x22]?(?:[^=;\s]{1,64}=[^;\s]{0,8};[ \t]*){0,8}[^=;\s]{1,64}=(?P<s>[^;\s'\x22]{12,})",
            guard::cookie,
        ),
        // In calls, in pairs with a user, in tables and in environment variables.
        (
            "secret",
            NAMES,
            format!(
                r#"(?i)(?P<key>[a-z0-9_.]{{0,40}}(?:{SECRET_NAME}|{SHORT_NAME}))\([ \t]{{0,4}}["'](?P<s>[^"'\n]{{6,200}})["'][ \t]{{0,4}}\)"#
            ),
            guard::named,
        ),
        (
            "secret",
            NAMES,
            format!(
                r#"(?i)(?P<key>[a-z0-9_.\-]{{0,64}}(?:{SECRET_NAME})[a-z0-9_\-]{{0,16}})(?:[ \t]{{0,4}}:[ \t]{{0,4}}&?(?:'static[ \t]+)?(?:str|string)|[ \t]{{0,4}}:[ \t]{{0,4}}!!str)?[ \t]{{0,4}}(?:[=: ]|\|\||\?\?)[ \t]{{0,4}}(?:@|String::from\([ \t]*|new[ \t]+[a-z.]{{1,40}}\([ \t]*|\[[ \t]*)?["']?(?P<s>[^"'\s\n]{{8,200}})"#
            ),
            guard::named_and_strong,
        ),
        rule(
            "password",
            "auth credential connect login client",
            r#"(?i)(?-u:\b)(?:auth[ \t]{0,4}=[ \t]{0,4}\(|HTTPBasicAuth\(|HttpDigestAuth\(|NetworkCredential\(|PSCredential\(|login\(|Client\(|(?:get)?connect(?:ion)?\((?:[^()\n"']{0,80}["'][^"'\n]{0,160}["'][^()\n"']{0,8},)?)[ \t]{0,4}["'][^"'\n]{1,64}["'][ \t]{0,4},[ \t]{0,4}["'](?P<s>[^"'\s\n]{6,})["']"#,
            guard::strong_argument,
        ),
        (
            "secret",
            NAMES,
            format!(
                r#"(?i)(?:^|\n)[ \t>]{{0,8}}\|[ \t]{{0,32}}(?P<key>[a-z0-9_. \-]{{0,64}}(?:{SECRET_NAME}|{SHORT_NAME}))[ \t]{{0,32}}\|[ \t]{{0,32}}[`"']?(?P<s>[^\s|`"']{{6,500}})"#
            ),
            guard::named_and_telling,
        ),
        (
            "secret",
            NAMES,
            format!(
                r#"(?i)(?-u:\b)(?:ENV|ARG|export|setx?|setenv)[ \t]+(?P<key>[a-z0-9_]{{0,64}}(?:{SECRET_NAME}|{SHORT_NAME}))[ \t]+["']?(?P<s>[^\s"'=]{{6,}})"#
            ),
            guard::named_and_telling,
        ),
        (
            "secret",
            "value",
            format!(
                r#"(?i)["']value["'][ \t]{{0,4}}:[ \t]{{0,4}}["'](?P<s>[^"'\n]{{4,}})["'][ \t]{{0,4}},\s{{0,32}}["'](?:name|key)["'][ \t]{{0,4}}:[ \t]{{0,4}}["'](?P<key>[a-z0-9_.\-]{{0,64}}(?:{SECRET_NAME}|{SHORT_NAME})[a-z0-9_.\-]{{0,16}})["']"#
            ),
            guard::named,
        ),
        (
            "secret",
            "cdata <string>",
            format!(
                r#"(?i)<(?:key>)?(?P<key>[a-z0-9_.:\-]{{0,64}}(?:{SECRET_NAME}|{SHORT_NAME})[a-z0-9_.:\-]{{0,16}})(?:</key)?>\s{{0,16}}<(?:!\[CDATA\[|string>)(?P<s>[^<>\]\n]{{4,}})"#
            ),
            guard::named,
        ),
        (
            "secret",
            NAMES,
            format!(
                r#"(?i)["'](?P<key>[a-z0-9_.\-]{{0,64}}(?:{SECRET_NAME}|{SHORT_NAME}))["'][ \t]{{0,4}},[ \t]{{0,4}}["'](?P<s>[^"'\s\n]{{8,}})["']"#
            ),
            guard::named_and_strong,
        ),
        rule(
            "secret",
            "secret_id secretid secret-id",
            r"(?i)secret[_-]?id['\x22]?[ \t]{0,4}[=:][ \t]{0,4}['\x22]?(?P<s>[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})",
            always,
        ),
        rule(
            "token",
            "token dockerconfigjson AC",
            r"(?:(?i:token)[^\n]{0,20}?(?-u:\b)(?P<s>[a-z0-9]{6}\.[a-z0-9]{16})(?-u:\b)|dockerconfigjson['\x22]?:[ \t]{0,4}(?P<dq>[A-Za-z0-9+/=]{16,})|AC[0-9a-f]{32}['\x22],[ \t]{0,4}['\x22](?P<sq>[0-9a-f]{32}))",
            guard::has_digit,
        ),
        rule(
            "license-key",
            "license licence product activation serial",
            r"(?i)(?:licen[sc]e|product|activation|serial)[ _-]?key[^A-Za-z0-9\n]{1,4}(?:is[ \t]+)?(?P<s>[A-Z0-9]{4,6}(?:-[A-Z0-9]{4,6}){3,})",
            guard::has_digit,
        ),
        rule(
            "recovery-codes",
            "recovery backup",
            r"(?i)(?:recovery|backup)[ _-]?codes?(?-u:\b)[\s:*\-]{1,8}(?P<s>[0-9a-z]{4,6}-[0-9a-z]{4,6}(?:[\s,*\-]{1,4}[0-9a-z]{4,6}-[0-9a-z]{4,6}){0,16})(?-u:\b)",
            guard::has_digit,
        ),
        rule(
            "totp-seed",
            "2fa totp mfa otp",
            r"(?i)(?:2fa|totp|mfa|otp)[ _-]?(?:seed|secret|key)[^A-Za-z0-9\n]{1,4}(?:is[ \t]+)?(?-i:(?P<s>[A-Z2-7]{16,}))",
            always,
        ),
        rule("basic-auth", "basic", r"(?i)(?-u:\b)basic[ \t]+(?P<s>[A-Za-z0-9+/]{8,}={0,2})", guard::encoded_login),
        // In prose: after the word, before it, on the next line.
        rule(
            "password",
            "pass pw pin key token secret",
            r#"(?i)(?-u:\b)(?:password|passwd|passcode|passphrase|passwort|pwd?|pin|api[ _-]?key|token|secret)(?:['’]s)?[ \t]+(?:here,[ \t]+)?[(`"']{0,2}(?P<s>[^\s`"',;<>()\[\]{}]{8,})"#,
            guard::strong_word,
        ),
        rule(
            "password",
            "pass secret token",
            r#"(?i)(?:^|[\s(`"'])(?P<s>[^\s`"',;<>()\[\]{}]{8,})[`"']?[ \t]+(?:is|as)[ \t]+(?:the|our|my|a)[ \t]+(?:\w+[ \t]+){0,2}(?:password|passphrase|secret|token)(?-u:\b)"#,
            guard::strong_word,
        ),
        rule(
            "password",
            "password passwd passwort",
            r"(?i)(?-u:\b)(?:password|passwd|passwort)\??[ \t]{0,4}:?[ \t]{0,4}(?:\r?\n){1,2}[ \t>]{0,16}(?:A:[ \t]*|it is[ \t]+)?(?P<s>[^\s`\x22']{8,})[ \t]{0,4}(?:\r?\n|$)",
            guard::strong_word,
        ),
        rule(
            "password",
            "login creds credentials",
            r"(?i)(?-u:\b)(?:login(?:[ \t]+with)?|log[ \t]+in[ \t]+with|creds|credentials)[ \t]{0,4}:?[ \t]+[\w.@\-]{1,40}(?:[ \t]{0,2}[:/][ \t]{0,2}|[ \t]+and[ \t]+)(?P<s>[^\s`\x22',;]{8,})",
            guard::strong_word,
        ),
        rule(
            "seed-phrase",
            "mnemonic phrase",
            r"(?i)(?:mnemonic|(?:seed|recovery)[ _-]?phrase)['\x22]?[ \t]{0,4}(?:[:=]|is)?[ \t]{0,4}['\x22]?(?P<s>[a-z]{3,8}(?:[ \t]+[a-z]{3,8}){11,23})",
            always,
        ),
        rule(
            "private-key",
            "0x",
            r"(?i)(?:private[ _-]?key|wallet\()[^0-9\n]{0,20}(?P<s>0x[0-9a-f]{64})(?-u:\b)",
            always,
        ),
        // More command arguments.
        rule(
            "password",
            "keytool jarsigner signtool openssl zip useradd usermod security ssh-keygen xfreerdp snmp secret",
            r#"(?i)(?-u:\b)(?:keytool|jarsigner|signtool|openssl|zip|useradd|usermod|security|ssh-keygen|xfreerdp|snmp[a-z]{2,8}|gh[ \t]+secret|aws[ \t]+secretsmanager)(?-u:\b)[^\n|;&]{0,200}?[ \t](?:-storepass|-keypass|/p:?|-k|-P|-p|-N|-A|-X|--body|--secret-string)[ \t:=]{0,2}["']?(?P<s>[^\s"'`\-/][^\s"'`/]{5,})"#,
            guard::strong_argument,
        ),
        rule(
            "password",
            "smbclient rpcclient",
            r#"(?i)(?-u:\b)(?:smbclient|rpcclient|smbmap|net[ \t]+rpc)(?-u:\b)[^\n|;&]{0,160}?[ \t]-U[ \t]{0,2}["']?[^\s%"']{1,64}%(?P<s>[^\s"'`]{4,})"#,
            guard::argument,
        ),
        rule(
            "password",
            "ssh scp sftp sqlplus rsync",
            r"(?i)(?-u:\b)(?:ssh|scp|sftp|sqlplus|rsync)[ \t]+[\w.\-]{1,40}[:/](?P<s>[^\s@/:]{6,})@[\w.\-]",
            guard::telling_argument,
        ),
        rule(
            "password",
            "ConvertTo-SecureString password(",
            r#"(?i)(?:ConvertTo-SecureString[ \t]+(?:-String[ \t]+)?|(?-u:\b)password\()["'](?P<s>[^"'\n]{6,})["']"#,
            guard::argument,
        ),
        rule(
            "token",
            "_authToken wandb snyk codecov",
            r"(?i)(?:_authToken[ \t]+|(?-u:\b)wandb[ \t]+login[ \t]+(?:--relogin[ \t]+)?|(?-u:\b)snyk[ \t]+auth[ \t]+|(?-u:\b)codecov[^\n]{0,80}?[ \t]-t[ \t]+)(?P<s>[A-Za-z0-9\-]{16,})",
            guard::has_digit,
        ),
        // name = value: the value in quotes, or bare up to white space or a separator.
        ("password", NAMES, assigned(&format!("[a-z0-9_.\\-]*{SECRET_NAME}[a-z0-9_.\\-]*")), guard::assignment),
        ("password", "pass psk pw mdp auth _pat", assigned(&format!("[a-z0-9_.\\-]*{SHORT_NAME}")), guard::assignment),
        ("password", FOREIGN, assigned(&format!("[a-z0-9_.\\-]*{FOREIGN_NAME}[a-z0-9_.\\-]*")), guard::assignment),
        (HIGH_ENTROPY, NAMES, near(&format!("{SECRET_NAME}[a-z0-9_]{{0,20}}"), "a-z"), guard::random),
        (HIGH_ENTROPY, "pass psk pw mdp auth", near(&format!(r"(?-u:\b){SHORT_NAME}(?-u:\b)"), "a-z"), guard::random),
        (HIGH_ENTROPY, FOREIGN, near(FOREIGN_NAME, r"\p{L}"), guard::random),
        rule(HIGH_ENTROPY, LONG, r"(?P<s>[A-Za-z0-9+/_\-]{40,128}={0,2})", guard::alone),
    ]
});

/// Returns the pattern of a name with a random value a few words later.
fn near(name: &str, letter: &str) -> String {
    format!(
        r#"(?i){name}[^a-z0-9\n]{{1,5}}(?:[{letter}]{{1,20}}[^a-z0-9\n]{{1,5}}){{0,4}}(?P<s>[A-Za-z0-9+/_=\-]{{10,}})"#
    )
}

/// Returns the pattern of a name matching `key`, followed by a value.
fn assigned(key: &str) -> String {
    // A value on a line of its own: after a sign, in a YAML block, in a here-document of the shell, Ruby or Terraform.
    const BELOW: &str = r#"[ \t]{0,4}\\?\n[+\-]?[ \t]{1,16}|[ \t]{0,4}[|>][+\-0-9]{0,3}[ \t]{0,4}\n[+\-]?[ \t]{1,16}|[ \t]{0,4}["']?(?:\$\(cat[ \t]{1,4})?<<[~\-]?[ \t]?["']?[A-Z_]{2,16}["']?[ \t]{0,4}\n[+\-]?[ \t]{0,16}"#;
    // Phrasings: a verb in eleven languages, an arrow or a dash.
    const SAID: &str = r"[ \t]+(?:is|was|are|ist|war|lautet|lautete|heißt|heisst|est|était|es|era|é|è|to|jest|это|є|je|är|er|on)(?:[ \t]+(?:now|set[ \t]+to|currently|still|jetzt|nun|maintenant|ahora|agora|ora|теперь))?[ \t]*:?[ \t]+|[ \t]+(?:set|changed)[ \t]+to[ \t]+|[ \t]{0,4}(?:->|→|⇒|—|–)[ \t]{0,4}|[ \t]?(?:是|为|為|は|が|는|은|가|이)[ \t]{0,2}:?[ \t]{0,2}";
    // Quotes that are not part of the value.
    const MARKS: &str = r"“”„«»‹›「」『』《》【】。、";
    format!(
        r#"(?i)(?P<key>{key})\\?["'`”»」*_]{{0,2}}\]?(?P<op>[ \t]{{0,8}}(?:=>|:=|==|\?=|=|:)(?:{BELOW}|[ \t]{{0,8}})|{SAID})[*_]{{0,2}}[ \t]?(?:\\"(?P<eq>[^"\\\n]*)\\"|[rbfu]{{0,2}}(?:"{{3}}|'{{3}})\s{{0,16}}(?P<tq>[^"'\n]*)|[rbfu]{{0,2}}"(?P<dq>(?:[^"\\\n]|\\.)*)"|[rbfu]{{0,2}}'(?P<sq>(?:[^'\\\n]|\\.)*)'|`(?P<bq>[^`\n]*)`|[{MARKS}(]?[ ]?(?P<bare>[^\s"'`,;{MARKS}]+))"#
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

/// The words of all rules, and the rules of each: most texts contain none of them.
static WORDS: LazyLock<(AhoCorasick, Vec<u128>)> = LazyLock::new(|| {
    let mut rules: BTreeMap<&str, u128> = BTreeMap::new();
    for (index, (_, words, ..)) in TABLE.iter().enumerate() {
        words.split(' ').filter(|word| !word.is_empty()).for_each(|word| *rules.entry(word).or_default() |= 1 << index);
    }
    let kind = Some(AhoCorasickKind::DFA);
    let automaton = AhoCorasick::builder().ascii_case_insensitive(true).kind(kind).build(rules.keys());
    (automaton.expect("the table holds few words"), rules.into_values().collect())
});

/// Returns the rules that may match a text, in order.
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

/// The rules for long runs.
static LONG_RULES: LazyLock<u128> = LazyLock::new(|| mask(|row| row.1 == LONG));

/// The rules for vendors' keys: the first in the table.
static KEY_RULES: LazyLock<u128> = LazyLock::new(|| {
    let keys = TABLE.iter().position(|row| row.0 == "bearer-token").unwrap_or_default();
    (1 << keys) - 1
});

fn mask(is_in: impl Fn(&Row) -> bool) -> u128 {
    TABLE.iter().enumerate().filter(|(_, row)| is_in(row)).fold(0, |mask, (index, _)| mask | 1 << index)
}

/// Only a key or a digest has this many letters and digits in a row.
const LONGEST_WORD: usize = 32;

/// Minimum length of a vendor's key.
const SHORTEST_KEY: usize = 12;

/// Returns the length of the longest run of letters, digits and key signs.
fn longest_run(text: &str) -> usize {
    let (mut run, mut longest) = (0, 0);
    for b in text.bytes() {
        run = if b.is_ascii_alphanumeric() || b"+/_-.:".contains(&b) { run + 1 } else { 0 };
        longest = longest.max(run);
    }
    longest
}
