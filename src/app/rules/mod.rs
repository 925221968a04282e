//! Rules as others ask for them: those in force, their approvals, and what proposals would change.

pub mod approval_history;
pub mod impact;
pub mod in_force;
