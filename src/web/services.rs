//! The services behind pages and calls.

use super::demands_cache::DemandsCache;
use super::hooks::Hooks;
use super::review_ui::ReviewUi;
use super::schemas::PublishedSchema;
use super::undo_buffer::UndoBuffer;
use crate::app::admin::dead_letters::DeadLetterResender;
use crate::app::channels::action_outcomes::Outcomes;
use crate::app::channels::service::ChannelService;
use crate::app::decisions::questions::Questions;
use crate::app::decisions::submission::Submitter;
use crate::app::queries::views::ViewSettings;
use crate::app::rules::approval_history::ApprovalRequirements;
use std::sync::Arc;

/// The services. Every query and every decision may block.
pub struct Services {
    /// Read-only queries.
    pub channels: Arc<ChannelService>,
    /// The most valuable questions about the clusters.
    pub questions: Arc<Questions>,
    /// What reviewers keep asking for.
    pub demands: DemandsCache,
    /// Submission of people's decisions.
    pub reviews: Submitter,
    /// Decisions from the pages that can still be undone.
    pub held: UndoBuffer,
    /// The review UI's calls, if enabled.
    pub review_ui: Option<ReviewUi>,
    /// The webhooks of forges, if one is connected.
    pub hooks: Option<Hooks>,
    /// Submits action outcomes to the daemon.
    pub outcomes: Arc<Outcomes>,
    /// Returns dead letters to their streams.
    pub resending: DeadLetterResender,
    /// The configured requirements for approvals.
    pub asked: ApprovalRequirements,
    /// The JSON Schemas of records and messages.
    pub schemas: Vec<PublishedSchema>,
    /// Display settings for the pages.
    pub showing: ViewSettings,
}
