//! Tests of the linear model.

use proptest::prelude::*;

use super::*;

fn example(words: &str, label: &str) -> Example {
    Example {
        features: words.split(' ').map(|word| (word.to_owned(), 1.0)).collect(),
        label: label.to_owned(),
        weight: 1.0,
        group: String::new(),
    }
}

/// Builds a small set with one informative and one uninformative word.
fn examples() -> Vec<Example> {
    (0..60)
        .map(|at| match at % 3 {
            0 => example("wrong the", "rejected"),
            1 => example("thanks the", "accepted"),
            _ => example("maybe the", "neutral"),
        })
        .collect()
}

fn features(words: &str) -> Vec<(String, f32)> {
    example(words, "").features
}

#[test]
fn learns_what_tells_and_names_it() {
    let model = train(&examples(), &Options::default());
    for (words, label) in [("thanks the", "accepted"), ("the wrong", "rejected"), ("maybe", "neutral")] {
        let prediction = model.predict(&features(words));
        assert_eq!(prediction.label, label);
        assert!(prediction.confidence() > 0.8, "{prediction:?}");
        assert_eq!(prediction.cues[0].0, words.split(' ').find(|word| *word != "the").unwrap());
        let sum: f64 = prediction.probabilities.iter().map(|(_, p)| p).sum();
        assert!((sum - 1.0).abs() < 1e-9);
    }
}

#[test]
fn the_same_examples_give_the_same_table() {
    assert_eq!(train(&examples(), &Options::default()).render(), train(&examples(), &Options::default()).render());
}

#[test]
fn a_table_read_again_is_the_same_model() {
    let model = train(&examples(), &Options::default());
    let text = model.render();
    let again = Model::parse(&text).unwrap();
    assert_eq!(again.render(), text);
    assert_eq!(again, model);
    assert_eq!(again.predict(&features("thanks")), model.predict(&features("thanks")));
}

#[test]
fn the_table_is_sorted_and_small() {
    let text = train(&examples(), &Options::default()).render();
    let names: Vec<&str> = text.lines().skip(3).map(|line| line.split('\t').next().unwrap()).collect();
    let mut sorted = names.clone();
    sorted.sort_unstable();
    assert_eq!(names, sorted);
    assert!(text.starts_with("#labels\taccepted\tneutral\trejected\n#temperature\t"), "{text}");
    for cell in text.lines().skip(3).flat_map(|line| line.split('\t').skip(1)) {
        assert!(cell.split('.').nth(1).is_none_or(|decimals| decimals.len() <= 3), "{cell}");
    }
}

#[test]
fn rare_and_weak_features_are_left_out() {
    let mut set = examples();
    set.push(example("thanks once", "accepted"));
    let model = train(&set, &Options { min_seen: 2, ..Options::default() });
    assert!(!model.render().contains("once"));
    let pruned = train(&set, &Options { prune_below: 100.0, ..Options::default() });
    assert!(pruned.is_empty());
}

#[test]
fn doubtful_labels_lower_the_confidence() {
    // One word, right three times of four: the probability reflects it.
    let set: Vec<Example> =
        (0..400).map(|at| example("perhaps", if at % 4 == 0 { "rejected" } else { "accepted" })).collect();
    let model = train(&set, &Options::default());
    let prediction = model.predict(&features("perhaps"));
    assert!((prediction.confidence() - 0.75).abs() < 0.05, "{prediction:?}");
}

#[test]
fn weights_count() {
    let mut set = examples();
    for one in set.iter_mut().filter(|one| one.label == "neutral") {
        one.weight = 0.0;
    }
    let model = train(&set, &Options::default());
    assert_ne!(model.predict(&features("maybe")).label, "neutral");
}

#[test]
fn a_wrong_table_says_where() {
    for (text, expect) in [
        ("", "#labels"),
        ("#labels\ta\tb\n#temperature\t0\n#bias\t0\t0\n", "line 2"),
        ("#labels\ta\tb\n#temperature\t1\n#bias\t0\n", "line 3"),
        ("#labels\ta\tb\n#temperature\t1\n#bias\t0\t0\nword\t1\tx\n", "line 4"),
        ("#labels\ta\tb\n#temperature\t1\n#bias\t0\t0\nword\t1\tNaN\n", "line 4"),
        ("#labels\ta\tb\n#temperature\t1\n#bias\t0\t0\nword\t1\t2\nword\t1\t2\n", "line 5"),
    ] {
        let error = Model::parse(text).unwrap_err();
        assert!(error.contains(expect), "{error}");
    }
}

#[test]
fn without_examples_there_is_a_model_that_says_nothing() {
    let model = train(&[], &Options::default());
    assert_eq!(model.predict(&features("thanks")).label, "none");
    assert_eq!(Model::parse(&model.render()).unwrap(), model);
}

proptest! {
    #[test]
    fn any_name_survives_the_table(name in "\\PC{0,12}|[\\t\\n\\r\\\\#a]{1,6}", value in any::<f32>()) {
        let set: Vec<Example> = (0..8)
            .map(|at| Example {
                features: if at % 2 == 0 { vec![(name.clone(), 1.0)] } else { vec![] },
                label: if at % 2 == 0 { "a" } else { "b" }.to_owned(),
                weight: 1.0,
                group: String::new(),
            })
            .collect();
        let model = train(&set, &Options { epochs: 3, folds: 0, ..Options::default() });
        prop_assert_eq!(Model::parse(&model.render()).unwrap(), model.clone());
        let prediction = model.predict(&[(name, value)]);
        prop_assert!(prediction.probabilities.iter().all(|(_, p)| p.is_finite()));
    }

    #[test]
    fn no_table_makes_it_panic(text in "\\PC{0,200}") {
        let _ = Model::parse(&text);
    }
}
