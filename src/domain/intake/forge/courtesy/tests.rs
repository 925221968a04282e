//! What asks for nothing, and what only looks so.

use super::*;
use crate::domain::intake::forge::said::Remark;

fn wrong(texts: &[&str], expected: Option<Courtesy>) -> Vec<String> {
    let wrong = texts.iter().filter(|text| read(text) != expected);
    wrong.map(|text| format!("{text:?}: {:?}", read(text))).collect()
}

#[test]
fn praise_and_thanks_ask_for_nothing() {
    let texts = [
        "LGTM", "lgtm!", "LGTM 👍", "LGTM2", "**LGTM**", "SGTM", "Thanks!", "Thank you so much @ann!", "thx", "@ann thanks",
        "looks good to me", "Looks good to me, thanks!", "This looks great!", "Everything looks good to me now.", "+1", "+2",
        "👍", "👍🏽", ":+1:", ":tada: :rocket:", "🎉🎉🎉", ":shipit:", "Ship it!", "Nice work", "Nice catch!", "Great job on this one",
        "Well done.", "Awesome, merging.", "Perfect", "Love it ❤️", "ACK", "utACK 4f2a91c", "tACK 4f2a91c3", "Code-Review+2", "r=me",
        "No further comments.", "No concerns from me", "Approved", "Thanks for the fix!", "Thanks for adding the tests",
        "Landed in 0123abc.", "Makes sense, thanks", "![LGTM](https://lgtm.example/p/1.gif)", "<!-- sent by mail -->\nLGTM",
        "> Add a test for the empty list\n\nThanks!", "Reviewed-by: Ann <ann@example.org>", "Tested-by: ben", "## LGTM",
        "Danke!", "Vielen Dank, sieht gut aus", "Passt so.", "Merci beaucoup !", "Très bien, merci", "¡gracias!", "Muchas gracias",
        "Perfecto, gracias", "Obrigado!", "Muito bom", "Grazie mille", "Bedankt", "Dzięki", "Спасибо!", "Отлично, спасибо", "Дякую",
        "Tack så mycket!", "teşekkürler", "谢谢", "感谢！", "不错，谢谢", "ありがとうございます！", "修正ありがとうございます。", "いいと思います",
        "감사합니다", "좋습니다!", "LGTM，谢谢",
    ];
    assert_eq!(wrong(&texts, Some(Courtesy::Praise)), Vec::<String>::new());
}

#[test]
fn orders_to_programs_ask_people_for_nothing() {
    let texts = [
        "/retest", "/lgtm", "/approve", "/test all", "/test pull-kubernetes-e2e-gce", "/hold", "/hold cancel", "/ok-to-test",
        "/assign @ann", "/cc @ann @ben", "/kind bug", "/milestone v1.2", "/lgtm\n/approve", "/lgtm\n\nThanks!", "/label ~bug ~\"P 1\"",
        "/azp run", "/gemini review", "/rebase", "/merge", "/cherry-pick release-1.2", "/approve no-issue", "/close",
        "/remove-lifecycle stale", "/estimate 1d", "/assign_reviewer @ann", "@bors r+", "@bors: r+ rollup", "bors r+", "bors try",
        "@bors r=ann p=1", "@bors retry", "@rustbot label +S-waiting-on-author", "@rust-timer queue", "@dependabot rebase",
        "@dependabot merge", "@dependabot squash and merge", "@dependabot ignore this major version", "@dependabot[bot] recreate",
        "@Mergifyio refresh", "@mergify backport stable/1.2", "@mergify[bot] queue", "@renovatebot rebase", "@renovate retry",
        "@k8s-bot test this", "@k8s-ci-robot retest", "@coderabbitai review", "@coderabbitai full review", "@coderabbitai resolve",
        "@pytorchbot merge -f 'flaky'", "@meeseeksdev backport to 1.x", "@swift-ci please test", "@swift-ci please smoke test",
        "Jenkins, test this please", "retest this please", "test this please", "ok to test", "add to whitelist", "recheck",
        "recheck no bug", "reverify", "check experimental", "pre-commit.ci autofix", "pre-commit.ci run", "jenkins retest this",
        "@googlebot rescan", "cc @ann", "CC: @org/team, @ben", "PTAL @ann", "@ann PTAL", "ptal", "r? @ann", "@ann", "ping @ann",
    ];
    assert_eq!(wrong(&texts, Some(Courtesy::Order)), Vec::<String>::new());
}

#[test]
fn what_may_ask_for_something_stays_a_remark() {
    let texts = [
        "", "Add a test", "LGTM, but add a test", "LGTM % nits", "LGTM with nits", "lgtm modulo the naming", "Looks good except for the name",
        "Not LGTM", "looks good?", "-1", "👎", "🤔", ":-1:", "👀", "Thanks, but this leaks", "Thanks for fixing this in a follow-up",
        "Thanks for adding a test before we merge", "Thanks in advance", "Nice, could you also cover the empty list", "good point, rename it",
        "Great idea to use a queue here", "nice to have a test", "would be good to log it", "needs work", "see above", "Same here",
        "/etc/passwd must not be read", "/tmp is world-writable", "/api/users needs a limit", "/test is not a valid path",
        "/hold until the docs are there", "/hold\nThe timeout is missing", "/retest\n\nPlease add a test for the retry", "@ann add a test",
        "@claude please handle the error", "@copilot fix the tests", "@devin-ai-integration use the retry helper", "@ann why?",
        "test this with an empty list please", "test the empty list", "run this in a transaction", "build the index once",
        "cc should be bounded", "Merge these two functions", "Approve only once the limit is there", "close the file", "no comments in this file",
        "no tests", "```suggestion\nlgtm\n```", "`lgtm`", "Danke, aber bitte mit Test", "Merci, mais il manque les tests",
        "gracias, pero faltan pruebas", "谢谢，请加测试", "テストを追加してください", "ありがとうございます、テストを追加してください",
        "ok, then remove it", "fine without docs", "good but slow", "Thanks!\n\nOne more thing: the log level is wrong.", "+1 to a test here",
        "I like this but not the name", "drop it", "review the naming", "update the docs", "@dependabot should not touch this file",
    ];
    assert_eq!(wrong(&texts, None), Vec::<String>::new());
    assert_eq!(read(&"LGTM ".repeat(400)), None);
}

#[test]
fn of_a_review_only_what_asks_for_something_is_left() {
    let remark = |text: &str| Remark { id: text.to_owned(), text: text.to_owned(), ..Remark::default() };
    let review = |decided, body: Option<&str>, remarks: &[&str]| Review {
        review: "r".to_owned(),
        by: super::super::Person::default(),
        decided,
        body: body.map(str::to_owned),
        remarks: remarks.iter().map(|text| remark(text)).collect(),
        at: None,
        work: super::super::Work::default(),
        url: None,
    };
    let left = |decided, body, remarks: &[&str], kind| {
        without_courtesy(review(decided, body, remarks), kind).map(|left| (left.body, left.remarks.len()))
    };
    let github = Kind::Github;
    assert_eq!(left(Decided::Comment, Some("LGTM"), &[], github), Err(Reason::Praise));
    assert_eq!(left(Decided::Comment, Some("/retest"), &[], github), Err(Reason::Command));
    assert_eq!(left(Decided::Comment, None, &["Nice!"], github), Err(Reason::Praise));
    assert_eq!(left(Decided::Comment, Some("LGTM"), &["Nice!", "Add a test"], github), Ok((None, 1)));
    assert_eq!(left(Decided::Approve, Some("LGTM"), &[], github), Ok((Some("LGTM".to_owned()), 0)));
    assert_eq!(left(Decided::Approve, Some("LGTM"), &[], Kind::Gerrit), Ok((None, 0)));
    assert_eq!(left(Decided::Reject, Some("/hold"), &[], github), Ok((None, 0)));
    // A revert says which files it is about by remarks without words.
    assert_eq!(left(Decided::Reject, Some("Broke the build"), &[""], github), Ok((Some("Broke the build".to_owned()), 1)));
    assert_eq!(left(Decided::Comment, None, &[], github), Ok((None, 0)));
}
