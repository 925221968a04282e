//! The text about the previous turn for the next turn's planner (specification, "Turns: The context text").

use super::exchange::Exchange;
use super::record::Strategy;
use super::verdict::{CorrectionType, FeedbackResult, FeedbackType};
use super::wish::Correction;
use crate::text::language::guard;

/// Number of consecutive rejections from which the planner is warned (specification, "Turns: Several corrections in a
/// row").
const IN_A_ROW: usize = 2;

/// Characters shown of an external text: as much as records keep of a user's words.
const SHOWN: usize = 501;

/// Input for the text.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Context<'a> {
    /// The judged turn, such as `turn_001233`.
    pub turn_id: &'a str,
    /// The turn in which it was detected; `None` if the session ended.
    pub detected_in: Option<&'a str>,
    /// The judged exchange.
    pub exchange: &'a Exchange,
    /// The verdict.
    pub result: &'a FeedbackResult,
    /// How the judged response was produced.
    pub strategy: Option<&'a Strategy>,
    /// Number of consecutive rejected turns, including this one.
    pub rejections_in_a_row: usize,
}

/// Returns the part of section 2 about the previous response. For a rejection, it states what went wrong, what the user
/// wants and an adjusted query only if the user's words and the strategy's query support that. Other verdicts get two
/// lines.
pub fn context_text(context: &Context<'_>) -> String {
    let mut text = String::from("## 2. Gathered Context\n\n### Previous Response Feedback\n");
    let (judged, result) = (name(context.turn_id), context.result);
    match result.feedback_type {
        FeedbackType::Rejected => rejected(context, &mut text),
        FeedbackType::Accepted => {
            text.push_str(&format!(
                "**Status:** ACCEPTED\n**Detected:** {}\n\n**Instruction for Planner:**\n- The strategy of {judged} may be reused\n",
                detected(context, "accepted")
            ));
        }
        FeedbackType::Neutral => {
            let detected = detected(context, "neither accepted nor rejected");
            text.push_str(&format!("**Status:** NEUTRAL\n**Detected:** {detected}\n"));
        }
    }
    text
}

fn rejected(context: &Context<'_>, text: &mut String) {
    let judged = name(context.turn_id);
    let said = context.result.user_said.as_deref().map(line);
    let wish = said.as_deref().filter(|said| *said != guard::LEFT_OUT).and_then(Correction::read);
    text.push_str(&format!("**Status:** REJECTED\n**Detected:** {}\n", detected(context, "rejected")));
    if let Some(said) = &said {
        text.push_str(&format!("**User said:** \"{said}\"\n"));
    }
    if let Some(strategy) = context.strategy {
        text.push_str(&format!("**Previous strategy:** {}", line(&strategy.name)));
        if let Some(query) = &strategy.query {
            text.push_str(&format!(" with query \"{}\"", line(query)));
        }
        text.push('\n');
    }
    if let Some(wrong) = what_went_wrong(context, wish.as_ref()) {
        text.push_str(&format!("**What went wrong:** {wrong}\n"));
    }
    text.push_str(&format!("\n**Instruction for Planner:**\n- Do NOT reuse the strategy from {judged}\n"));
    if let Some(wish) = &wish {
        text.push_str(&format!("- User wants {}", wish.stressed()));
        if let Some(unwanted) = &wish.unwanted {
            text.push_str(&format!(", not {unwanted}"));
        }
        text.push('\n');
        let query = context.strategy.and_then(|strategy| strategy.query.as_deref()).map(line);
        if let Some(adjusted) = query.and_then(|query| wish.adjusted(&query)) {
            text.push_str(&format!("- Adjust search query to be specific: \"{adjusted}\"\n"));
        }
    }
    if context.rejections_in_a_row >= IN_A_ROW {
        text.push_str(&format!(
            "- Multiple rejections - be more careful\n- Consider CLARIFY before acting: {} responses in a row were rejected\n",
            context.rejections_in_a_row
        ));
    }
}

/// Returns what the words say went wrong; `None` if they do not.
fn what_went_wrong(context: &Context<'_>, wish: Option<&Correction>) -> Option<String> {
    match context.result.correction_type {
        Some(CorrectionType::Abandonment) => Some("The user gave up on this approach".to_owned()),
        Some(CorrectionType::Rephrased) => {
            Some("It did not answer the question: the user asked it again in other words".to_owned())
        }
        _ => {
            let wish = wish?;
            let unwanted = wish.unwanted.as_ref()?;
            let searched = context.strategy.is_some_and(|strategy| {
                let name = strategy.name.to_lowercase();
                ["commerce", "shop", "product", "catalog"].iter().any(|one| name.contains(one))
            });
            let kind = match wish.head() {
                Some(_) if searched => "product category".to_owned(),
                Some(head) => format!("kind of {head}"),
                None => "subject".to_owned(),
            };
            Some(format!("Wrong {kind} - returned {unwanted}"))
        }
    }
}

fn detected(context: &Context<'_>, verdict: &str) -> String {
    let judged = name(context.turn_id);
    match context.detected_in {
        Some(turn) => format!("{} detected that {judged} was {verdict}", name(turn)),
        None => format!("The session ended before anyone said anything about {judged}"),
    }
}

/// Formats `turn_001234` as "Turn 1234"; other ids are unchanged.
fn name(turn_id: &str) -> String {
    let number = turn_id.strip_prefix("turn_").unwrap_or_default();
    if !number.is_empty() && number.chars().all(|one| one.is_ascii_digit()) {
        let short = number.trim_start_matches('0');
        return format!("Turn {}", if short.is_empty() { "0" } else { short });
    }
    format!("Turn {}", line(turn_id))
}

/// Returns one bounded line: external text must not look like part of ours, nor address the planner.
fn line(text: &str) -> String {
    guard::told(text, SHOWN).replace('"', "'")
}
