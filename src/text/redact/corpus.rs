//! Secrets of many kinds in many spellings, generated from a fixed seed for the tests of this module and of the whole
//! program. No file contains a complete one, and none opens anything.

use serde_json::json;
use std::fmt::Write;

/// Pseudo-random values, the same in every run.
pub struct Dice(pub u64);

impl Dice {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        self.0 >> 33
    }

    pub fn of(&mut self, letters: &str, length: usize) -> String {
        let letters: Vec<char> = letters.chars().collect();
        (0..length).map(|_| letters[self.next() as usize % letters.len()]).collect()
    }

    /// Returns letters and digits of every class, as in keys.
    pub fn key(&mut self, length: usize) -> String {
        format!("q7{}X4", self.of(ALL, length - 4))
    }

    pub fn hex(&mut self, length: usize) -> String {
        format!("b7{}", self.of("0123456789abcdef", length - 2))
    }

    pub fn upper(&mut self, length: usize) -> String {
        format!("Q7{}", self.of("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", length - 2))
    }

    pub fn uuid(&mut self) -> String {
        let mut part = |n| self.of("0123456789abcdef", n);
        format!("{}-{}-4{}-a{}-{}", part(8), part(4), part(3), part(3), part(12))
    }

    pub fn one<'a>(&mut self, of: &[&'a str]) -> &'a str {
        of[self.next() as usize % of.len()]
    }
}

pub const ALL: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";

pub fn base64(text: &str) -> String {
    const DIGITS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::new();
    for chunk in text.as_bytes().chunks(3) {
        let number = chunk.iter().fold(0_u32, |n, b| n << 8 | u32::from(*b)) << (8 * (3 - chunk.len()));
        for place in 0..4 {
            let digit = DIGITS[(number >> (18 - 6 * place) & 63) as usize];
            out.push(if place <= chunk.len() { char::from(digit) } else { '=' });
        }
    }
    out
}

/// A kind of secret: its name, a text as people paste it, and what redaction must remove.
pub struct Kind {
    /// Its name.
    pub name: &'static str,
    /// A text as people paste it.
    pub text: String,
    /// What redaction must remove.
    pub secret: String,
}

/// Spellings in other languages.
const FOREIGN: [(&str, &str); 20] = [
    ("French", "Mot de passe : {}"),
    ("French, key", "la clé d'API est {}"),
    ("German, lautet", "das Passwort lautet {}"),
    ("German, key", "API-Schlüssel: {}"),
    ("Spanish", "la contraseña es {}"),
    ("Spanish, key", "clave de acceso: {}"),
    ("Portuguese", "a senha é {}"),
    ("Portuguese, key", "chave da API: {}"),
    ("Italian", "la parola d'ordine è {}"),
    ("Italian, key", "chiave segreta = {}"),
    ("Polish", "HASŁO={}"),
    ("Polish, key", "klucz API: {}"),
    ("Russian", "Пароль — {}"),
    ("Russian, key", "токен: {}"),
    ("Chinese", "数据库密码是{}"),
    ("Chinese, key", "密钥：{}，请保密"),
    ("Japanese", "パスワードは「{}」です"),
    ("Japanese, key", "APIキー：{}"),
    ("Korean", "비밀번호는 {}입니다"),
    ("Korean, key", "토큰: {}"),
];

pub fn kinds() -> Vec<Kind> {
    let d = &mut Dice(20_260_101);
    let mut kinds = Vec::new();
    let mut add = |name, text: &str, secret: String| {
        kinds.push(Kind { name, text: text.replace("{}", &secret), secret });
    };
    // Formats defined by vendors.
    add("AWS access key", "{}", format!("AK{}{}", "IA", d.upper(16)));
    add("GitHub token", "{}", format!("gh{}{}", "p_", d.key(36)));
    add("GitHub fine-grained token", "{}", format!("github{}{}_{}", "_pat_", d.key(22), d.key(59)));
    add("GitLab token", "{}", format!("gl{}{}", "pat-", d.key(20)));
    add(
        "Slack bot token",
        "{}",
        format!("xo{}{}-{}-{}", "xb-", d.of("123456789", 12), d.of("123456789", 12), d.key(24)),
    );
    add(
        "Slack webhook",
        "https://hooks.slack.com/services/{}",
        format!("T{}/B{}/{}", d.upper(8), d.upper(8), d.key(24)),
    );
    add("Stripe key", "{}", format!("sk_{}{}", "live_", d.key(24)));
    add("Google key", "{}", format!("AI{}{}", "zaSy", d.key(33)));
    add("Google OAuth secret", "{}", format!("GOC{}{}", "SPX-", d.key(28)));
    add("Anthropic key", "{}", format!("sk-{}{}AA", "ant-api03-", d.key(93)));
    add("OpenAI key", "{}", format!("sk-{}{}", "proj-", d.key(48)));
    add("npm token", "{}", format!("np{}{}", "m_", d.key(36)));
    add("PyPI token", "{}", format!("pypi-{}{}", "AgEIcHlwaS5vcmc", d.key(60)));
    add("SendGrid key", "{}", format!("S{}{}.{}", "G.", d.key(22), d.key(43)));
    add(
        "Hugging Face token",
        "{}",
        format!("h{}{}", "f_", d.of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ", 34)),
    );
    add("Vault token", "{}", format!("hv{}{}", "s.", d.key(90)));
    add("DigitalOcean token", "{}", format!("dop{}{}", "_v1_", d.hex(64)));
    add("Databricks token", "{}", format!("da{}{}", "pi", d.hex(32)));
    add("Twilio key", "{}", format!("S{}{}", "K", d.hex(32)));
    add("Shopify token", "{}", format!("shp{}{}", "at_", d.hex(32)));
    add("Mailgun key", "{}", format!("ke{}{}", "y-", d.hex(32)));
    add("Telegram token", "{}", format!("{}:A{}{}", d.of("123456789", 10), "A", d.key(33)));
    add("age key", "{}", format!("AGE-SECRET{}{}", "-KEY-1", d.of("QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L", 58)));
    add("JWT", "{}", format!("ey{}{}.ey{}{}.{}", "J", d.key(33), "J", d.key(60), d.key(43)));
    add("Linear key", "{}", format!("lin{}{}", "_api_", d.key(40)));
    add("Doppler token", "{}", format!("dp.{}{}", "pt.", d.key(43)));
    add("Grafana token", "{}", format!("glsa{}{}_{}", "_", d.key(32), d.hex(8)));
    add("Notion token", "{}", format!("nt{}{}{}", "n_", d.of("123456789", 11), d.key(35)));
    add("New Relic key", "{}", format!("NR{}{}", "AK-", d.upper(27)));
    add("Postman key", "{}", format!("PM{}{}-{}", "AK-", d.hex(24), d.hex(34)));
    add("PlanetScale token", "{}", format!("pscale{}{}", "_tkn_", d.key(43)));
    add("Square token", "{}", format!("EAA{}{}", "A", d.key(60)));
    add("Azure AD secret", "client_secret: {}", format!("{}8{}{}", d.of("abcXYZ", 3), "Q~", d.key(34)));
    add("Fly token", "{}", format!("fo1{}{}", "_", d.key(43)));
    add(
        "Telegram token in its address",
        "https://api.telegram.org/bot{}/getMe",
        format!("{}:A{}{}", d.of("123456789", 10), "A", d.key(33)),
    );
    add("Sonar token", "{}", format!("sq{}{}", "u_", d.hex(40)));
    add("Discord token", "{}", format!("MT{}.G{}.{}", d.key(22), d.key(5), d.key(38)));
    add("Discord webhook", "https://discord.com/api/webhooks/{}", format!("{}/{}", d.of("123456789", 18), d.key(68)));
    add("Azure AD secret alone", "{}", format!("{}8{}{}", d.of("abcXYZ", 3), "Q~", d.key(34)));
    add("alone, letters and digits", "{}", d.key(44));
    // After names.
    add("password =", "password={}", d.key(12));
    add("password: in YAML", "db:\n  password: {}\n", d.key(12));
    add("passwd in quotes", "passwd = '{}'", d.key(10));
    add("DB_PASS", "DB_PASS={}", d.key(12));
    add("JSON pass", "{\"user\": \"app\", \"pass\": \"{}\"}", d.key(11));
    add("camel case", "dbPass: \"{}\"", d.key(12));
    add("begins with a dollar", "DB_PASSWORD='{}'", format!("${}!", d.key(10)));
    add("begins with a dollar, bare", "password={}", format!("${}", d.key(10)));
    add("begins with a percent sign", "password: \"{}\"", format!("%{}", d.key(10)));
    add("said", "the password is {}", d.key(12));
    add("in German", "das Passwort ist {}", d.key(12));
    add("API key, hex", "api_key={}", d.hex(32));
    add("API token, 40 hex", "api_token: {}", d.hex(40));
    add("API token, 64 hex", "FEEDBACKD_API_TOKEN={}", d.hex(64));
    add("token, UUID", "token={}", d.uuid());
    add("secret, UUID in JSON", "{\"client_secret\": \"{}\"}", d.uuid());
    add("AWS secret key", "aws_secret_access_key = {}", format!("{}/{}+{}", d.key(15), d.key(15), d.key(8)));
    add("client-key-data", "client-key-data: {}", format!("LS0t{}==", d.key(80)));
    add("account key", "DefaultEndpointsProtocol=https;AccountName=a;AccountKey={};", format!("{}==", d.key(86)));
    add("Laravel key", "APP_KEY=base64:{}", format!("{}=", d.key(43)));
    add("Rails key", "secret_key_base: {}", d.hex(128));
    add("TOTP seed", "otpauth://totp/x:ana?secret={}&issuer=x", d.upper(16));
    add("npm auth token", "//registry.example/:_authToken={}", d.uuid());
    add("XML element", "<password>{}</password>", d.key(12));
    add("list of variables", "- name: DB_PASSWORD\n  value: {}", d.key(12));
    add("next line", "password:\n    {}", d.key(12));
    add("WireGuard key", "PrivateKey = {}", format!("{}=", d.key(43)));
    add("ODBC", "Server=db;Uid=app;Pwd={};", d.key(10));
    add("JDBC", "jdbc:mysql://db/app?user=a&password={}", d.key(12));
    add("Oracle", "jdbc:oracle:thin:scott/{}@db:1521/x", d.key(8));
    add("requirepass", "requirepass {}", d.key(16));
    add("SQL", "CREATE USER app IDENTIFIED BY '{}'", d.key(12));
    add("SQL, PostgreSQL", "ALTER ROLE app WITH PASSWORD '{}'", d.key(12));
    add("folded block of YAML", "db:\n  password: >-\n    {}", d.key(12));
    add("literal block of YAML", "api_token: |\n  {}", d.key(24));
    add("three quotes", "password = \"\"\"{}\"\"\"", d.key(12));
    add("three quotes, next line", "token = '''\n{}\n'''", d.key(24));
    add("default of a variable", "variable \"db_password\" {\n  type    = string\n  default = \"{}\"\n}", d.key(12));
    add("default of a parameter", "DbPassword:\n  Type: String\n  Default: {}", d.key(12));
    add("document of the shell", "db_password = <<EOT\n{}\nEOT", d.key(12));
    add("default of a look-up", "os.environ.get(\"DB_PASSWORD\", \"{}\")", d.key(12));
    add("argument of a call", "config.setPassword(\"{}\")", d.key(12));
    add("Dockerfile", "ENV DB_PASSWORD {}", d.key(12));
    add("row of a table", "| password | {} |", d.key(12));
    add("changed", "changed the password to {}", d.key(12));
    add("said in words", "the API key was {}", d.key(24));
    // After names in other languages.
    for (name, text) in FOREIGN {
        add(name, text, d.key(20));
    }
    // On command lines.
    add("mysql -p", "mysql -u root -p{} app", d.key(10));
    add("-p alone", "run it with -p{}", d.key(10));
    add("docker login", "docker login -u ci -p {} registry.example", d.key(14));
    add("curl -u", "curl -s -u ci:{} https://x.example/api", d.key(12));
    add("--password", "psql --password {} -h db", d.key(12));
    add("--password, a word", "tool --password {} --verbose", format!("hunter{}", "wolf"));
    add("--token=", "tool --token={}", d.key(24));
    add("redis-cli -a", "redis-cli -h db -a {} ping", d.key(12));
    add("sshpass", "sshpass -p {} ssh root@db", d.key(10));
    // In files and in protocols.
    add("netrc", "machine api.example login ci password {}", d.key(12));
    add("netrc over lines", "machine api.example\n  login ci\n  password {}", d.key(12));
    add("pgpass", "db.example:5432:app:ci:{}", d.key(12));
    add("URL", "postgres://app:{}@db:5432/app", d.key(12));
    add("URL, slash within", "postgres://app:{}@db/app", format!("pa{}/{}", d.key(6), d.key(8)));
    add("URL, at sign within", "redis://:{}@cache:6379/0", format!("p@{}", d.key(8)));
    add("token in a URL", "https://{}@git.example/a/b.git", d.key(32));
    add("SAS", "https://a.blob.example/c?sv=2022&se=2026&sig={}", format!("{}%3D", d.key(42)));
    add("pre-signed URL", "https://s3.example/a?X-Amz-Date=1&X-Amz-Signature={}", d.hex(64));
    add("Bearer", "Authorization: Bearer {}", d.key(32));
    add("Basic", "Authorization: Basic {}", base64(&format!("ci:{}", d.key(12))));
    add("header of a token", "X-Auth-Token: {}", d.key(24));
    add("docker auth", "{\"auths\": {\"r.example\": {\"auth\": \"{}\"}}}", base64(&format!("ci:{}", d.key(12))));
    add("session cookie", "Cookie: lang=en; sessionid={}", d.key(32));
    add("PHP session", "PHPSESSID={}", d.key(26));
    add("cookie of an unknown name", "Set-Cookie: app.sess={}; Path=/; HttpOnly", d.key(40));
    add("crypt hash", "root:{}:19000:0", format!("$6$salt$q7{}", d.key(84)));
    add("bcrypt", "{}", format!("$2b$12${}", d.key(53)));
    add("alone, random", "it printed {} and stopped", format!("{}/{}+{}", d.key(15), d.key(15), d.key(8)));
    let line = |d: &mut Dice| d.key(64);
    let (begin, end) = ("-----BEGIN RSA PRIV", "-----END RSA PRIV");
    let pem = format!("{begin}ATE KEY-----\n{}\n{}\n{end}ATE KEY-----", line(d), line(d));
    add("base64 of a PEM", "tls.key: {}", base64(&pem));
    kinds.push(Kind { name: "PEM", secret: pem.split('\n').nth(1).unwrap().to_owned(), text: pem });
    let lines = format!("{}\n{}", line(d), line(d));
    let putty = format!(
        "PuTTY-User-Key-File-3: ssh-rsa\nEncryption: none\nPrivate-Lines: 2\n{lines}\nPrivate-MAC: {}",
        d.hex(64)
    );
    kinds.push(Kind { name: "PuTTY key", secret: lines.split('\n').next_back().unwrap().to_owned(), text: putty });
    kinds
}

/// A spelling: the text, and what its stored form must not contain.
pub type Way = (&'static str, fn(&Kind) -> (String, Vec<String>));

pub const WAYS: [Way; 16] = [
    ("as it is", |kind| (kind.text.clone(), vec![kind.secret.clone()])),
    ("in prose", |kind| (format!("I ran it, got {} and gave up.", kind.text), vec![kind.secret.clone()])),
    ("at the end of a sentence", |kind| (format!("It printed {}. Look.", kind.text), vec![kind.secret.clone()])),
    ("before an at sign", |kind| (format!("{}@db.example.org", kind.text), vec![kind.secret.clone()])),
    ("in a file's name", |kind| (format!("see cfg/{}.env", kind.text), vec![kind.secret.clone()])),
    ("in brackets", |kind| (format!("we found a key ({}).", kind.text), vec![kind.secret.clone()])),
    ("among Chinese", |kind| (format!("泄露了{}，请更换。", kind.text), vec![kind.secret.clone()])),
    ("in code", |kind| (format!("```\n{}\n```", kind.text), vec![kind.secret.clone()])),
    ("in a diff", |kind| {
        (format!("@@ -1 +1 @@\n+{}\n context", kind.text.replace('\n', "\n+")), vec![kind.secret.clone()])
    }),
    ("in JSON", |kind| {
        let text = json!({ "log": kind.text }).to_string();
        (text, vec![kind.secret.clone()])
    }),
    ("with hidden characters", |kind| {
        let middle = kind.secret.len() / 2;
        let hidden =
            format!("{}\u{200b}{}\u{2060}{}", &kind.secret[..2], &kind.secret[2..middle], &kind.secret[middle..]);
        (kind.text.replace(&kind.secret, &hidden), vec![hidden, kind.secret.clone()])
    }),
    ("full-width", |kind| {
        let wide = |c: char| if c.is_ascii_graphic() { char::from_u32(c as u32 + 0xfee0).unwrap() } else { c };
        let secret: String = kind.secret.chars().map(wide).collect();
        (kind.text.chars().map(wide).collect(), vec![secret])
    }),
    ("percent-encoded", |kind| {
        let percent = |text: &str| {
            text.bytes().fold(String::new(), |mut out, b| {
                if b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.' | b'~') {
                    out.push(char::from(b));
                } else {
                    write!(out, "%{b:02X}").unwrap();
                }
                out
            })
        };
        (format!("got {}", percent(&kind.text)), vec![percent(&kind.secret)])
    }),
    ("base64", |kind| {
        let text = base64(&kind.text);
        (format!("it logged {text} there"), vec![text])
    }),
    ("escaped", |kind| {
        let secret: String = kind.secret.chars().fold(String::new(), |mut out, c| {
            write!(out, "\\u{:04x}", c as u32).unwrap();
            out
        });
        (kind.text.replace(&kind.secret, &secret), vec![secret])
    }),
    ("over two lines", |kind| {
        // A word of letters cut in two cannot be told from prose.
        if !kind.secret.bytes().any(|b| b.is_ascii_digit()) {
            return (kind.text.clone(), vec![kind.secret.clone()]);
        }
        let middle = kind.secret.len() / 2;
        let (first, second) = kind.secret.split_at(middle);
        (kind.text.replace(&kind.secret, &format!("{first}\n  {second}")), vec![first.to_owned(), second.to_owned()])
    }),
];
