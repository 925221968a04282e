//! Frequencies per period as a row of bars. Hidden from screen readers, because the adjacent text contains the same
//! information.

use crate::domain::reporting::demands::Period;
use askama::filters::HtmlSafe;
use std::fmt::{self, Display, Formatter};

const WIDTH: u64 = 14;
const GAP: u64 = 3;
const HEIGHT: u64 = 36;

/// A row of bars.
pub struct Strip<'a>(pub &'a [Period]);

impl HtmlSafe for Strip<'_> {}

impl Display for Strip<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let most = self.0.iter().map(|part| part.remarks).max().unwrap_or_default().max(1);
        let width = self.0.len() as u64 * (WIDTH + GAP);
        write!(
            f,
            "<svg class=\"strip\" aria-hidden=\"true\" viewBox=\"0 0 {width} {HEIGHT}\" width=\"{width}\" height=\"{HEIGHT}\">"
        )?;
        for (n, part) in self.0.iter().enumerate() {
            // The line continues through empty periods.
            let height = (part.remarks * HEIGHT).div_ceil(most).max(1);
            let (x, y) = (n as u64 * (WIDTH + GAP), HEIGHT - height);
            write!(f, "<rect x=\"{x}\" y=\"{y}\" width=\"{WIDTH}\" height=\"{height}\"/>")?;
        }
        f.write_str("</svg>")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_highest_bar_fills_it() {
        let part = |remarks| Period { period: "2026-01".into(), remarks };
        let svg = Strip(&[part(0), part(2), part(4)]).to_string();
        insta::assert_snapshot!(svg, @r#"<svg class="strip" aria-hidden="true" viewBox="0 0 51 36" width="51" height="36"><rect x="0" y="35" width="14" height="1"/><rect x="17" y="18" width="14" height="18"/><rect x="34" y="0" width="14" height="36"/></svg>"#);
        assert!(Strip(&[]).to_string().ends_with("</svg>"));
    }
}
