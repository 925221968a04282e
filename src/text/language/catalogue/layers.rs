//! A catalogue layered from several files, with the origin of each concern: shipped, the store's own, or other.

use super::concern::{Catalogue, CatalogueError};
use super::lint::{Check, LintIssue, Severity};
use super::shipped::SHIPPED;
use std::collections::BTreeMap;

/// A catalogue and its files.
#[derive(Clone, Debug, Default)]
pub struct Layers {
    catalogue: Catalogue,
    /// The files that define each concern; the last one counts.
    origins: BTreeMap<String, Vec<String>>,
    errors: Vec<CatalogueError>,
}

impl Layers {
    /// Layers these files, each with name and text, over the shipped ones. An unreadable file changes nothing, and is
    /// reported in [`Layers::errors`].
    pub fn over_shipped(files: &[(String, String)]) -> Layers {
        let mut layers = Layers::default();
        for (name, text) in SHIPPED {
            layers.lay(&format!("shipped {name}"), text);
        }
        files.iter().for_each(|(name, text)| layers.lay(name, text));
        layers
    }

    /// Layers a file over the previous ones.
    pub fn lay(&mut self, name: &str, text: &str) {
        match Catalogue::read([(name, text)]) {
            Ok(own) => {
                for concern in own.concerns() {
                    self.origins.entry(concern.id.clone()).or_default().push(name.to_owned());
                }
                self.catalogue.lay(own);
            }
            Err(error) => self.errors.push(error),
        }
    }

    /// Returns the catalogue of all readable files.
    pub fn catalogue(&self) -> &Catalogue {
        &self.catalogue
    }

    /// Returns the files that define a concern; the last one counts.
    pub fn origins(&self, concern: &str) -> &[String] {
        self.origins.get(concern).map_or(&[], Vec::as_slice)
    }

    /// Returns why files cannot be read.
    pub fn errors(&self) -> &[CatalogueError] {
        &self.errors
    }

    /// Returns the errors as findings, plus phrasings added to no concern.
    pub fn findings(&self) -> impl Iterator<Item = LintIssue> {
        let missing = self.catalogue.missing().map(|id| LintIssue {
            severity: Severity::Warning,
            concern: id.to_owned(),
            check: Check::UnknownId,
            message: "gets more phrasings, and is no concern; they count for nothing".to_owned(),
        });
        let errors = self.errors.iter().map(|error| LintIssue {
            severity: Severity::Error,
            concern: match error {
                CatalogueError::Concern { concern, .. } => concern.clone(),
                CatalogueError::Unreadable { .. } => String::new(),
            },
            check: Check::Unreadable,
            message: error.to_string(),
        });
        errors.chain(missing)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const OWN: &str = "concerns:\n  - {id: perf.n_plus_one, title: T, description: D, gates: [code], direction: less, \
                       phrasings: [ours], rule: Do it., why: W}\n";

    #[test]
    fn a_later_file_replaces_a_concern_and_is_named() {
        let shipped = Layers::over_shipped(&[]);
        let id = shipped.catalogue().concerns().next().unwrap().id.clone();
        assert_eq!(shipped.origins(&id).len(), 1);
        assert!(shipped.origins(&id)[0].starts_with("shipped "));
        let own = OWN.replace("perf.n_plus_one", &id);
        let layers = Layers::over_shipped(&[("catalogue/ours.yaml".into(), own)]);
        assert_eq!(layers.catalogue().get(&id).unwrap().phrasings, ["ours"]);
        assert_eq!(layers.origins(&id).last().unwrap(), "catalogue/ours.yaml");
        assert_eq!(layers.catalogue().concerns().len(), shipped.catalogue().concerns().len());
        assert_eq!(layers.errors(), []);
    }

    #[test]
    fn phrasings_are_added_whichever_file_has_the_concern() {
        let more = ("a.yaml".to_owned(), "more_phrasings: {perf.n_plus_one: [theirs, ours], no.such: [x]}".to_owned());
        let own = ("b.yaml".to_owned(), OWN.to_owned());
        for files in [[more.clone(), own.clone()], [own, more]] {
            let layers = Layers::over_shipped(&files);
            assert_eq!(layers.catalogue().get("perf.n_plus_one").unwrap().phrasings, ["ours", "theirs"]);
            let told: Vec<LintIssue> = layers.findings().collect();
            assert_eq!(told.iter().map(|f| f.concern.as_str()).collect::<Vec<_>>(), ["no.such"]);
        }
    }

    #[test]
    fn a_file_that_cannot_be_read_changes_nothing_and_is_told_of() {
        let wrong = OWN.replace("id: perf.n_plus_one", "id: nothing");
        let files = [("a.yaml".into(), "no: catalogue".into()), ("b.yaml".into(), wrong)];
        let layers = Layers::over_shipped(&files);
        assert_eq!(layers.catalogue(), Layers::over_shipped(&[]).catalogue());
        let told: Vec<LintIssue> = layers.findings().collect();
        assert_eq!(told.len(), 2);
        assert!(told[0].message.starts_with("a.yaml: ") && told[1].concern == "nothing", "{told:?}");
    }
}
