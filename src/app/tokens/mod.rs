//! Tokens: what stands for a person where programs or browsers ask.

mod scope;

pub use scope::Scope;
