//! The repositories that pending items are about, for filtering them.

use crate::domain::records::record::{AmbiguousRecord, AmbiguousStatus};
use crate::queries::{Queries, QueryError};
use std::collections::{BTreeSet, HashMap};

/// The repositories of everything that can be pending, by id: proposals, clusters and contradictions.
#[derive(Clone, Debug, Default)]
pub struct ItemRepositories {
    of: HashMap<String, BTreeSet<String>>,
}

impl ItemRepositories {
    /// Reads all comments; takes a moment on a large store, and changes only with it.
    ///
    /// # Errors
    /// If the index cannot be read.
    pub fn read(queries: &Queries<'_>) -> Result<ItemRepositories, QueryError> {
        let (mut of_comment, mut of) = (HashMap::new(), HashMap::<String, BTreeSet<String>>::new());
        queries.index.each_feedback(&mut |comment| {
            let Some(repository) = comment.repository else { return };
            if let Some(cluster) = comment.cluster {
                of.entry(cluster).or_default().insert(repository.clone());
            }
            of_comment.insert(comment.id, repository);
        })?;
        for (_, rule) in queries.index.proposals()? {
            let comments = rule.created_from_feedback_ids.iter().filter_map(|id| of_comment.get(id).cloned());
            let clusters = rule.clusters().filter_map(|id| of.get(id)).flatten().cloned();
            let found: BTreeSet<String> = comments.chain(clusters).collect();
            of.insert(rule.proposal_id, found);
        }
        let open = |(_, record): &(String, AmbiguousRecord)| record.status == AmbiguousStatus::Open;
        for (_, record) in queries.index.ambiguous()?.into_iter().filter(open) {
            let found = of_comment.get(&record.feedback_id).cloned();
            of.insert(record.feedback_id, found.into_iter().collect());
        }
        Ok(ItemRepositories { of })
    }

    /// Returns the repositories of an item.
    pub fn of(&self, id: &str) -> impl Iterator<Item = &String> {
        self.of.get(id).into_iter().flatten()
    }
}
