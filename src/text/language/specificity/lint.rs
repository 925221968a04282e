//! Which checks a text has to pass: as a rule, as a quoted remark, as the description of a problem.

use super::checks;
use super::context::View;
use super::violation::Finding;
use regex::Regex;
use std::ops::Range;
use std::sync::LazyLock;

/// What speaks against a text as a rule, in the order of the text; nothing where it may enter a prompt.
pub fn lint(text: &str) -> Vec<Finding> {
    let view = View::of(text);
    let mut findings = checks::Findings::default();
    checks::frame(&view, &mut findings);
    match demand(&view) {
        Demand::Own => checks::demand(&view, &mut findings),
        Demand::AllQuoted(inside) => findings.take_in(lint(&text[inside.clone()]), inside.start),
        Demand::Remark(inside) => {
            checks::tables(&view, &mut findings);
            findings.take_in(judge(&text[inside.clone()], checks::remark), inside.start);
        }
    }
    findings.sorted()
}

/// What speaks against a text as the description of a problem (004, `issue`): it is to name one, in whatever tone.
pub fn lint_issue(text: &str) -> Vec<Finding> {
    judge(text, checks::issue)
}

fn judge(text: &str, check: fn(&View<'_>, &mut checks::Findings)) -> Vec<Finding> {
    let view = View::of(text);
    let mut findings = checks::Findings::default();
    checks::frame(&view, &mut findings);
    check(&view, &mut findings);
    findings.sorted()
}

/// Where a text says what it demands.
enum Demand {
    /// In its own words.
    Own,
    /// It is a quotation as a whole.
    AllQuoted(Range<usize>),
    /// It says that a remark is to be obeyed, and quotes it.
    Remark(Range<usize>),
}

static ALL_QUOTED: LazyLock<Regex> = LazyLock::new(|| checks::regex(r#"^[\s.]*["'“„«‘]\x01+["'”“»’][\s.!]*$"#));

static REMARK: LazyLock<Regex> = LazyLock::new(|| {
    checks::regex(
        r#"\b(?:this|these|the following) (?:remark|comment|demand|request|note|feedback|instruction|sentence|rule|advice)s?\b[^.“"]{0,60}[“"]\x01+[”"][\s.!]*$"#,
    )
});

fn demand(view: &View<'_>) -> Demand {
    match view.quotes.last() {
        Some(inside) if ALL_QUOTED.is_match(&view.own) => Demand::AllQuoted(inside.clone()),
        Some(inside) if REMARK.is_match(&view.own) => Demand::Remark(inside.clone()),
        _ => Demand::Own,
    }
}
