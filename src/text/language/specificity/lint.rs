//! Which checks apply to a text: as a rule, as a quoted comment, as the description of a problem.

use super::checks;
use super::context::View;
use super::violation::Finding;
use regex::Regex;
use std::ops::Range;
use std::sync::LazyLock;

/// Returns the problems of a text as a rule, in text order; none if it may enter a prompt.
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

/// Returns the problems of a text as the description of a problem (004, `issue`): it must name one, in any tone.
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

/// Where a text states its demand.
enum Demand {
    /// In its own words.
    Own,
    /// In a quotation that is the whole text.
    AllQuoted(Range<usize>),
    /// In a quoted comment that it says to obey.
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
