//! Conversion of the configuration to settings of the service layer.

use super::base_prompts::base_prompts;
use super::error::WiringError;
use crate::app::comments::analyzer::Analyzer;
use crate::app::pipeline::{AdviceSettings, ChannelSettings, RuleSettings, Settings};
use crate::app::queries::views::ViewSettings;
use crate::app::reports::effectiveness::MeasurePolicy;
use crate::app::rules::approval_history::ApprovalRequirements;
use crate::app::rules::in_force::PromptBuilder;
use crate::config::{Config, Privacy};
use crate::domain::channels::action::Policy as ActionPolicy;
use crate::domain::channels::refine::RefineConfig;
use crate::domain::intake::capture::CaptureContext;
use crate::domain::intake::decode::DecodeLimits;
use crate::domain::reporting::report::Limits;
use crate::domain::rules::draft::proposal::Thresholds;
use crate::domain::rules::in_force::effect::EffectPolicy;
use crate::domain::rules::lifecycle::rule::Terms;
use crate::text::redact::{Personal, PseudonymKey, Treatment};
use jiff::SignedDuration;

/// Returns the display settings for the pages.
pub fn showing(config: &Config) -> ViewSettings {
    ViewSettings {
        web_url: Some(config.store.web_url.clone()).filter(|url| !url.is_empty()),
        measure: measuring(config),
        limits: report_limits(config),
    }
}

/// Returns how rules are measured.
pub fn measuring(config: &Config) -> MeasurePolicy {
    let effect = &config.effect;
    let defaults = MeasurePolicy::default();
    MeasurePolicy {
        effect: EffectPolicy {
            stabilizing: days(effect.stabilizing_days),
            flag_after: days(effect.flag_after_days),
            min_exposures: effect.min_exposures,
            ..defaults.effect
        },
        before: days(effect.before_days),
        ..defaults
    }
}

/// Returns what determines which rules enter prompts.
pub(super) fn prompting(config: &Config) -> PromptBuilder {
    PromptBuilder {
        measure: measuring(config),
        max_active: config.rules.max_active_per_agent,
        tenant: config.redis.tenant.clone(),
    }
}

/// Returns the requirements for approvals.
pub fn asked(config: &Config) -> ApprovalRequirements {
    ApprovalRequirements {
        min_approvals: config.review.min_approvals,
        signed: config.review.require_signatures,
        signature_window: signature_window(config),
        tenant: config.redis.tenant.clone(),
        trusted_rosters: config.review.trusted().map(str::to_owned).collect(),
    }
}

fn signature_window(config: &Config) -> SignedDuration {
    SignedDuration::from_hours(i64::try_from(config.review.signature_window_hours).unwrap_or(i64::MAX / 3_600))
}

/// Returns the limits on entries. They are not stored.
pub fn decode_limits(config: &Config) -> DecodeLimits {
    let tenant = Some(config.redis.tenant.clone()).filter(|t| !t.is_empty());
    let intake = &config.intake;
    DecodeLimits {
        max_entry_bytes: intake.max_entry_bytes,
        max_field_bytes: intake.max_field_bytes,
        max_nesting: intake.max_nesting,
        max_list_items: intake.max_list_items,
        max_tags: intake.max_tags,
        max_agents: intake.max_agents,
        tenant,
        ..DecodeLimits::default()
    }
}

/// Returns the treatment of personal data.
///
/// # Errors
/// If the key of pseudonyms cannot be read, or is too short.
pub fn personal(config: &Config) -> Result<Personal, WiringError> {
    let privacy = &config.privacy;
    let key = privacy.key()?.and_then(|text| PseudonymKey::new(text.expose().as_bytes()));
    let treatment = |privacy| match privacy {
        Privacy::Off => Treatment::Off,
        Privacy::Masked => Treatment::Masked,
        Privacy::Pseudonym => Treatment::Pseudonym,
    };
    let kept = privacy.keep.split(',').map(|kept| kept.trim().to_lowercase()).filter(|kept| !kept.is_empty());
    Ok(Personal {
        email: treatment(privacy.email),
        phone: treatment(privacy.phone),
        ip: treatment(privacy.ip),
        card: treatment(privacy.card),
        iban: treatment(privacy.iban),
        key,
        keep: kept.collect(),
    })
}

/// Returns how the channels other than gate decisions are answered.
pub fn channel_settings(config: &Config) -> ChannelSettings {
    ChannelSettings {
        refine: RefineConfig {
            max_refinement_iterations: config.refine.max_refinement_iterations,
            stop_at: config.refine.stop_score,
        },
        actions: ActionPolicy {
            max_attempts: config.actions.max_attempts,
            max_suggestions: config.actions.max_suggestions,
        },
        max_sessions: config.intake.max_sessions,
    }
}

/// Returns what reports count as short and long.
pub fn report_limits(config: &Config) -> Limits {
    Limits {
        rubber_stamp_seconds: config.report.rubber_stamp_seconds,
        long_review_seconds: config.report.long_review_minutes.saturating_mul(60),
    }
}

pub(super) fn settings(config: &Config, understanding: &Analyzer) -> Result<Settings, WiringError> {
    let evaluator = &config.evaluator;
    let proposals = &config.proposals;
    let personal = personal(config)?;
    Ok(Settings {
        decode: DecodeLimits { personal: personal.clone(), ..decode_limits(config) },
        capture: CaptureContext {
            gate_agents: config.intake.gate_agents.clone(),
            max_diff_bytes: config.intake.max_diff_bytes,
            tenant: config.redis.tenant.clone(),
            personal,
        },
        similar_at: evaluator.similar_threshold,
        high_needs_reviewers: evaluator.min_reviewers,
        group_threshold: (evaluator.group_threshold > 0.0).then_some(evaluator.group_threshold),
        immediate_at: proposals.immediate_threshold,
        batch_every: SignedDuration::from_mins(i64::try_from(proposals.batch_minutes).unwrap_or(i64::MAX / 60)),
        batch_count: proposals.batch_count,
        min_purity: proposals.min_purity,
        thresholds: Thresholds {
            duplicate_at: proposals.duplicate_threshold,
            conflict_at: proposals.conflict_threshold,
        },
        terms: Terms {
            min_approvals: config.review.min_approvals,
            remind_after: days(config.review.remind_after_days),
            expire_after: days(config.review.expire_after_days),
        },
        rules: RuleSettings {
            max_active: config.rules.max_active_per_agent,
            max_open: proposals.max_open_per_agent,
            cool_down: days(proposals.cool_down_days),
            require_signatures: config.review.require_signatures,
            signature_window: signature_window(config),
            trusted_rosters: config.review.trusted().map(str::to_owned).collect(),
        },
        measuring: measuring(config),
        report: report_limits(config),
        advice: AdviceSettings {
            read: config.model.read,
            place: config.model.place,
            check: config.model.check,
            read_batch: config.model.read_batch,
            tokens: config.model.budget.tokens,
            money: config.model.budget.money,
            price: (config.model.price.input, config.model.price.output),
        },
        channels: channel_settings(config),
        base_prompts: base_prompts(config, understanding)?,
    })
}

fn days(days: u64) -> SignedDuration {
    SignedDuration::from_hours(24 * i64::try_from(days).unwrap_or(i64::MAX / 24))
}
