//! The pure domain on real inputs: real keys, labelled data, histories with a known effect.

mod effect;
mod readings;
mod signatures;
