//! What answers pages and calls.

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

/// What answers. Every question and every decision may block.
pub struct Services {
    /// Questions; they change nothing.
    pub channels: Arc<ChannelService>,
    /// Which questions about the grouping pay most.
    pub questions: Arc<Questions>,
    /// What reviewers keep asking for.
    pub demands: Demanding,
    /// What people decide.
    pub reviews: Submitting,
    /// What was decided on the page and can be taken back.
    pub held: Held,
    /// The calls of the review UI, where they are switched on.
    pub review_ui: Option<ReviewUi>,
    /// The webhooks of forges, where one is connected.
    pub hooks: Option<Hooks>,
    /// The way of an action's outcome to the daemon.
    pub outcomes: Arc<Outcomes>,
    /// The way of a dead letter to its stream again.
    pub resending: Resending,
    /// What the configuration asks of approvals.
    pub asked: Asked,
    /// The JSON Schemas of records and messages.
    pub schemas: Vec<PublishedSchema>,
    /// How things are shown on the page.
    pub showing: Showing,
}
