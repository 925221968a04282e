//! The hash that approvals are bound to, covering everything about a rule that has an effect.
//!
//! It does not cover approvers, evidence, cards or history, which change while a proposal is pending.

use super::draft::title_of;
use super::example::told;
use crate::records::record::ProposalRecord;

/// The prefix of hashes of the present form. Those of the first form have none and covered only the text.
pub const PRESENT: &str = "v2:";

/// Returns the hash that approvals are bound to: `v2:` and 64 hexadecimal digits, the BLAKE3 of what would enter
/// prompts (text, short example, title), and for whom, where and in whose place: tenant, agents, scope, action, kind,
/// target, and the rules to be displaced. Each field is hashed with its name and its length in bytes, lists in
/// alphabetical order.
pub fn hash_of(rule: &ProposalRecord) -> String {
    let mut hasher = blake3::Hasher::new();
    hasher.update(b"feedbackd rule 2\n");
    let mut field = |name: &str, value: &str| {
        hasher.update(format!("{name} {}\n", value.len()).as_bytes());
        hasher.update(value.as_bytes());
    };
    field("tenant", rule.tenant_id.as_deref().unwrap_or_default());
    field("action", rule.action_type.as_str());
    field("kind", &format!("{:?}", rule.rule_type));
    field("title", &rule.title);
    field("text", &told(rule));
    field("insertion_point", &rule.insertion_point);
    field("target", rule.target_rule.as_deref().unwrap_or_default());
    let gates: Vec<String> = rule.scope.gates.iter().map(ToString::to_string).collect();
    let lists: [(&str, &[String]); 4] = [
        ("agent", &rule.affected_agents),
        ("gate", &gates),
        ("path", &rule.scope.paths),
        ("consolidates", &rule.consolidates),
    ];
    for (name, list) in lists {
        let mut list: Vec<&str> = list.iter().map(String::as_str).collect();
        list.sort_unstable();
        list.dedup();
        list.into_iter().for_each(|item| field(name, item));
    }
    format!("{PRESENT}{}", hasher.finalize().to_hex())
}

/// Returns the hash that a rule would have with another text.
pub fn hash_with(rule: &ProposalRecord, text: &str) -> String {
    let text = text.trim();
    hash_of(&ProposalRecord { title: title_of(text), rule_content: text.to_owned(), ..rule.clone() })
}

/// Reports whether a rule matches its hash, in whichever form that is.
pub fn hash_holds(rule: &ProposalRecord) -> bool {
    let present = if has_present_hash(rule) { hash_of(rule) } else { content_hash(&told(rule)) };
    rule.content_hash == present
}

/// Reports whether its hash is of the present form. Approvals of other forms no longer bring anything into force.
pub fn has_present_hash(rule: &ProposalRecord) -> bool {
    rule.content_hash.starts_with(PRESENT)
}

/// Returns the hash of a text alone: BLAKE3, 64 hexadecimal digits.
pub fn content_hash(content: &str) -> String {
    blake3::hash(content.as_bytes()).to_hex().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clusters::evaluation::ActionType;
    use crate::records::record::RuleType;
    use crate::testing::sample;
    use crate::text::ids::Gate;

    #[test]
    fn everything_that_has_an_effect_changes_the_hash() {
        let rule = sample::proposal(1);
        type Change = (&'static str, fn(&mut ProposalRecord));
        let changes: [Change; 11] = [
            ("tenant", |r| r.tenant_id = Some("other".into())),
            ("title", |r| r.title = "Another title".into()),
            ("text", |r| r.rule_content.push('!')),
            ("action", |r| r.action_type = ActionType::DocumentOnly),
            ("kind", |r| r.rule_type = RuleType::Constraint),
            ("agents", |r| r.affected_agents.push("release-agent".into())),
            ("gates", |r| r.scope.gates = Gate::new(4).into_iter().collect()),
            ("paths", |r| r.scope.paths = vec!["src/**".into()]),
            ("target", |r| r.target_rule = Some("RULE-2026-0009".into())),
            ("consolidates", |r| r.consolidates = vec!["RULE-2026-0009".into()]),
            ("insertion point", |r| r.insertion_point = "# System".into()),
        ];
        let before = hash_of(&rule);
        for (what, change) in changes {
            let mut changed = rule.clone();
            change(&mut changed);
            assert_ne!(hash_of(&changed), before, "{what}");
            assert!(!hash_holds(&changed), "{what}");
        }
        let mut evidence = rule.clone();
        evidence.reviewers.push("eve".into());
        evidence.evidence_count += 1;
        assert_eq!(hash_of(&evidence), before, "evidence may grow while people decide");
    }

    #[test]
    fn fields_cannot_pose_as_one_another() {
        let mut one = sample::proposal(1);
        let mut other = one.clone();
        one.affected_agents = vec!["a".into(), "b".into()];
        other.affected_agents = vec!["agent 1\nb".into(), "a".into()];
        assert_ne!(hash_of(&one), hash_of(&other));
        one.affected_agents = vec!["b".into(), "a".into(), "a".into()];
        other.affected_agents = vec!["a".into(), "b".into()];
        assert_eq!(hash_of(&one), hash_of(&other), "a list in another order says the same");
    }

    #[test]
    fn a_hash_of_the_first_form_is_known_as_such() {
        let mut old = sample::proposal(1);
        old.content_hash = content_hash(&old.rule_content);
        assert!(hash_holds(&old) && !has_present_hash(&old));
        old.rule_content.push('!');
        assert!(!hash_holds(&old));
    }
}
