//! The store's own catalogue is applied while the pipeline runs: between two batches, completely or not at all.

use crate::harness::run::{Run, decision};
use feedbackd::domain::records::layout;
use feedbackd::wiring;

const FILE: &str = "catalogue/ours.yaml";

/// A demand in words of no shipped concern.
const OURS: &str = r#"concerns:
  - id: ours.zorble
    title: Zorble stamps
    description: A flanged gizmo has no zorble stamp.
    gates: [code]
    direction: more
    terms: {en: ["zorble^5", "flanged & gizmo*^3"]}
    phrasings: [the zorble stamp on this flanged gizmo is missing, no zorble stamp here, every flanged gizmo gets a zorble stamp, where is the zorble stamp]
    rule: Put the zorble stamp on every flanged gizmo.
    why: Unstamped gizmos come back.
"#;

const REMARK: &str = "The zorble stamp on this flanged gizmo is missing";

impl Run {
    /// Returns the concern of a new comment on the overlay's subject.
    fn read_as(&mut self, id: &str) -> Option<String> {
        self.send(&[decision(id, "ann", "REJECTED", Some(REMARK))]);
        self.decision(id).feedback.concern.map(|found| found.concern)
    }
}

#[test]
fn a_pushed_catalogue_counts_for_the_next_batch_and_nothing_is_lost_or_doubled() {
    let mut run = Run::new();
    let first = [run.entry(&decision("d1", "ann", "REJECTED", Some(REMARK)))];
    run.process(&first);
    let before = run.decision("d1");
    assert_ne!(before.feedback.concern.as_ref().map(|found| found.concern.as_str()), Some("ours.zorble"));

    run.commit_file(FILE, |_| OURS.to_owned());
    assert_eq!(run.read_as("d2").as_deref(), Some("ours.zorble"));
    assert_eq!(run.process(&first).counts.duplicates, 1, "what was recorded before is known");
    assert_eq!(run.paths(layout::DECISIONS).len(), 2);
    assert_eq!(run.decision("d1").feedback, before.feedback, "what was read stays as it is recorded");

    let pipeline = run.pipeline.as_ref().unwrap();
    assert!(pipeline.understanding().catalogue().find("ours.zorble").is_some());
    assert_eq!(pipeline.in_use().get().id(), pipeline.understanding().id(), "whoever answers beside it sees the same");
    assert_eq!(pipeline.index().counts().unwrap().by_class.iter().sum::<u64>(), 2);
    assert_eq!(pipeline.evaluator().remarks.groups.members().count(), 2);
    // The index on disk is up to date with the new catalogue.
    assert_eq!(wiring::reading(&run.config).unwrap().notice(), None);
}

#[test]
fn a_broken_catalogue_changes_nothing_is_told_and_counts_when_it_is_mended() {
    let mut run = Run::new();
    run.commit_file(FILE, |_| OURS.to_owned());
    assert_eq!(run.tick().catalogue_errors, [""; 0]);
    let id = |run: &Run| run.pipeline.as_ref().unwrap().understanding().id().to_owned();
    let ours = id(&run);

    // Neither an unreadable file nor a useless concern removes anything or blocks a batch.
    for (broken, why) in [(OURS.replace("concerns:", "concern"), ""), (OURS.replace("ours.", ""), "needs an id like")] {
        run.commit_file(FILE, |_| broken);
        // A valid file next to it has to wait too: the catalogue is applied as a whole.
        run.commit_file("catalogue/more.yaml", |_| "more_phrasings: {err.swallowed: [eaten again]}\n".to_owned());
        for look in [run.tick(), run.tick()] {
            let [error] = look.catalogue_errors.as_slice() else { panic!("{:?}", look.catalogue_errors) };
            assert!(error.starts_with("catalogue/ours.yaml: ") && error.contains(why), "{error}");
        }
        assert_eq!(id(&run), ours);
        run.commit_file("catalogue/more.yaml", |_| String::new());
    }
    assert_eq!(run.read_as("d1").as_deref(), Some("ours.zorble"));

    run.commit_file(FILE, |_| OURS.replace("ours.zorble", "ours.stamps"));
    assert_eq!(run.read_as("d2").as_deref(), Some("ours.stamps"));
    assert_eq!(run.tick().catalogue_errors, [""; 0]);
}
