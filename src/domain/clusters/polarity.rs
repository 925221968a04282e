//! The direction and subject of comments: "less" of one thing is not against "more" of another.

use crate::text::language::direction::Direction;

/// A direction, and the axis of the catalogue it is on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Polarity {
    /// More of it or less.
    pub direction: Direction,
    /// What it is about, see [`crate::text::language::catalogue::CompiledCatalogue::axis`]; `None` where no concern was recognised.
    pub axis: Option<u16>,
}

impl Polarity {
    /// Reports whether one asks for the contrary of the other. Different subjects are never contrary, whatever their
    /// directions: "no secrets in the code" and "read them from the vault" are one demand. If one subject is unknown,
    /// the direction alone decides.
    pub fn opposes(self, other: Polarity) -> bool {
        let same_axis = match (self.axis, other.axis) {
            (Some(own), Some(other)) => own == other,
            _ => true,
        };
        same_axis && self.direction.opposes(other.direction)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_about_the_same_can_be_contrary() {
        let pointing = |direction, axis| Polarity { direction, axis };
        let more = pointing(Direction::More, Some(1));
        assert!(more.opposes(pointing(Direction::Less, Some(1))));
        assert!(more.opposes(pointing(Direction::Less, None)));
        assert!(pointing(Direction::More, None).opposes(pointing(Direction::Less, None)));
        assert!(!more.opposes(pointing(Direction::Less, Some(2))));
        assert!(!more.opposes(pointing(Direction::Unclear, Some(1))));
        assert!(!more.opposes(more));
    }
}
