//! Secrets of many kinds in many spellings (`corpus`), and lines without any.

use super::corpus::{ALL, Dice, WAYS, base64, kinds};
use super::*;
use serde_json::json;

#[test]
fn every_kind_is_masked_in_every_way_of_writing() {
    let kinds = kinds();
    assert!(kinds.len() >= 90, "{}", kinds.len());
    let mut left = Vec::new();
    for (way, write) in WAYS {
        for kind in &kinds {
            let (text, secrets) = write(kind);
            let stored = redact(&clean_text(&text)).text;
            let mut value = json!({ "comment": text });
            redact_json("", &mut value);
            let inner = value["comment"].as_str().unwrap();
            for secret in secrets.iter().map(|secret| clean_text(secret)) {
                if stored.contains(&secret) || inner.contains(&secret) {
                    left.push(format!("{way}: {}: {stored}", kind.name));
                    break;
                }
            }
        }
    }
    assert!(left.is_empty(), "{} of {}:\n{}", left.len(), kinds.len() * WAYS.len(), left.join("\n"));
}

#[test]
fn json_masks_what_stands_behind_a_telling_name() {
    let d = &mut Dice(7);
    let mut value = json!({
        "password": 73_519_264, "pin": 7, "max_tokens": 128_000_000, "token_count": 99_999_999, "tokens": 123_456_789,
        "credentials": {"user": "ana", "value": "hunter", "port": 5432},
        "secret": {"name": "payments-db", "data": d.hex(40)}, "api_key": d.uuid(), "session_id": d.uuid(),
        "env": [{"name": "DB_PASSWORD", "value": "swordfish"}, {"name": "PORT", "value": "8080"}],
        "metadata": json!({"auth_token": d.hex(32), "n": 1}).to_string(),
        "auths": {"r": {"auth": base64("ana:swordfish")}}, "git_sha": "da39a3ee5e6b4b0d3255bfef95601890afd80709",
    });
    redact_json("", &mut value);
    insta::assert_snapshot!(value, @r#"{"password":"[REDACTED:password]","pin":7,"max_tokens":128000000,"token_count":99999999,"tokens":123456789,"credentials":{"user":"ana","value":"hunter","port":5432},"secret":{"name":"payments-db","data":"[REDACTED:secret]"},"api_key":"[REDACTED:api-key]","session_id":"8296638d-6526-48f0-a01f-23f3d1d2863c","env":[{"name":"DB_PASSWORD","value":"[REDACTED:password]"},{"name":"PORT","value":"8080"}],"metadata":"{\"auth_token\":\"[REDACTED:token]\",\"n\":1}","auths":{"r":{"auth":"[REDACTED:basic-auth]"}},"git_sha":"da39a3ee5e6b4b0d3255bfef95601890afd80709"}"#);
}

/// Returns lines without secrets, as in reviews, logs and configuration.
fn harmless() -> Vec<String> {
    let d = &mut Dice(4711);
    let mut lines = Vec::new();
    let hex = |d: &mut Dice, n| d.of("0123456789abcdef", n);
    for n in 0..100 {
        let (h40, h64, uuid) = (hex(d, 40), hex(d, 64), d.uuid());
        let word = d.one(&["payments", "orders", "billing", "search", "auth", "token", "secrets"]);
        let verb = d.one(&["rotate", "cache", "validate", "refresh", "log", "store", "parse"]);
        let account = d.of("0123456789", 12);
        lines.extend([
            format!("see commit {h40} for the earlier attempt"),
            format!("sha256:{h64}"),
            format!("index {}..{} 100644", hex(d, 7), hex(d, 7)),
            format!("agent_output_sha={h40} approved_output_sha={}", hex(d, 40)),
            format!("session {uuid} of agent coding-agent-{n}"),
            format!("task_id: {uuid}, epic_id: EPIC-{n}"),
            format!("request id {} took {n} ms", hex(d, 32)),
            format!("src/{word}/{verb}_token_v{n}.rs:{n}:12: unused variable `password_{n}`"),
            format!("/var/lib/{word}/secrets/{verb}/key{n}.pem"),
            format!("arn:aws:secretsmanager:eu-west-1:{account}:secret:prod/{word}/db-{}", d.of(ALL, 6)),
            format!("secret: arn:aws:secretsmanager:eu-west-1:{account}:secret:{word}-{}", d.of(ALL, 6)),
            format!("kms_key=arn:aws:kms:eu-central-1:{account}:key/{uuid}"),
            format!("encryption_key: gcpkms://projects/p{n}/locations/global/keyRings/{word}/cryptoKeys/k{n}"),
            format!("secretName: {word}-db-credentials-{n}"),
            format!("kubectl get secret {word}-{verb}-token-{} -o yaml", d.of("bcdfghjklmnpqrstvwxz2456789", 5)),
            format!("the token should {verb} before the session of {word} ends, in line {n}"),
            format!("Please {verb} the password in `{word}.{verb}_password()` and not in step {n}."),
            format!(
                "fn {verb}_{word}_token(token: &str, secret: Option<&str>, retries: u32) -> Result<Token{n}, Error>"
            ),
            format!("password = os.environ[\"{}_PASSWORD\"]; token = get_token({n})", word.to_uppercase()),
            format!("max_tokens={n}000, token_type=bearer, password_min_length={n}, key_size=2048"),
        ]);
    }
    lines
}

/// Returns lines with numbers, dates, versions and names that are not personal data.
fn numbers() -> Vec<String> {
    let d = &mut Dice(815);
    let mut lines = Vec::new();
    for n in 0..100 {
        let digits = |d: &mut Dice, n| d.of("123456789", n);
        let (day, hour, minute) = (n % 28 + 1, n % 24, n % 60);
        lines.extend([
            format!("2026-01-{day:02}T{hour:02}:{minute:02}:00Z and 2026-01-{day:02} {hour:02}:{minute:02}:00 +0200"),
            format!("{day:02}.01.2026, {day:02}/01/2026, 2026/01/{day:02}, +2026-01-{day:02}"),
            format!("released v{n}.{}.{}.{} and {n}.{}.{}-rc.{n}", n % 9, n % 7, n % 5, n % 4, n % 3),
            format!("upgrade tokio to 1.{n}.0, serde = \"1.0.{}\", redis:7.{n}.1-alpine", digits(d, 3)),
            format!("entry 17680000{}-{n} of asdlc:events:turns", digits(d, 5)),
            format!("offset 17680000{} us, {} ns, {} bytes", digits(d, 8), digits(d, 10), digits(d, 9)),
            format!("account {}, project {}, ticket #{}", digits(d, 12), digits(d, 11), digits(d, 6)),
            format!(
                "id {} or {} at line {}:{}, port {}",
                digits(d, 19),
                digits(d, 16),
                digits(d, 4),
                digits(d, 2),
                digits(d, 4)
            ),
            format!("total 1.{}.{} rows, 10 {} {} bytes", digits(d, 3), digits(d, 3), digits(d, 3), digits(d, 3)),
            format!("bind 10.{n}.0.1:8080, 192.168.{n}.1/24, 172.16.{n}.9, 127.0.0.{}", n + 1),
            format!("at {}.{} s, {}.{} %, 3.14159{}, 1e{n}", digits(d, 3), digits(d, 6), n, digits(d, 4), digits(d, 9)),
            format!("@scope/pkg-{n}@{n}.2.0 and img{n}@2x.png and user{n}@db.internal"),
            format!("@@ -{n},{} +{n},{} @@ fn handler_{n}(req: Request)", digits(d, 2), digits(d, 2)),
            format!("+{}", digits(d, 8)),
            format!("0x{} 0b101{n:08b} {}", digits(d, 16), digits(d, 13)),
            format!("SELECT * FROM t WHERE id IN ({}, {}, {})", digits(d, 10), digits(d, 10), digits(d, 7)),
            format!(
                "phone is a required field of 15 digits in step {n}, call it {n} times, sms quota {}",
                digits(d, 5)
            ),
            format!("DE{n:02} is not an account, nor is AT{} or EPIC-{}", digits(d, 4), digits(d, 6)),
            format!("rgb({n}, 12, 255) #{}{} 00{n}-{}-{}", digits(d, 3), digits(d, 3), digits(d, 2), digits(d, 3)),
            format!("std::net::{n}::f00d a::b c0de:{n}::dead/x sha 20{n:02}:{}", digits(d, 4)),
        ]);
    }
    lines
}

#[test]
fn hashes_ids_paths_names_and_prose_stay() {
    let lines = harmless();
    assert_eq!(lines.len(), 2000);
    let numbers = numbers();
    assert_eq!(numbers.len(), 2000);
    let masked: Vec<String> =
        lines.iter().map(|line| redact(line).text).filter(|text| text.contains("[REDACTED")).collect();
    assert!(masked.len() <= 5, "{} of {}:\n{}", masked.len(), lines.len(), masked.join("\n"));
    let all = Personal { ip: Treatment::Masked, ..Personal::default() };
    let personal: Vec<String> = lines.iter().filter_map(|line| all.without(line)).collect();
    assert!(personal.len() <= 5, "{} of {}:\n{}", personal.len(), lines.len(), personal.join("\n"));
    let personal: Vec<String> = numbers.iter().filter_map(|line| all.without(line)).collect();
    assert!(personal.len() <= 5, "{} of {}:\n{}", personal.len(), numbers.len(), personal.join("\n"));
    let together = lines.join("\n");
    assert!(
        find(&together).len() <= 5,
        "{:?}",
        find(&together).iter().map(|s| &together[s.start..s.end]).collect::<Vec<_>>()
    );
}
