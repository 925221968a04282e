//! `eval`: how well the program understands, measured on data labelled by people.

mod answers;
mod command;
mod data;
mod hitl;
mod lists;
mod outcome;
mod places;
mod task;
mod task_lines;
mod text;

pub use command::{Args, run};
