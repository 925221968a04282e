//! Tolerant JUnit XML scanner: elements and attributes; no entities beyond the five, no DTD, no namespaces.
//!
//! Truncated or malformed input is read as far as possible. Counts come from the test cases if there are any, otherwise
//! from the attributes of the outermost suite.

use super::counted::Report;

/// Reads a document; returns `None` if it has neither a test case nor a suite with counts.
pub(super) fn parse(xml: &str) -> Option<Report> {
    let mut report = Report { framework: "junit", ..Report::default() };
    let mut cases = 0;
    let mut suite: Option<(u64, u64, u64, u64)> = None;
    let mut open: Option<String> = None;
    let mut judged = false;
    for tag in tags(xml) {
        match tag.name {
            "testsuite" | "testsuites" if suite.is_none() => {
                let number = |name| tag.attribute(name).and_then(|value| value.trim().parse::<u64>().ok());
                if let Some(tests) = number("tests") {
                    let skipped = number("skipped").or(number("disabled")).unwrap_or_default();
                    let (failures, errors) = (number("failures"), number("errors"));
                    suite = Some((tests, failures.unwrap_or_default(), errors.unwrap_or_default(), skipped));
                }
            }
            "testcase" => {
                cases += 1;
                judged = false;
                report.passed += 1;
                let name = tag.attribute("name").unwrap_or_default();
                let class = tag.attribute("classname").unwrap_or_default();
                open = (!tag.closed).then(|| if class.is_empty() { name.clone() } else { format!("{class}.{name}") });
            }
            "/testcase" => open = None,
            // A failure in the test and an error in its tear-down count as one case.
            "failure" | "error" | "skipped" if !judged => {
                let Some(name) = &open else { continue };
                judged = true;
                report.passed -= 1;
                match tag.name {
                    "failure" => report.failed += 1,
                    "error" => report.errors += 1,
                    _ => report.skipped += 1,
                }
                if tag.name != "skipped" {
                    report.name(name);
                    let message = tag.attribute("message").filter(|message| !message.trim().is_empty());
                    report.reasons.extend(message.map(|message| (name.clone(), message)));
                    if report.summary.is_empty() {
                        report.summary = tag.attribute("message").unwrap_or_default().chars().take(200).collect();
                    }
                }
            }
            _ => {}
        }
    }
    if let Some((tests, failed, errors, skipped)) = suite
        && (cases == 0 || cases < tests && failed + errors > report.failed + report.errors)
    {
        let passed = tests.saturating_sub(failed + errors + skipped);
        return Some(Report { passed, failed, errors, skipped, ..report });
    }
    (cases > 0).then_some(report)
}

struct Tag<'a> {
    name: &'a str,
    rest: &'a str,
    closed: bool,
}

impl Tag<'_> {
    fn attribute(&self, name: &str) -> Option<String> {
        let mut rest = self.rest;
        while let Some(at) = rest.find('=') {
            let key = rest[..at].trim().rsplit(char::is_whitespace).next().unwrap_or_default();
            let value = rest[at + 1..].trim_start();
            let quote = value.chars().next().filter(|c| matches!(c, '"' | '\''))?;
            let value = &value[1..];
            let end = value.find(quote)?;
            if key == name {
                return Some(unescape(&value[..end]));
            }
            rest = &value[end + 1..];
        }
        None
    }
}

/// Iterates over the tags in order, without comments and CDATA.
fn tags(xml: &str) -> impl Iterator<Item = Tag<'_>> {
    let mut rest = xml;
    std::iter::from_fn(move || {
        loop {
            rest = &rest[rest.find('<')?..];
            if let Some(skip) = ["<!--", "<![CDATA["].iter().position(|start| rest.starts_with(start)) {
                let end = ["-->", "]]>"][skip];
                rest = &rest[rest.find(end)? + end.len()..];
                continue;
            }
            let end = tag_end(rest)?;
            let inside = &rest[1..end];
            rest = &rest[end + 1..];
            let closed = inside.ends_with('/');
            let inside = inside.trim_end_matches('/');
            let at = inside.find(char::is_whitespace).unwrap_or(inside.len());
            return Some(Tag { name: &inside[..at], rest: &inside[at..], closed });
        }
    })
}

/// Returns where a tag ends; `>` inside a value does not count.
fn tag_end(tag: &str) -> Option<usize> {
    let mut quote = None;
    for (at, c) in tag.char_indices() {
        match (quote, c) {
            (None, '>') => return Some(at),
            (None, '"' | '\'') => quote = Some(c),
            (Some(open), c) if open == c => quote = None,
            _ => {}
        }
    }
    None
}

fn unescape(value: &str) -> String {
    value
        .replace("&lt;", "<")
        .replace("&gt;", ">")
        .replace("&quot;", "\"")
        .replace("&apos;", "'")
        .replace("&#10;", "\n")
        .replace("&amp;", "&")
}
