//! Approved rules as skills (SEP-2640): one per agent with rules, with a digest of its content.

use crate::app::rules::in_force::InForce;
use crate::domain::rules::in_force::prompt::AgentRules;
use crate::text::ids::short_hash;
use rmcp::model::{Resource, Skill, SkillFrontmatter, SkillResource, SkillResources};

/// The content type of a skill's file.
pub const MARKDOWN: &str = "text/markdown";
/// Maximum length of an agent's name; longer ones are cut.
const MAX_NAME: usize = 40;

/// A skill and its only file.
pub struct RuleSkill {
    /// The skill as listed by clients.
    pub skill: Skill,
    /// `SKILL.md`.
    pub text: String,
}

/// Returns a skill for each agent with rules in force, ordered by agent name.
pub fn all(in_force: &InForce) -> Vec<RuleSkill> {
    in_force.agents().filter_map(RuleSkill::of).collect()
}

impl RuleSkill {
    fn of(rules: &AgentRules) -> Option<RuleSkill> {
        let section = rules.prompt.as_deref()?;
        let name = format!("rules-for-{}", slug(&rules.agent));
        let description = format!(
            "Rules for {}, learned from reviews and approved by people. Follow them in all work of this agent.",
            rules.agent
        );
        // A JSON string is a YAML string.
        let quoted = serde_json::Value::from(description.as_str());
        let text = format!("---\nname: {name}\ndescription: {quoted}\n---\n\n{section}");
        let uri = format!("skill://{name}/SKILL.md");
        let file = SkillResource::from_bytes(&uri, text.as_bytes());
        let skill = Skill::new(uri, SkillFrontmatter::new(name, description), SkillResources::Files(vec![file]));
        Some(RuleSkill { skill, text })
    }

    /// Returns the file as a resource, for clients without skills.
    pub fn resource(&self) -> Resource {
        Resource::new(&self.skill.uri, self.skill.name())
            .with_description(&self.skill.frontmatter.description)
            .with_mime_type(MARKDOWN)
            .with_size(self.text.len() as u64)
    }
}

/// Returns an agent's name as a valid skill name: lower-case letters, digits, and single hyphens between them. If that
/// changes the name, a hash keeps agents distinct.
fn slug(agent: &str) -> String {
    let small = agent.to_ascii_lowercase();
    let words = small.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    let mut slug = words.collect::<Vec<_>>().join("-");
    slug.truncate(MAX_NAME);
    if slug == agent && !slug.is_empty() {
        return slug;
    }
    let hash = short_hash(&["skill", agent]);
    let parts = [slug.trim_end_matches('-'), hash.get(..8).unwrap_or(&hash)];
    parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("-")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_agents_become_names_of_skills_that_differ() {
        assert_eq!(slug("coding-agent"), "coding-agent");
        let odd = ["Coding Agent", "coding agent", "coding--agent", "編集", "", &"x".repeat(99)].map(slug);
        for (at, name) in odd.iter().enumerate() {
            let skill = Skill::new(
                format!("skill://{name}/SKILL.md"),
                SkillFrontmatter::new(name, "x"),
                SkillResources::Dynamic,
            );
            assert_eq!(skill.validate(), Ok(()), "{name}");
            assert!(!odd[..at].contains(name), "{name}");
        }
    }
}
