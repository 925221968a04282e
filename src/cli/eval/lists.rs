//! The lists of `eval hitl`: themes and clusters, for finding errors.

use super::outcome::Answer;
use super::text::table;
use crate::cli::page::list;
use crate::domain::reporting::score::{ClusterRow, ThemeCount, ThemeRow};
use crate::text::prose::one_line;

/// Renders the requested lists.
pub(super) fn text(answer: &Answer, width: Option<usize>) -> String {
    let mut text = String::new();
    if let Some(themes) = &answer.theme_list {
        list_themes(&mut text, themes);
    }
    if let Some(clusters) = &answer.cluster_list {
        list_clusters(&mut text, clusters, width);
    }
    text
}

fn list_themes(text: &mut String, themes: &[ThemeRow]) {
    let header =
        ["theme", "items", "remarks", "reviewers", "largest", "clusters", "alone", "proposals", "mixed clusters"];
    let rows = themes.iter().map(|t| {
        let mixed: Vec<String> = t.mixed.iter().map(|m| mix(&m.themes)).collect();
        let counts = [t.items, t.remarks, t.reviewers].map(|n| n.to_string());
        let rest = [t.clusters, t.alone, t.proposals].map(|n| n.to_string());
        let largest = format!("{:.2}", t.largest_share);
        [t.theme.clone()].into_iter().chain(counts).chain([largest]).chain(rest).chain([mixed.join("; ")]).collect()
    });
    table(text, "Themes", &header, rows.collect());
}

fn list_clusters(text: &mut String, clusters: &[ClusterRow], width: Option<usize>) {
    *text += "\nClusters of three or more\n";
    for c in clusters {
        let pure = if c.pure { "" } else { ", not pure" };
        *text += &format!("\n{} {}: {} members: {}{pure}\n", c.cluster, c.agent, c.members, mix(&c.themes));
        if let Some(proposal) = &c.proposal {
            *text += &format!("  proposal: {}\n", one_line(&proposal.text));
        }
        let rows = c.remarks.iter().map(|r| vec![theme(r.theme.as_deref()), r.text.clone()]).collect();
        list(&["theme", "remark"], rows, width).lines().skip(1).for_each(|line| *text += &format!("  {line}\n"));
        let more = c.distinct - c.remarks.len() as u64;
        if more > 0 {
            *text += &format!("  and {more} more\n");
        }
    }
}

/// Renders `7 speed, 2 no theme`.
fn mix(themes: &[ThemeCount]) -> String {
    let parts: Vec<String> = themes.iter().map(|t| format!("{} {}", t.items, theme(t.theme.as_deref()))).collect();
    parts.join(", ")
}

fn theme(name: Option<&str>) -> String {
    name.unwrap_or("no theme").to_owned()
}
