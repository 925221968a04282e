//! Personal data of each kind in many spellings, lookalikes, and replacements. All of it is made up.

use super::*;
use proptest::prelude::*;
use serde_json::{Value, json};

fn everything() -> Personal {
    Personal { ip: Treatment::Masked, ..Personal::default() }
}

fn pseudonyms() -> Personal {
    let with = Treatment::Pseudonym;
    let key = PseudonymKey::new(b"0123456789abcdef0123456789abcdef");
    Personal { email: with, phone: with, ip: with, card: with, iban: with, key, ..Personal::default() }
}

/// Returns a card's last digit by Luhn, and an account's check digits, so that no complete number appears here.
fn card(digits: &str) -> String {
    let sum: u32 = digits.bytes().rev().enumerate().fold(0, |sum, (at, b)| {
        let digit = u32::from(b - b'0') * if at % 2 == 0 { 2 } else { 1 };
        sum + digit / 10 + digit % 10
    });
    format!("{digits}{}", (10 - sum % 10) % 10)
}

fn iban(country: &str, account: &str) -> String {
    let letters: String = format!("{account}{country}00")
        .chars()
        .map(|c| c.to_digit(36).map(|digit| digit.to_string()).unwrap_or_default())
        .collect();
    let rest = letters.bytes().fold(0_u32, |rest, b| (rest * 10 + u32::from(b - b'0')) % 97);
    format!("{country}{:02}{account}", 98 - rest)
}

fn grouped(number: &str, size: usize, by: &str) -> String {
    number.as_bytes().chunks(size).map(|part| String::from_utf8_lossy(part).into_owned()).collect::<Vec<_>>().join(by)
}

fn true_ones() -> Vec<(PersonalKind, String)> {
    let mut all: Vec<(PersonalKind, String)> = Vec::new();
    for user in ["ana", "ana.berg", "a_berg", "ana+lists", "Ana.Berg", "ana-maria", "4711", "a.b.c"] {
        for host in ["firma.de", "mail.stadtwerke-bonn.de", "corp.acme.com", "uni.ac.uk", "Startup.IO", "büro.de"] {
            all.push((PersonalKind::Email, format!("{user}@{host}")));
        }
    }
    for text in [
        "ana (at) firma (dot) de",
        "ana[at]firma.de",
        "ana.berg [at] firma [dot] co [dot] uk",
        "ana{at}firma.de",
        "ana%40firma.de",
        "ana\\u0040firma.de",
        "ana&#64;firma.de",
        "ana@\u{200b}firma.de",
        "ana＠firma.de",
    ] {
        all.push((PersonalKind::Email, text.to_owned()));
    }
    for text in [
        "+49 228 1234567",
        "+49 (0)228 1234567",
        "+49-228-1234567",
        "+49/228/1234567",
        "+492281234567",
        "0049 228 1234567",
        "+1 212 736 5000",
        "+1 (212) 736-5000",
        "+1-212-736-5000",
        "+1.212.736.5000",
        "+12127365000",
        "(212) 736-5000",
        "212-736-5000",
        "212.736.5000",
        "+44 20 7946 1234",
        "+44 (0)20 7946 1234",
        "+33 6 12 34 56 78",
        "06 12 34 56 78",
        "06.12.34.56.78",
        "+41 44 668 18 00",
        "+43 1 5880012",
        "+31 20 794 0800",
        "+34 912 345 678",
        "+39 06 1234 5678",
        "+48 22 123 45 67",
        "+351 21 123 4567",
        "+91 98765 43210",
        "+81 3-1234-5678",
        "+86 138 1234 5678",
        "+55 11 91234-5678",
        "+61 2 9876 5432",
        "+7 495 123-45-67",
        "+353 1 234 5678",
        "+358 9 1234567",
        "tel: 0228 1234567",
        "Tel. 0228/1234567",
        "phone 020 7946 1234",
        "phone: 4155550",
        "call me at 030 1234567",
        "mobile 0151 12345678",
        "fax: 0228-1234568",
        "Handy: 0151/12345678",
        "ring him on 020 7946 1234",
        "whatsapp 0044 7911 123456",
        "Telefon: (0228) 123456",
        "phone number is 07911 123456",
        "+4915112345678",
        "＋49 228 1234567",
        "+49\u{a0}228\u{a0}1234567",
        "tel:+49-228-1234567",
    ] {
        all.push((PersonalKind::Phone, text.to_owned()));
    }
    for text in [
        "93.184.216.34",
        "203.1.112.7",
        "52.29.100.13",
        "185.199.108.153:443",
        "http://93.184.216.34/x",
        "93.184.216.34/24",
        "2a02:8108:1234:5678::1",
        "2001:4860:1234::8",
        "[2a00:1450:4001:81b::200e]:443",
        "from 91.12.33.4.",
    ] {
        all.push((PersonalKind::Ip, text.to_owned()));
    }
    for digits in [
        "411122223333444",
        "453201511283036",
        "520082828282821",
        "555444333322221",
        "222300312200322",
        "601111111111111",
        "356600202036050",
        "650000000000001",
        "621234567890123",
    ] {
        let number = card(digits);
        all.push((PersonalKind::Card, number.clone()));
        for by in [" ", "-", ".", "\u{a0}"] {
            all.push((PersonalKind::Card, grouped(&number, 4, by)));
        }
    }
    let amex = card("37828224631000");
    all.push((PersonalKind::Card, amex.clone()));
    all.push((PersonalKind::Card, format!("{} {} {}", &amex[..4], &amex[4..10], &amex[10..])));
    all.push((PersonalKind::Card, card("3056930902590")));
    for (country, account) in [
        ("DE", "370400440532013000"),
        ("FR", "20041010050500013M02606"),
        ("NL", "ABNA0417164300"),
        ("ES", "21000418450200051332"),
        ("GB", "NWBK60161331926819"),
        ("AT", "1904300234573201"),
        ("CH", "00762011623852957"),
        ("BE", "539007547034"),
        ("IT", "X0542811101000000123456"),
        ("PL", "109010140000071219812874"),
        ("SE", "50000000058398257466"),
        ("PT", "000201231234567890154"),
    ] {
        let number = iban(country, account);
        all.push((PersonalKind::Iban, number.clone()));
        all.push((PersonalKind::Iban, number.to_lowercase()));
        for by in [" ", "-", "\u{a0}"] {
            all.push((PersonalKind::Iban, grouped(&number, 4, by)));
        }
    }
    all
}

#[test]
fn each_kind_is_found_in_many_spellings() {
    let policy = everything();
    let (mut missed, mut counts) = (Vec::new(), std::collections::BTreeMap::new());
    for (kind, text) in true_ones() {
        for sentence in [text.clone(), format!("Ask: {text}, please"), format!("({text})"), format!("a\n\"{text}\"\nb")]
        {
            let found = policy.find(&sentence);
            let (all, hit) = counts.entry(kind.name()).or_insert((0, 0));
            *all += 1;
            if found.iter().any(|datum| datum.kind == kind) {
                *hit += 1;
            } else {
                missed.push(format!("{}: {sentence:?} {found:?}", kind.name()));
            }
        }
    }
    println!("found: {counts:?}");
    assert!(missed.is_empty(), "{}:\n{}", missed.len(), missed.join("\n"));
}

#[test]
fn what_belongs_to_nobody_stays() {
    let policy = everything();
    for text in [
        "git@github.com:acme/api.git",
        "noreply@firma.de and 12345+ana@users.noreply.github.com",
        "renovate[bot]@firma.de",
        "ann@example.org, a@b.test, x@db.internal",
        "postgres://app:pw@db.firma.de:5432/x and https://user@git.firma.de/x",
        "logo@2x.png and react@18.2.0, @scope/pkg@1.2.3",
        "127.0.0.1 10.0.0.1 192.168.1.1 172.16.0.1 0.0.0.0 169.254.169.254 192.0.2.1 203.0.113.5 100.64.0.1 8.8.8.8",
        "::1 fe80::1 fc00::1 2001:db8::1 ff02::1",
        "v1.2.3.4, version 4.18.20.1, >= 2.10.3.4, lib-1.2.3.44, 1.2.3.4.5",
        "2026-01-12T10:00:00Z, +02:00, +0000, 20260112, 12/31/2026, +2023-11-15 10:20",
        "1768000000000-1, 1768000000000, 1768000000000000, 4242",
        "0a1b2c3d-0a1b-4c2d-8e3f-0123456789ab da39a3ee5e6b4b0d3255bfef95601890afd80709",
        "arn:aws:iam::123456789012:role/x, account 123456789012",
        "(212) 555-0142 and +1 212 555 0142",
        "phone: the field takes up to 15 digits; call 3 times in 2026; sms: 5 a day",
        "0000 1111 2222 3333, 4111111111111112, 1.000.000.000, 10 000 000 000",
        "DE00 0000 0000 0000 0000 00, AB12CD34EF56GH78",
        "line 12345678 of 23456789, PR #4711, +12 -34, 1e308, 0x1234567890abcdef",
    ] {
        assert_eq!(policy.without(text), None, "{text}: {:?}", policy.find(text));
    }
}

#[test]
fn a_pseudonym_is_the_same_in_every_spelling_and_needs_the_key() {
    let policy = pseudonyms();
    let of = |policy: &Personal, text: &str| policy.clean(text);
    let one = of(&policy, "Ask ana@firma.de");
    assert!(one.starts_with("Ask [email:") && one.len() == "Ask [email:abcdefgh]".len(), "{one}");
    for text in ["Ask Ana@Firma.de", "Ask ana(at)firma.de", "Ask ana\u{200b}@firma.de", "Ask ana [at] firma [dot] de"] {
        assert_eq!(of(&policy, text), one, "{text}");
    }
    assert_ne!(of(&policy, "Ask ben@firma.de"), one);
    let other = Personal { key: PseudonymKey::new(b"fedcba9876543210fedcba9876543210"), ..policy.clone() };
    assert_ne!(of(&other, "Ask ana@firma.de"), one);
    assert_eq!(of(&policy, "+49 228 1234567"), of(&policy, "+49-228-123 45 67"));
    // Without a key, nothing can be guessed from a hash that anyone could compute.
    assert_eq!(of(&Personal { key: None, ..policy.clone() }, "Ask ana@firma.de"), "Ask [REDACTED:email]");
    assert_eq!(of(&policy, &one), one, "twice is once");
    assert_eq!(format!("{:?}", policy.key), "Some(PseudonymKey(…))");
    assert_eq!(PseudonymKey::new(b"short"), None);
}

#[test]
fn kinds_are_switched_each_for_itself_and_addresses_may_be_kept() {
    let text = "ana@firma.de, +49 228 1234567, 93.184.216.34";
    assert_eq!(Personal::default().clean(text), "[REDACTED:email], [REDACTED:phone], 93.184.216.34");
    let policy = Personal { email: Treatment::Off, ip: Treatment::Masked, ..Personal::default() };
    assert_eq!(policy.clean(text), "ana@firma.de, [REDACTED:phone], [REDACTED:ip]");
    assert_eq!(Personal::off().without(text), None);
    let keep = ["@agents.firma.de".to_owned(), "bot@firma.de".to_owned()].into();
    let policy = Personal { keep, ..Personal::default() };
    assert_eq!(
        policy.clean("coder@agents.firma.de bot@firma.de ana@firma.de"),
        "coder@agents.firma.de bot@firma.de [REDACTED:email]"
    );
}

#[test]
fn a_secret_beside_an_address_goes_with_it() {
    let secret = format!("q7X4{}", "Wq4LKwNkX4");
    for text in [format!("curl -u ana@firma.de:{secret} https://x.firma.de"), format!("ana@firma.de password={secret}")]
    {
        let clean = crate::redact::redact(&Personal::default().clean(&text)).text;
        assert!(!clean.contains(&secret[4..]) && !clean.contains("ana@"), "{clean}");
    }
}

#[test]
fn json_loses_it_in_texts_numbers_names_and_ids() {
    let names = Names { is_id: |name| name.ends_with("_id"), stays: |name| name == "reviewer" };
    let number: Value = card("411122223333444").parse::<u64>().unwrap().into();
    let mut value = json!({"reviewer": "ana@firma.de", "session_id": "+492281234567", "note": ["ana@firma.de"],
        "paid": number, "ana@firma.de": 1, "n": 7});
    Personal::default().take_out("", &mut value, &names);
    let session = value["session_id"].as_str().unwrap().to_owned();
    assert!(session.starts_with("redacted-") && !session.contains("228"), "{session}");
    value["session_id"] = "…".into();
    let number = card("422222222222222");
    let mut ids = json!({"task_id": number, "decision_id": number.parse::<u64>().unwrap()});
    let before = ids.clone();
    Personal::default().take_out("", &mut ids, &names);
    assert_eq!(ids, before, "numbers that are ids stay what they are");
    insta::assert_snapshot!(value, @r#"{"reviewer":"ana@firma.de","session_id":"…","note":["[REDACTED:email]"],"paid":"[REDACTED:card]","[REDACTED:email]":1,"n":7}"#);
}

#[test]
fn long_texts_take_no_longer_per_byte() {
    for unit in ["a@b.", "+49 ", "1", "1 ", "DE12 ", "1.1.", "2a02:", "tel ", "a (at) b ", "tel: 0 ", "@", "+1("] {
        let text = unit.repeat(200_000 / unit.len());
        assert!(everything().clean(&text).len() <= text.len() * 8, "{unit}");
    }
}

proptest! {
    #[test]
    fn twice_is_once(parts in proptest::collection::vec(prop_oneof![
        Just("ana@firma.de".to_owned()), Just("+49 228 1234567".to_owned()), Just("tel: ".to_owned()), Just(" ".to_owned()),
        Just("4111".to_owned()), Just("93.184.216.34".to_owned()), Just("[REDACTED:email]".to_owned()),
        "[0-9 .()-]{0,24}", "[a-z@.:]{0,12}", "\\PC{0,6}",
    ], 0..10)) {
        for policy in [everything(), pseudonyms()] {
            let once = policy.clean(&parts.concat());
            prop_assert_eq!(policy.clean(&once), once);
        }
    }
}
