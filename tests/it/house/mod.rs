//! What holds of the program as a whole: its layers, its schemas, its metrics, what is prepared for it.

mod architecture;
mod deployment;
mod documents;
mod metrics;
mod prepared;
mod schemas;
