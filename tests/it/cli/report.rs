//! The report as people and programs see it, over stores with known figures.

use crate::app::reindex::{commit, made, text};
use crate::harness::words;
use feedbackd::adapters::index::{SqliteFiles, SqliteIndex};
use feedbackd::adapters::memory::MemoryStore;
use feedbackd::app::admin::reindex::rebuild;
use feedbackd::app::queries::reader::{CompareAccess, ReadAccess, ReindexAccess};
use feedbackd::app::reports::report::{Weekly, report, weekly};
use feedbackd::cli::{CliError, Exit, Opener, Output, invoke};
use feedbackd::domain::clusters::evaluation::Classification;
use feedbackd::domain::records::layout;
use feedbackd::domain::records::record::*;
use feedbackd::domain::reporting::report::{Limits, Report, Scope};
use feedbackd::domain::testing::sample::{self, decision, decision_path};
use feedbackd::text::verdict::Verdict;
use jiff::{Timestamp, ToSpan};
use std::path::Path;

type Files = Vec<(String, String)>;

/// A store, and an in-memory index.
struct World {
    store: MemoryStore,
    directory: tempfile::TempDir,
}

impl Opener for World {
    fn config(&self, _: Option<&Path>) -> Result<feedbackd::config::Config, CliError> {
        Ok(feedbackd::config::Config::default())
    }

    fn reading(&self, _: Option<&Path>) -> Result<ReadAccess, CliError> {
        let files = SqliteFiles { path: self.directory.path().join("index.db"), made: made() };
        Ok(ReadAccess::open(Box::new(self.store.clone()), &files)?)
    }

    fn comparing(&self, _: Option<&Path>) -> Result<CompareAccess, CliError> {
        unreachable!("a report compares no remarks")
    }

    fn reindexing(&self, _: Option<&Path>) -> Result<ReindexAccess, CliError> {
        unreachable!("a report makes no index")
    }
}

impl World {
    fn new(files: Files) -> World {
        let mut store = MemoryStore::new();
        commit(&mut store, &files);
        World { store, directory: tempfile::tempdir().unwrap() }
    }

    fn index(&self) -> SqliteIndex {
        let mut index = SqliteIndex::scratch(&made()).unwrap();
        let head = feedbackd::ports::StoreReader::head(&self.store).unwrap().unwrap();
        rebuild(&self.store, &mut index, &words::understanding(), &head).unwrap();
        index
    }

    fn report(&self, at: &str, agent: Option<&str>, since: Option<&str>) -> Report {
        let scope = Scope {
            agent: agent.map(Into::into),
            since: since.map(|s| s.parse().unwrap()),
            at: at.parse().unwrap(),
            week_from: None,
        };
        report(&self.index(), scope, Limits::default()).unwrap()
    }

    fn run(&self, line: &str) -> (Exit, String, String) {
        let (mut out, mut err) = (vec![], vec![]);
        let args = ["feedbackd"].into_iter().chain(line.split(' ')).map(Into::into);
        let exit = invoke(args, self, &mut Output::new(&mut out, &mut err, Some(100)));
        (exit, String::from_utf8(out).unwrap(), String::from_utf8(err).unwrap())
    }

    fn says(&self, line: &str) -> String {
        let (exit, out, err) = self.run(line);
        assert_eq!(exit, Exit::Ok, "{line}: {err}");
        out
    }
}

fn at(text: &str) -> Timestamp {
    text.parse().unwrap()
}

fn file(r: DecisionRecord) -> (String, String) {
    (decision_path(&r), text(&Stored::from(r)))
}

/// Returns a decision at a given time: a correction, or an approval without a comment.
fn decided(n: u32, when: Timestamp, agent: &str, correction: bool) -> DecisionRecord {
    let mut r = decision(n);
    r.timestamp = when;
    r.feedback.agent = agent.into();
    if !correction {
        r.decision = Verdict::Approved;
        r.reviewer_comment = None;
        r.feedback.stance.demand = false;
        r.evaluation.classification = Classification::Positive;
    }
    r
}

/// Returns a quarter's decisions, some of them corrections, three hours apart.
fn quarter(from: u32, when: &str, agent: &str, decisions: u32, corrections: u32) -> Files {
    let one = |n: u32| {
        let hours = i64::from(n) * 3;
        let mut r = decided(from + n, at(when) + hours.hours(), agent, n < corrections);
        if n < corrections && !n.is_multiple_of(4) {
            r.evaluation.classification = Classification::GeneralizableHigh;
            r.evaluation.cluster = Some("CLUSTER-a".into());
        }
        file(r)
    };
    (0..decisions).map(one).collect()
}

fn rule(n: u32, status: ProposalStatus, created: &str, edit: impl FnOnce(&mut ProposalRecord)) -> (String, String) {
    let mut r = sample::proposal(n);
    r.status = status;
    r.created_at = at(created);
    edit(&mut r);
    (layout::rule(&r.proposal_id, status), text(&Stored::from(r)))
}

/// Creates two agents over two quarters, proposals with every outcome, reviews, one-offs, a tiebreak and an alert.
fn year() -> World {
    let mut files = quarter(0, "2026-01-02T08:00:00Z", "prd-agent", 40, 20);
    files.extend(quarter(100, "2026-04-02T08:00:00Z", "prd-agent", 40, 12));
    files.extend(quarter(200, "2026-01-02T08:00:00Z", "coding-agent", 10, 2));
    files.extend(quarter(300, "2026-04-02T08:00:00Z", "coding-agent", 20, 6));
    files.extend(quarter(400, "2026-04-03T08:00:00Z", "test-agent", 3, 1));
    // Ben takes two seconds, and once an hour.
    for n in 500..508 {
        let mut r = decided(n, at("2026-05-04T09:00:00Z") + i64::from(n).minutes(), "coding-agent", false);
        r.reviewer_id = "ben".into();
        r.review_duration_seconds = Some(if n == 507 { 3_600 } else { 2 });
        files.push(file(r));
    }
    for n in 1..=6 {
        files.push(rule(n, ProposalStatus::Active, "2026-04-10T10:00:00Z", |r| {
            r.pattern_since = Some(at("2026-04-10T09:00:00Z"));
            r.decided_at = Some(at("2026-04-11T09:00:00Z") + i64::from(n).hours());
            r.activated_at = r.decided_at;
        }));
    }
    files.push(rule(7, ProposalStatus::Rejected, "2026-04-12T10:00:00Z", |r| {
        r.decided_at = Some(at("2026-04-13T10:00:00Z"));
    }));
    files.push(rule(8, ProposalStatus::Expired, "2026-02-12T10:00:00Z", |r| {
        r.decided_at = Some(at("2026-03-13T10:00:00Z"));
    }));
    files.push(rule(9, ProposalStatus::Pending, "2026-05-01T10:00:00Z", |_| {}));
    let mut refused = sample::review(9);
    refused.outcome = ReviewOutcome::Refused;
    refused.refusal = Some(Refusal { code: RefusalCode::NotAnApprover, message: "ben may not approve.".into() });
    refused.recorded_at = at("2026-05-02T10:00:00Z");
    files.push((layout::review(refused.timestamp, &refused.review_id), text(&Stored::from(refused))));
    let mut tiebreak = sample::ambiguous(1);
    tiebreak.opened_at = at("2026-05-20T10:00:00Z");
    files.push((layout::ambiguous("dec-1"), text(&Stored::from(tiebreak))));
    files.push((layout::edge_case(2026, 1), text(&Stored::from(sample::edge_case(1)))));
    let mut alert = sample::alert(1);
    alert.raised_at = at("2026-05-05T10:00:00Z");
    files.push((layout::alert(alert.kind, alert.raised_at, &alert.alert_id), text(&Stored::from(alert))));
    World::new(files)
}

const AT: &str = "2026-05-21T12:00:00Z";

#[test]
fn every_figure_shows_its_counts_its_target_and_whether_it_is_met() {
    insta::assert_snapshot!(year().says(&format!("report --at {AT}")), @r"
    Report of 2026-05-21 12:00 UTC

    Feedback
      About all agents, from the beginning to 2026-05-21 12:00 UTC.
      121 decisions.
      class               records
      GENERALIZABLE_HIGH  29
      GENERALIZABLE_LOW   0
      EDGE_CASE           12
      AMBIGUOUS           0
      POSITIVE            80

    Correction rate
      Corrections per decision. Target: 20 % fewer than in the previous quarter.
      agent         quarter   corrections  rate     95 % interval  change  target
      coding-agent  2026-Q1   2 of 10      20 %     6 to 51 %      -       -
      coding-agent  2026-Q2*  6 of 28      21 %     10 to 40 %     +7 %    missed
      prd-agent     2026-Q1   20 of 40     50 %     35 to 65 %     -       -
      prd-agent     2026-Q2*  12 of 40     30 %     18 to 45 %     -40 %   met
      test-agent    2026-Q2*  1 of 3       too few  -              -       too few
      all agents    2026-Q1   22 of 50     44 %     31 to 58 %     -       -
      all agents    2026-Q2*  19 of 71     27 %     18 to 38 %     -39 %   met
      * This quarter is counted only in part.

    Proposal acceptance
      Approval rate: 86 % (6 of 7, 95 % interval 49 to 97 %). Target: more than 70 %: met. 1 proposal
      expired undecided and is not counted.
      quarter  approved  rate  95 % interval
      2026-Q2  6 of 7    86 %  49 to 97 %

    From pattern to active rule
      6 rules: median 27 h, 90 % within 30 h. Target: a median under 48 h: met.

    One-offs
      Share of all corrections: 29 % (12 of 41, 95 % interval 18 to 44 %). Target: less than 30 %: met.
      1 one-off still open, 0 became part of a pattern.
      quarter  one-offs  rate  95 % interval
      2026-Q1  6 of 22   27 %  13 to 48 %
      2026-Q2  6 of 19   32 %  15 to 54 %

    Reviews at the gates
      121 reviews with a known time: median 90 s, 95 % within 90 s; 1 above that.
      Rubber stamps (approved in under 5 s without a comment): 9 % (7 of 80, 95 % interval 4 to 17 %) of
      the approvals.
      Long reviews (over 30 min): 1 % (1 of 121, 95 % interval 0 to 5 %).
      reviewer  rubber stamps  long reviews
      ben       7 of 8         1 of 8

    Capability gaps
      No agent is corrected for many different things.
      1 alert raised:
      raised      agent      alert
      2026-05-05  prd-agent  30 of 40 decisions in 30 days were corrections, about 12 different things.

    Pending proposals
      1 waits.
      proposal        waits    agent      about
      RULE-2026-0009  20 days  prd-agent  State acceptance criteria for every story

    Pending contradictions
      1 waits.
      feedback  waits  agent      about
      dec-1     26 h   prd-agent  Should stories have acceptance criteria?

    Reviews of proposals and rules
      0 reviews accepted, 1 refused.
      refused because  how often
      not_an_approver  1
    ");
}

#[test]
fn markdown_says_the_same() {
    insta::assert_snapshot!(year().says(&format!("report --at {AT} --agent prd-agent --format markdown")), @r"
    # Report of 2026-05-21 12:00 UTC

    ## Feedback

    About the prd-agent, from the beginning to 2026-05-21 12:00 UTC.

    80 decisions.

    | class | records |
    | --- | --- |
    | GENERALIZABLE_HIGH | 24 |
    | GENERALIZABLE_LOW | 0 |
    | EDGE_CASE | 8 |
    | AMBIGUOUS | 0 |
    | POSITIVE | 48 |

    ## Correction rate

    Corrections per decision. Target: 20 % fewer than in the previous quarter.

    | agent | quarter | corrections | rate | 95 % interval | change | target |
    | --- | --- | --- | --- | --- | --- | --- |
    | prd-agent | 2026-Q1 | 20 of 40 | 50 % | 35 to 65 % | - | - |
    | prd-agent | 2026-Q2\* | 12 of 40 | 30 % | 18 to 45 % | -40 % | met |

    \* This quarter is counted only in part.

    ## Proposal acceptance

    Approval rate: 86 % (6 of 7, 95 % interval 49 to 97 %). Target: more than 70 %: met. 1 proposal expired undecided and is not counted.

    | quarter | approved | rate | 95 % interval |
    | --- | --- | --- | --- |
    | 2026-Q2 | 6 of 7 | 86 % | 49 to 97 % |

    ## From pattern to active rule

    6 rules: median 27 h, 90 % within 30 h. Target: a median under 48 h: met.

    ## One-offs

    Share of all corrections: 25 % (8 of 32, 95 % interval 13 to 42 %). Target: less than 30 %: met.

    1 one-off still open, 0 became part of a pattern.

    | quarter | one-offs | rate | 95 % interval |
    | --- | --- | --- | --- |
    | 2026-Q1 | 5 of 20 | 25 % | 11 to 47 % |
    | 2026-Q2 | 3 of 12 | 25 % | 9 to 53 % |

    ## Reviews at the gates

    80 reviews with a known time: median 90 s, 95 % within 90 s; 0 above that.

    Rubber stamps (approved in under 5 s without a comment): 0 % (0 of 48, 95 % interval 0 to 7 %) of the approvals.

    Long reviews (over 30 min): 0 % (0 of 80, 95 % interval 0 to 5 %).

    ## Capability gaps

    No agent is corrected for many different things.

    1 alert raised:

    | raised | agent | alert |
    | --- | --- | --- |
    | 2026-05-05 | prd-agent | 30 of 40 decisions in 30 days were corrections, about 12 different things. |

    ## Pending proposals

    1 waits.

    | proposal | waits | agent | about |
    | --- | --- | --- | --- |
    | RULE-2026-0009 | 20 days | prd-agent | State acceptance criteria for every story |

    ## Pending contradictions

    1 waits.

    | feedback | waits | agent | about |
    | --- | --- | --- | --- |
    | dec-1 | 26 h | prd-agent | Should stories have acceptance criteria? |

    ## Reviews of proposals and rules

    0 reviews accepted, 1 refused.

    | refused because | how often |
    | --- | --- |
    | not_an_approver | 1 |
    ");
}

#[test]
fn the_same_store_and_moment_give_the_same_bytes() {
    let world = year();
    for format in ["text", "markdown", "json"] {
        let line = format!("report --at {AT} --format {format}");
        assert_eq!(world.says(&line), world.says(&line));
        assert!(!world.says(&line).is_empty());
    }
    let json = world.says(&format!("report --at {AT} --json"));
    assert_eq!(json, world.says(&format!("report --at {AT} --format json")));
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json["correction_rate_by_agent"][1]["quarters"][1]["change"], -0.4);
    assert_eq!(json["acceptance"]["share"]["part"], 6);
}

#[test]
fn a_rate_is_compared_with_the_quarter_before() {
    let r = year().report("2026-07-01T00:00:00Z", None, None);
    let rates = |agent: &str| {
        let of = r.correction_rate_by_agent.iter().find(|a| a.agent == agent).unwrap();
        of.quarters.iter().map(|q| (q.share.rate, q.change, q.met)).collect::<Vec<_>>()
    };
    assert_eq!(rates("prd-agent"), [(Some(0.5), None, None), (Some(0.3), Some(-0.4), Some(true))]);
    let coding = [(Some(0.2), None, None), (Some(0.2143), Some(0.0715), Some(false))];
    assert_eq!(rates("coding-agent"), coding);
    assert_eq!(rates("test-agent"), [(None, None, None)], "three decisions are too few");
    assert!(r.correction_rate.iter().all(|q| !q.in_part), "both quarters are over");
}

#[test]
fn expired_proposals_are_apart_and_what_was_decided_later_waits() {
    let world = year();
    let r = world.report(AT, None, None);
    assert_eq!((r.acceptance.share.part, r.acceptance.share.of, r.acceptance.expired), (6, 7, 1));
    assert_eq!(r.acceptance.met, Some(true));
    let early = world.report("2026-04-11T12:30:00Z", None, None);
    assert_eq!((early.acceptance.share.part, early.acceptance.share.of), (3, 3));
    assert_eq!(early.acceptance.met, None, "three are too few");
    assert_eq!(early.waiting.count, 3, "three of the six were decided later: {:?}", early.waiting);
    let late = world.report(AT, None, Some("2026-05-01T00:00:00Z"));
    assert_eq!((late.acceptance.share.of, late.acceptance.expired, late.time_to_rule.rules), (0, 0, 0));
}

#[test]
fn the_way_from_pattern_to_rule_is_timed() {
    let slow = |hours: i64| {
        let files = (1..=5).map(|n| {
            rule(n, ProposalStatus::Active, "2026-04-10T10:00:00Z", |r| {
                r.pattern_since = Some(at("2026-04-10T09:00:00Z"));
                r.activated_at = r.pattern_since.map(|p| p + hours.hours());
                r.decided_at = r.activated_at;
            })
        });
        World::new(files.collect()).report("2026-06-01T00:00:00Z", None, None).time_to_rule
    };
    assert_eq!((slow(47).met, slow(47).median_hours), (Some(true), Some(47.0)));
    assert_eq!((slow(48).met, slow(48).p90_hours), (Some(false), Some(48.0)), "the target is less than 48 h");
}

#[test]
fn rubber_stamps_and_long_reviews_are_counted_by_reviewer() {
    let t = year().report(AT, None, None).review_time;
    assert_eq!((t.rubber_stamps.part, t.long_reviews.part), (7, 1));
    let ben = t.by_reviewer.iter().find(|h| h.reviewer == "ben").unwrap();
    assert_eq!((ben.rubber_stamps.part, ben.rubber_stamps.of, ben.long_reviews.of), (7, 8, 8));
    assert!(t.by_reviewer.iter().all(|h| h.reviewer != "ana"), "ninety seconds are neither");
    let mut spoken = decided(1, at("2026-05-04T09:00:00Z"), "prd-agent", false);
    spoken.reviewer_comment = Some("Good.".into());
    spoken.review_duration_seconds = Some(1);
    let mut slow = decided(2, at("2026-05-04T09:00:00Z"), "prd-agent", false);
    slow.review_duration_seconds = Some(5);
    let mut unknown = decided(3, at("2026-05-04T09:00:00Z"), "prd-agent", false);
    unknown.review_duration_seconds = None;
    let t = World::new([spoken, slow, unknown].map(file).into()).report(AT, None, None).review_time;
    assert_eq!((t.rubber_stamps.part, t.rubber_stamps.of, t.measured), (0, 2, 2));
}

#[test]
fn an_agent_corrected_for_many_things_has_a_gap() {
    let gap = |decisions: u32, corrections: u32, clusters: u32, when: &str| {
        let one = |n: u32| {
            let mut r = decided(n, at(when) + i64::from(n).minutes(), "prd-agent", n < corrections);
            r.evaluation.cluster = (n < corrections).then(|| format!("CLUSTER-{}", n % clusters));
            file(r)
        };
        let report = World::new((0..decisions).map(one).collect()).report("2026-05-31T00:00:00Z", None, None);
        report.gaps.agents.into_iter().map(|g| (g.share.part, g.share.of, g.themes)).collect::<Vec<_>>()
    };
    assert_eq!(gap(20, 12, 6, "2026-05-10T00:00:00Z"), [(12, 20, 6)]);
    assert_eq!(gap(20, 12, 3, "2026-05-10T00:00:00Z"), [], "three things are not many");
    assert_eq!(gap(20, 10, 6, "2026-05-10T00:00:00Z"), [], "half is not more than half");
    assert_eq!(gap(19, 19, 9, "2026-05-10T00:00:00Z"), [], "19 decisions are too few");
    assert_eq!(gap(20, 12, 6, "2026-04-10T00:00:00Z"), [], "that is long ago");
}

#[test]
fn the_week_that_ended_is_reported_once_and_the_same() {
    let world = year();
    let index = world.index();
    let of = |now: &str| weekly(&index, at(now), Limits::default()).unwrap();
    let weekly_report = of("2026-04-13T00:00:00Z");
    assert_eq!(of("2026-04-19T23:00:00Z"), weekly_report, "whenever in the next week it is made");
    let Weekly { path, text, .. } = weekly_report.unwrap();
    assert_eq!(path, "feedback/reports/2026/2026-W15.md");
    insta::assert_snapshot!(text.split("## Correction rate").next().unwrap(), @r#"
    # Week of 2026-04-06: what was learned

    ## Feedback

    About all agents, from 2025-07-01 00:00 UTC to 2026-04-12 23:59 UTC.

    113 decisions.

    | class | records |
    | --- | --- |
    | GENERALIZABLE_HIGH | 29 |
    | GENERALIZABLE_LOW | 0 |
    | EDGE_CASE | 12 |
    | AMBIGUOUS | 0 |
    | POSITIVE | 72 |

    ## This week

    | what | how many |
    | --- | --- |
    | decisions | 10 |
    | of these, corrections | 0 |
    | proposals made | 7 |
    | proposals approved | 6 |
    | proposals rejected | 0 |
    | proposals expired | 0 |
    | rules activated | 6 |
    | rules ended | 0 |
    "#);
    assert_eq!(of("2026-01-01T00:00:00Z"), None, "nothing had happened");
    let empty = SqliteIndex::scratch(&made()).unwrap();
    assert_eq!(weekly(&empty, at(AT), Limits::default()).unwrap(), None);
}

#[test]
fn an_empty_store_is_reported_without_a_figure() {
    let r = World::new(vec![("feedback/README.md".into(), "x".into())]).report(AT, None, None);
    assert_eq!((r.acceptance.met, r.time_to_rule.met, r.edge_cases.met), (None, None, None));
    assert!(r.correction_rate.is_empty() && r.gaps.agents.is_empty());
}

#[test]
fn plots_are_written_and_the_same_each_time() {
    let world = year();
    let to = world.directory.path().join("plots/of/may");
    let line = format!("report --at {AT} --svg {}", to.display());
    world.says(&line);
    let read = |name: &str| std::fs::read_to_string(to.join(name)).unwrap();
    let names = ["correction-rate.svg", "acceptance.svg", "edge-cases.svg"];
    let first = names.map(read);
    for words in ["prd-agent", "coding-agent", "2026-Q1", "quarter (UTC)", "decisions corrected (%)"] {
        assert!(first[0].contains(words), "{words}");
    }
    assert!(first[1].contains("target: above 70 %") && first[2].contains("target: below 30 %"));
    world.says(&line);
    assert_eq!(names.map(read), first);
    let (exit, _, err) = world.run(&format!("report --at 2025-01-01 --svg {}", to.display()));
    assert_eq!(exit, Exit::Ok);
    assert!(err.contains("acceptance.svg was not written: too few cases"), "{err}");
}

#[test]
fn a_plot_shows_what_can_be_told_apart_and_says_what_it_leaves_out() {
    let mut files = vec![];
    for (a, agent) in (0..8u32).map(|a| (a, format!("agent-{a}"))) {
        for q in 0..10u32 {
            let when = format!("{}-{:02}-02T08:00:00Z", 2024 + q / 4, q % 4 * 3 + 1);
            files.extend(quarter(a * 10_000 + q * 100, &when, &agent, 20 + a, 4 + (a * 3 + q) % 11));
        }
    }
    let world = World::new(files);
    let to = world.directory.path().join("plots");
    world.says(&format!("report --at 2026-12-31 --svg {}", to.display()));
    let svg = std::fs::read_to_string(to.join("correction-rate.svg")).unwrap();
    assert!(svg.contains("2 more are not shown") && !svg.contains("agent-0"), "the least busy ones are left out");
    assert!(svg.contains("2024-Q3") && svg.contains("2026-Q2") && !svg.contains("2024-Q2"), "eight quarters");
}

#[test]
fn a_report_that_ends_before_it_begins_is_refused() {
    let (exit, _, err) = year().run("report --at 2026-01-01 --since 2026-02-01");
    assert_eq!(exit, Exit::Usage);
    assert!(err.contains("--since is after"), "{err}");
}
