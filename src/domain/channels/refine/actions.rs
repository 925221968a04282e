//! The twelve refinement actions as data (specification, "Refinement: Actions on the prompt"): in the order of the
//! specification's lists, each with its place in `priority_order`, which differs for `user_rejection`.

use crate::channels::signal::SignalKind;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A way of improving a prompt (specification, "Refinement: Actions on the prompt").
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ActionKind {
    /// Add error message to prompt context.
    AddContext,
    /// Specify language/framework constraints.
    AddConstraint,
    /// Request step-by-step approach.
    RequestApproach,
    /// Add test requirements to prompt.
    AddTestContext,
    /// Specify expected behavior explicitly.
    SpecifyBehavior,
    /// Request validation steps.
    RequestValidation,
    /// Ask for clarification on intent.
    RequestClarification,
    /// Offer alternative approaches.
    OfferAlternatives,
    /// Narrow the scope of the task.
    NarrowScope,
    /// Focus on the specific gap.
    FocusOnGap,
    /// Add constraint for the specific issue.
    AddTargetedConstraint,
    /// Request incremental fix.
    RequestIncrementalFix,
}

impl ActionKind {
    /// Returns the specification's spelling.
    pub fn as_str(self) -> &'static str {
        match self {
            ActionKind::AddContext => "add_context",
            ActionKind::AddConstraint => "add_constraint",
            ActionKind::RequestApproach => "request_approach",
            ActionKind::AddTestContext => "add_test_context",
            ActionKind::SpecifyBehavior => "specify_behavior",
            ActionKind::RequestValidation => "request_validation",
            ActionKind::RequestClarification => "request_clarification",
            ActionKind::OfferAlternatives => "offer_alternatives",
            ActionKind::NarrowScope => "narrow_scope",
            ActionKind::FocusOnGap => "focus_on_gap",
            ActionKind::AddTargetedConstraint => "add_targeted_constraint",
            ActionKind::RequestIncrementalFix => "request_incremental_fix",
        }
    }
}

/// A value to fill into a template.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Placeholder {
    ErrorMessage,
    DetectedFramework,
    TestDescription,
    ExpectedBehavior,
    ClarificationPrompt,
    Alternatives,
    NarrowedScope,
    GapDescription,
    Constraint,
    Issue,
}

impl Placeholder {
    /// Returns the name between the braces.
    pub fn name(self) -> &'static str {
        match self {
            Placeholder::ErrorMessage => "error_message",
            Placeholder::DetectedFramework => "detected_framework",
            Placeholder::TestDescription => "test_description",
            Placeholder::ExpectedBehavior => "expected_behavior",
            Placeholder::ClarificationPrompt => "clarification_prompt",
            Placeholder::Alternatives => "alternatives",
            Placeholder::NarrowedScope => "narrowed_scope",
            Placeholder::GapDescription => "gap_description",
            Placeholder::Constraint => "constraint",
            Placeholder::Issue => "issue",
        }
    }
}

/// An action of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Action {
    pub kind: ActionKind,
    /// What it does, in the specification's words.
    pub description: &'static str,
    /// The line it adds to the prompt.
    pub template: &'static str,
    /// The value to fill into the template, if any.
    pub placeholder: Option<Placeholder>,
    /// Its place in `priority_order`, 1 first.
    pub priority: u8,
}

const fn action(
    kind: ActionKind,
    priority: u8,
    placeholder: Option<Placeholder>,
    description: &'static str,
    template: &'static str,
) -> Action {
    Action { kind, description, template, placeholder, priority }
}

use ActionKind::*;

/// specification, "Refinement: Actions on the prompt": the actions of each type of feedback in the order of its list.
#[rustfmt::skip]
pub const REFINEMENT_MAPPING: [(SignalKind, [Action; 3]); 4] = [
    (SignalKind::RuntimeError, [
        action(AddContext, 1, Some(Placeholder::ErrorMessage), "Add error message to prompt context", "Given the error: {error_message}"),
        action(AddConstraint, 2, Some(Placeholder::DetectedFramework), "Specify language/framework constraints", "Ensure compatibility with {detected_framework}"),
        action(RequestApproach, 3, None, "Request step-by-step approach", "Approach this step by step, validating each change"),
    ]),
    (SignalKind::VerificationFailure, [
        action(AddTestContext, 1, Some(Placeholder::TestDescription), "Add test requirements to prompt", "Ensure the solution passes: {test_description}"),
        action(SpecifyBehavior, 2, Some(Placeholder::ExpectedBehavior), "Specify expected behavior explicitly", "Expected behavior: {expected_behavior}"),
        action(RequestValidation, 3, None, "Request validation steps", "Include validation that confirms the fix works"),
    ]),
    (SignalKind::UserRejection, [
        action(RequestClarification, 1, Some(Placeholder::ClarificationPrompt), "Ask for clarification on intent", "To clarify the goal: {clarification_prompt}"),
        action(OfferAlternatives, 3, Some(Placeholder::Alternatives), "Offer alternative approaches", "Alternative approaches to consider: {alternatives}"),
        action(NarrowScope, 2, Some(Placeholder::NarrowedScope), "Narrow the scope of the task", "Focusing specifically on: {narrowed_scope}"),
    ]),
    (SignalKind::PartialSuccess, [
        action(FocusOnGap, 1, Some(Placeholder::GapDescription), "Focus on the specific gap", "Specifically addressing: {gap_description}"),
        action(AddTargetedConstraint, 2, Some(Placeholder::Constraint), "Add constraint for the specific issue", "Additional constraint: {constraint}"),
        action(RequestIncrementalFix, 3, Some(Placeholder::Issue), "Request incremental fix", "Make minimal changes to address: {issue}"),
    ]),
];

/// Returns the actions for a type of feedback in priority order.
pub fn actions_for(kind: SignalKind) -> Vec<&'static Action> {
    let mut actions: Vec<&'static Action> =
        REFINEMENT_MAPPING.iter().filter(|(of, _)| *of == kind).flat_map(|(_, actions)| actions.iter()).collect();
    actions.sort_by_key(|action| action.priority);
    actions
}
