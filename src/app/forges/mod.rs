//! Git hosts: deliveries of webhooks, the history of a repository, accounts, and pull requests for rules.

pub mod clone;
pub mod deliveries;
pub mod history;
pub mod members;
pub mod poll_triggers;
pub mod rule_pull_requests;
