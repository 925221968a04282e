//! The catalogue that is part of the program.

use super::catalogue::Catalogue;

/// The shipped files with their names.
pub const SHIPPED: [(&str, &str); 0] = [];

/// The shipped catalogue.
pub fn shipped() -> Catalogue {
    Catalogue::read(SHIPPED).expect("a test reads the shipped catalogue")
}
