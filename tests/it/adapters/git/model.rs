//! Whatever is written and removed, the tree and the differences match those of a map.

use super::*;
use proptest::prelude::*;

#[derive(Clone, Debug)]
enum Edit {
    Write(String, String),
    Remove(String),
}

/// Few names, so that paths collide; files and directories never share one.
fn edit() -> impl Strategy<Value = Edit> {
    let path =
        prop::collection::vec(prop::sample::select(vec!["a", "b", "a-b", "a.b", "a0"]), 0..3).prop_flat_map(|dirs| {
            let name = prop::sample::select(vec!["f.yaml", "g.yaml", "a.yaml"]);
            name.prop_map(move |name| {
                let mut path = vec!["feedback"];
                path.extend(dirs.iter().copied());
                path.push(name);
                path.join("/")
            })
        });
    prop_oneof![
        3 => (path.clone(), "[a-c]{0,2}").prop_map(|(p, c)| Edit::Write(p, c)),
        1 => path.prop_map(Edit::Remove),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    #[test]
    fn the_tree_is_what_was_written(batches in prop::collection::vec(prop::collection::vec(edit(), 0..12), 1..6), reopen in any::<bool>()) {
        let store = Store::new();
        let mut writer = store.writer();
        let mut model = store.in_tree();
        let mut head = writer.head().unwrap().unwrap();
        let mut log: Vec<(CommitId, Vec<String>, Vec<String>)> = vec![];
        for batch in batches {
            let mut change = ChangeSet { subject: "Edit".into(), ..ChangeSet::default() };
            let mut after = model.clone();
            for edit in &batch {
                if let Edit::Remove(path) = edit {
                    change.removes.push(path.clone());
                    after.remove(path);
                }
            }
            for edit in &batch {
                if let Edit::Write(path, content) = edit {
                    change.writes.push(FileWrite { path: path.clone(), content: content.clone().into_bytes() });
                    after.insert(path.clone(), content.clone());
                }
            }
            let expected: Vec<(String, Option<String>)> = model.keys().chain(after.keys())
                .collect::<std::collections::BTreeSet<_>>().into_iter()
                .filter(|path| model.get(*path) != after.get(*path))
                .map(|path| (path.clone(), after.get(path).cloned()))
                .collect();
            match writer.commit(Some(&head), &change).unwrap() {
                CommitOutcome::Unchanged(same) => {
                    prop_assert_eq!(&same, &head);
                    prop_assert_eq!(&after, &model);
                }
                CommitOutcome::Committed(new) => {
                    let touched = expected.iter().map(|(path, _)| path.clone()).collect();
                    log.push((new.clone(), touched, model.keys().cloned().collect()));
                    prop_assert_eq!(changes(&writer, Some(&head), &new), expected);
                    head = new;
                }
                CommitOutcome::Moved(_) => prop_assert!(false, "nobody else writes"),
            }
            model = after;
            prop_assert_eq!(store.in_tree(), model.clone());
            if reopen {
                drop(writer);
                writer = store.writer();
            }
        }
        for paths in [vec!["feedback/f.yaml"], vec!["feedback/a/f.yaml", "feedback/a/g.yaml", "feedback/a-b/a/f.yaml"]] {
            let paths: Vec<String> = paths.into_iter().map(str::to_owned).collect();
            let mut expected = vec![];
            for (id, touched, before) in log.iter().rev() {
                if touched.iter().any(|path| paths.contains(path)) {
                    expected.push(id.clone());
                    if !before.iter().any(|path| paths.contains(path)) {
                        break;
                    }
                }
            }
            let history = |limit| writer.history(&head, &paths, limit).unwrap().into_iter().map(|c| c.id).collect::<Vec<_>>();
            prop_assert_eq!(history(100), expected.clone());
            expected.truncate(1);
            prop_assert_eq!(history(1), expected);
        }
        store.fsck();
    }
}
