//! Clusters of comments, contradictions between comments, and people's answers on what belongs together.

use super::rows::{AGENT, CURSOR, decision, hand_in, list, one};
use crate::api::cursor::part;
use crate::api::operation::{Decides, LIMIT, Operation};
use crate::api::request::{ApiRequest, MAX_LIMIT, Parameter, bad};
use crate::api::response::{ApiResponse, refused, told};
use crate::api::submission::SubmissionBody;
use crate::app::queries::{AmbiguousFile, ClusterPage, RecordLocation};
use crate::domain::intake::submission::Resolution;
use crate::domain::records::record::ClusterRecord;
use crate::problem::Problem;
use crate::services::Services;
use schemars::{JsonSchema, json_schema};
use serde::{Deserialize, Serialize};
use serde_json::json;

/// The calls about clusters and contradictions.
pub const GROUPS: &[Operation] = &[
    list(
        "/groups",
        "listGroups",
        "Clusters of comments that ask for the same, largest first",
        &[AGENT, LIMIT, CURSOR],
        |g| g.subschema_for::<Groups>(),
        groups,
    ),
    one(
        "/groups/{group}",
        "getGroup",
        "One cluster with its latest members and its proposal",
        |g| g.subschema_for::<ClusterPage>(),
        group,
    ),
    decision(
        "/groups/{group}/merge",
        "mergeGroup",
        "Merges this cluster into another one that asks for the same",
        |g| g.subschema_for::<SubmissionBody<Into>>(),
        Decides::Something,
        |services, asked| {
            hand_in::<Into>(
                services,
                asked,
                |sent| json!({"decision": "MERGE_CLUSTERS", "from": asked.part("group"), "into": sent.into}),
            )
        },
    ),
    decision(
        "/groups/{group}/split",
        "splitGroup",
        "Moves members that ask for something else into a new cluster",
        |g| g.subschema_for::<SubmissionBody<Leaving>>(),
        Decides::Something,
        |services, asked| {
            hand_in::<Leaving>(services, asked, |sent| {
                let (group, ids) = (asked.part("group"), &sent.feedback_ids);
                json!({"decision": "SPLIT_CLUSTER", "cluster_id": group, "feedback_ids": ids})
            })
        },
    ),
    decision(
        "/groups/{group}/word",
        "wordRule",
        "Words a rule for a cluster that has none: it is proposed, and approved like any other",
        |g| g.subschema_for::<SubmissionBody<Wording>>(),
        Decides::Something,
        |services, asked| {
            hand_in::<Wording>(services, asked, |sent| {
                let (group, text) = (asked.part("group"), &sent.rule_content);
                json!({"decision": "WORD_RULE", "cluster_id": group, "rule_content": text})
            })
        },
    ),
    decision(
        "/groups/same",
        "saySame",
        "Marks two clusters or comments as asking for the same",
        |g| g.subschema_for::<SubmissionBody<Two>>(),
        Decides::Something,
        |services, asked| two(services, asked, "SAME"),
    ),
    decision(
        "/groups/apart",
        "keepApart",
        "Marks two clusters or comments as asking for different things; the question is not asked again",
        |g| g.subschema_for::<SubmissionBody<Two>>(),
        Decides::Something,
        |services, asked| two(services, asked, "KEEP_APART"),
    ),
    decision(
        "/groups/sort",
        "sortRemarks",
        "Sorts a list of comments into those that ask for the same, for something else, or for nothing",
        |g| g.subschema_for::<SubmissionBody<Sorted>>(),
        Decides::Something,
        sort,
    ),
    list(
        "/contradictions",
        "listContradictions",
        "Comments that contradict earlier ones and need a decision, latest first",
        &[
            AGENT,
            Parameter::new("decided", "`true`: include those that are already decided")
                .of(|_| json_schema!({ "type": "boolean" })),
            LIMIT,
            CURSOR,
        ],
        |g| g.subschema_for::<Contradictions>(),
        contradictions,
    ),
    one(
        "/contradictions/{feedback}",
        "getContradiction",
        "One contradiction with both sides, by the id of its feedback",
        |g| g.subschema_for::<AmbiguousFile>(),
        |services, asked| {
            let id = asked.part("feedback");
            told(&services.channels.ask(|c| c.queries.ambiguous_show(id)).map_err(refused)?)
        },
    ),
    decision(
        "/contradictions/{feedback}/resolve",
        "resolveContradiction",
        "Resolves a contradiction: it holds in general, in this case only, or not at all",
        |g| g.subschema_for::<SubmissionBody<Resolved>>(),
        Decides::Something,
        |services, asked| {
            hand_in::<Resolved>(
                services,
                asked,
                |sent| json!({"feedback_id": asked.part("feedback"), "resolution": sent.resolution.as_str()}),
            )
        },
    ),
];

/// Clusters.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Groups {
    /// The requested number of them.
    pub groups: Vec<RecordLocation<ClusterRecord>>,
    /// The next cursor; omitted after the last page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next: Option<String>,
}

/// Contradictions.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Contradictions {
    /// The requested number of them.
    pub contradictions: Vec<AmbiguousFile>,
    /// The next cursor; omitted after the last page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next: Option<String>,
}

/// Another cluster.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Into {
    /// The id of the cluster.
    #[schemars(length(min = 1))]
    pub into: String,
}

/// Members to remove.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Leaving {
    /// The ids of the feedback.
    #[schemars(length(min = 1))]
    pub feedback_ids: Vec<String>,
}

/// A rule in a person's words.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Wording {
    /// Its text.
    #[schemars(length(min = 1))]
    pub rule_content: String,
}

/// Two clusters or comments.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Two {
    /// The id of a cluster or a feedback.
    #[schemars(length(min = 1))]
    pub a: String,
    /// The id of the other one.
    #[schemars(length(min = 1))]
    pub b: String,
}

/// Comments by what they ask for; each id once.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Sorted {
    /// Those that ask for the same: they become one cluster.
    #[serde(default)]
    pub same: Vec<String>,
    /// Those that ask for something else.
    #[serde(default)]
    pub others: Vec<String>,
    /// Those that ask for nothing.
    #[serde(default)]
    pub nothing: Vec<String>,
    /// Those that are too specific for a rule.
    #[serde(default)]
    pub particular: Vec<String>,
    /// The existing cluster that takes `same`, if any.
    pub into: Option<String>,
}

/// The decision on a contradiction.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Resolved {
    /// GENERALIZABLE, EDGE_CASE, IGNORE or NO_CONTRADICTION.
    pub resolution: Resolution,
}

fn groups(services: &Services, asked: &ApiRequest) -> Result<ApiResponse, Problem> {
    let all = services.channels.ask(|c| c.queries.clusters(asked.option("agent"))).map_err(refused)?;
    let (groups, next) = part(asked, all, |group| &group.record.cluster_id)?;
    told(&Groups { groups, next })
}

fn group(services: &Services, asked: &ApiRequest) -> Result<ApiResponse, Problem> {
    told(&services.channels.ask(|c| c.queries.cluster_show(asked.part("group"), MAX_LIMIT)).map_err(refused)?)
}

fn two(services: &Services, asked: &ApiRequest, decision: &str) -> Result<ApiResponse, Problem> {
    hand_in::<Two>(services, asked, |sent| json!({"decision": decision, "a": sent.a, "b": sent.b}))
}

fn sort(services: &Services, asked: &ApiRequest) -> Result<ApiResponse, Problem> {
    hand_in::<Sorted>(services, asked, |sent| {
        let mut action = json!({"decision": "SORT"});
        let lists = [&sent.same, &sent.others, &sent.nothing, &sent.particular];
        for (name, ids) in ["same", "others", "nothing", "particular"].into_iter().zip(lists) {
            if !ids.is_empty() {
                action[name] = json!(ids);
            }
        }
        if let Some(into) = &sent.into {
            action["into"] = json!(into);
        }
        action
    })
}

fn contradictions(services: &Services, asked: &ApiRequest) -> Result<ApiResponse, Problem> {
    let decided = match asked.option("decided") {
        None | Some("false") => false,
        Some("true") => true,
        Some(_) => return Err(bad("`decided` must be `true` or `false`")),
    };
    let all = services.channels.ask(|c| c.queries.ambiguous_list(asked.option("agent"), decided)).map_err(refused)?;
    let (contradictions, next) = part(asked, all, |found| &found.record.feedback_id)?;
    told(&Contradictions { contradictions, next })
}
