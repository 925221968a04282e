//! The catalogue compiled into the program.

use super::concern::Catalogue;
use super::prepared::PreparedCatalogue;
use super::trained::TrainedReader;
use std::collections::HashSet;
use std::sync::LazyLock;

/// The shipped files and their names.
pub const SHIPPED: [(&str, &str); 16] = [
    ("code.yaml", include_str!("../../../../config/catalogue/code.yaml")),
    ("conduct.yaml", include_str!("../../../../config/catalogue/conduct.yaml")),
    ("design.yaml", include_str!("../../../../config/catalogue/design.yaml")),
    ("drafts.yaml", include_str!("../../../../config/catalogue/drafts.yaml")),
    ("planning.yaml", include_str!("../../../../config/catalogue/planning.yaml")),
    ("release.yaml", include_str!("../../../../config/catalogue/release.yaml")),
    ("requirements.yaml", include_str!("../../../../config/catalogue/requirements.yaml")),
    ("review.yaml", include_str!("../../../../config/catalogue/review.yaml")),
    ("tests.yaml", include_str!("../../../../config/catalogue/tests.yaml")),
    // The cues that prove them; language-specific ones come before general ones.
    ("cues/java-structure.yaml", include_str!("../../../../config/catalogue/cues/java-structure.yaml")),
    ("cues/java-behaviour.yaml", include_str!("../../../../config/catalogue/cues/java-behaviour.yaml")),
    ("cues/c-cpp-rust.yaml", include_str!("../../../../config/catalogue/cues/c-cpp-rust.yaml")),
    ("cues/polyglot.yaml", include_str!("../../../../config/catalogue/cues/polyglot.yaml")),
    ("cues/documents.yaml", include_str!("../../../../config/catalogue/cues/documents.yaml")),
    ("cues/general.yaml", include_str!("../../../../config/catalogue/cues/general.yaml")),
    ("cues/nothing.yaml", include_str!("../../../../config/catalogue/cues/nothing.yaml")),
];

/// Returns the shipped catalogue.
pub fn shipped() -> Catalogue {
    Catalogue::read_known(SHIPPED).expect("a test reads the shipped catalogue")
}

/// Returns the ids of the shipped concerns.
pub fn shipped_ids() -> HashSet<&'static str> {
    let ids = |text: &'static str| text.lines().filter_map(|line| line.trim_start().strip_prefix("- id: "));
    SHIPPED.into_iter().flat_map(|(_, text)| ids(text)).map(str::trim).collect()
}

/// Returns the precomputed data for the shipped catalogue and the embedded embedder.
pub fn prepared() -> Option<PreparedCatalogue> {
    PreparedCatalogue::from_bytes(include_bytes!("../../../../assets/catalogue.bin"))
}

/// Returns the reader trained on the shipped catalogue (`make train`).
pub fn trained() -> &'static TrainedReader {
    static TRAINED: LazyLock<TrainedReader> = LazyLock::new(|| {
        TrainedReader::from_bytes(include_bytes!("../../../../assets/concerns.bin")).expect("a test reads it")
    });
    &TRAINED
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_cue_can_be_read() {
        Catalogue::read(SHIPPED).unwrap();
    }

    #[test]
    fn the_ids_are_those_of_all_concerns() {
        let all: HashSet<String> = shipped().concerns().map(|concern| concern.id.clone()).collect();
        assert_eq!(shipped_ids().into_iter().map(str::to_owned).collect::<HashSet<_>>(), all);
    }
}
