//! The filter of the inbox: by agent, repository and words.

use super::link;
use super::request::Visit;
use crate::app::decisions::inbox::Item;
use crate::app::queries::views::ItemRepositories;

/// What to list; empty fields do not restrict it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct InboxFilter {
    /// The agent.
    pub agent: String,
    /// The repository.
    pub repository: String,
    /// Words, all of which occur in an item.
    pub words: String,
}

impl InboxFilter {
    /// Reads the filter from the address.
    pub fn of(visit: &Visit) -> InboxFilter {
        let field = |name: &str| visit.option(name).unwrap_or_default().to_owned();
        InboxFilter { agent: field("agent"), repository: field("repository"), words: field("q") }
    }

    /// Reports whether it restricts anything.
    pub fn is_set(&self) -> bool {
        *self != InboxFilter::default()
    }

    /// Returns the address of a tab of the inbox with this filter.
    pub fn address(&self, show: &str) -> String {
        let InboxFilter { agent, repository, words } = self;
        link::query("/", &[("show", show), ("agent", agent), ("repository", repository), ("q", words)])
    }

    /// Reports whether an item passes. An item without an agent or a repository is about all of them.
    pub fn passes(&self, item: &Item, repositories: &ItemRepositories) -> bool {
        let of_agent =
            self.agent.is_empty() || item.agent.is_empty() || item.agent.split(", ").any(|a| a == self.agent);
        let mut named = repositories.of(&item.id).peekable();
        let of_repository =
            self.repository.is_empty() || named.peek().is_none() || named.any(|one| *one == self.repository);
        of_agent && of_repository && self.has_words(item)
    }

    fn has_words(&self, item: &Item) -> bool {
        let text = item.text.as_deref().unwrap_or_default();
        let all = [&item.title, text, &item.why, &item.id, &item.agent].join("\n").to_lowercase();
        self.words.to_lowercase().split_whitespace().all(|word| all.contains(word))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::decisions::inbox::Kind;

    #[test]
    fn every_word_must_occur_somewhere_in_an_item() {
        let item = Item {
            text: Some("Set an explicit timeout on every call.".into()),
            ..Item::new(Kind::Proposal, "RULE-2026-0001", "coder, tester", "Timeout missing")
        };
        let passes = |words: &str, agent: &str| {
            let filter = InboxFilter { agent: agent.into(), words: words.into(), ..InboxFilter::default() };
            filter.passes(&item, &ItemRepositories::default())
        };
        assert!(passes("", "") && passes("TIMEOUT explicit", "tester") && passes("rule-2026-0001", ""));
        assert!(!passes("timeout retry", "") && !passes("", "test") && !passes("", "reviewer"));
    }
}
