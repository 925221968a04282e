//! The relation of a new rule to known ones: a duplicate, a conflict, or neither.

use crate::clusters::{Polarity, Policy};
use crate::records::record::ConflictReport;
use crate::text::language::direction::Direction;
use crate::text::language::similarity::DemandVector;
use crate::text::prose::{line, round};

/// A rule or proposal that a new one is compared with.
#[derive(Clone, Debug, PartialEq)]
pub struct KnownRule {
    pub id: String,
    pub content: String,
    pub vector: Option<DemandVector>,
    /// The first feedback behind it.
    pub evidence: Option<String>,
    /// The concern it was made from.
    pub concern: Option<String>,
    /// The concern that asks for the opposite.
    pub opposite: Option<String>,
    /// Its direction.
    pub direction: Direction,
}

impl KnownRule {
    /// Returns its direction, and about what.
    pub fn pointing(&self) -> Polarity {
        let axis = self.concern.as_ref().and_then(|_| self.vector.as_ref()?.main_axis());
        Polarity { direction: self.direction, axis }
    }
}

/// The relation of a new rule to known ones.
#[derive(Clone, Debug, PartialEq)]
pub enum Relation {
    /// It duplicates another one.
    Duplicate(String),
    /// It is new; these contradict it.
    New(Vec<ConflictReport>),
}

/// Thresholds for duplicates and conflicts, calibrated similarity, 0 to 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Thresholds {
    /// The threshold from which two rules in the same direction are one.
    pub duplicate_at: f64,
    /// The threshold from which two rules in opposite directions contradict each other.
    pub conflict_at: f64,
}

/// Compares a new rule with the active and pending rules of its agent.
///
/// Rules made from concerns are the same if the concern is, and contradict each other if one concern is the other's
/// opposite, whatever their words. All others are compared by vector and direction.
pub fn relate(new: &KnownRule, known: &[&KnownRule], policy: &Policy, at: &Thresholds) -> Relation {
    let mut conflicts = Vec::new();
    for rule in known {
        let similarity = match (new.vector.as_ref(), rule.vector.as_ref()) {
            (Some(a), Some(b)) => policy.calibration.similarity(a.cosine(b)),
            _ => 0.0,
        };
        let (same, opposed) = match (&new.concern, &rule.concern) {
            (Some(a), Some(b)) => (a == b, new.opposite.as_ref() == Some(b) || rule.opposite.as_ref() == Some(a)),
            _ => {
                let opposed = new.direction.opposes(rule.direction);
                (!opposed && similarity >= at.duplicate_at, opposed && similarity >= at.conflict_at)
            }
        };
        if same {
            return Relation::Duplicate(rule.id.clone());
        }
        if opposed {
            let witness = rule.evidence.as_ref();
            conflicts.push(ConflictReport {
                with: rule.id.clone(),
                reason: format!(
                    "{} asks for the opposite: “{}”{}.",
                    rule.id,
                    line(&rule.content, 120),
                    witness.map_or_else(String::new, |w| format!(", as {w} shows"))
                ),
                witness: witness.cloned(),
                similarity: round(similarity),
            });
        }
    }
    Relation::New(conflicts)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::language::similarity::Calibration;

    fn known(id: &str, content: &str, x: f32) -> KnownRule {
        KnownRule {
            id: id.into(),
            content: content.into(),
            vector: Some(DemandVector::new(&[(0, x / x.hypot(1.0)), (1, 1.0 / x.hypot(1.0))])),
            evidence: Some("dec-1".into()),
            concern: None,
            opposite: None,
            direction: super::super::propose::direction_of(content),
        }
    }

    #[test]
    fn duplicates_and_conflicts_are_told_apart() {
        let policy = Policy {
            similar_at: 0.8,
            high_needs_reviewers: 2,
            group_threshold: 0.45,
            core_pair: 0.12,
            core_mean: 0.3,
            calibration: Calibration::new(0.66),
        };
        let at = Thresholds { duplicate_at: 0.9, conflict_at: 0.8 };
        let more = known("RULE-2026-0001", "Add comments to every function.", 1.0);
        let less = known("RULE-2026-0002", "Do not add comments.", 1.0);
        let says = |content, rules: &[&KnownRule]| relate(&known("", content, 1.0), rules, &policy, &at);
        assert_eq!(says("Add comments to functions.", &[&more]), Relation::Duplicate("RULE-2026-0001".into()));
        let Relation::New(conflicts) = says("Add comments to functions.", &[&less]) else {
            panic!("a conflict is no duplicate")
        };
        assert_eq!(conflicts[0].with, "RULE-2026-0002");
        assert_eq!(conflicts[0].witness.as_deref(), Some("dec-1"));
        let far = known("RULE-2026-0003", "Add comments.", -1.0);
        assert_eq!(says("Add comments to functions.", &[&far]), Relation::New(vec![]));
    }

    #[test]
    fn concerns_decide_whatever_the_words() {
        let policy = Policy {
            similar_at: 0.8,
            high_needs_reviewers: 2,
            group_threshold: 0.45,
            core_pair: 0.12,
            core_mean: 0.3,
            calibration: Calibration::new(0.66),
        };
        let at = Thresholds { duplicate_at: 0.9, conflict_at: 0.8 };
        let of = |concern: &str, opposite: Option<&str>, content: &str, x| KnownRule {
            concern: Some(concern.into()),
            opposite: opposite.map(Into::into),
            ..known("RULE-2026-0001", content, x)
        };
        let new =
            of("style.comments_more", Some("style.comments_less"), "Write a comment beside each workaround.", 1.0);
        let same = of("style.comments_more", None, "Say why.", -1.0);
        assert_eq!(relate(&new, &[&same], &policy, &at), Relation::Duplicate("RULE-2026-0001".into()));
        let contrary = of("style.comments_less", None, "Say nothing twice.", -1.0);
        let Relation::New(conflicts) = relate(&new, &[&contrary], &policy, &at) else { panic!("no duplicate") };
        assert_eq!(conflicts.len(), 1);
        let other = of("style.docstring", None, "Write a comment beside each workaround.", 1.0);
        assert_eq!(relate(&new, &[&other], &policy, &at), Relation::New(vec![]));
    }
}
