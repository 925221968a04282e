//! The page of a proposal: evidence that does not belong, what is beside the text, what the first approver did; and the
//! pages with what agents read.

use super::inbox::World;
use super::visitor::Page;
use feedbackd::domain::records::layout;
use feedbackd::domain::records::record::ProposalRecord;
use feedbackd::text::yaml;

impl World {
    fn proposal(&self, rule: &str) -> Page {
        self.eva.page(&self.api, &format!("/proposals/{rule}"))
    }

    fn record(&self, rule: &str) -> ProposalRecord {
        let files = self.api.site.files(layout::RULES);
        let (_, text) = files.iter().find(|(path, _)| path.contains(rule)).expect("a file");
        yaml::parse(text).expect("a rule")
    }
}

#[test]
fn a_wrong_comment_is_removed_before_the_rest_is_approved() {
    let world = World::new();
    let rule = world.listed("").remove(0);
    let evidence = world.record(&rule).created_from_feedback_ids;
    assert_eq!(evidence.len(), 3);
    let page = world.proposal(&rule);
    let unticked = world.eva.press(&world.api, &page, "split", &[]);
    assert!(unticked.status == 422 && unticked.body.contains("Untick"), "{}", unticked.body);
    let two: Vec<(&str, &str)> = evidence[..2].iter().map(|id| ("stays", id.as_str())).collect();
    let held = world.eva.press(&world.api, &page, "split", &two);
    assert_eq!(held.path, format!("/proposals/{rule}"), "the proposal is not lost");
    assert!(held.body.contains(&format!("You kept 2 of 3 comments as evidence of {rule}")), "{}", held.body);
    assert!(held.body.contains("You removed it from the evidence"), "{}", held.body);
    let back = world.eva.press(&world.api, &held, "undo", &[]);
    assert!(back.path == held.path && !back.body.contains("You removed it from the evidence"), "{}", back.body);

    let held = world.eva.press(&world.api, &back, "split_and_approve", &two);
    assert!(held.body.contains("and approved it"), "{}", held.body);
    assert!(!world.listed("").contains(&rule), "it is decided");
    world.settle();
    let after = world.record(&rule);
    assert_eq!(after.created_from_feedback_ids, evidence[..2]);
    assert_eq!((after.approvals.len(), after.version), (1, 1));
}

#[test]
fn what_is_beside_the_text_is_edited_and_the_second_approver_sees_it() {
    let world = World::new();
    let rule = world.listed("").remove(0);
    let before = world.record(&rule);
    let page = world.proposal(&rule);
    let why = ("why", "A failure <b>nobody</b> sees costs a night.");
    let fields = [("text", before.rule_content.as_str()), why, ("concern", "no.such_concern")];
    world.eva.press(&world.api, &page, "modify", &fields);
    let page = world.proposal(&rule);
    let fields = [("text", before.rule_content.as_str()), why, ("concern", "")];
    let next = world.eva.press(&world.api, &page, "modify", &fields);
    assert!(next.body.contains("the catalogue has no concern no.such_concern"), "{}", next.body);
    world.settle();
    let noted = world.record(&rule);
    assert_eq!((noted.version, noted.why.as_deref(), noted.concern.as_deref()), (1, Some(why.1), None));
    assert_eq!(noted.content_hash, before.content_hash, "it has no effect on a prompt");

    // Another wording is a new version, and the second approver sees the change beside the button.
    let text = "Handle the failure of every call, and log its cause.";
    let page = world.proposal(&rule);
    world.eva.press(&world.api, &page, "modify_and_approve", &[("text", text), why, ("concern", "")]);
    world.settle();
    let theirs = world.ben.page(&world.api, &format!("/proposals/{rule}"));
    let box_of = theirs.body.split("id=\"decide\"").nth(1).expect("the box");
    let first = box_of.split("<form").next().expect("what is above the button");
    assert!(first.contains("eva reworded it") && first.contains("<ins>") && first.contains("<del>"), "{first}");
    assert!(first.contains("eva changed the reason") && first.contains("eva approved this text"), "{first}");
    assert!(first.contains("&lt;b&gt;nobody"), "{first}");

    // What agents read, once the rule is in force.
    world.ben.press(&world.api, &theirs, "approve", &[]);
    let held = world.ben.page(&world.api, "/");
    assert!(held.body.contains("You approved"), "{}", held.body);
    let other = world.listed("").into_iter().find(|id| *id != rule).expect("another one");
    let page = world.ben.page(&world.api, &format!("/proposals/{other}"));
    let done = world.ben.press(&world.api, &page, "reject", &[("reason", "not for us")]);
    assert!(done.body.contains("it is approved"), "{}", done.body);
    let agent = &before.affected_agents[0];
    let listed = world.eva.page(&world.api, &format!("/rules/{rule}"));
    let address = format!("/agents/{agent}");
    assert!(listed.links("/agents/").contains(&address), "{}", listed.body);
    let reads = world.eva.page(&world.api, &address);
    assert!(reads.body.contains("log its cause") && reads.body.contains("Learned Rules"), "{}", reads.body);
    let expected = world.api.site.run(&["prompt", "--agent", agent]);
    let section = world.eva.page(&world.api, &reads.links(&format!("{address}/prompt")).remove(0));
    assert_eq!(section.body, expected.out, "{}", section.head);
    let head = section.head.to_lowercase();
    assert!(head.contains(&format!("filename=\"{agent}-prompt.md\"")) && head.contains("text/markdown"), "{head}");
    for (file, more) in [(format!("{address}/AGENTS.md"), Some(agent)), ("/AGENTS.md".to_owned(), None)] {
        let mut words = vec!["rules", "export", "--format", "agents-md", "--to", "-"];
        words.extend(more.iter().flat_map(|agent| ["--agent", agent.as_str()]));
        let expected = world.api.site.run(&words);
        assert_eq!(world.eva.page(&world.api, &file).body, expected.out, "{file}");
    }
    let all = world.eva.page(&world.api, "/agents");
    assert!(all.links("/agents/").len() == 2 && all.body.contains("1 rule in its prompt"), "{}", all.body);
    let none = world.eva.page(&world.api, "/agents/%3Cb%3E");
    assert!(none.status == 404 && none.body.contains(&address) && !none.body.contains("<b>"), "{}", none.body);
}
