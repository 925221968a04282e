//! Decisions as gates send them, identical in every run.
//!
//! 45 of 100 are approvals: two thirds of them without a comment, the others with bare praise. The rest are
//! corrections: one of 42 themes, seven per agent, in one of twelve wordings, about one of several places. Six agents,
//! twenty reviewers, a few seconds between decisions.

use jiff::Timestamp;

/// 2026-01-05T08:00:00Z
const START: i64 = 1_767_600_000;

const AGENTS: [&str; 6] = ["prd-agent", "design-agent", "planner-agent", "coding-agent", "test-agent", "release-agent"];
const GATES: [&str; 6] =
    ["hitl_1_backlog", "hitl_2_design", "hitl_3_plan", "hitl_4_code", "hitl_5_validation", "hitl_6_release"];

const PRAISE: [&str; 8] = [
    "LGTM",
    "Looks good, thanks!",
    "Nice work",
    "Great, much clearer than before",
    "ok, thank you",
    "Well done, ship it",
    "Perfect",
    "All good from my side",
];

/// The demands by agent; the last two of each ask for less of something.
const THEMES: [[&str; 7]; 6] = [
    [
        "measurable acceptance criteria",
        "a named owner",
        "the error cases of the user story",
        "a non-functional requirement on response time",
        "the personas it is written for",
        "database schemas",
        "marketing language",
    ],
    [
        "a failure mode analysis",
        "a sequence diagram",
        "the reasons against the alternatives",
        "a capacity estimate",
        "threat modelling",
        "speculative abstraction layers",
        "vendor names",
    ],
    [
        "a rollback step",
        "an effort estimate",
        "the dependencies between tasks",
        "a definition of done",
        "time for code review",
        "tasks nobody asked for",
        "implementation details",
    ],
    [
        "error handling",
        "input validation",
        "a timeout on the network call",
        "structured logging",
        "a docstring on public functions",
        "commented-out code",
        "copied helper functions",
    ],
    [
        "tests of the failure path",
        "an assertion on the returned body",
        "a test with concurrent requests",
        "boundary values",
        "a fixture instead of shared state",
        "sleeps and fixed waits",
        "mocks of our own classes",
    ],
    [
        "the breaking changes",
        "migration instructions",
        "a pinned dependency version",
        "the checksum of the artefact",
        "a link to the monitoring dashboard",
        "internal ticket numbers",
        "unrelated commits",
    ],
];

const MORE: [&str; 12] = [
    "Missing {x} in {p}",
    "please add {x} to {p}",
    "{p} lacks {x}",
    "There is no {x} in {p}, we agreed to have that",
    "We need {x} in {p} before this can go on",
    "{x} is missing for {p}",
    "I don't see {x} anywhere in {p}; please add it",
    "Where is {x} for {p}? It should be there from the start",
    "{p} should have {x}",
    "nit: {p} comes without {x}, that will bite us later",
    "Once more: {p} must come with {x}, otherwise nobody can rely on it",
    "Add {x}; {p} has nothing of the kind and support had two incidents because of that last month",
];

const LESS: [&str; 12] = [
    "Please remove {x} from {p}",
    "{p} should not contain {x}",
    "Too many {x} in {p}",
    "Drop {x} from {p}",
    "No {x} in {p}, please",
    "{p}: get rid of {x}",
    "We do not want {x} in {p}",
    "please stop putting {x} into {p}",
    "{x} do not belong in {p}",
    "nit: {p} is full of {x}, take them out",
    "Again {x} in {p}; avoid that, it makes the review twice as long",
    "Delete {x} here, {p} was fine without and it only distracts the people who have to read it",
];

const PLACES: [&str; 24] = [
    "the API handler",
    "the checkout flow",
    "the billing module",
    "the import job",
    "this section",
    "the search page",
    "the login form",
    "the export service",
    "the notification worker",
    "the second part",
    "the admin console",
    "the payment adapter",
    "the report generator",
    "the mobile client",
    "the user profile",
    "the order history",
    "the scheduler",
    "the audit trail",
    "the gateway",
    "the onboarding chapter",
    "the cache layer",
    "the pricing rules",
    "the webhook receiver",
    "the archive",
];

const TAILS: [&str; 6] = ["", ".", " (see line 42)", " - as before", ", thanks", " cc @lead"];
const TAGS: [&str; 6] = ["quality", "completeness", "scope", "style", "security", "tests"];

/// An endless, reproducible series.
pub struct Decisions {
    random: Random,
    count: usize,
    second: i64,
    silent: bool,
}

impl Decisions {
    /// `BENCH_APPROVALS` makes all of them approvals without a comment: the cost of a decision with no text to read.
    pub fn new() -> Decisions {
        let silent = std::env::var_os("BENCH_APPROVALS").is_some();
        Decisions { random: Random(0x9e37_79b9_7f4a_7c15), count: 0, second: START, silent }
    }

    /// Returns the next decision, field by field.
    pub fn next(&mut self) -> Vec<(&'static str, String)> {
        let random = &mut self.random;
        self.count += 1;
        self.second += 1 + random.below(9) as i64;
        let agent = random.below(6) as usize;
        let approved = self.silent || random.below(100) < 45;
        let (verdict, comment) = if approved {
            (
                "APPROVED",
                if !self.silent && random.below(3) == 0 { random.pick(&PRAISE).to_owned() } else { String::new() },
            )
        } else {
            (random.pick(&["REJECTED", "REJECTED", "APPROVED_WITH_CHANGES"]), remark(random, agent))
        };
        let sha =
            |random: &mut Random| format!("{:016x}{:016x}{:08x}", random.next(), random.next(), random.next() >> 32);
        let changed = verdict == "APPROVED_WITH_CHANGES";
        vec![
            ("decision_id", format!("dec-{:08}-{:08x}", self.count, random.next() >> 32)),
            ("gate_id", GATES[agent].to_owned()),
            ("epic_id", format!("EP-{}", random.below(400))),
            ("task_id", format!("T-{}", random.below(9000))),
            ("session_id", format!("sess-{:016x}", random.next())),
            ("decision", verdict.to_owned()),
            ("reviewer_id", format!("reviewer-{:02}", random.below(20))),
            ("timestamp", Timestamp::from_second(self.second).expect("a time").to_string()),
            ("review_duration_seconds", (20 + random.below(900)).to_string()),
            ("agent_output_sha", sha(random)),
            ("approved_output_sha", if changed { sha(random) } else { String::new() }),
            ("reviewer_comment", comment),
            ("tags", format!("[\"{}\",\"{}\"]", random.pick(&TAGS[..3]), random.pick(&TAGS[3..]))),
            ("agent", AGENTS[agent].to_owned()),
            ("severity", if approved { "" } else { random.pick(&["low", "medium", "high"]) }.to_owned()),
            ("consider_for_improvement", (!approved).to_string()),
            ("correction_diff_path", String::new()),
            ("ui_version", "3.14.1".to_owned()),
        ]
    }
}

fn remark(random: &mut Random, agent: usize) -> String {
    let theme = random.below(7) as usize;
    let wording = random.pick(if theme < 5 { &MORE } else { &LESS });
    let text = wording.replace("{x}", THEMES[agent][theme]).replace("{p}", random.pick(&PLACES));
    let mut chars = text.chars();
    let first = chars.next().map_or_else(String::new, |c| c.to_uppercase().to_string());
    format!("{first}{}{}", chars.as_str(), random.pick(&TAILS))
}

/// xorshift64*
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    fn below(&mut self, limit: u64) -> u64 {
        (self.next() >> 16) % limit
    }

    fn pick<'a>(&mut self, of: &[&'a str]) -> &'a str {
        of[self.below(of.len() as u64) as usize]
    }
}
