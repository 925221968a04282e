//! Records for tests: small, complete, and distinguished by a number. Not used in production code.

use crate::clusters::evaluation::{ActionType, Classification, Evaluation, SimilarFeedback};
use crate::intake::event::RejectCode;
use crate::intake::forge::ToldWhat;
use crate::intake::submission::{ImportedRule, InjectedRule, ReviewAction};
use crate::records::layout;
use crate::records::record::*;
use crate::records::record::{AdviceReply, PairReply, PairVerdict, ReadingRecord};
use crate::rules::draft::proposal::{content_hash, hash_of};
use crate::source::Source;
use crate::text::ids::{Gate, cluster_id, numbered};
use crate::text::language::catalogue::Towards;
use crate::text::language::direction::{Direction, Stance};
use crate::text::language::model_reading::ModelReading;
use crate::text::verdict::Verdict;
use jiff::{SignedDuration, Timestamp};
use std::collections::BTreeMap;

/// Returns one record of each kind derived from decisions, with its path.
pub fn one_of_each() -> Vec<(String, Stored)> {
    let records: Vec<Stored> = vec![
        decision(1).into(),
        cluster("dec-1").into(),
        proposal(1).into(),
        edge_case(1).into(),
        ambiguous(1).into(),
        dead_letter(1).into(),
        review(1).into(),
        injection(1).into(),
        follow_up(1).into(),
        import(1).into(),
        alert(1).into(),
        advice(1).into(),
        reading(1).into(),
    ];
    records.into_iter().map(|record| (record.path(), record)).collect()
}

/// Returns the decision `dec-<n>`, `n` seconds after a fixed moment: a rejection of the `prd-agent`'s work by `ana`.
pub fn decision(n: u32) -> DecisionRecord {
    DecisionRecord {
        schema: DecisionRecord::SCHEMA.into(),
        decision_id: format!("dec-{n}"),
        gate: gate(1),
        gate_id: "hitl_1_backlog".into(),
        decision: Verdict::Rejected,
        reviewer_id: "ana".into(),
        timestamp: moment(n),
        tenant_id: None,
        epic_id: None,
        task_id: Some("T-7".into()),
        session_id: None,
        review_duration_seconds: Some(90),
        agent_output_sha: None,
        approved_output_sha: None,
        reviewer_comment: Some(format!("Acceptance criteria are missing in story {n}")),
        severity: None,
        consider_for_improvement: None,
        tags: vec!["quality".into()],
        extra: BTreeMap::new(),
        source: Source { stream: "asdlc:events:hitl_decisions".into(), entry_id: format!("1767225600000-{n}") },
        feedback: FeedbackSection {
            feedback_id: format!("dec-{n}"),
            agent: "prd-agent".into(),
            correction_summary: None,
            summary_is_derived: false,
            correction: None,
            correction_note: None,
            places: vec![],
            stance: Stance { demand: true, direction: Direction::More, cue: Some("missing".into()), waives: false },
            concern: None,
            reading: None,
            placed_by: None,
            redacted: vec![],
            edge_case: None,
            retracted_by: None,
            marked: None,
        },
        evaluation: Evaluation {
            classification: Classification::EdgeCase,
            confidence: 0.75,
            rationale: "Nobody has asked for the like before.".into(),
            similar: vec![],
            contradicts: vec![],
            cluster: None,
            proposed_action: None,
            revision: 1,
            evaluated_at: moment(n),
        },
        comments: vec![],
        comment: None,
    }
}

/// Returns the path of a decision record.
pub fn decision_path(record: &DecisionRecord) -> String {
    layout::decision(record.gate, record.timestamp, &record.decision_id)
}

/// Returns the cluster founded by a feedback record, with two members.
pub fn cluster(founder: &str) -> ClusterRecord {
    ClusterRecord {
        schema: ClusterRecord::SCHEMA.into(),
        cluster_id: cluster_id(founder),
        tenant_id: None,
        agent: "prd-agent".into(),
        title: "Acceptance criteria are missing".into(),
        classification: Classification::GeneralizableHigh,
        confidence: 0.9,
        direction: Direction::More,
        members: 2,
        reviewer_count: 2,
        similar_members: 2,
        similar_reviewers: 2,
        similar_tasks: 0,
        reviewers: BTreeMap::from([("ana".into(), 1), ("ben".into(), 1)]),
        gates: BTreeMap::from([("HITL-1".into(), 2)]),
        first_seen: moment(1),
        last_seen: moment(2),
        representatives: vec![Representative {
            feedback_id: founder.into(),
            reviewer_id: "ana".into(),
            text: "Acceptance criteria are missing in story 1".into(),
            record: decision_path(&decision(1)),
        }],
        proposal: None,
        not_proposed: None,
        decided_by: None,
        merged_into: None,
        taught_by: None,
        kept_apart: Vec::new(),
    }
}

/// Returns the pending proposal `RULE-2026-<n>` of the cluster that `dec-1` founded.
pub fn proposal(n: u32) -> ProposalRecord {
    let mut proposal = ProposalRecord {
        schema: ProposalRecord::SCHEMA.into(),
        proposal_id: numbered("RULE", 2026, n),
        version: 1,
        tenant_id: None,
        title: "State acceptance criteria for every story".into(),
        action_type: ActionType::CreateRule,
        rule_type: RuleType::Guideline,
        rule_content: "State measurable acceptance criteria for every story.".into(),
        concern: None,
        why: None,
        example: None,
        content_hash: String::new(),
        affected_agents: vec!["prd-agent".into()],
        insertion_point: "Learned Rules".into(),
        status: ProposalStatus::Pending,
        classification_confidence: 0.9,
        raw_confidence: None,
        evidence_summary: "Asked for 2 times by 2 reviewers.".into(),
        cluster_id: cluster_id("dec-1"),
        reviewers: vec!["ana".into(), "ben".into()],
        evidence_count: 2,
        created_from_feedback_ids: vec!["dec-1".into(), "dec-2".into()],
        merged_clusters: vec![],
        dissent: vec![],
        conflicts: vec![],
        scope: Scope::default(),
        scope_because: None,
        target_rule: None,
        consolidates: vec![],
        card: None,
        approvals: vec![],
        pattern_since: None,
        created_at: moment(n),
        version_at: None,
        reminded_at: None,
        decided_at: None,
        activated_at: None,
        ended_at: None,
        reason: None,
        flag: None,
        earlier_versions: vec![],
        history: vec![],
    };
    proposal.content_hash = hash_of(&proposal);
    proposal
}

/// Returns the open one-off `EDGE-2026-<n>` of `dec-<n>`.
pub fn edge_case(n: u32) -> EdgeCaseRecord {
    EdgeCaseRecord {
        schema: EdgeCaseRecord::SCHEMA.into(),
        edge_case_id: numbered("EDGE", 2026, n),
        feedback_id: format!("dec-{n}"),
        record: decision_path(&decision(n)),
        tenant_id: None,
        agent: "prd-agent".into(),
        gate: gate(1),
        reviewer_id: "ana".into(),
        timestamp: moment(n),
        what: format!("Acceptance criteria are missing in story {n}"),
        why: "Nobody has asked for the like before.".into(),
        status: EdgeCaseStatus::Open,
        resolution: None,
        promoted_to: None,
    }
}

/// Returns the open tiebreak about `dec-<n>`, which contradicts `dec-0`.
pub fn ambiguous(n: u32) -> AmbiguousRecord {
    let side = |n: u32, similarity| Side {
        feedback_id: format!("dec-{n}"),
        reviewer_id: "ana".into(),
        decision: Verdict::Rejected,
        timestamp: moment(n),
        direction: Direction::More,
        text: "Acceptance criteria are missing".into(),
        similarity,
        record: decision_path(&decision(n)),
    };
    AmbiguousRecord {
        schema: AmbiguousRecord::SCHEMA.into(),
        feedback_id: format!("dec-{n}"),
        tenant_id: None,
        agent: "prd-agent".into(),
        gate: gate(1),
        question: "Should stories have acceptance criteria?".into(),
        this_side: side(n, None),
        other_side: vec![side(0, Some(0.85))],
        status: AmbiguousStatus::Open,
        opened_at: moment(n),
        resolution: None,
        resolved_as: None,
        rationale: None,
        resolved_by: None,
        resolved_at: None,
    }
}

/// Returns the dead letter of entry `<n>`.
pub fn dead_letter(n: u32) -> DeadLetterRecord {
    DeadLetterRecord {
        schema: DeadLetterRecord::SCHEMA.into(),
        source: Source { stream: "asdlc:events:hitl_decisions".into(), entry_id: format!("1767225600000-{n}") },
        code: RejectCode::MissingField,
        field: Some("reviewer_id".into()),
        message: "The field reviewer_id is missing.".into(),
        fields: BTreeMap::from([("decision_id".into(), format!("dec-{n}"))]),
    }
}

/// Returns the review `rev-<n>`: `ben` approves `RULE-2026-<n>`.
pub fn review(n: u32) -> ReviewRecord {
    ReviewRecord {
        schema: ReviewRecord::SCHEMA.into(),
        review_id: format!("rev-{n}"),
        tenant_id: None,
        action: ReviewAction::Approve { proposal_id: numbered("RULE", 2026, n) },
        reviewer_id: "ben".into(),
        timestamp: moment(n),
        reason: None,
        content_hash: Some(proposal(n).content_hash),
        signed: false,
        signature: None,
        signed_text: None,
        signing_key: None,
        approved_hash: None,
        outcome: ReviewOutcome::Accepted,
        refusal: None,
        effect: Some("1 of 2 approvals".into()),
        standing: None,
        judged: None,
        recorded_at: moment(n),
        source: Source { stream: "asdlc:events:meta_hitl_decisions".into(), entry_id: format!("1767225600000-{n}") },
    }
}

/// Returns the injection `inj-<n>` of `RULE-2026-0001` into a prompt of the `prd-agent`.
pub fn injection(n: u32) -> InjectionRecord {
    InjectionRecord {
        schema: InjectionRecord::SCHEMA.into(),
        injection_id: format!("inj-{n}"),
        tenant_id: None,
        agent: "prd-agent".into(),
        session_id: Some(format!("session-{n}")),
        timestamp: moment(n),
        rules: vec![InjectedRule { rule_id: numbered("RULE", 2026, 1), version: 1 }],
        held_out: vec![],
        base_hash: content_hash("You write requirements."),
        prompt_hash: content_hash("You write requirements, with rules."),
    }
}

/// Returns the outcome of a review comment on a forge.
pub fn follow_up(n: u32) -> FollowUpRecord {
    FollowUpRecord {
        schema: FollowUpRecord::SCHEMA.into(),
        follow_up_id: format!("github-{n}"),
        tenant_id: None,
        forge: "github".into(),
        repository: "octo/shop".into(),
        number: n.to_string(),
        what: ToldWhat::Edited,
        decision_id: format!("github-octo-shop-{n}-review-1"),
        remark: Some("2".into()),
        by: "ann".into(),
        text: Some("Handle the timeout as well.".into()),
        timestamp: moment(n),
    }
}

/// Returns one rule of an imported file.
pub fn import(n: u32) -> ImportRecord {
    ImportRecord {
        schema: ImportRecord::SCHEMA.into(),
        name: format!("agents-{n}"),
        tenant_id: None,
        agents: vec!["coding-agent".into()],
        imported_by: "ana".into(),
        imported_at: moment(n),
        file_hash: content_hash("- Use tabs."),
        rules: vec![ImportedRule { line: 1, section: Some("Style".into()), text: "Use tabs.".into() }],
        withdrawn: None,
    }
}

/// Returns the capability gap `gap-<n>` of the `prd-agent`.
pub fn alert(n: u32) -> AlertRecord {
    AlertRecord {
        schema: AlertRecord::SCHEMA.into(),
        alert_id: format!("gap-{n}"),
        tenant_id: None,
        kind: AlertKind::CapabilityGap,
        agent: "prd-agent".into(),
        message: "30 of 40 decisions in 30 days were corrections, about 12 different things.".into(),
        figures: Some(GapFigures { decisions: 40, corrections: 30, days: 30, active_rules: 3, themes: 12 }),
        about: None,
        details: Vec::new(),
        raised_at: moment(n),
    }
}

/// Returns a model's answer to a question about `CLUSTER-a` and `CLUSTER-b`.
pub fn advice(n: u32) -> AdviceRecord {
    AdviceRecord {
        schema: AdviceRecord::SCHEMA.into(),
        question_hash: content_hash(&format!("question {n}")),
        kind: AdviceKind::Pair,
        tenant_id: None,
        agent: "prd-agent".into(),
        about: vec!["CLUSTER-a".into(), "CLUSTER-b".into()],
        among: Vec::new(),
        model: "some-model".into(),
        asked_at: moment(n),
        answered_at: moment(n + 2),
        outcome: AdviceOutcome::Accepted,
        answer: Some(AdviceReply::Pair(PairReply {
            answer: PairVerdict::Same,
            reason: "Both ask for acceptance criteria that can be measured.".into(),
        })),
        effect: "what was in CLUSTER-b belongs to CLUSTER-a now".into(),
        again: false,
        tokens: None,
    }
}

/// Returns a model's reading of `dec-<n>`.
pub fn reading(n: u32) -> ReadingRecord {
    ReadingRecord {
        schema: ReadingRecord::SCHEMA.into(),
        feedback_id: format!("dec-{n}"),
        timestamp: moment(n),
        tenant_id: None,
        agent: "prd-agent".into(),
        model: "some-model".into(),
        asked_at: moment(n),
        answered_at: moment(n + 2),
        outcome: AdviceOutcome::Accepted,
        reading: Some(ModelReading {
            demand: "State acceptance criteria that can be measured.".into(),
            aspect: "acceptance criteria".into(),
            direction: Towards::More,
            generic: true,
            none: false,
            names: None,
            further: Vec::new(),
        }),
        effect: "it is compared by that demand now".into(),
        tokens: None,
    }
}

/// Returns similar feedback, to cite.
pub fn similar(n: u32, similarity: f64) -> SimilarFeedback {
    SimilarFeedback { feedback_id: format!("dec-{n}"), similarity }
}

/// Returns `n` seconds after 2026-01-12 10:00 UTC.
pub fn moment(n: u32) -> Timestamp {
    let start = Timestamp::from_second(1_768_212_000).expect("a moment in 2026 is in range");
    start.checked_add(SignedDuration::from_secs(i64::from(n))).unwrap_or(start)
}

fn gate(number: u8) -> Gate {
    Gate::new(number).expect("1 to 99 are gates")
}
