//! The pipeline's configuration.

use crate::comments::analyzer::Analyzer;
use crate::domain::channels::action::Policy as ActionPolicy;
use crate::domain::channels::refine::RefineConfig;
use crate::domain::clusters::Policy;
use crate::domain::intake::capture::CaptureContext;
use crate::domain::intake::decode::DecodeLimits;
use crate::domain::records::record::Tokens;
use crate::domain::reporting::report::Limits;
use crate::domain::rules::draft::proposal::Thresholds;
use crate::domain::rules::draft::restate::KnownSentence;
use crate::domain::rules::lifecycle::rule::Terms;
use crate::reports::effectiveness::MeasurePolicy;
use crate::rules::approval_history::ApprovalRequirements;
use crate::text::language::similarity::Calibration;
use jiff::SignedDuration;
use std::collections::BTreeMap;

/// The pipeline's configuration.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Limits and the tenant for decoding.
    pub decode: DecodeLimits,
    /// Agents by gate, and limits for corrections.
    pub capture: CaptureContext,
    /// The calibrated similarity from which two comments count as the same.
    pub similar_at: f64,
    /// The number of reviewers that makes a pattern.
    pub high_needs_reviewers: u32,
    /// The raw cosine threshold for clustering; `None` for the understanding's own.
    pub group_threshold: Option<f64>,
    /// The confidence from which a proposal is created at once.
    pub immediate_at: f64,
    /// How long a pattern otherwise waits for its proposal.
    pub batch_every: SignedDuration,
    /// The number of waiting patterns that makes a batch of proposals.
    pub batch_count: usize,
    /// The share of right clusters, as implied by people's answers, below which new patterns wait for people.
    pub min_purity: f64,
    /// Thresholds for duplicate and conflicting rules.
    pub thresholds: Thresholds,
    /// How many approvals a rule needs, and the deadlines.
    pub terms: Terms,
    /// How rules are proposed and kept.
    pub rules: RuleSettings,
    /// How the effect of rules is measured.
    pub measuring: MeasurePolicy,
    /// The review durations that reports count as short and long.
    pub report: Limits,
    /// What a language model is asked.
    pub advice: AdviceSettings,
    /// How channels other than gate decisions are answered.
    pub channels: ChannelSettings,
    /// What agents are told in any case: the sentences of their base prompts, by agent.
    pub base_prompts: BTreeMap<String, Vec<KnownSentence>>,
}

/// How channels other than gate decisions are answered.
#[derive(Clone, Copy, Debug)]
pub struct ChannelSettings {
    /// The refinement loop (specification, "Refinement").
    pub refine: RefineConfig,
    /// When people are asked about an action, and how many suggestions are made (specification, "Actions").
    pub actions: ActionPolicy,
    /// The maximum number of open conversations.
    pub max_sessions: usize,
}

impl Default for ChannelSettings {
    fn default() -> Self {
        ChannelSettings { refine: RefineConfig::default(), actions: ActionPolicy::default(), max_sessions: 10_000 }
    }
}

impl Settings {
    /// Returns the requirements on approvals.
    pub fn asked(&self) -> ApprovalRequirements {
        ApprovalRequirements {
            min_approvals: self.terms.min_approvals,
            signed: self.rules.require_signatures,
            signature_window: self.rules.signature_window,
            tenant: self.capture.tenant_id().unwrap_or_default(),
            trusted_rosters: self.rules.trusted_rosters.clone(),
        }
    }

    /// Returns the policy for clustering and classes, with this understanding.
    pub fn policy(&self, understanding: &Analyzer) -> Policy {
        Policy {
            similar_at: self.similar_at,
            high_needs_reviewers: self.high_needs_reviewers,
            group_threshold: self.group_threshold.unwrap_or_else(|| understanding.group_threshold()),
            core_pair: understanding.core_pair(),
            core_mean: understanding.core_mean(),
            calibration: Calibration::new(understanding.t80()),
        }
    }
}

/// What a language model is asked, if there is one, and the budget.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct AdviceSettings {
    /// Whether it is asked for each comment's demand.
    pub read: bool,
    /// Whether it is asked which demands are the same.
    pub place: bool,
    /// Whether it checks patterns against their evidence before they are proposed, and words their rules.
    pub check: bool,
    /// The number of comments per question.
    pub read_batch: usize,
    /// The maximum tokens per UTC day, questions and answers together.
    pub tokens: u64,
    /// The maximum cost per UTC day; 0 for no limit other than tokens.
    pub money: f64,
    /// The price of a million tokens of questions and of answers; 0 if unknown.
    pub price: (f64, f64),
}

/// The number of tokens that prices refer to.
const PRICED: f64 = 1e6;

impl AdviceSettings {
    /// Returns the cost of tokens at the configured price.
    pub fn cost(&self, tokens: Tokens) -> f64 {
        (tokens.input as f64 * self.price.0 + tokens.output as f64 * self.price.1) / PRICED
    }

    /// Returns the tokens left for the day after so many were spent: 0 if the money is spent.
    pub(super) fn left(&self, spent: Tokens) -> u64 {
        let is_paid_out = self.money > 0.0 && self.cost(spent) >= self.money;
        if is_paid_out { 0 } else { self.tokens.saturating_sub(spent.all()) }
    }
}

/// Limits on rules and proposals.
#[derive(Clone, Debug)]
pub struct RuleSettings {
    /// Maximum number of active rules per agent (specification, "Rules": 20).
    pub max_active: usize,
    /// Maximum number of open proposals per agent; further patterns wait.
    pub max_open: usize,
    /// How long a pattern is not proposed again after a rejection, unless its evidence doubles.
    pub cool_down: SignedDuration,
    /// Whether reviews arriving on the stream must be signed with a key on the roster.
    pub require_signatures: bool,
    /// The maximum age of a signature on arrival.
    pub signature_window: SignedDuration,
    /// Hashes of rosters that need no approvals.
    pub trusted_rosters: Vec<String>,
}
