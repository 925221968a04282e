//! `rules list|show|effect|export|offer|import|retire|rollback`: rules in force, their effects, and exchange with other
//! tools' files.

mod command;
mod effect;
mod export;
mod import;
mod in_force;
mod offer;

pub use command::{Command, run};
pub use in_force::{effects, in_prompts};
