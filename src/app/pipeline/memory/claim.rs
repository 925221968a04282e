//! What waits for a second answer.

/// A remark of which an answer says where it belongs, where that is not near: it waits for the same answer from the other side.
#[derive(Clone, Debug)]
pub struct Claim {
    /// Remarks of the group, by feedback, which are asked in turn.
    pub beside: Vec<String>,
}
