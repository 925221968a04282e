//! The services behind pages and calls.

use super::demands_cache::Demanding;
use super::hooks::Hooks;
use super::review_ui::ReviewUi;
use super::schemas::PublishedSchema;
use super::undo_buffer::Held;
use crate::app::admin::dead_letters::Resending;
use crate::app::channels::action_outcomes::Outcomes;
use crate::app::channels::service::ChannelService;
use crate::app::decisions::questions::Questions;
use crate::app::decisions::submission::Submitting;
use crate::app::queries::views::Showing;
use crate::app::rules::approval_history::Asked;
use std::sync::Arc;

/// The services. Every query and every decision may block.
pub struct Services {
    /// Read-only queries.
    pub channels: Arc<ChannelService>,
    /// The most valuable questions about the clusters.
    pub questions: Arc<Questions>,
    /// What reviewers keep asking for.
    pub demands: Demanding,
    /// Submission of people's decisions.
    pub reviews: Submitting,
    /// Decisions from the pages that can still be undone.
    pub held: Held,
    /// The review UI's calls, if enabled.
    pub review_ui: Option<ReviewUi>,
    /// The webhooks of forges, if one is connected.
    pub hooks: Option<Hooks>,
    /// Submits action outcomes to the daemon.
    pub outcomes: Arc<Outcomes>,
    /// Returns dead letters to their streams.
    pub resending: Resending,
    /// The configured requirements for approvals.
    pub asked: Asked,
    /// The JSON Schemas of records and messages.
    pub schemas: Vec<PublishedSchema>,
    /// Display settings for the pages.
    pub showing: Showing,
}
