//! The frame around every page.

use super::assets::{ICON, SCRIPT, STYLE};

use super::request::Visit;
use super::snapshot::Snapshot;
use crate::undo_buffer::{DecisionCall, DecisionOutcome};

/// The navigation: places and their names.
const PLACES: [(&str, &str); 8] = [
    ("/", "Inbox"),
    ("/demands", "What reviewers ask for"),
    ("/proposals", "Proposals"),
    ("/rules", "Rules"),
    ("/contradictions", "Contradictions"),
    ("/groups", "Clusters"),
    ("/search", "Search"),
    ("/report", "Report"),
];

/// Further places, in the footer.
const MORE: [(&str, &str); 5] = [
    ("/agents", "What agents read"),
    ("/edge-cases", "One-offs"),
    ("/imports", "Imports"),
    ("/dead-letters", "Dead letters"),
    ("/roster", "Roster"),
];

/// The frame around a page.
pub struct Frame {
    /// The page title.
    pub title: String,
    /// The navigation.
    pub places: Vec<Place>,
    /// The footer navigation.
    pub more: Vec<Place>,
    /// The shown commit, shortened.
    pub commit: String,
    /// The URL of the commit.
    pub commit_url: Option<String>,
    /// What is wrong with the daemon; none if it is well.
    pub trouble: Option<String>,
    /// What the language model is doing; none if it is idle.
    pub model: Option<String>,
    /// Why the copy at the Git host is not kept up to date; none if it is.
    pub copy: Option<String>,
    /// The caller.
    pub who: Option<String>,
    /// Their last decision, while it can be taken back.
    pub waiting: Option<DecisionCall>,
    /// The outcome of their previous decision.
    pub said: Option<DecisionOutcome>,
    /// The addresses of style sheet, script and icon.
    pub style: String,
    pub script: String,
    pub icon: String,
}

/// A navigation target.
pub struct Place {
    /// Its address.
    pub address: &'static str,
    /// Its name.
    pub name: &'static str,
    /// Whether the page is here or below.
    pub here: bool,
}

impl Frame {
    /// Creates the frame of a page about what was seen.
    pub fn new<T>(visit: &Visit, title: impl Into<String>, seen: &Snapshot<T>) -> Frame {
        let commit = seen.commit.as_ref();
        Frame {
            commit: commit.map_or_else(String::new, |commit| commit.short().to_owned()),
            commit_url: commit.and_then(|commit| visit.pages.services.showing.commit_url(commit)),
            ..Frame::bare(visit, title)
        }
    }

    /// Creates the frame of a page without store content.
    pub fn bare(visit: &Visit, title: impl Into<String>) -> Frame {
        let here = |address: &str| {
            let below = visit.path.strip_prefix(address).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
            if address == "/" { visit.path == "/" } else { below }
        };
        let places = |list: &[(&'static str, &'static str)]| {
            list.iter().map(|(address, name)| Place { address, name, here: here(address) }).collect()
        };
        let (waiting, said) = visit.who().map_or((None, None), |who| visit.pages.services.held.of(who));
        Frame {
            title: title.into(),
            places: places(&PLACES),
            more: places(&MORE),
            commit: String::new(),
            commit_url: None,
            trouble: visit.pages.trouble(),
            model: visit.pages.model(),
            copy: visit.pages.copy(),
            who: visit.who().map(str::to_owned),
            waiting,
            said,
            style: STYLE.address(),
            script: SCRIPT.address(),
            icon: ICON.address(),
        }
    }
}
