//! One part of a report in words: sentences and a table.

/// One figure, or several related ones.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Section {
    /// Its subject.
    pub title: String,
    /// Sentences.
    pub lines: Vec<String>,
    /// The columns of the table; empty if there is no table.
    pub header: Vec<&'static str>,
    pub rows: Vec<Vec<String>>,
    /// Notes on the table.
    pub notes: Vec<String>,
}
