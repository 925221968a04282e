//! What the pipeline is told by the configuration.

use crate::comments::analyzer::Understanding;
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
use crate::rules::approval_history::Asked;
use crate::text::language::similarity::Calibration;
use jiff::SignedDuration;
use std::collections::BTreeMap;

/// What the pipeline is told by the configuration.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Limits and the tenant for decoding.
    pub decode: DecodeLimits,
    /// Agents by gate, and limits for corrections.
    pub capture: CaptureContext,
    /// Calibrated similarity from which two remarks count as the same.
    pub similar_at: f64,
    /// How many reviewers make a pattern.
    pub high_needs_reviewers: u32,
    /// Raw cosine for grouping; `None` for the understanding's own.
    pub group_threshold: Option<f64>,
    /// Confidence from which a proposal is made at once.
    pub immediate_at: f64,
    /// How long a pattern waits for its proposal otherwise.
    pub batch_every: SignedDuration,
    /// How many waiting patterns make a batch of proposals.
    pub batch_count: usize,
    /// The share of right groups, as people's answers imply it, below which new patterns wait for people.
    pub min_purity: f64,
    /// When rules are duplicates or conflicts.
    pub thresholds: Thresholds,
    /// How many must approve a rule, and how long they may take.
    pub terms: Terms,
    /// How rules are offered and kept.
    pub rules: RuleSettings,
    /// How it is measured whether rules help.
    pub measuring: MeasurePolicy,
    /// What reports count as short and long.
    pub report: Limits,
    /// What a language model is asked.
    pub advice: AdviceSettings,
    /// How the channels beside gate decisions are answered.
    pub channels: ChannelSettings,
    /// What agents are told anyway: sentences of their base prompts, by agent.
    pub base_prompts: BTreeMap<String, Vec<KnownSentence>>,
}

/// How the channels beside gate decisions are answered.
#[derive(Clone, Copy, Debug)]
pub struct ChannelSettings {
    /// The refinement loop (specification, "Refinement").
    pub refine: RefineConfig,
    /// When people are asked about an action, and how many suggestions are made (specification, "Actions").
    pub actions: ActionPolicy,
    /// How many conversations are held open.
    pub max_sessions: usize,
}

impl Default for ChannelSettings {
    fn default() -> Self {
        ChannelSettings { refine: RefineConfig::default(), actions: ActionPolicy::default(), max_sessions: 10_000 }
    }
}

impl Settings {
    /// What is asked of approvals.
    pub fn asked(&self) -> Asked {
        Asked {
            min_approvals: self.terms.min_approvals,
            signed: self.rules.require_signatures,
            signature_window: self.rules.signature_window,
            tenant: self.capture.tenant_id().unwrap_or_default(),
            trusted_rosters: self.rules.trusted_rosters.clone(),
        }
    }

    /// What decides about grouping and classes, with this understanding.
    pub fn policy(&self, understanding: &Understanding) -> Policy {
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

/// What a language model is asked, if there is one, and what that may cost.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct AdviceSettings {
    /// Whether it is asked what each comment asks for.
    pub read: bool,
    /// Whether it is asked which demands ask for the same.
    pub place: bool,
    /// Whether it holds patterns against their evidence before they are proposed, and words their rules.
    pub check: bool,
    /// How many comments one question shows.
    pub read_batch: usize,
    /// Tokens in a UTC day at most, of questions and answers together.
    pub tokens: u64,
    /// What a UTC day may cost; 0 for no limit but that of tokens.
    pub money: f64,
    /// What a million tokens of questions and of answers cost; 0 if that is not known.
    pub price: (f64, f64),
}

/// In how many tokens prices are given.
const PRICED: f64 = 1e6;

impl AdviceSettings {
    /// What tokens cost, by the price that is configured.
    pub fn cost(&self, tokens: Tokens) -> f64 {
        (tokens.input as f64 * self.price.0 + tokens.output as f64 * self.price.1) / PRICED
    }

    /// How many tokens the day has left once so many were spent: none if its money is spent.
    pub(super) fn left(&self, spent: Tokens) -> u64 {
        let is_paid_out = self.money > 0.0 && self.cost(spent) >= self.money;
        if is_paid_out { 0 } else { self.tokens.saturating_sub(spent.all()) }
    }
}

/// What limits the number of rules and proposals.
#[derive(Clone, Debug)]
pub struct RuleSettings {
    /// Active rules per agent at most (specification, "Rules": 20).
    pub max_active: usize,
    /// Open proposals per agent at most; further patterns wait.
    pub max_open: usize,
    /// How long a pattern is not proposed again after its proposal was rejected, unless its evidence doubles.
    pub cool_down: SignedDuration,
    /// Whether reviews that arrive on the stream must be signed with a key of the roster.
    pub require_signatures: bool,
    /// How old a signature may be when it arrives.
    pub signature_window: SignedDuration,
    /// The hashes of rosters that need no approvals.
    pub trusted_rosters: Vec<String>,
}
