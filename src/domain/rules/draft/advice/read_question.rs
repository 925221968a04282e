//! Comments for a model to read.

use super::excerpt::{CommentExcerpt, CommentSource};
use serde::Serialize;

/// The maximum number of comments in one question.
pub const READ_COMMENTS: usize = 50;

/// Comments to read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ReadQuestion {
    /// The agent whose work they are about. The model does not see it.
    #[serde(skip)]
    pub agent: String,
    /// The comments, at most [`READ_COMMENTS`]. Prompts call them remarks, as they always have.
    #[serde(rename = "remarks")]
    pub comments: Vec<CommentExcerpt>,
}

impl ReadQuestion {
    /// Builds a question about comments on an agent's work. More than [`READ_COMMENTS`] are left out.
    pub fn new<'s>(agent: &str, comments: impl IntoIterator<Item = CommentSource<'s>>) -> ReadQuestion {
        let comments = (1..).zip(comments.into_iter().take(READ_COMMENTS));
        ReadQuestion {
            agent: agent.to_owned(),
            comments: comments.map(|(id, said)| CommentExcerpt::new(id, &said)).collect(),
        }
    }

    /// Returns the feedback it is about, in the order of the comments.
    pub fn about(&self) -> Vec<String> {
        self.comments.iter().map(|shown| shown.about.clone()).collect()
    }
}
