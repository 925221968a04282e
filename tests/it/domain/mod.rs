//! The pure domain against the world: real keys, labelled data, histories whose effect is known.

mod effect;
mod readings;
mod signatures;
