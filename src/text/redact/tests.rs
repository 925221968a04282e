//! What is masked, what is not, and that redaction is idempotent. All secrets are made up.

use super::*;
use proptest::prelude::*;
use serde_json::json;

const PEM: &str = "-----BEGIN RSA PRIVATE KEY-----\nFAKEC0f0dFdc0F3Cfd2FEBBbE0e0F2fC\n-----END RSA PRIVATE KEY-----";

fn text(input: &str) -> String {
    redact(input).text
}

#[test]
fn known_shapes_are_masked() {
    let cases = [
        ("ghp_FAKEspd0qy1qn3hw5efykh5tbd01srnjns22", "github-token"),
        ("github_pat_11FAKE0123456789_abcdefABCDEF0123456789", "github-token"),
        ("glpat-FAKE1a2B3c4D5e6F7g8H", "gitlab-token"),
        ("AKIAFAKEGALQFSHW5ZZ7", "aws-access-key"),
        (concat!("xoxb-", "123456789012-FAKEabcdef12"), "slack-token"),
        (concat!("sk_live_", "FAKE1a2B3c4D5e6F7g8H"), "stripe-key"),
        ("AIzaFAKE5yD1a2B3c4D5e6F7g8H9i0J1k2L3m4", "google-key"),
        ("sk-ant-api03-FAKE1a2B3c4D5e6F7g8H", "anthropic-key"),
        ("sk-FAKE1a2B3c4D5e6F7g8H9i0J", "openai-key"),
        ("npm_FAKE1a2B3c4D5e6F7g8H9i0J1k2L3m4N5o", "npm-token"),
        ("pypi-AgEIcHlwaS5vcmcCFAKE1a2B3c4D", "pypi-token"),
        ("eyJhbGciOiJIUzI1NiJ9.BBCjDABkcD02C3Bjg0g10f1g.hif1cgi0eikkbc0bce1a", "jwt"),
        (PEM, "private-key"),
        ("hf_FAKE1a2B3c4D5e6F7g8H9i0J1k2L3m4N", "huggingface-token"),
    ];
    for (secret, kind) in cases {
        let found = redact(&format!("used {secret} to reproduce"));
        assert_eq!(found.text, format!("used [REDACTED:{kind}] to reproduce"), "{secret}");
        assert_eq!(found.kinds, [kind]);
    }
}

#[test]
fn only_the_secret_part_is_masked() {
    insta::assert_snapshot!(text("postgres://app:g2a2b3e3eg@db.internal:5432/prod"), @"postgres://app:[REDACTED:url-password]@db.internal:5432/prod");
    insta::assert_snapshot!(text("redis://:p@ss@cache:6379/0"), @"redis://:[REDACTED:url-password]@cache:6379/0");
    insta::assert_snapshot!(text("Bearer FAKE0123456789abcdef sent"), @"Bearer [REDACTED:bearer-token] sent");
    insta::assert_snapshot!(text("used password=mg2n7mp42m52, sorry"), @"used password=[REDACTED:password], sorry");
    insta::assert_snapshot!(text("password: 'correct horse 9'"), @"password: '[REDACTED:password]'");
    insta::assert_snapshot!(text("+  db_password: sw0rdf1sh"), @"+  db_password: [REDACTED:password]");
    insta::assert_snapshot!(text(r#"{"api_key": "FAKE0f1e2d3c4b5a"}"#), @r#"{"api_key": "[REDACTED:api-key]"}"#);
    insta::assert_snapshot!(text("aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYFAKEKEY00"), @"aws_secret_access_key = [REDACTED:api-key]");
    insta::assert_snapshot!(text("the password is hunter2022."), @"the password is [REDACTED:password].");
    insta::assert_snapshot!(text("token=0a1b2c3d-0a1b-4c2d-8e3f-0123456789ab password=da39a3ee5e6b4b0d3255bfef95601890afd80709"), @"token=[REDACTED:token] password=[REDACTED:password]");
    insta::assert_snapshot!(text("secret for the job: aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY"), @"secret for the job: [REDACTED:high-entropy]");
}

#[test]
fn keys_that_are_cut_off_or_in_a_diff() {
    let body = "FAKEC0f0dFdc0F3Cfd2FEBBbE0e0F2fCdAdb0De2b0c3A0dBB3Dfc2b3f32faF2F";
    assert_eq!(
        text(&format!("x -----BEGIN PRIVATE KEY-----\n{body}\n{body} and so on")),
        "x [REDACTED:private-key] and so on"
    );
    assert_eq!(text(&format!("tail {body}\n{body}\n-----END PRIVATE KEY----- y")), "tail [REDACTED:private-key] y");
    let diff = format!("+-----BEGIN EC PRIVATE KEY-----\n+{body}\n+-----END EC PRIVATE KEY-----\n+next");
    assert_eq!(text(&diff), "+[REDACTED:private-key]\n+next");
    assert_eq!(text(&format!("{PEM}\n{PEM}")), "[REDACTED:private-key]\n[REDACTED:private-key]");
}

#[test]
fn passwords_are_known_by_what_stands_around_them() {
    for around in [
        "setPassword(\"{}\")",
        ".password(\"{}\")",
        "let password = String::from(\"{}\");",
        "const PASSWORD: &str = \"{}\";",
        "password = @\"{}\"",
        "auth=(\"mira\", \"{}\")",
        "HTTPBasicAuth(\"mira\", \"{}\")",
        "new NetworkCredential(\"mira\", \"{}\")",
        "env.set(\"API_TOKEN\", \"{}\")",
        "process.env.TOKEN || \"{}\"",
        "{\"value\": \"{}\", \"name\": \"DB_PASSWORD\"}",
        "<Password><![CDATA[{}]]></Password>",
        "<key>Password</key>\n<string>{}</string>",
        "| password | {} |",
        "ENV DB_PASSWORD {}",
        "use {} as the password",
        "`{}` is the admin password",
        "the password (`{}`) is in plain text",
        "login failed for mira with password {}",
        "using token {}",
        "login mira, pw {}",
        "creds: admin:{}",
        "Password:\n\n    {}",
        "> What is the DB password?\nIt is {}",
        "curl -sSu \"mira:{}\" https://example.org",
        "smbclient //h/s -U mira%{}",
        "keytool -storepass {} -keystore x",
        "zip -P {} x.zip y",
        "ssh mira:{}@10.0.0.1",
        "ConvertTo-SecureString \"{}\" -AsPlainText -Force",
        "SET PASSWORD FOR a = PASSWORD('{}')",
        "storepass: {}",
        "bindpw {}",
        "PSWD={}",
        "api.key={}",
        "κωδικός: {}",
        "סיסמה: {}",
        "mật khẩu: {}",
        "暗証番号：{}",
        "lozinka: {}",
        "Le mot de passe est « {} »",
    ] {
        for password in ["Harbour-Falcon799", "Kestrel!Winter24"] {
            let said = around.replace("{}", password);
            assert!(!text(&said).contains(&password[..7]), "{said}: {}", text(&said));
        }
    }
}

#[test]
fn keys_are_known_by_their_shapes() {
    let hex = "0b7c2d94e1f86a35".repeat(4);
    let mixed = "q7Xz4Kp9Lm2Rt8Wv".repeat(5);
    let uuid = "0b7c2d94-e1f8-4a35-a1b2-0b7c2d94e1f8";
    for (before, key, after) in [
        ("", format!("glwt-{}", &mixed[..20]), ""),
        ("", format!("glrt-t1_{}.01.1aro3ee2k", &mixed[..27]), ""),
        ("", format!("sk_{}", &hex[..48]), ""),
        ("", format!("live_{}", &mixed[..30]), ""),
        ("", format!("sdk-{uuid}"), ""),
        ("", format!("hcaik_{}", mixed[..58].to_lowercase()), ""),
        ("", format!("{}-{}-{}", &hex[..32], &hex[..8], &hex[8..16]), ""),
        ("", format!("K10{hex}::server:{}", &hex[..32]), ""),
        ("", format!("access_token$production$bwr6y700031ehvqo${}", &hex[..32]), ""),
        ("https://mattermost.example.com/hooks/", mixed[..26].to_lowercase(), ""),
        ("https://open.feishu.cn/open-apis/bot/v2/hook/", uuid.to_owned(), ""),
        ("secret_id=", uuid.to_owned(), ""),
        ("ENV HEROKU_API_KEY ", uuid.to_owned(), ""),
        ("\n| WANDB_API_KEY | ", hex[..40].to_owned(), " |"),
        ("AZURE_DEVOPS_EXT_PAT=", mixed[..52].to_lowercase(), ""),
        ("Authorization: GenieKey ", uuid.to_owned(), ""),
        ("the private key 0x", hex.clone(), " is in the test"),
        ("bootstrap token qinxca.", "2tipni59emtur2bv".to_owned(), ""),
        ("license key ", "5G3M1-BTG5B-W2IEO-KJHIP-ALRQ0".to_owned(), ""),
        ("2FA seed ", "S4CBGMOS2TVPDBWRYSYCQM37WPB2XGPY".to_owned(), " is in the fixture"),
        ("Recovery codes: ", "c0669-ab8f2".to_owned(), ""),
        ("see ghp\\_", mixed[..36].to_owned(), " x"),
        ("it sends Basic ", "bWlyYTpDSmdsSElSTytOT24=".to_owned(), " each time"),
        ("mira:{SHA}", format!("{}=", &mixed[..27]), ""),
    ] {
        let said = format!("I see {before}{key}{after} there");
        assert!(!text(&said).contains(&key[key.len().saturating_sub(9)..]), "{said}: {}", text(&said));
    }
    let phrase = "mnemonic: \"accuse actor admit account addict actress actual act abuse above acoustic adjust\"";
    assert_eq!(text(phrase), "mnemonic: \"[REDACTED:seed-phrase]\"");
}

#[test]
fn what_is_no_secret_stays() {
    let hash40 = "da39a3ee5e6b4b0d3255bfef95601890afd80709";
    let hash64 = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
    for plain in [
        format!("see commit {hash40}"),
        format!("commit={hash40} digest: {hash64} agent_output_sha={hash40}"),
        format!("sha256:{hash64}"),
        "secret id 0a1b2c3d-0a1b-4c2d-8e3f-0123456789ab, session_id=0a1b2c3d-0a1b-4c2d-8e3f-0123456789ab".into(),
        "def login(token: str, password: string, secret: Optional[str] = None)".into(),
        "password = os.environ[\"DB_PASSWORD\"]; token = get_token(user1)".into(),
        "password=settings.DB_PASSWORD token=auth_token api_key=${API_KEY} password=<your password>".into(),
        "max_tokens: 128000, token_count=4096, tokenizer=bert2, password_min_length=12".into(),
        "secret: src/secrets/store_v2.rs, token: v1.22.3, password: ****".into(),
        "Token: the access token expires too early, secret: rotate it in Q3".into(),
        "the password is required, the token is expired; password reset is missing".into(),
        "http://localhost:8080/a@b and git@github.com:owner/repo.git".into(),
        "bearer authentication is missing; basic auth is off".into(),
        "sk-learn-pipeline-with-two-steps, pypi-publish-workflow-action".into(),
        "test_AuthTokenRefreshHandlesExpiredSessions and src/auth/TokenRefreshHandler2.java".into(),
        "idempotency_key: 3f2a9c1b7d, public_key=FAKE1a2B3c4D5e6F".into(),
        format!("docker://registry:5000/app@sha256:{hash64} and https://forge.example:8443/a/b@v2"),
        "\"integrity\": \"sha512-PwwhEakHVKTdRNVOw+/7xNnIAYPQpGwlBnBZRWmjAbTdVlNj1VqV0pTUEHBdOAlkn2mIcP9BsXP5UuSUZQjDtA==\"".into(),
        "flags to pass to SECP256K1_CONTEXT_VERIFY, the token of TokenRefreshHandler2 via OAuth2".into(),
        "password:\n  type: string\nport:\n  type: integer\n  default: 8080".into(),
        "description: |\n  The password of the user\ntoken: >-\n  Bearer token of the caller".into(),
        "variable \"db_password\" { type = string }\nvariable \"region\" { default = \"eu-west-1\" }".into(),
        "密码：不能为空，长度至少8位。パスワードは8文字以上です。비밀번호는 8자 이상이어야 합니다".into(),
        "mot de passe : obligatoire".into(),
        "assert_eq!(token, Token::Number(42)); auth(BasicToken|OAuth2Token|ApiToken)".into(),
        "the token is checked in TokenRefreshHandler2, and the password policy in PasswordPolicy-v2".into(),
        "setPassword(newPassword); login(\"mira\", \"password\"); withToken(\"token\")".into(),
        "le mot de passe est obligatoire, das Passwort lautet anders, la contraseña es incorrecta".into(),
        "пароль: минимум 8 символов, hasło to za mało, a senha é curta, clave: valor, chiave: nome".into(),
    ] {
        assert_eq!(text(&plain), plain);
    }
}

#[test]
fn json_is_redacted_by_name_and_by_shape() {
    let mut value = json!({"password": "hunter", "n": 7, "list": ["AKIAFAKEGALQFSHW5ZZ7", {"apiKey": "FAKE0f1e2d3c"}],
        "git_sha": "da39a3ee5e6b4b0d3255bfef95601890afd80709", "ghp_FAKEspd0qy1qn3hw5efykh5tbd01": "x\u{200b}y"});
    assert_eq!(redact_json("extra", &mut value), ["api-key", "aws-access-key", "github-token", "password"]);
    insta::assert_snapshot!(value, @r#"{"password":"[REDACTED:password]","n":7,"list":["[REDACTED:aws-access-key]",{"apiKey":"[REDACTED:api-key]"}],"git_sha":"da39a3ee5e6b4b0d3255bfef95601890afd80709","[REDACTED:github-token]":"xy"}"#);
    let once = value.clone();
    redact_json("extra", &mut value);
    assert_eq!(value, once);
}

#[test]
fn hidden_characters_go() {
    assert_eq!(clean_text("a\r\nb\rc\u{7}\u{1b}[31m\td"), "a\nb\nc[31m\td");
    assert_eq!(clean_text("x\u{202e}y\u{200b}z\u{e0041}\u{2066}\u{feff}\u{9b}"), "xyz");
    assert_eq!(clean_text("ünï 漢字 ❤\u{fe0f} 👍"), "ünï 漢字 ❤\u{fe0f} 👍");
}

#[test]
fn long_texts_take_no_longer_per_byte() {
    // Quadratic rules would take minutes here.
    for unit in [
        "-----BEGIN PRIVATE KEY-----\n",
        "token=",
        "a://b:c@",
        "password: \"",
        "eyJ",
        "sk-",
        "secret a ",
        "a_",
        "password: x1 ",
        "-----END PRIVATE KEY----- ",
    ] {
        let text = unit.repeat(300_000 / unit.len());
        assert!(redact(&text).text.len() <= text.len() * 3, "{unit}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]
    #[test]
    fn twice_is_once(parts in proptest::collection::vec(prop_oneof![
        Just("password=".to_owned()), Just("token: ".to_owned()), Just("\"".to_owned()), Just("://u:".to_owned()),
        Just("@h ".to_owned()), Just("Bearer ".to_owned()), Just("AKIAFAKEGALQFSHW5ZZ7".to_owned()),
        Just("-----BEGIN PRIVATE KEY-----".to_owned()), Just("-----END PRIVATE KEY-----".to_owned()),
        Just("[REDACTED:token]".to_owned()), Just(" secret ".to_owned()), "[A-Za-z0-9+/=_.-]{0,48}", "\\PC{0,6}", Just("\n".to_owned()),
    ], 0..12)) {
        let once = redact(&parts.concat());
        let twice = redact(&once.text);
        prop_assert_eq!(&once.text, &twice.text);
        prop_assert!(twice.kinds.is_empty());
    }

    #[test]
    fn cleaning_twice_is_cleaning_once(text in any::<String>()) {
        let once = clean_text(&text);
        prop_assert_eq!(clean_text(&once), once);
    }
}
