//! Shapes that distinguish items in a picture, as colours alone never do.

use askama::filters::HtmlSafe;
use std::fmt::{self, Display, Formatter};

/// The shape of related items in a picture.
#[derive(Clone, Copy)]
pub struct Shape {
    /// Its name.
    pub name: &'static str,
    /// Its number of corners; zero for a circle.
    corners: u32,
    /// The angle of the first corner, in degrees from the right, clockwise.
    turned: f64,
    /// Its size relative to a circle of the same weight.
    wide: f64,
}

/// The distinct shapes.
pub const SHAPES: [Shape; 6] = [
    Shape { name: "circle", corners: 0, turned: 0.0, wide: 1.0 },
    Shape { name: "square", corners: 4, turned: 45.0, wide: 1.2 },
    Shape { name: "triangle", corners: 3, turned: -90.0, wide: 1.5 },
    Shape { name: "diamond", corners: 4, turned: 0.0, wide: 1.3 },
    Shape { name: "triangle pointing down", corners: 3, turned: 90.0, wide: 1.5 },
    Shape { name: "hexagon", corners: 6, turned: 0.0, wide: 1.1 },
];
/// The shape of all items without their own.
pub const OTHERS: Shape = Shape { name: "eight corners", corners: 8, turned: 22.5, wide: 1.05 };

/// A shape at a position.
pub struct Outline {
    /// The shape.
    pub shape: Shape,
    /// Its centre.
    pub at: (f64, f64),
    /// The radius of a circle of its weight.
    pub radius: f64,
}

impl HtmlSafe for Outline {}

impl Display for Outline {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let ((x, y), radius) = (self.at, self.radius * self.shape.wide);
        if self.shape.corners == 0 {
            return write!(f, "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{radius:.1}\"/>");
        }
        f.write_str("<polygon points=\"")?;
        for n in 0..self.shape.corners {
            let angle = (self.shape.turned + 360.0 * f64::from(n) / f64::from(self.shape.corners)).to_radians();
            write!(f, "{:.1},{:.1} ", x + radius * angle.cos(), y + radius * angle.sin())?;
        }
        f.write_str("\"/>")
    }
}
