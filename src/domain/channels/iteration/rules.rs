//! The rules by their stable ids: what each requires, and the severity of a violation. Tables only; violations are
//! detected elsewhere.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The severity of a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Level {
    /// The document is rejected.
    Error,
    /// The document passes, but its author should check it.
    Warning,
}

impl Level {
    /// Returns the spelling used in messages; SARIF spells its levels the same.
    pub fn as_str(self) -> &'static str {
        match self {
            Level::Error => "error",
            Level::Warning => "warning",
        }
    }
}

macro_rules! rules {
    ($($name:ident $id:literal $level:ident $short:literal $help:literal;)*) => {
        /// A rule for documents. Its spelling is part of the contract with readers of findings.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
        #[schemars(rename = "Rule")]
        pub enum DocumentRule {
            $(#[doc = $short] #[serde(rename = $id)] $name,)*
        }

        impl DocumentRule {
            /// All rules, in the order of the table.
            pub const ALL: &[DocumentRule] = &[$(DocumentRule::$name,)*];

            /// Returns the stable id, such as `issue.vague`.
            pub fn id(self) -> &'static str {
                match self { $(DocumentRule::$name => $id,)* }
            }

            /// Returns the severity of a violation.
            pub fn level(self) -> Level {
                match self { $(DocumentRule::$name => Level::$level,)* }
            }

            /// Returns what it requires, in one sentence.
            pub fn short(self) -> &'static str {
                match self { $(DocumentRule::$name => $short,)* }
            }

            /// Returns what to do about a violation.
            pub fn help(self) -> &'static str {
                match self { $(DocumentRule::$name => $help,)* }
            }
        }
    };
}

rules! {
    Unreadable "document.unreadable" Error
        "The text is valid JSON or YAML."
        "Fix the syntax at the line that is named.";
    SchemaRequired "schema.required" Error
        "Every required field is present."
        "Add the field that the message names.";
    SchemaType "schema.type" Error
        "Every field has the right type."
        "Write the value as the type in the message; in YAML, quote text that looks like a number.";
    SchemaEnum "schema.enum" Error
        "A field with a fixed set of values has one of them."
        "Write one of the values in the message, in lower case.";
    SchemaLength "schema.length" Error
        "Texts are neither too short nor too long."
        "Write more, or less: the message gives the limits, in characters.";
    SchemaRange "schema.range" Error
        "Numbers are within their limits."
        "Write a number within the limits in the message.";
    SchemaItems "schema.items" Error
        "There is at least one feedback item."
        "Say what to do: feedback without items cannot be followed.";
    SchemaFormat "schema.format" Error
        "Ids are UUIDs, times are RFC 3339 with an offset."
        "Write the value in the form shown in the message.";
    SchemaOther "schema.other" Error
        "The document follows the JSON Schema."
        "Check this part against the schema actionable-feedback.";
    SchemaMore "schema.more" Error
        "A document has no more errors than can be listed."
        "Fix the errors listed and validate again.";
    IssueVague "issue.vague" Error
        "An issue names the problem; it does not say that something could be better (004, issue_specificity)."
        "Name the problem and what happens because of it: “Function lacks input validation for null parameters”.";
    IssueLoose "issue.loose" Warning
        "An issue has no words that judge without naming a problem."
        "Remove the judgement and name the problem.";
    IssueUnspecific "issue.unspecific" Error
        "An issue says exactly what is wrong (004, specific_problem)."
        "Name the part of the work and what is wrong with it.";
    IssueNoEffect "issue.no_effect" Warning
        "An issue or its rationale says what happens as a result (004, observable_effect)."
        "Add the observable effect: “…, so a null amount ends in a 500”.";
    SuggestionAdvisory "suggestion.advisory" Error
        "A suggestion says what to do; it does not advise (004, suggestion_actionability)."
        "Write an instruction: “Replace the for loop with Array.map()”.";
    SuggestionHedge "suggestion.hedge" Warning
        "A suggestion is not optional."
        "Remove the hedge, or say when it applies: “When …, do …”.";
    SuggestionVague "suggestion.vague" Warning
        "It can be checked whether a suggestion was followed."
        "Name what to change, and to what.";
    SuggestionQuestion "suggestion.question" Warning
        "A suggestion is not a question."
        "State what the answer should be.";
    SuggestionNoAction "suggestion.no_action" Error
        "A suggestion names a specific change to make (004, concrete_action)."
        "Begin with the action and its target: “Add a length check to validateToken()”.";
    SuggestionActionUnclear "suggestion.action_unclear" Warning
        "A suggestion begins with an action."
        "Begin with the verb: “Add …”, “Replace … with …”, “Remove …”.";
    SuggestionNoOutcome "suggestion.no_outcome" Error
        "A rationale says what will improve (004, expected_outcome)."
        "Say what will be better: “Prevents exponential backtracking on malicious input”.";
    SuggestionOutcomeUnclear "suggestion.outcome_unclear" Warning
        "A rationale states explicitly what the change achieves."
        "Say what it prevents, allows or improves.";
    LocationVague "location.vague" Error
        "A location says where (004, location_requirement)."
        "Name the line, the function, the section, the element or the path.";
    LocationLine "location.line" Error
        "A location of type line or range has a line number or a line range."
        "Write a number or a range: “42” or “42-48”.";
    LocationFunction "location.function" Error
        "A location of type function has the function's name."
        "Write the name: “validateToken()”.";
    LocationPath "location.path" Error
        "A location of type path has a path."
        "Write the path: “src/auth/validate.ts”.";
    VerdictCriticalAccepted "verdict.critical_accepted" Error
        "A document with a critical item does not accept."
        "Write refine, reject or escalate, or lower the item's severity.";
    VerdictLowScore "verdict.low_score" Error
        "A score under 0.5 means refine, reject or escalate."
        "Write refine, reject or escalate, or correct the score.";
    VerdictLowConfidence "verdict.low_confidence" Error
        "A confidence under 0.5 means escalate."
        "Write escalate: people decide when the reviewer is unsure.";
    IterationOverMax "iteration.over_max" Error
        "The iteration number is at most the maximum."
        "Stop the loop at the maximum, or raise it.";
    IterationNoneLeft "iteration.none_left" Warning
        "The last iteration does not ask for another."
        "Write accept, reject or escalate.";
    IterationPhase "iteration.phase" Warning
        "The first iteration is initial, the last is final, and those between are refinements."
        "Write the phase that matches the iteration number.";
    TextHidden "text.hidden_character" Warning
        "Texts contain no invisible characters."
        "Remove them.";
}
