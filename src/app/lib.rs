//! The service layer: everything that the command line and HTTP may call.

use feedbackd_domain as domain;
use feedbackd_metrics as metrics;
use feedbackd_ports as ports;
use feedbackd_text as text;

pub mod admin;
pub mod blocking_pool;
pub mod channels;
pub mod comments;
pub mod decisions;
pub mod forges;
pub mod notifications;
mod parallel;
pub mod pipeline;
pub mod publication;
pub mod queries;
pub mod remote;
pub mod reports;
pub mod rules;
