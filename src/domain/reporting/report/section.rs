//! One part of a report in words: sentences and a table.

/// One figure, or a few that belong together.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Section {
    /// What it is about.
    pub title: String,
    /// Sentences.
    pub lines: Vec<String>,
    /// The columns of the table; none where there is no table.
    pub header: Vec<&'static str>,
    pub rows: Vec<Vec<String>>,
    /// What is to be said of the table.
    pub notes: Vec<String>,
}
