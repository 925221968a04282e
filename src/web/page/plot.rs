//! Rates with their intervals as an inline picture: lines and letters in the page's colours. The figures are in a table
//! next to it.

use super::text::shown;
use crate::domain::interval::Rate;
use askama::filters::HtmlSafe;
use std::fmt::{self, Display, Formatter};

const WIDTH: f64 = 640.0;
const ROW: f64 = 44.0;
const LEFT: f64 = 200.0;
const RIGHT: f64 = 30.0;
const TOP: f64 = 14.0;

/// A row of the picture: a label and its rate.
pub struct Row {
    /// The label.
    pub name: String,
    /// The rate, 0 to 1, with its interval.
    pub rate: Rate,
}

/// A picture of rates.
pub struct Plot<'a> {
    /// A prefix that makes its ids unique on the page.
    pub id: &'a str,
    /// Its title.
    pub title: &'a str,
    /// Describes it in words.
    pub description: String,
    /// Its rows.
    pub rows: &'a [Row],
}

impl HtmlSafe for Plot<'_> {}

impl Display for Plot<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let most = self.rows.iter().map(|row| row.rate.interval.high).fold(0.05, f64::max).min(1.0);
        let end = (most * 10.0).ceil() / 10.0;
        let x = |share: f64| LEFT + (share / end).clamp(0.0, 1.0) * (WIDTH - LEFT - RIGHT);
        let bottom = TOP + ROW * self.rows.len() as f64;
        let (id, title, height) = (self.id, shown(self.title), bottom + 34.0);
        write!(
            f,
            "<svg class=\"plot\" role=\"img\" aria-labelledby=\"{id}-title {id}-desc\" viewBox=\"0 0 {WIDTH} {height}\">\
             <title id=\"{id}-title\">{title}</title><desc id=\"{id}-desc\">{}</desc>",
            shown(&self.description)
        )?;
        for tick in 0..=5 {
            let share = end * f64::from(tick) / 5.0;
            let at = x(share);
            write!(
                f,
                "<line class=\"tick\" x1=\"{at:.1}\" x2=\"{at:.1}\" y1=\"{TOP}\" y2=\"{bottom}\"/>\
                 <text x=\"{at:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{:.0} %</text>",
                bottom + 18.0,
                share * 100.0
            )?;
        }
        for (n, row) in self.rows.iter().enumerate() {
            let y = TOP + ROW * (n as f64 + 0.5);
            let (low, at, high) = (x(row.rate.interval.low), x(row.rate.rate), x(row.rate.interval.high));
            write!(
                f,
                "<text x=\"0\" y=\"{:.1}\">{}</text>\
                 <line class=\"range\" x1=\"{low:.1}\" x2=\"{high:.1}\" y1=\"{y:.1}\" y2=\"{y:.1}\"/>\
                 <line class=\"range\" x1=\"{low:.1}\" x2=\"{low:.1}\" y1=\"{:.1}\" y2=\"{:.1}\"/>\
                 <line class=\"range\" x1=\"{high:.1}\" x2=\"{high:.1}\" y1=\"{:.1}\" y2=\"{:.1}\"/>\
                 <circle class=\"value\" cx=\"{at:.1}\" cy=\"{y:.1}\" r=\"6\"/>",
                y + 4.0,
                shown(&row.name),
                y - 6.0,
                y + 6.0,
                y - 6.0,
                y + 6.0,
            )?;
        }
        f.write_str("</svg>")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::interval::{CorrectionTally, rate};

    #[test]
    fn a_picture_says_what_it_shows() {
        let row = |name: &str, corrections, decisions| Row {
            name: name.to_owned(),
            rate: rate(CorrectionTally { corrections, decisions }, 0.95).expect("decisions"),
        };
        let rows = [row("before <b>", 5, 10), row("after", 1, 20)];
        let plot = Plot { id: "p", title: "Corrections", description: "Fewer".into(), rows: &rows };
        let svg = plot.to_string();
        assert!(svg.contains("role=\"img\" aria-labelledby=\"p-title p-desc\""), "{svg}");
        assert!(svg.contains("<title id=\"p-title\">Corrections</title><desc id=\"p-desc\">Fewer</desc>"), "{svg}");
        assert!(
            svg.contains("before &lt;b&gt;") && !svg.contains("NaN") && svg.matches("<circle").count() == 2,
            "{svg}"
        );
    }
}
