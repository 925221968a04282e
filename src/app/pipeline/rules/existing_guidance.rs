//! What agents are already told, by rules and by other means, and whether a text can be a rule in addition to that.

use crate::domain::records::record::{Refusal, RefusalCode};
use crate::domain::rules::draft::restate;
use crate::domain::rules::draft::restate::KnownSentence;
use crate::pipeline::batch::draft::Draft;
use crate::pipeline::error::PipelineError;
use crate::text::language::specificity;

/// Returns what an agent is told outside the rules: by its base prompt, and by rules in force elsewhere.
pub(crate) fn said_elsewhere(draft: &Draft<'_>, agent: &str) -> Vec<KnownSentence> {
    let imported = draft.memory.imported_for(agent).map(|rule| KnownSentence {
        text: rule.content.clone(),
        vector: rule.vector.clone(),
        source: rule.id.clone(),
    });
    let base = draft.settings.base_prompts.get(agent).into_iter().flatten().cloned();
    imported.chain(base).collect()
}

/// Returns what agents are already told by any means; `except` is the rule under examination.
fn said_already(draft: &Draft<'_>, tenant: &str, agents: &[String], except: Option<&str>) -> Vec<KnownSentence> {
    let rules = draft.memory.rules_for(tenant, agents).into_iter().filter(|r| Some(r.id.as_str()) != except);
    let rules =
        rules.map(|r| KnownSentence { text: r.content.clone(), vector: r.vector.clone(), source: r.id.clone() });
    rules.chain(agents.iter().flat_map(|agent| said_elsewhere(draft, agent))).collect()
}

/// Returns why a text cannot be a rule: it is vague or mere advice, or it repeats something.
pub(crate) fn unfit(draft: &Draft<'_>, id: &str, content: &str) -> Result<Option<Refusal>, PipelineError> {
    if let Some(finding) = specificity::lint(content).into_iter().next() {
        return Ok(Some(Refusal { code: RefusalCode::VagueText, message: finding.message }));
    }
    let Some(record) = draft.memory.rule(id).map(|r| &r.record) else { return Ok(None) };
    let vector = draft.outside.understanding.rule_text(content, record.concern.as_deref())?;
    let known = said_already(draft, record.tenant_id.as_deref().unwrap_or_default(), &record.affected_agents, Some(id));
    let found = restate::restates(
        content,
        vector.as_ref(),
        &known,
        &draft.memory.remarks.policy.calibration,
        draft.settings.thresholds.duplicate_at,
    );
    let refusal = |found| Refusal { code: RefusalCode::Restatement, message: format!("the text {found}") };
    Ok(found.map(refusal))
}
