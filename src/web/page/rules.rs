//! `/rules` and `/rules/{id}`: rules in force, stopped rules, and their effects.

use super::failure::Failure;
use super::frame::Frame;
use super::plot::{Plot, Row};
use super::request::Visit;
use super::text::shown;
use crate::app::queries::{QueryError, RuleFile};
use crate::app::reports::effectiveness;
use crate::app::reports::effectiveness::RuleEffect;
use crate::domain::interval::{Change, Rate};
use crate::domain::records::record::{RuleState, Stopped, StopsRecord};
use crate::domain::rules::in_force::prompt;
use crate::text::prose::{when, words};
use askama::Template;

#[derive(Template)]
#[template(path = "rules.html")]
struct ListPage {
    frame: Frame,
    agents: Vec<String>,
    agent: String,
    state: String,
    stopped_all: Option<Stopped>,
    rules: Vec<InForce>,
    stops: StopsRecord,
    may: bool,
}

/// A rule in force with its effect.
struct InForce {
    rule: RuleFile,
    effect: Option<RuleEffect>,
    text: String,
}

impl InForce {
    /// Returns its verdict in a word.
    fn verdict(&self) -> &'static str {
        self.effect.as_ref().map_or("not in prompts", |effect| effect.assessment.verdict.as_str())
    }
}

/// Renders `/rules`: rules in force, by agent.
pub fn list(visit: &Visit) -> Result<String, Failure> {
    let agent = visit.option("agent");
    let measure = visit.pages.services.showing.measure;
    let now = visit.now();
    let seen = visit.ask(|c| {
        let all = c.queries.proposals(Some(RuleState::Active), None)?;
        let effects = effectiveness::answer(&c.queries, None, agent, &measure, now)?;
        Ok((all, effects, c.queries.stops()?))
    })?;
    let (all, effects, stops) = &seen.it;
    let mut agents: Vec<String> = all.iter().flat_map(|rule| rule.record.affected_agents.clone()).collect();
    agents.sort_unstable();
    agents.dedup();
    let of_agent =
        |rule: &&RuleFile| agent.is_none_or(|agent| rule.record.affected_agents.iter().any(|of| of == agent));
    let in_force = |rule: &RuleFile| InForce {
        effect: effects.iter().find(|effect| effect.rule_id == rule.record.proposal_id).cloned(),
        text: text(rule),
        rule: rule.clone(),
    };
    let page = ListPage {
        frame: Frame::new(visit, "Rules in force", &seen),
        agents,
        agent: agent.unwrap_or_default().to_owned(),
        state: String::new(),
        stopped_all: stops.all.clone(),
        rules: all.iter().filter(of_agent).map(in_force).collect(),
        stops: stops.clone(),
        may: visit.may_decide(),
    };
    Ok(page.render()?)
}

fn text(rule: &RuleFile) -> String {
    let r = &rule.record;
    if r.action_type.enters_prompt() { prompt::line_of(r) } else { r.rule_content.clone() }
}

#[derive(Template)]
#[template(path = "rule.html")]
struct OnePage<'a> {
    frame: Frame,
    rule: &'a RuleFile,
    text: String,
    stopped: Option<&'a Stopped>,
    effect: Option<&'a RuleEffect>,
    rows: &'a [Row],
    plot: Option<Plot<'a>>,
    change: String,
    held_out: String,
    may: bool,
}

/// Renders `/rules/{id}`: the effect of one rule.
pub fn one(visit: &Visit) -> Result<String, Failure> {
    let measure = visit.pages.services.showing.measure;
    let now = visit.now();
    let seen = visit.ask(|c| {
        let rule = c.queries.proposal_show(&visit.id)?;
        let effect = match effectiveness::answer(&c.queries, Some(&visit.id), None, &measure, now) {
            Ok(mut effects) => effects.pop(),
            Err(QueryError::NotFound { .. }) => None,
            Err(error) => return Err(error),
        };
        Ok((rule, effect, c.queries.stops()?))
    })?;
    let (rule, effect, stops) = &seen.it;
    let rows = effect.as_ref().map_or_else(Vec::new, rows);
    let title = "Share of decisions with this correction, with 95 % intervals";
    let plot = (!rows.is_empty()).then(|| Plot { id: "effect", title, description: described(&rows), rows: &rows });
    let changed = |change: Option<Change>| change.map_or_else(String::new, told);
    let page = OnePage {
        frame: Frame::new(visit, format!("{}: {}", rule.record.proposal_id, rule.record.title), &seen),
        text: text(rule),
        stopped: stops.of(&visit.id).filter(|_| rule.record.status.in_force()),
        change: changed(effect.as_ref().and_then(|effect| effect.assessment.change)),
        held_out: changed(effect.as_ref().and_then(|effect| effect.holdout?.change)),
        effect: effect.as_ref(),
        rows: &rows,
        plot,
        rule,
        may: visit.may_decide(),
    };
    Ok(page.render()?)
}

fn rows(effect: &RuleEffect) -> Vec<Row> {
    let named = |name: &str, rate: Option<Rate>| rate.map(|rate| Row { name: name.to_owned(), rate });
    let assessment = &effect.assessment;
    let (with, without) = effect.holdout.map_or((None, None), |holdout| (holdout.with, holdout.without));
    let all = [
        named("before", assessment.before),
        named("after", assessment.after),
        named("prompts without it", without),
        named("prompts with it", with),
    ];
    all.into_iter().flatten().collect()
}

fn described(rows: &[Row]) -> String {
    let row = |row: &Row| format!("{}: {}, {}", row.name, share(row.rate.rate), interval(&row.rate));
    rows.iter().map(row).collect::<Vec<_>>().join("; ") + "."
}

fn share(share: f64) -> String {
    format!("{:.1} %", share * 100.0)
}

fn interval(rate: &Rate) -> String {
    format!("{:.1} to {:.1} %", rate.interval.low * 100.0, rate.interval.high * 100.0)
}

/// Describes a change in words.
fn told(change: Change) -> String {
    let points = |share: f64| format!("{:+.1}", share * 100.0);
    let (low, high) = (points(change.interval.low), points(change.interval.high));
    format!("{} points (95 % interval {low} to {high})", points(change.difference))
}
