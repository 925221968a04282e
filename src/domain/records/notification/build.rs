//! The notification for a published message.

use super::kind::NotificationKind;
use super::message::{Notification, Progress};
use crate::intake::submission::ReviewAction;
use crate::records::message::{
    Alert, Outgoing, ReviewOutcomeMessage, RuleEvent, RuleEventKind, RuleStop, RuleStopKind, Topic,
};
use crate::records::record::{ProposalRecord, ReviewOutcome, StoredRecord};
use crate::text::prose::{capitalise, line};

/// The longest text of a notification, in characters: its body stays far below receivers' limits.
const MAX_TEXT: usize = 400;
/// The longest title, in characters.
const MAX_TITLE: usize = 200;
/// How many agents a notification names.
const MAX_AGENTS: usize = 20;

/// Returns the notification for a message; `None` if there is none. `needed` is how many approvals a proposal needs.
pub fn notice_of(message: &Outgoing, needed: u32) -> Option<Notification> {
    let told = match message.topic {
        Topic::RuleProposals => proposal(&serde_json::from_str(&message.data).ok()?, needed),
        Topic::Rules if message.schema.starts_with("feedbackd.rule_stop/") => {
            stop(&serde_json::from_str(&message.data).ok()?)
        }
        Topic::Rules => rule(&serde_json::from_str(&message.data).ok()?),
        Topic::ReviewOutcomes => review(&serde_json::from_str(&message.data).ok()?),
        Topic::Alerts => alert(&serde_json::from_str(&message.data).ok()?)?,
        Topic::FeedbackEvaluated
        | Topic::TurnFeedback
        | Topic::ActionFeedback
        | Topic::RefinedPrompts
        | Topic::ForgeTold
        | Topic::DeadLetters => return None,
    };
    Some(Notification {
        id: Notification::id_of(&format!("{}:{}", message.tenant_id, message.idempotency_key)),
        kind: told.kind,
        event: told.event.to_owned(),
        timestamp: message.timestamp,
        tenant_id: message.tenant_id.clone(),
        subject: told.subject,
        agents: told.agents.into_iter().take(MAX_AGENTS).collect(),
        title: line(&told.title, MAX_TITLE),
        text: line(&told.text, MAX_TEXT),
        page: told.page,
        record: told.record,
        by: told.by,
        progress: told.progress,
    })
}

/// The parts specific to one message.
struct MessageParts {
    kind: NotificationKind,
    event: &'static str,
    subject: String,
    agents: Vec<String>,
    title: String,
    text: String,
    page: String,
    record: String,
    by: Option<String>,
    progress: Option<Progress>,
}

impl MessageParts {
    fn new(kind: NotificationKind, event: &'static str, subject: &str, title: String) -> MessageParts {
        MessageParts {
            kind,
            event,
            subject: subject.to_owned(),
            agents: Vec::new(),
            title,
            text: String::new(),
            page: "/".to_owned(),
            record: String::new(),
            by: None,
            progress: None,
        }
    }
}

fn proposal(record: &ProposalRecord, needed: u32) -> MessageParts {
    let id = &record.proposal_id;
    let again = if record.version > 1 { " again, with a new text" } else { "" };
    let valid = record.approvals.iter().filter(|approval| approval.content_hash == record.content_hash);
    MessageParts {
        agents: record.affected_agents.clone(),
        text: format!("Asked for by {} people, version {}", record.reviewers.len(), record.version),
        page: format!("/proposals/{id}"),
        record: record.path(),
        progress: Some(Progress { have: u32::try_from(valid.count()).unwrap_or(u32::MAX), needed: needed.max(1) }),
        ..MessageParts::new(
            NotificationKind::Waiting,
            "proposal.waiting",
            id,
            format!("{id} is pending review{again}: {}", record.title),
        )
    }
}

fn rule(event: &RuleEvent) -> MessageParts {
    let id = &event.rule_id;
    let (kind, name, what, page) = match event.event {
        RuleEventKind::RuleActivated => (NotificationKind::Decided, "rule.activated", "is in force", "rules"),
        RuleEventKind::RuleRejected => (NotificationKind::Decided, "proposal.rejected", "was rejected", "proposals"),
        RuleEventKind::RuleRetired => (NotificationKind::Decided, "rule.retired", "left force", "rules"),
        RuleEventKind::RuleFlagged => (NotificationKind::Rules, "rule.flagged", "does not help", "rules"),
    };
    MessageParts {
        agents: event.affected_agents.clone(),
        text: event.reason.clone().unwrap_or_default(),
        page: format!("/{page}/{id}"),
        record: event.record.clone(),
        ..MessageParts::new(kind, name, id, format!("{id} {what}: {}", event.title))
    }
}

fn stop(stop: &RuleStop) -> MessageParts {
    let (event, what) = match stop.event {
        RuleStopKind::RuleStopped => ("rule.stopped", "no longer in any prompt"),
        RuleStopKind::RuleResumed => ("rule.resumed", "in prompts again"),
    };
    let subject = stop.rule_id.as_deref().unwrap_or("all rules");
    let by = Some(stop.by.clone()).filter(|by| !by.is_empty());
    let (is, who) = (if stop.rule_id.is_some() { "is" } else { "are" }, by.as_deref().unwrap_or("someone"));
    MessageParts {
        text: stop.reason.clone(),
        page: stop.rule_id.as_ref().map_or_else(|| "/rules".to_owned(), |id| format!("/rules/{id}")),
        record: stop.record.clone(),
        by: by.clone(),
        ..MessageParts::new(
            NotificationKind::Rules,
            event,
            subject,
            format!("{} {is} {what}, by {who}", capitalise(subject)),
        )
    }
}

fn review(review: &ReviewOutcomeMessage) -> MessageParts {
    let refused = review.outcome == ReviewOutcome::Refused;
    let (what, by, subject) = (capitalise(review.action.word()), &review.reviewer_id, &review.subject);
    let (kind, event, came_to) = match review.outcome {
        ReviewOutcome::Refused => (NotificationKind::Refused, "review.refused", "was refused"),
        ReviewOutcome::Accepted => (NotificationKind::Decided, "review.accepted", "counts"),
    };
    let why = review.refusal.as_ref().map(|refusal| refusal.message.clone());
    MessageParts {
        text: why.or_else(|| review.effect.clone()).unwrap_or_default(),
        page: page_of(&review.action),
        record: review.record.clone(),
        by: Some(by.clone()),
        progress: review
            .standing
            .as_ref()
            .filter(|_| !refused && matches!(review.action, ReviewAction::Approve { .. }))
            .map(|standing| Progress { have: standing.approvals, needed: standing.needed }),
        ..MessageParts::new(kind, event, subject, format!("{what} of {subject} by {by} {came_to}"))
    }
}

/// Returns the page about a review's subject.
pub fn page_of(action: &ReviewAction) -> String {
    let id = action.subject();
    match action {
        _ if action.is_about_roster() => "/roster".to_owned(),
        ReviewAction::Approve { .. } | ReviewAction::Reject { .. } | ReviewAction::Modify { .. } => {
            format!("/proposals/{id}")
        }
        ReviewAction::Retire { .. } | ReviewAction::RollBack { .. } => format!("/rules/{id}"),
        ReviewAction::Stop { rule_id } | ReviewAction::Resume { rule_id } => {
            rule_id.as_ref().map_or_else(|| "/rules".to_owned(), |id| format!("/rules/{id}"))
        }
        ReviewAction::WithdrawImport { .. } => "/imports".to_owned(),
        ReviewAction::Resolve { .. } => format!("/contradictions/{id}"),
        ReviewAction::MergeClusters { .. } | ReviewAction::SplitCluster { .. } | ReviewAction::WordRule { .. } => {
            format!("/groups/{id}")
        }
        ReviewAction::MoveFeedback { .. } | ReviewAction::Mark { .. } => format!("/feedback/{id}"),
        ReviewAction::Same { .. }
        | ReviewAction::KeepApart { .. }
        | ReviewAction::Sort { .. }
        | ReviewAction::Retract { .. } => "/groups".to_owned(),
        ReviewAction::Snooze { .. } => "/?show=snoozed".to_owned(),
        ReviewAction::Wake { .. } => "/".to_owned(),
    }
}

/// `None` for a rule that does not help: its own event covers that.
fn alert(alert: &Alert) -> Option<MessageParts> {
    Some(match alert {
        Alert::IneffectiveRule { .. } => return None,
        Alert::AmbiguousFeedback { feedback_id: id, agent, other_side, record, .. } => MessageParts {
            agents: vec![agent.clone()],
            text: format!("It is about the work of {agent}; {} earlier ones say otherwise", other_side.len()),
            page: format!("/contradictions/{id}"),
            record: record.clone(),
            ..MessageParts::new(
                NotificationKind::Waiting,
                "contradiction.waiting",
                id,
                format!("{id} contradicts earlier feedback and needs a person's decision"),
            )
        },
        Alert::ProposalWaits { proposal_id: id, agents, since, record, .. } => MessageParts {
            agents: agents.clone(),
            text: "It expires if no one decides".to_owned(),
            page: format!("/proposals/{id}"),
            record: record.clone(),
            ..MessageParts::new(
                NotificationKind::Overdue,
                "proposal.overdue",
                id,
                format!("{id} has been pending review since {}", since.strftime("%Y-%m-%d")),
            )
        },
        Alert::RuleSetAside { rule_id: id, agents, message, record } => MessageParts {
            agents: agents.clone(),
            text: message.clone(),
            page: format!("/proposals/{id}"),
            record: record.clone(),
            ..MessageParts::new(
                NotificationKind::Rules,
                "rule.set_aside",
                id,
                format!("{id} is not in force, although its file says so"),
            )
        },
        Alert::CapabilityGap { agent, message, record, .. } => MessageParts {
            agents: vec![agent.clone()],
            text: message.clone(),
            page: "/report".to_owned(),
            record: record.clone(),
            ..MessageParts::new(
                NotificationKind::Alerts,
                "agent.capability_gap",
                agent,
                format!("Rules will not fix the work of {agent}"),
            )
        },
        Alert::ActionEscalated { action_id, agent, message, record, .. } => MessageParts {
            agents: vec![agent.clone()],
            text: message.clone(),
            record: record.clone(),
            ..MessageParts::new(
                NotificationKind::Alerts,
                "action.escalated",
                action_id,
                format!("{agent} needs a person for action {action_id}"),
            )
        },
        Alert::RepeatedIssue { target, record, .. } => MessageParts {
            record: record.clone(),
            ..MessageParts::new(
                NotificationKind::Alerts,
                "issue.repeated",
                target,
                format!("Reviews of {target} keep raising the same issue"),
            )
        },
        Alert::EntryLost { stream, entry_id, message, record } => MessageParts {
            text: message.clone(),
            page: "/dead-letters".to_owned(),
            record: record.clone(),
            ..MessageParts::new(
                NotificationKind::Alerts,
                "entry.lost",
                entry_id,
                format!("An entry of {stream} was lost before it was read"),
            )
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::records::message::alert as alert_message;
    use crate::records::record::{Before, Stored, messages};
    use crate::testing::sample;

    #[test]
    fn a_proposal_says_how_many_must_approve_it_and_a_refused_review_why() {
        let proposal = Stored::from(sample::proposal(1));
        let path = proposal.path();
        let told: Vec<Notification> =
            messages(&path, &Before::Nothing, &proposal).iter().filter_map(|message| notice_of(message, 2)).collect();
        assert_eq!(told.len(), 1, "{told:?}");
        assert_eq!((told[0].kind, told[0].event.as_str()), (NotificationKind::Waiting, "proposal.waiting"));
        assert_eq!(told[0].page, format!("/proposals/{}", told[0].subject));
        assert_eq!(told[0].record, path);
        assert_eq!(told[0].progress.map(|progress| progress.needed), Some(2));

        let review = sample::review(1);
        let message = &review.messages("feedback/reviews/x.yaml", &Before::Nothing)[0];
        let told = notice_of(message, 2).expect("told");
        assert_eq!(told.by, Some(review.reviewer_id.clone()));
        assert_eq!(told.kind == NotificationKind::Refused, review.refusal.is_some());
        assert_eq!(told.id, notice_of(message, 2).expect("told").id);
    }

    #[test]
    fn no_notice_is_long_and_what_is_told_elsewhere_gives_none() {
        let long = "x y ".repeat(50_000);
        let at = sample::moment(1);
        let lost = Alert::EntryLost {
            stream: long.clone(),
            entry_id: "1-1".into(),
            message: long.clone(),
            record: "feedback/x".into(),
        };
        let told = notice_of(&alert_message("k", None, at, &lost), 2).expect("told");
        assert!(serde_json::to_string(&told).expect("JSON").len() < 4_000);
        let idle = Alert::IneffectiveRule {
            rule_id: "RULE-2026-0001".into(),
            agents: vec![],
            message: long,
            proposal_id: None,
            record: "feedback/x".into(),
        };
        assert_eq!(notice_of(&alert_message("k", None, at, &idle), 2), None);
    }
}
