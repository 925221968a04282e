//! The report's plots as SVG: rates by quarter with their intervals. Only draws; computes no figures.

use crate::domain::reporting::report::{ACCEPTANCE, EDGE_CASES, Quarter, QuarterShare, Report, Share};
use plotters::coord::ranged1d::{DefaultFormatting, KeyPointHint, Ranged};
use plotters::coord::types::RangedCoordf64;
use plotters::prelude::*;
use std::ops::Range;

/// Maximum number of agents with their own line; more cannot be told apart.
const AGENTS: usize = 6;
/// Maximum number of quarters side by side.
const QUARTERS: usize = 8;
const SIZE: (u32, u32) = (960, 480);
const LEGEND: u32 = 230;
/// Colour-blind-safe palette (Okabe and Ito).
const COLOURS: [RGBColor; AGENTS] = [
    RGBColor(0, 114, 178),
    RGBColor(213, 94, 0),
    RGBColor(0, 158, 115),
    RGBColor(204, 121, 167),
    RGBColor(86, 180, 233),
    RGBColor(120, 90, 20),
];
const GREY: RGBColor = RGBColor(90, 90, 90);
const FONT: &str = "sans-serif";

/// A finished plot; `None` if there is nothing to draw.
pub type Plot = Result<Option<String>, String>;

/// A line of the plot: its name and its shares.
struct Series {
    name: String,
    points: Vec<(Quarter, Share)>,
}

/// Returns every plot with its file name.
pub fn all(r: &Report) -> [(&'static str, Plot); 3] {
    [
        (
            "correction-rate.svg",
            plot(
                "Corrections per decision",
                "decisions corrected (%)",
                &corrections(r),
                None,
                r.correction_rate_by_agent.len().saturating_sub(AGENTS),
            ),
        ),
        (
            "acceptance.svg",
            plot(
                "Approved of decided proposals",
                "proposals approved (%)",
                &[one("approved", &r.acceptance.by_quarter)],
                Some((ACCEPTANCE, "target: above 70 %")),
                0,
            ),
        ),
        (
            "edge-cases.svg",
            plot(
                "One-offs among corrections",
                "corrections seen once (%)",
                &[one("edge cases", &r.edge_cases.by_quarter)],
                Some((EDGE_CASES, "target: below 30 %")),
                0,
            ),
        ),
    ]
}

/// Returns the agents with the most decisions, ordered by name.
fn corrections(r: &Report) -> Vec<Series> {
    let decisions =
        |a: &crate::domain::reporting::report::AgentRates| a.quarters.iter().map(|q| q.share.of).sum::<u64>();
    let mut agents: Vec<_> = r.correction_rate_by_agent.iter().collect();
    agents.sort_by(|a, b| decisions(b).cmp(&decisions(a)).then_with(|| a.agent.cmp(&b.agent)));
    agents.truncate(AGENTS);
    agents.sort_by(|a, b| a.agent.cmp(&b.agent));
    let series = |a: &crate::domain::reporting::report::AgentRates| Series {
        name: a.agent.clone(),
        points: a.quarters.iter().map(|q| (q.quarter, q.share)).collect(),
    };
    agents.into_iter().map(series).collect()
}

fn one(name: &str, quarters: &[QuarterShare]) -> Series {
    Series { name: name.to_owned(), points: quarters.iter().map(|q| (q.quarter, q.share)).collect() }
}

/// Draws one plot. Quarters without a rate leave a gap in their line; `more` series are left out.
fn plot(title: &str, unit: &str, series: &[Series], target: Option<(f64, &str)>, more: usize) -> Plot {
    let with_rate = series.iter().flat_map(|s| &s.points).filter(|(_, share)| share.rate.is_some());
    let Some((first, last)) = with_rate.map(|(q, _)| (*q, *q)).reduce(|a, b| (a.0.min(b.0), a.1.max(b.1))) else {
        return Ok(None);
    };
    let mut quarters: Vec<Quarter> =
        std::iter::successors(Some(last), |q| Some(q.previous())).take_while(|q| *q >= first).take(QUARTERS).collect();
    quarters.reverse();
    let mut svg = String::new();
    draw(&mut svg, title, unit, &quarters, series, target, more).map_err(|e| e.to_string())?;
    Ok(Some(svg))
}

type DrawResult = Result<(), Box<dyn std::error::Error>>;

fn draw(
    svg: &mut String,
    title: &str,
    unit: &str,
    quarters: &[Quarter],
    series: &[Series],
    target: Option<(f64, &str)>,
    more: usize,
) -> DrawResult {
    let root = SVGBackend::with_string(svg, SIZE).into_drawing_area();
    root.fill(&WHITE)?;
    let (left, right) = root.split_horizontally(SIZE.0 - LEGEND);
    let mut chart = ChartBuilder::on(&left)
        .caption(format!("{title}, with 95 % intervals"), (FONT, 20))
        .margin(14)
        .x_label_area_size(52)
        .y_label_area_size(64)
        .build_cartesian_2d(Places(quarters.len()), 0.0..100.0)?;
    let name = |x: &f64| quarters.get(x.round() as usize).map(Quarter::to_string).unwrap_or_default();
    chart
        .configure_mesh()
        .disable_x_mesh()
        .light_line_style(TRANSPARENT)
        .bold_line_style(BLACK.mix(0.12))
        .y_labels(11)
        .y_label_formatter(&|y| format!("{y:.0}"))
        .x_label_formatter(&name)
        .x_desc("quarter (UTC)")
        .y_desc(unit)
        .label_style((FONT, 14))
        .axis_desc_style((FONT, 15))
        .draw()?;
    if let Some((at, _)) = target {
        let (from, to) = (-0.5, quarters.len() as f64 - 0.5);
        let line = [(from, at * 100.0), (to, at * 100.0)];
        chart.draw_series(DashedLineSeries::new(line, 6, 4, GREY.stroke_width(1)))?;
    }
    for (n, s) in series.iter().enumerate() {
        draw_series(&mut chart, quarters, s, COLOURS[n % AGENTS], beside(n, series.len()))?;
    }
    legend(&right, series, target.map(|(_, name)| name), more)?;
    root.present()?;
    Ok(())
}

/// Returns the horizontal offset of a series' points from the middle of a quarter, so that intervals do not overlap.
fn beside(n: usize, of: usize) -> f64 {
    (n as f64 - (of as f64 - 1.0) / 2.0) * 0.11
}

type Chart<'a, 'b> = ChartContext<'a, SVGBackend<'b>, Cartesian2d<Places, RangedCoordf64>>;

/// The axis of quarters: each is one unit wide, with its mark in the middle and its position as its value.
struct Places(usize);

impl Ranged for Places {
    type FormatOption = DefaultFormatting;
    type ValueType = f64;

    fn map(&self, value: &f64, limit: (i32, i32)) -> i32 {
        let along = (value + 0.5) / self.0.max(1) as f64;
        limit.0 + (along * f64::from(limit.1 - limit.0)).round() as i32
    }

    fn key_points<Hint: KeyPointHint>(&self, _: Hint) -> Vec<f64> {
        (0..self.0).map(|place| place as f64).collect()
    }

    fn range(&self) -> Range<f64> {
        -0.5..self.0 as f64 - 0.5
    }
}

fn draw_series(
    chart: &mut Chart<'_, '_>,
    quarters: &[Quarter],
    s: &Series,
    colour: RGBColor,
    beside: f64,
) -> DrawResult {
    let mut run: Vec<(f64, f64)> = vec![];
    for (place, quarter) in quarters.iter().enumerate() {
        let share = s.points.iter().find(|(q, _)| q == quarter).map(|(_, share)| *share);
        let x = place as f64 + beside;
        match share.and_then(|s| Some((s.rate? * 100.0, s.low? * 100.0, s.high? * 100.0))) {
            Some((rate, low, high)) => {
                let thin = colour.mix(0.75).stroke_width(1);
                let cap = |y| PathElement::new([(x - 0.03, y), (x + 0.03, y)], thin);
                chart.draw_series([PathElement::new([(x, low), (x, high)], thin), cap(low), cap(high)])?;
                chart.draw_series([Circle::new((x, rate), 4, colour.filled())])?;
                run.push((x, rate));
            }
            None => chart.draw_series(LineSeries::new(run.drain(..), colour.stroke_width(2))).map(drop)?,
        }
    }
    chart.draw_series(LineSeries::new(run, colour.stroke_width(2)))?;
    Ok(())
}

fn legend(
    area: &DrawingArea<SVGBackend<'_>, plotters::coord::Shift>,
    series: &[Series],
    target: Option<&str>,
    more: usize,
) -> DrawResult {
    let mut y = 62;
    for (n, s) in series.iter().enumerate() {
        let colour = COLOURS[n % AGENTS];
        let drawn = s.points.iter().any(|(_, share)| share.rate.is_some());
        if drawn {
            area.draw(&PathElement::new([(4, y), (28, y)], colour.stroke_width(2)))?;
            area.draw(&Circle::new((16, y), 4, colour.filled()))?;
        }
        let name = if drawn { short(&s.name) } else { format!("{} (too few)", short(&s.name)) };
        area.draw(&Text::new(name, (36, y - 7), (FONT, 14)))?;
        y += 24;
    }
    if let Some(target) = target {
        for x in [4, 14, 24] {
            area.draw(&PathElement::new([(x, y), (x + 6, y)], GREY.stroke_width(1)))?;
        }
        area.draw(&Text::new(target, (36, y - 7), (FONT, 14)))?;
        y += 24;
    }
    if more > 0 {
        area.draw(&Text::new(format!("{more} more are not shown"), (36, y - 7), (FONT, 14)))?;
    }
    Ok(())
}

/// Shortens a name for the legend.
fn short(name: &str) -> String {
    let safe: String = name.chars().filter(|c| !c.is_control()).collect();
    if safe.chars().count() <= 20 { safe } else { format!("{}…", safe.chars().take(19).collect::<String>()) }
}
