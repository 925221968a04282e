//! Entry points of tests/fuzz into non-public parts. In no other build.

use super::object::ObjectId;
use super::{path, tree};

/// Parses bytes as a directory of the store and checks its names as paths; for the fuzz targets only.
pub fn fuzz_tree(content: &[u8]) {
    for item in tree::parse(ObjectId::ZERO, content).unwrap_or_default() {
        if let Ok(name) = std::str::from_utf8(&item.name)
            && path::check(name).is_ok()
        {
            assert!(
                !name.is_empty() && !name.contains('\0') && name.split('/').all(|part| part != ".." && part != ".")
            );
        }
    }
}
