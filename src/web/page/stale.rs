//! Decisions about an outdated text, or about one with invisible characters: nothing is decided, and the page shows
//! why.

use super::failure::Failure;
use super::form_values::FormValues;
use super::frame::Frame;
use super::request::Visit;
use super::text::{marked, shown};
use crate::app::queries::RuleFile;
use crate::app::queries::views::{Piece, changes};
use crate::text::redact::hidden_characters;
use askama::Template;
use serde_json::Value;

#[derive(Template)]
#[template(path = "stale.html")]
struct StalePage<'a> {
    frame: Frame,
    rule: &'a RuleFile,
    pieces: Vec<Piece>,
    unseen: bool,
}

/// Returns an error page if a text is outdated or contains invisible characters.
pub fn stale(visit: &Visit, filled: &FormValues) -> Result<Option<String>, Failure> {
    for action in &filled.actions {
        if let Some(page) = stale_text(visit, action)? {
            return Ok(Some(page));
        }
        if action["decision"] == "MODIFY" {
            // What follows is about the text that this one makes.
            break;
        }
    }
    Ok(None)
}

fn stale_text(visit: &Visit, action: &Value) -> Result<Option<String>, Failure> {
    let about = matches!(action["decision"].as_str(), Some("APPROVE" | "MODIFY"));
    let subject = action["proposal_id"].as_str().filter(|id| about && id.starts_with("RULE-"));
    let (Some(subject), Some(hash)) = (subject, action["content_hash"].as_str()) else { return Ok(None) };
    let seen = visit.ask(|c| c.queries.proposal_show(subject))?;
    let r = &seen.it.record;
    let approves = action["decision"] == "APPROVE";
    let unseen = approves && visit.option("unseen").is_none() && hidden_characters(&r.rule_content).next().is_some();
    if r.content_hash == hash && !unseen {
        return Ok(None);
    }
    let before = r.earlier_versions.iter().find(|v| v.content_hash == hash);
    let pieces = changes(before.map_or(&r.rule_content, |v| &v.rule_content), &r.rule_content);
    let page = StalePage { frame: Frame::new(visit, "Nothing was decided", &seen), pieces, unseen, rule: &seen.it };
    Ok(Some(page.render()?))
}
