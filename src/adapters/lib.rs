//! The external systems, one module each. Siblings never import each other.

use feedbackd_config as config;
use feedbackd_domain as domain;
use feedbackd_ports as ports;
use feedbackd_text as text;

pub mod clock;
pub mod corrections;
pub mod embedder;
pub mod git;
pub mod index;
pub mod knowledge;
pub mod memory;
pub mod model;
pub mod notifications;
#[cfg(feature = "otel")]
pub mod otlp;
pub mod redis;
pub mod rest;
pub mod secret_file;
pub mod ssh;
