//! Parsing text into values, with the line of each place.

use super::*;

fn lines_of(text: &str) -> Lines {
    read(text).unwrap().remove(0).lines
}

#[test]
fn json_and_yaml_give_the_same_value() {
    let value = example();
    let pretty = serde_json::to_string_pretty(&value).unwrap();
    let yaml = serde_saphyr::to_string(&value).unwrap();
    assert_eq!(parse(&pretty).unwrap(), vec![value.clone()]);
    assert_eq!(parse(&yaml).unwrap(), vec![value.clone()]);
    assert_eq!(parse(&format!("\u{feff}{pretty}")).unwrap(), vec![value.clone()]);
    assert_eq!(parse(&format!("---\n{yaml}...\n---\n{yaml}")).unwrap().len(), 2);
    assert_eq!(parse(&format!("{value}\n{value}\n")).unwrap().len(), 2);
}

#[test]
fn every_place_has_its_line_in_json() {
    let text = "{\n  \"a\": {\"b\": [1,\n 2, {\"c/d\": \"x\\\"\\n{\"}]},\n  \"e\": null\n}";
    let lines = lines_of(text);
    for (pointer, line) in
        [("", 1), ("/a", 2), ("/a/b", 2), ("/a/b/0", 2), ("/a/b/1", 3), ("/a/b/2/c~1d", 3), ("/e", 4), ("/e/f", 4)]
    {
        assert_eq!(lines.of(pointer), Some(line), "{pointer}");
    }
}

#[test]
fn every_place_has_its_line_in_yaml() {
    let text = "# note\na:\n  b:\n    - 1\n    - |\n      two\n      lines\n    - c/d: x\n      y: z\ne: ~\n";
    let lines = lines_of(text);
    for (pointer, line) in [
        ("", 2),
        ("/a", 2),
        ("/a/b", 3),
        ("/a/b/0", 4),
        ("/a/b/2", 8),
        ("/a/b/2/c~1d", 8),
        ("/a/b/2/y", 9),
        ("/e", 10),
        ("/nothing", 2),
    ] {
        assert_eq!(lines.of(pointer), Some(line), "{pointer}");
    }
    let second = read("a: 1\n---\nb: 2\n").unwrap().remove(1);
    assert_eq!(second.lines.of("/b"), Some(3));
}

#[test]
fn yaml_words_stay_words() {
    let value =
        parse("a: no\nb: 2026-01-25T15:00:00Z\nc: 42\nd: '42'\ne: 42-48\nf: true\ng: 0.5\nh:\n").unwrap().remove(0);
    assert_eq!(
        value,
        json!({ "a": "no", "b": "2026-01-25T15:00:00Z", "c": 42, "d": "42", "e": "42-48", "f": true, "g": 0.5, "h": null })
    );
}

#[test]
fn what_cannot_be_read_says_where_and_what_to_do() {
    let json = read("{\n  \"a\": 1,\n  \"b\" 2\n}").unwrap_err();
    assert_eq!(json.line, Some(3));
    assert_eq!(json.message, "invalid JSON: expected `:`");
    assert_eq!(read("{\"id\": \"x\",\n \"a\": \"open}\n").unwrap_err().line, Some(2));
    let twice = read("{\"a\": 1,\n\"a\": 2}").unwrap_err();
    assert_eq!((twice.line, twice.message.as_str()), (Some(2), "the field `a` appears twice"));
    let yaml = read("a: 1\nb: [1, 2\nc: 3\n").unwrap_err();
    assert!(yaml.line.is_some() && yaml.message.starts_with("invalid YAML: "), "{yaml:?}");
    let tab = read("a:\n\tb: 1\n").unwrap_err();
    assert_eq!((tab.line, tab.hint.as_str()), (Some(2), "Indent with spaces."), "{tab:?}");
    let float = read("a: .nan\n").unwrap_err();
    assert_eq!((float.line, float.hint.as_str()), (Some(1), "Write a finite number."), "{float:?}");
    assert!(read("a: 1\na: 2\n").unwrap_err().hint.contains("once"));
    for empty in ["", "  \n", "# only a note\n"] {
        assert_eq!(read(empty).unwrap_err().message, "the text contains no document");
    }
    assert_eq!(read("{a: 1, b: [x]}").unwrap()[0].value, json!({ "a": 1, "b": ["x"] }), "flow style");
}

#[test]
fn large_and_malicious_texts_are_refused() {
    let large = format!("a: {}", "x".repeat(MAX_BYTES));
    assert_eq!(read(&large).unwrap_err().message, "the text has 1000003 bytes; at most 1000000 are read");
    let mut bomb = String::from("a0: &a0 [x, x, x, x, x, x, x, x, x]\n");
    for n in 1..12 {
        let before = format!("*a{}, ", n - 1).repeat(9);
        bomb.push_str(&format!("a{n}: &a{n} [{}]\n", before.trim_end_matches(", ")));
    }
    let started = std::time::Instant::now();
    let refused = read(&bomb).unwrap_err();
    assert!(refused.message.starts_with("invalid YAML: "), "{refused:?}");
    assert!(started.elapsed().as_secs() < 5);
    for deep in ["[".repeat(100_000), "{\"a\":".repeat(100_000), "- ".repeat(100_000), "a: ".repeat(9)] {
        assert!(read(&deep).is_err());
    }
}
