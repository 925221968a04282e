//! The catalogue that is part of the program.

use super::concern::Catalogue;
use super::prepared::Prepared;
use super::trained::Trained;
use std::sync::LazyLock;

/// The shipped files with their names.
pub const SHIPPED: [(&str, &str); 9] = [
    ("code.yaml", include_str!("../../../../config/catalogue/code.yaml")),
    ("conduct.yaml", include_str!("../../../../config/catalogue/conduct.yaml")),
    ("design.yaml", include_str!("../../../../config/catalogue/design.yaml")),
    ("drafts.yaml", include_str!("../../../../config/catalogue/drafts.yaml")),
    ("planning.yaml", include_str!("../../../../config/catalogue/planning.yaml")),
    ("release.yaml", include_str!("../../../../config/catalogue/release.yaml")),
    ("requirements.yaml", include_str!("../../../../config/catalogue/requirements.yaml")),
    ("review.yaml", include_str!("../../../../config/catalogue/review.yaml")),
    ("tests.yaml", include_str!("../../../../config/catalogue/tests.yaml")),
];

/// The shipped catalogue.
pub fn shipped() -> Catalogue {
    Catalogue::read(SHIPPED).expect("a test reads the shipped catalogue")
}

/// What was prepared for the shipped catalogue and the embedded embedder.
pub fn prepared() -> Option<Prepared> {
    Prepared::from_bytes(include_bytes!("../../../../assets/catalogue.bin"))
}

/// The reader that was trained on the shipped catalogue (`make train`).
pub fn trained() -> &'static Trained {
    static TRAINED: LazyLock<Trained> = LazyLock::new(|| {
        Trained::from_bytes(include_bytes!("../../../../assets/concerns.bin")).expect("a test reads it")
    });
    &TRAINED
}
