//! The prepared data matches the shipped catalogue.

use feedbackd::adapters::embedder::StaticEmbedder;
use feedbackd::ports::Embedder;
use feedbackd::text::language::catalogue;
use feedbackd::text::language::catalogue::{CompiledCatalogue, PreparedCatalogue};

/// The training data of the concern reader, see `examples/train/concerns.rs`.
#[test]
fn the_reader_of_concerns_was_trained_on_what_is_here() {
    let read = |file: &&str| std::fs::read_to_string(format!("assets/training/remarks/{file}")).unwrap();
    let texts: Vec<String> = catalogue::trained::FILES.iter().map(read).collect();
    assert_eq!(
        catalogue::shipped_reader().trained_on,
        catalogue::trained::fingerprint(&texts),
        "the remarks were edited: run make train"
    );
}

/// Run with `UPDATE_CATALOGUE=1` after editing the catalogue.
#[test]
fn the_prepared_catalogue_is_current() {
    let (embedder, path) = (StaticEmbedder::embedded().unwrap(), "assets/catalogue.bin");
    let fingerprint = catalogue::shipped().fingerprint();
    if std::env::var_os("UPDATE_CATALOGUE").is_some() {
        let compiled = CompiledCatalogue::new(
            catalogue::shipped(),
            None,
            Some(catalogue::shipped_reader()),
            embedder.id(),
            &|texts| embedder.embed(texts),
        )
        .unwrap();
        std::fs::write(path, compiled.prepared(embedder.id()).to_bytes().unwrap()).unwrap();
        return;
    }
    let prepared = PreparedCatalogue::from_bytes(&std::fs::read(path).unwrap()).expect("it can be read");
    assert!(
        prepared.fits(embedder.id(), &fingerprint),
        "the catalogue was edited: run UPDATE_CATALOGUE=1 cargo nextest run the_prepared_catalogue"
    );
}

#[test]
fn what_is_prepared_and_what_is_worked_out_read_alike() {
    let embedder = StaticEmbedder::embedded().unwrap();
    let few = catalogue::Catalogue::read(catalogue::SHIPPED.iter().take(1).copied()).unwrap();
    let reader = Some(catalogue::shipped_reader());
    let rebuilt =
        CompiledCatalogue::new(few.clone(), None, reader, embedder.id(), &|texts| embedder.embed(texts)).unwrap();
    let embed = |_: &[String]| Err("every phrasing is prepared");
    let reused = CompiledCatalogue::new(few, catalogue::prepared(), reader, embedder.id(), &embed).unwrap();
    for text in ["one query per item, prefetch them", "who is allowed to call this", "nothing like it"] {
        let words = embedder.embed(&[text.to_owned()]).unwrap().pop().flatten().unwrap();
        let asked = catalogue::CommentInput { text, words: &words, work: None, waives: false };
        assert_eq!(rebuilt.read(&asked), reused.read(&asked), "{text}");
    }
}
