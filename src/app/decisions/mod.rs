//! What people decide: the inbox, questions to them, and the ways in which their decisions reach the review stream.

pub mod commit_signal;
pub mod gate_form;
pub mod inbox;
pub mod questions;
pub mod reviewers;
pub mod submission;
