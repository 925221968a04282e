//! stand-in until the branch is merged
use crate::domain::event::Verdict;
use crate::domain::feedback::{Direction, Stance};
/// x
pub fn read_stance(_v: Verdict, comment: Option<&str>, _s: Option<&str>) -> Stance {
    let c = comment.unwrap_or("").to_lowercase();
    let less = ["not needed", "no need", "do not", "don't", "too many"].iter().any(|x| c.contains(x));
    let more = ["missing", "add ", "lacks", "include"].iter().any(|x| c.contains(x));
    let direction = if less {
        Direction::Less
    } else if more {
        Direction::More
    } else {
        Direction::Unclear
    };
    Stance { demand: direction != Direction::Unclear || c.len() > 12, direction, cue: None }
}
