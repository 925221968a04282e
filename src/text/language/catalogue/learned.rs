//! What people taught, as a file of the store's catalogue: more phrasings of known concerns, and concerns of the store.
//!
//! Rebuilt each time from everything that people confirmed, so it needs no upkeep. Nothing is learned from what people
//! keep apart, and only phrasings are created, no terms. The caller determines what was confirmed.

use super::concern::{Catalogue, Concern, ConcernId, MorePhrasings, Towards, Work};
use super::lint::{LintIssue, Severity, lint};
use crate::language::specificity::lint as lint_rule;
use crate::prose::{capitalise, line};
use crate::yaml;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

/// Maximum phrasings per concern.
pub const PHRASINGS: usize = 12;
/// Maximum concerns learned about.
pub const CONCERNS: usize = 200;
/// The area of a store's own concerns.
const AREA: &str = "store.";
/// Text length in characters: shorter texts show nothing, longer ones are more than a demand.
const LENGTH: std::ops::RangeInclusive<usize> = 8..=150;
/// Number of words that name a concern.
const NAMING: usize = 4;

const HEAD: &str = "\
# What people taught this store: written by `feedbackd catalogue learn`, which rewrites all of it. Concerns of your own, and changes
# to these, belong into another file of this directory.
";

/// A cluster whose members people confirmed.
#[derive(Clone, Debug, PartialEq)]
pub struct Taught {
    /// The cluster it was learned from.
    pub cluster: String,
    /// The concern that its members share, if any.
    pub concern: Option<ConcernId>,
    /// The comments, redacted; those that its concern does not cover yet come first.
    pub remarks: Vec<String>,
    /// The kinds of work it is demanded of, most frequent first.
    pub gates: Vec<Work>,
    /// Its direction.
    pub direction: Towards,
    /// The text of its rule, unless rejected by people.
    pub rule: Option<String>,
}

/// Returns what was learned.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct LearnedCatalogue {
    /// The store's own concerns.
    pub concerns: Vec<Concern>,
    /// More phrasings of other concerns.
    pub more_phrasings: MorePhrasings,
    /// Clusters from which nothing could be learned, each with the reason.
    #[serde(skip)]
    pub left_out: BTreeMap<String, String>,
}

impl LearnedCatalogue {
    /// Reports whether nothing was learned.
    pub fn is_empty(&self) -> bool {
        self.concerns.is_empty() && self.more_phrasings.is_empty()
    }

    /// Renders the file.
    ///
    /// # Errors
    /// Never, as far as known; a sentence nevertheless.
    pub fn to_yaml(&self) -> Result<String, String> {
        Ok(format!("{HEAD}{}", yaml::render(self)?))
    }
}

/// Learns from clusters. `known` is the catalogue without what was learned `before`; the ids of the store's concerns
/// stay stable.
///
/// Omits anything that the linter reports as an error.
pub fn learn(known: &Catalogue, before: &Catalogue, mut groups: Vec<Taught>) -> LearnedCatalogue {
    // If there are too many, those demanded most count.
    groups.sort_by(|a, b| b.remarks.len().cmp(&a.remarks.len()).then_with(|| a.cluster.cmp(&b.cluster)));
    let mut said: BTreeSet<String> = known.concerns().flat_map(|c| c.phrasings.iter().map(|p| plain(p))).collect();
    let mut learned = LearnedCatalogue::default();
    for group in groups {
        let cluster = group.cluster.clone();
        if let Err(why) = take(known, before, group, &mut said, &mut learned) {
            learned.left_out.insert(cluster, why);
        }
    }
    learned.concerns.sort_by(|a, b| a.id.cmp(&b.id));
    without_errors(known, learned)
}

fn take(
    known: &Catalogue,
    before: &Catalogue,
    group: Taught,
    said: &mut BTreeSet<String>,
    learned: &mut LearnedCatalogue,
) -> Result<(), String> {
    let of_known = group.concern.as_deref().filter(|id| known.get(id).is_some());
    let id = match of_known {
        Some(id) => id.to_owned(),
        None => own_id(before, &group),
    };
    let count = learned.concerns.len() + learned.more_phrasings.len();
    let own = learned.concerns.iter_mut().find(|c| c.id == id);
    let has = own.as_ref().map(|c| c.phrasings.len());
    let has = has.or_else(|| learned.more_phrasings.get(&id).map(Vec::len));
    let fits = |text: &&String| LENGTH.contains(&text.chars().count()) && !text.ends_with('…');
    let fresh: Vec<String> = group
        .remarks
        .iter()
        .filter(fits)
        .filter(|text| !said.contains(&plain(text)))
        .fold(Vec::new(), |mut fresh: Vec<String>, text| {
            if !fresh.iter().any(|other| plain(other) == plain(text)) {
                fresh.push(text.clone());
            }
            fresh
        })
        .into_iter()
        .take(PHRASINGS.saturating_sub(has.unwrap_or(0)))
        .collect();
    if fresh.is_empty() {
        return Err("its remarks say nothing that the catalogue has not".to_owned());
    }
    if has.is_none() && count >= CONCERNS {
        return Err(format!("{CONCERNS} concerns are learned about already"));
    }
    if let Some(own) = own {
        own.phrasings.extend(fresh.iter().cloned());
    } else if of_known.is_some() {
        learned.more_phrasings.entry(id).or_default().extend(fresh.iter().cloned());
    } else {
        let rule = group.rule.clone().filter(|rule| lint_rule(rule).is_empty());
        let rule = rule.ok_or("no concern of the catalogue is voiced, and no rule was made of it yet".to_owned())?;
        let gates = if group.gates.is_empty() { vec![Work::Code] } else { group.gates.clone() };
        learned.concerns.push(Concern {
            id,
            title: capitalise(&naming(&fresh[0]).join(" ")),
            description: line(&fresh[0], *LENGTH.end()),
            gates,
            direction: group.direction,
            opposite: None,
            terms: BTreeMap::new(),
            against: Vec::new(),
            phrasings: fresh.clone(),
            related: Vec::new(),
            rule,
            rules: BTreeMap::new(),
            why: "Reviewers of this store ask for it again and again.".to_owned(),
        });
    }
    said.extend(fresh.iter().map(|text| plain(text)));
    Ok(())
}

/// Returns the id of a store's concern: its previous one, or a few words and the end of its cluster's id.
fn own_id(before: &Catalogue, group: &Taught) -> ConcernId {
    let known = group.concern.as_deref().filter(|id| id.starts_with(AREA) && before.get(id).is_some());
    if let Some(id) = known {
        return id.to_owned();
    }
    let tail: String = group.cluster.to_ascii_lowercase().chars().filter(char::is_ascii_alphanumeric).collect();
    let tail = &tail[tail.len().saturating_sub(8)..];
    let named = before.concerns().map(|c| &c.id).find(|id| id.starts_with(AREA) && id.ends_with(&format!("_{tail}")));
    named.cloned().unwrap_or_else(|| {
        let words = group.remarks.first().map(|text| naming(text)).unwrap_or_default();
        let ascii = |word: &String| word.chars().filter(char::is_ascii_alphanumeric).collect::<String>();
        let words: Vec<String> = words.iter().map(ascii).filter(|word| !word.is_empty()).collect();
        format!("{AREA}{}_{tail}", if words.is_empty() { "concern".to_owned() } else { words.join("_") })
    })
}

/// Returns the first words of a comment that are longer than a few letters.
fn naming(text: &str) -> Vec<String> {
    let words = text.split(|c: char| !c.is_alphanumeric()).map(str::to_lowercase);
    let long: Vec<String> = words.filter(|word| word.chars().count() > 3).take(NAMING).collect();
    if long.is_empty() { vec![line(text, 30).to_lowercase()] } else { long }
}

/// Removes what the linter reports as an error because of it.
fn without_errors(known: &Catalogue, mut learned: LearnedCatalogue) -> LearnedCatalogue {
    let of_itself: BTreeSet<LintIssue> = errors(known).collect();
    let mut catalogue = known.clone();
    catalogue.lay(laid(&learned));
    for finding in errors(&catalogue).filter(|finding| !of_itself.contains(finding)) {
        learned.concerns.retain(|c| c.id != finding.concern);
        learned.more_phrasings.remove(&finding.concern);
        learned.left_out.insert(finding.concern, finding.message);
    }
    learned
}

fn errors(catalogue: &Catalogue) -> impl Iterator<Item = LintIssue> {
    lint(catalogue).into_iter().filter(|finding| finding.severity == Severity::Error)
}

fn laid(learned: &LearnedCatalogue) -> Catalogue {
    let text = learned.to_yaml().unwrap_or_default();
    Catalogue::read([("learned.yaml", text.as_str())]).unwrap_or_default()
}

/// Reduces a text to lower-case words.
fn plain(text: &str) -> String {
    let words = text.split(|c: char| !c.is_alphanumeric()).filter(|w| !w.is_empty());
    words.collect::<Vec<_>>().join(" ").to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    const KNOWN: &str = "concerns:\n  - {id: a.retry, title: T, description: D, gates: [code], direction: more, phrasings: \
                         [retry the call], rule: Retry failed calls., why: W}\n";

    fn known() -> Catalogue {
        Catalogue::read([("known.yaml", KNOWN)]).unwrap()
    }

    fn group(cluster: &str, concern: Option<&str>, remarks: &[&str]) -> Taught {
        Taught {
            cluster: cluster.into(),
            concern: concern.map(str::to_owned),
            remarks: remarks.iter().map(|r| (*r).to_owned()).collect(),
            gates: vec![Work::Code],
            direction: Towards::More,
            rule: Some("Add the tariff key to every invoice line.".into()),
        }
    }

    #[test]
    fn a_known_concern_gets_what_it_has_not_and_no_more_than_its_share() {
        let many: Vec<String> = (0..20).map(|n| format!("try the request number {n} again")).collect();
        let many: Vec<&str> = many.iter().map(String::as_str).chain(["Retry the call!", "again"]).collect();
        let learned = learn(&known(), &Catalogue::default(), vec![group("CLUSTER-1", Some("a.retry"), &many)]);
        assert_eq!(learned.concerns, []);
        let more = &learned.more_phrasings["a.retry"];
        assert_eq!((more.len(), more[0].as_str()), (PHRASINGS, "try the request number 0 again"));
        let mut catalogue = known();
        catalogue.lay(laid(&learned));
        assert_eq!(catalogue.get("a.retry").unwrap().phrasings.len(), 1 + PHRASINGS);
    }

    #[test]
    fn what_no_concern_covers_becomes_one_that_keeps_its_id() {
        let taught =
            group("CLUSTER-00aa11bb22cc", None, &["the tariff key is missing on the line", "no tariff key here"]);
        let first = learn(&known(), &Catalogue::default(), vec![taught.clone()]);
        assert_eq!(first.concerns.len(), 1, "{:?}", first.left_out);
        let own = &first.concerns[0];
        assert_eq!((own.id.as_str(), own.phrasings.len()), ("store.tariff_missing_line_11bb22cc", 2));
        assert_eq!(own.rule, "Add the tariff key to every invoice line.");
        // Its id stays the same later, whatever is said first.
        let later = Taught { remarks: vec!["where is the tariff key".into(), taught.remarks[0].clone()], ..taught };
        let again = learn(&known(), &laid(&first), vec![later.clone()]);
        assert_eq!(again.concerns[0].id, own.id);
        let voiced = Taught { cluster: "CLUSTER-other".into(), concern: Some(own.id.clone()), ..later };
        assert_eq!(learn(&known(), &laid(&first), vec![voiced]).concerns[0].id, own.id);
    }

    #[test]
    fn without_a_rule_that_the_linter_passes_there_is_no_new_concern() {
        for rule in [None, Some("Be careful.".to_owned())] {
            let taught = Taught { rule, ..group("CLUSTER-1", None, &["the tariff key is missing"]) };
            let learned = learn(&known(), &Catalogue::default(), vec![taught]);
            assert!(learned.is_empty() && learned.left_out.contains_key("CLUSTER-1"), "{learned:?}");
        }
    }

    #[test]
    fn the_same_groups_give_the_same_file_in_any_order() {
        let groups = [
            group("CLUSTER-1", Some("a.retry"), &["call it once more", "try it again"]),
            group("CLUSTER-2", Some("a.retry"), &["Try it again.", "one attempt is not enough"]),
        ];
        let one = learn(&known(), &Catalogue::default(), groups.to_vec());
        let other = learn(&known(), &Catalogue::default(), groups.into_iter().rev().collect());
        assert_eq!(one, other);
        assert_eq!(one.more_phrasings["a.retry"], ["call it once more", "try it again", "one attempt is not enough"]);
    }
}
