//! The section of a prompt: its rules, their order, and its insertion into the prompt.

use super::bullet;
use crate::records::record::{ProposalRecord, ProposalStatus, Scope};
use crate::rules::draft::proposal::INSERTION_POINT;
use crate::text::ids::{Gate, short_hash};
use globset::GlobBuilder;
use jiff::Timestamp;
use std::collections::BTreeSet;

/// The maximum number of rules in force per agent.
pub const MAX_ACTIVE: usize = 20;

/// The place in an agent's work that a prompt is for. Unknown fields do not restrict.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Place<'a> {
    /// The gate ahead.
    pub gate: Option<Gate>,
    /// The file to work on.
    pub path: Option<&'a str>,
}

/// Returns an agent's rules in prompt order: effect, then confidence, then age. At most `cap` are in force for the
/// agent; of these, the ones that may apply at `place` are returned.
pub fn in_prompt_order<'r>(
    rules: &'r [ProposalRecord],
    agent: &str,
    place: &Place<'_>,
    effect: impl Fn(&str) -> f64,
    cap: usize,
) -> Vec<&'r ProposalRecord> {
    let mut chosen: Vec<&ProposalRecord> = rules.iter().filter(|rule| enters(rule) && is_for(rule, agent)).collect();
    sort(&mut chosen, effect);
    chosen.truncate(cap);
    chosen.retain(|rule| may_apply(&rule.scope, place));
    chosen
}

/// Returns the rules of every agent, each once, in prompt order: for a file that all agents read.
pub fn for_everybody(rules: &[ProposalRecord], effect: impl Fn(&str) -> f64, cap: usize) -> Vec<&ProposalRecord> {
    let mut seen = BTreeSet::new();
    let agents = agents(rules);
    let each = agents.iter().flat_map(|agent| in_prompt_order(rules, agent, &Place::default(), &effect, cap));
    let mut chosen: Vec<&ProposalRecord> = each.filter(|rule| seen.insert(rule.proposal_id.as_str())).collect();
    sort(&mut chosen, effect);
    chosen
}

/// Reports whether a rule of this scope may apply there. A pattern without a slash is matched against the file name,
/// any other against the whole path; an invalid one does not restrict.
pub fn may_apply(scope: &Scope, place: &Place<'_>) -> bool {
    let gate = place.gate.is_none_or(|gate| scope.gates.is_empty() || scope.gates.contains(&gate));
    gate && place.path.is_none_or(|path| scope.paths.is_empty() || scope.paths.iter().any(|p| matches(p, path)))
}

/// Holds out some rules, to compare prompts with and without them: a share chosen by the rule's id and `key` (the
/// session), so that a session always gets the same ones. Returns the remaining rules and the ids of the others.
pub fn hold_out<'r>(rules: Vec<&'r ProposalRecord>, key: &str, holdout: f64) -> (Vec<&'r ProposalRecord>, Vec<String>) {
    let (held, kept): (Vec<_>, Vec<_>) = rules.into_iter().partition(|rule| draw(&rule.proposal_id, key) < holdout);
    (kept, held.into_iter().map(|rule| rule.proposal_id.clone()).collect())
}

/// Renders the prompt section with the rules; `None` if there are none. With `agents`, each rule states whom it is for.
/// Ends with a line feed.
pub fn section(rules: &[&ProposalRecord], agents: bool) -> Option<String> {
    let bullets: String = rules.iter().map(|rule| bullet::bullet(rule, agents)).collect();
    (!bullets.is_empty()).then(|| format!("{INSERTION_POINT}\n\n{bullets}"))
}

/// Returns the base prompt, unchanged, followed by the section. An existing section at the base's end is replaced, so
/// the operation is idempotent.
pub fn build_prompt(base: &str, section: Option<&str>) -> String {
    let bare = without_section(base);
    let Some(section) = section else {
        // The blank line before the section belongs to it as well.
        let ours = bare.len() < base.len() && bare.ends_with("\n\n");
        return bare[..bare.len() - usize::from(ours)].to_owned();
    };
    let gap = match bare {
        b if b.is_empty() || ["\n\n", "\n\r\n"].iter().any(|end| b.ends_with(end)) => "",
        b if b.ends_with('\n') => "\n",
        _ => "\n\n",
    };
    format!("{bare}{gap}{section}")
}

/// Returns a rule as in the section, without its bullet marker.
pub fn line_of(rule: &ProposalRecord) -> String {
    let section = section(&[rule], false).unwrap_or_default();
    let bullet = section.split_once("\n\n").map_or("", |(_, bullet)| bullet);
    bullet.strip_prefix("- ").unwrap_or(bullet).trim_end().to_owned()
}

/// Returns since when a rule has been in force. A person who moved its file by hand may have omitted the time.
pub fn since(rule: &ProposalRecord) -> Timestamp {
    rule.activated_at.or(rule.decided_at).unwrap_or(rule.created_at)
}

fn enters(rule: &ProposalRecord) -> bool {
    rule.status.in_force() && rule.action_type.enters_prompt()
}

fn is_for(rule: &ProposalRecord, agent: &str) -> bool {
    rule.affected_agents.iter().any(|a| a == agent)
}

fn sort(rules: &mut [&ProposalRecord], effect: impl Fn(&str) -> f64) {
    rules.sort_by(|a, b| {
        let effect = |r: &ProposalRecord| finite(effect(&r.proposal_id));
        let confidence = |r: &ProposalRecord| finite(r.classification_confidence);
        let order = effect(b).total_cmp(&effect(a)).then_with(|| confidence(b).total_cmp(&confidence(a)));
        order.then_with(|| since(a).cmp(&since(b))).then_with(|| a.proposal_id.cmp(&b.proposal_id))
    });
}

/// Returns the agents that have or had a rule in force.
pub(super) fn agents(rules: &[ProposalRecord]) -> BTreeSet<&str> {
    let ended = |s| matches!(s, ProposalStatus::Retired | ProposalStatus::RolledBack);
    let was = |r: &&ProposalRecord| r.status.in_force() || ended(r.status) || r.activated_at.is_some();
    rules.iter().filter(was).flat_map(|rule| rule.affected_agents.iter().map(String::as_str)).collect()
}

/// Maps values that cannot be compared or written as JSON to 0, and negative zero to 0.
pub(super) fn finite(x: f64) -> f64 {
    if x.is_finite() { x + 0.0 } else { 0.0 }
}

pub(super) fn matches(pattern: &str, path: &str) -> bool {
    let (pattern, path) = (pattern.trim_start_matches("./"), path.trim_start_matches("./"));
    let subject = if pattern.contains('/') { path } else { path.rsplit('/').next().unwrap_or(path) };
    let glob = GlobBuilder::new(pattern.trim_start_matches('/')).literal_separator(true).build();
    glob.map_or(true, |glob| glob.compile_matcher().is_match(subject.trim_start_matches('/')))
}

/// Returns a number in [0, 1) that depends only on the rule and the key.
fn draw(rule: &str, key: &str) -> f64 {
    // Twelve hexadecimal digits are 48 bits, which a float represents exactly.
    let bits = u64::from_str_radix(&short_hash(&["holdout", rule, key]), 16).unwrap_or(u64::MAX);
    bits as f64 / (1_u64 << 48) as f64
}

/// Returns the base without the daemon's sections at its end.
pub(super) fn without_section(base: &str) -> &str {
    let mut bare = base;
    while let Some(at) = heading(bare).filter(|at| is_ours(&bare[at + INSERTION_POINT.len()..])) {
        bare = &bare[..at];
    }
    bare
}

/// Returns the position of the last line that is the section's heading.
fn heading(text: &str) -> Option<usize> {
    let starts_line = |at: usize| at == 0 || text[..at].ends_with('\n');
    let ends_line = |rest: &str| rest.is_empty() || rest.starts_with(['\n', '\r']);
    let mut found = text.rmatch_indices(INSERTION_POINT).map(|(at, _)| at);
    found.find(|at| starts_line(*at) && ends_line(&text[at + INSERTION_POINT.len()..]))
}

/// Reports whether a text consists only of the daemon's bullets: each ends with a reference.
pub(super) fn is_ours(text: &str) -> bool {
    let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
    let last = |at: usize| lines.get(at + 1).is_none_or(|next| next.starts_with("- "));
    let fits = |(at, line): (usize, &&str)| {
        (line.starts_with("- ") || (at > 0 && line.starts_with("  ")))
            && (!last(at) || bullet::ends_with_reference(line))
    };
    !lines.is_empty() && lines.iter().enumerate().all(fits)
}
