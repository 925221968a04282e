//! Properties of the program as a whole: its layers, its schemas, its metrics, its prepared data.

mod architecture;
mod deployment;
mod documents;
mod metrics;
mod prepared;
mod schemas;
