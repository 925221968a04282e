//! What stands around every page.

use super::assets::{ICON, SCRIPT, STYLE};

use super::request::Visit;
use super::snapshot::Seen;
use crate::undo_buffer::{Deed, Said};

/// Where one can go: the place and what it is called.
const PLACES: [(&str, &str); 8] = [
    ("/", "Inbox"),
    ("/demands", "What reviewers ask for"),
    ("/proposals", "Proposals"),
    ("/rules", "Rules"),
    ("/contradictions", "Contradictions"),
    ("/groups", "Groups"),
    ("/search", "Search"),
    ("/report", "Report"),
];

/// Further places, at the foot.
const MORE: [(&str, &str); 4] =
    [("/edge-cases", "Edge cases"), ("/imports", "Imports"), ("/dead-letters", "Dead letters"), ("/roster", "Roster")];

/// What stands around a page.
pub struct Frame {
    /// What the page is about.
    pub title: String,
    /// Where one can go.
    pub places: Vec<Place>,
    /// Where else.
    pub more: Vec<Place>,
    /// The commit that is shown, shortened.
    pub commit: String,
    /// Where it is shown as such.
    pub commit_url: Option<String>,
    /// What is wrong with the daemon; nothing where it is well.
    pub trouble: Option<String>,
    /// What the language model is doing; nothing if it is asked nothing.
    pub model: Option<String>,
    /// Who asks.
    pub who: Option<String>,
    /// What they decided just now, and can take back.
    pub waiting: Option<Deed>,
    /// What became of what they decided before.
    pub said: Option<Said>,
    /// The addresses of style sheet, script and icon.
    pub style: String,
    pub script: String,
    pub icon: String,
}

/// A place to go to.
pub struct Place {
    /// Its address.
    pub address: &'static str,
    /// What it is called.
    pub name: &'static str,
    /// Whether this is the page or it lies below.
    pub here: bool,
}

impl Frame {
    /// The frame of a page that shows what was seen.
    pub fn new<T>(visit: &Visit, title: impl Into<String>, seen: &Seen<T>) -> Frame {
        let commit = seen.commit.as_ref();
        Frame {
            commit: commit.map_or_else(String::new, |commit| commit.short().to_owned()),
            commit_url: commit.and_then(|commit| visit.pages.services.showing.commit_url(commit)),
            ..Frame::bare(visit, title)
        }
    }

    /// The frame of a page that shows nothing of the store.
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
            who: visit.who().map(str::to_owned),
            waiting,
            said,
            style: STYLE.address(),
            script: SCRIPT.address(),
            icon: ICON.address(),
        }
    }
}
