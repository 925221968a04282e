//! `/groups/map`: a picture of the clusters in which similar demands are close to each other, with the same as a table.
//! Shapes distinguish agents and numbers distinguish clusters, so nothing depends on colour.

use super::failure::Failure;
use super::frame::Frame;
use super::parts::class;
use super::request::Visit;
use super::shapes::{OTHERS, Outline, SHAPES, Shape};
use super::text::shown;
use crate::app::queries::views::{ClusterMap, MapCluster, group_map};
use crate::domain::clusters::evaluation::Classification;
use crate::domain::records::record::ClusterRecord;
use crate::text::prose::{count, percent};
use askama::Template;
use std::collections::{BTreeMap, BTreeSet};

const WIDTH: f64 = 720.0;
/// Minimum and maximum height of the picture; few clusters need less.
const HEIGHT: (f64, f64) = (200.0, 720.0);
/// Maximum height of a picture with few clusters, and the height added per cluster.
const FEW: (f64, f64) = (320.0, 4.0);
/// Margin between the outermost clusters and the picture's edge.
const MARGIN: f64 = 34.0;
/// Radius of the smallest and the largest cluster.
const RADIUS: (f64, f64) = (12.0, 26.0);
/// Number of comments from which a cluster is drawn largest.
const LARGE: f64 = 40.0;

/// A cluster on the map.
struct Mark<'a> {
    number: usize,
    placed: &'a MapCluster,
    outline: Outline,
    address: String,
    /// Whether several people ask for it.
    pattern: bool,
    /// The number, title and address of the most similar cluster, and the similarity.
    nearest: Option<(usize, &'a str, String, f64)>,
}

/// An agent and its shape.
struct Key {
    agent: String,
    outline: Outline,
}

#[derive(Template)]
#[template(path = "map.html")]
struct MapPage<'a> {
    frame: Frame,
    agents: Vec<String>,
    agent: String,
    state: String,
    marks: Vec<Mark<'a>>,
    keys: Vec<Key>,
    height: f64,
    left_out: usize,
}

/// Renders `/groups/map`: the positions of the clusters; with `?agent=` only those of one agent, in the same positions.
pub fn page(visit: &Visit) -> Result<String, Failure> {
    let agent = visit.option("agent");
    let seen = visit.ask(|c| visit.pages.map.at((), c.queries.index.commit()?, || group_map(&c)))?;
    let map = &seen.it;
    let agents: BTreeSet<&str> = map.groups.iter().map(|group| group.record.agent.as_str()).collect();
    let shapes = shapes(&agents, map);
    let plane = Plane::around(map);
    let wanted =
        map.groups.iter().enumerate().filter(|(_, group)| agent.is_none_or(|agent| group.record.agent == agent));
    let key = |(agent, shape): (&str, Shape)| Key {
        agent: format!("{agent} ({})", shape.name),
        outline: Outline { shape, at: (12.0, 12.0), radius: 7.0 },
    };
    let own = shapes.iter().filter(|(name, _)| agent.is_none_or(|agent| agent == **name));
    let rest = (agents.len() > shapes.len()).then_some(("every other agent", OTHERS));
    let page = MapPage {
        marks: wanted.map(|(n, _)| mark(n, map, &shapes, &plane)).collect(),
        keys: own.map(|(name, shape)| (*name, *shape)).chain(rest).map(key).collect(),
        agents: agents.iter().map(|agent| (*agent).to_owned()).collect(),
        agent: agent.unwrap_or_default().to_owned(),
        state: String::new(),
        height: plane.height,
        left_out: map.left_out,
        frame: Frame::new(visit, "Map of the clusters", &seen),
    };
    Ok(page.render()?)
}

fn mark<'a>(n: usize, map: &'a ClusterMap, shapes: &BTreeMap<&str, Shape>, plane: &Plane) -> Mark<'a> {
    let placed = &map.groups[n];
    let record = &placed.record;
    let address = |record: &ClusterRecord| super::link::to("groups", &record.cluster_id);
    let nearest = placed.nearest.map(|(other, alike)| {
        let record = &map.groups[other].record;
        (other + 1, record.title.as_str(), address(record), alike)
    });
    Mark {
        number: n + 1,
        address: address(record),
        pattern: record.classification == Classification::GeneralizableHigh,
        nearest,
        outline: Outline {
            shape: shapes.get(record.agent.as_str()).copied().unwrap_or(OTHERS),
            at: plane.at(placed.place),
            radius: radius(record.members),
        },
        placed,
    }
}

/// Returns the shapes of the agents with the most clusters, ordered by name.
fn shapes<'a>(agents: &BTreeSet<&'a str>, map: &ClusterMap) -> BTreeMap<&'a str, Shape> {
    let groups = |agent: &str| map.groups.iter().filter(|group| group.record.agent == agent).count();
    let mut most: Vec<&str> = agents.iter().copied().collect();
    most.sort_by_key(|agent| std::cmp::Reverse(groups(agent)));
    most.truncate(SHAPES.len());
    most.sort_unstable();
    most.into_iter().zip(SHAPES).collect()
}

/// Returns a radius whose area grows with the number of comments.
fn radius(members: u64) -> f64 {
    RADIUS.0 + (RADIUS.1 - RADIUS.0) * (members as f64 / LARGE).min(1.0).sqrt()
}

/// The mapping from the map to the picture.
struct Plane {
    least: (f64, f64),
    scale: f64,
    height: f64,
}

impl Plane {
    fn around(map: &ClusterMap) -> Plane {
        let places = || map.groups.iter().map(|group| group.place);
        let least = places().fold((0.0_f64, 0.0_f64), |(x, y), place| (x.min(place.0), y.min(place.1)));
        let most = places().fold((0.0_f64, 0.0_f64), |(x, y), place| (x.max(place.0), y.max(place.1)));
        let (wide, high) = (most.0 - least.0, most.1 - least.1);
        let highest = (FEW.0 + FEW.1 * map.groups.len() as f64).min(HEIGHT.1);
        let room = |length: f64, all: f64| if length > f64::EPSILON { (all - 2.0 * MARGIN) / length } else { f64::MAX };
        // A few very similar clusters are not enlarged to fill it.
        let scale = room(wide, WIDTH).min(room(high, highest)).min(WIDTH);
        let height = (high * scale + 2.0 * MARGIN).max(HEIGHT.0);
        let centred = |least: f64, length: f64, all: f64| least - (all / scale - length) / 2.0;
        Plane { least: (centred(least.0, wide, WIDTH), centred(least.1, high, height)), scale, height }
    }

    fn at(&self, place: (f64, f64)) -> (f64, f64) {
        ((place.0 - self.least.0) * self.scale, (place.1 - self.least.1) * self.scale)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::testing::sample;

    fn map(places: &[(f64, f64)]) -> ClusterMap {
        let placed =
            |place: &(f64, f64)| MapCluster { record: sample::cluster("CLUSTER-1"), place: *place, nearest: None };
        ClusterMap { groups: places.iter().map(placed).collect(), left_out: 0 }
    }

    #[test]
    fn every_group_lies_within_the_picture() {
        for places in [&[][..], &[(0.3, -0.2)], &[(-0.5, 0.0), (0.5, 0.0)], &[(-0.1, -0.9), (0.1, 0.9), (0.0, 0.0)]] {
            let plane = Plane::around(&map(places));
            for place in places {
                let (x, y) = plane.at(*place);
                let inside = |at: f64, all: f64| at >= MARGIN - 0.1 && at <= all - MARGIN + 0.1;
                assert!(inside(x, WIDTH) && inside(y, plane.height), "{places:?}: {x} {y} of {}", plane.height);
            }
        }
    }
}
