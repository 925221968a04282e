//! The quality of a prompt, 0 to 10: eight criteria visible in the text (specification, "Refinement: Limits").
//!
//! The specification leaves the score open; this one is ours. It judges the form, not whether the goal is good.

use super::fill::head;
use crate::text::prose::{line as one_line, round};
use regex::{Regex, RegexBuilder};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::sync::LazyLock;

/// How much of a prompt is read, in bytes.
const READ: usize = 20_000;

/// The assessment of a prompt.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Analysis {
    /// The sum of the points, 0 to 10.
    pub score: f64,
    /// The criteria in a fixed order.
    pub criteria: Vec<Criterion>,
}

/// One criterion.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Criterion {
    /// Its name.
    pub name: String,
    /// The points given, 0 to `max`.
    pub points: f64,
    /// The maximum points.
    pub max: f64,
    /// The words that earned them, or what is missing.
    pub why: String,
}

/// A criterion: what earns its points, and the message if nothing does.
struct CriterionRule {
    name: &'static str,
    max: f64,
    missing: &'static str,
    pattern: &'static str,
}

#[rustfmt::skip]
const RULES: [CriterionRule; 7] = [
    CriterionRule { name: "goal", max: 2.0, missing: "no verb says what is to be done", pattern: r"(?:^|[.:;\n,]\s*(?:\d+[.)] |[-*] )?|\b(?:please|to|you|must|should|and|can you|could you) )(?:add|analy[sz]e|build|change|check|clean|compare|convert|create|debug|delete|deploy|describe|design|document|draft|evaluate|explain|extend|extract|find|fix|generate|implement|improve|investigate|list|make|migrate|move|optimi[sz]e|plan|port|propose|refactor|remove|rename|replace|report|review|rewrite|run|set up|simplify|solve|speed up|split|summari[sz]e|test|translate|update|upgrade|validate|verify|write)\b(?: \S+)?" },
    CriterionRule { name: "artifact", max: 1.5, missing: "names no file, function, component or document", pattern: r"`[^`\n]{1,80}`|\b[\w-]+(?:/[\w.-]+)+\b|\b[\w-]+\.(?:rs|py|tsx?|jsx?|go|java|kt|rb|php|c|h|cpp|cs|toml|ya?ml|json|md|sql|html|css|sh|xml)\b|\b\w+\(\)|\b[a-z]\w*_\w+\b|\b\w+::\w+|\b(?:the|our|a|an) (?:[\w-]+ ){0,2}(?:module|function|class|endpoint|handler|service|page|form|script|migration|table|schema|query|component|parser|client|server|command|button|test suite|workflow|pipeline|api|cli|readme|document|report)\b" },
    CriterionRule { name: "constraints", max: 1.0, missing: "sets no bounds: language, version, what must not change", pattern: r"\b(?:must(?: not)?|without|never|do not|don't|only|at most|at least|no more than|within|compatib\w+ with|ensure compatibility|using|version|constraint|keep the|unchanged|backwards?[- ]compatible|limit(?:ed)? to|python|rust|typescript|javascript|java|golang|django|react)\b" },
    CriterionRule { name: "acceptance", max: 1.5, missing: "does not say when it is right", pattern: r"\bexpected (?:behaviou?r|result|output)|\b(?:should|must) (?:return|print|show|reject|accept|fail|pass|raise|contain|produce|be|have|work|give|log)\b|\b(?:passes|pass):? \S|\bso that\b|\bdone when\b|\bacceptance\b|\bsuccess (?:means|criteri\w+)\b|\buntil .{3,60} (?:passes|is green)\b|\bgiven .{3,80} when\b" },
    CriterionRule { name: "evidence", max: 1.0, missing: "shows no error, example or observation", pattern: r"\bgiven the error\b|\b\w*(?:Error|Exception)\b|\berror message\b|\btraceback\b|\bfor example\b|\be\.g\.|\bexample:|\bcurrently\b|\bactual(?:ly)?\b|\binstead of\b|\bfails? with\b|\bexit code\b|```|\breported \x22|\bspecifically addressing\b|\bto clarify the goal\b" },
    CriterionRule { name: "scope", max: 1.0, missing: "does not say where it ends", pattern: r"\b(?:focus(?:ing)? (?:specifically |only )?on|specifically|only (?:the|in|for|touch|change)|limited to|nothing else|out of scope|minimal changes?|leave .{1,40} (?:alone|as (?:it is|they are))|do not (?:touch|change)|don't (?:touch|change)|just the|in (?:the )?(?:file|module|folder|function) )\b" },
    CriterionRule { name: "steps", max: 1.0, missing: "asks for neither steps nor a check of the result", pattern: r"\bstep by step\b|\bfirst\b.{3,200}\bthen\b|^\s*(?:1[.)]|[-*] )|\binclude validation\b|\b(?:add|write|run) (?:a |the |all )?(?:unit |regression |integration )?tests?\b|\bverify\b|\bvalidat(?:e|ing|ion)\b|\bbefore (?:starting|you start)\b" },
];
/// Points for plain language.
const PLAIN: f64 = 1.0;
/// The minimum number of words of a task.
const FEW: usize = 6;

static COMPILED: LazyLock<Vec<Regex>> = LazyLock::new(|| RULES.iter().map(|rule| regex(rule.pattern)).collect());
static VAGUE: LazyLock<Regex> = LazyLock::new(|| {
    regex(
        r"\b(?:somehow|something|stuff|things?|whatever|etc\.?|and so on|better|nicer|improve(?:d|ments)?|good|clean(?:er)?|properly|as needed|if possible|maybe|perhaps|fix it|do it|make it work|handle it|asap)\b",
    )
});

/// Assesses a prompt. Deterministic; only the first 20,000 bytes count.
pub fn analyze(prompt: &str) -> Analysis {
    let read = head(prompt, READ);
    let mut criteria: Vec<Criterion> =
        RULES.iter().zip(COMPILED.iter()).map(|(rule, pattern)| judge(rule, pattern, read)).collect();
    criteria.push(plain(read));
    let score = round(criteria.iter().map(|criterion| criterion.points).sum::<f64>().clamp(0.0, 10.0));
    Analysis { score, criteria }
}

fn judge(rule: &CriterionRule, pattern: &Regex, prompt: &str) -> Criterion {
    let found = pattern.find(prompt).map(|found| found.as_str().trim());
    let (points, why) = match found {
        Some(words) => (rule.max, format!("\"{}\"", one_line(words, 80))),
        None => (0.0, rule.missing.to_owned()),
    };
    Criterion { name: rule.name.to_owned(), points, max: rule.max, why }
}

/// Gives half the points for enough words, half for the absence of vague ones.
fn plain(prompt: &str) -> Criterion {
    let words = prompt.split_whitespace().take(FEW).count();
    let vague = VAGUE.find(prompt).map(|found| found.as_str());
    let points =
        if words >= FEW { PLAIN / 2.0 } else { 0.0 } + if vague.is_none() && words > 0 { PLAIN / 2.0 } else { 0.0 };
    let why = match (words >= FEW, vague) {
        (false, _) => format!("fewer than {FEW} words"),
        (true, Some(vague)) => format!("\"{vague}\" leaves it open what is meant"),
        (true, None) => "no vague words".to_owned(),
    };
    Criterion { name: "plain_words".to_owned(), points, max: PLAIN, why }
}

fn regex(pattern: &str) -> Regex {
    RegexBuilder::new(pattern).case_insensitive(true).multi_line(true).build().expect("a constant")
}
