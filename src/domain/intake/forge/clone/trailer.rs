//! Approvals by commit trailer: `Reviewed-by` and `Acked-by`.

use super::commit::Commit;
use super::footers::footers;
use super::ident::Ident;
use crate::intake::forge::event::{Review, ReviewVerdict, Work};
use crate::text::ids::short_hash;

/// The trailers that approve.
const APPROVING: [&str; 2] = ["reviewed-by", "acked-by"];
/// More are not reviews.
const MOST: usize = 20;

/// Returns who approved a commit by a trailer, each once.
pub fn approvers(commit: &Commit) -> Vec<Ident> {
    let mut found: Vec<Ident> = Vec::new();
    for (name, value) in footers(&commit.message) {
        if !APPROVING.contains(&name.to_ascii_lowercase().as_str()) {
            continue;
        }
        let Some(ident) = Ident::parse(value) else { continue };
        if !found.iter().any(|known| known.is_same(&ident)) {
            found.push(ident);
        }
    }
    found.truncate(MOST);
    found
}

/// Creates the approval of a commit.
pub fn approval(repository: &str, commit: &Commit, by: &Ident, is_known: &dyn Fn(&str) -> bool) -> Review {
    Review {
        review: format!("approval-{}", short_hash(&[&commit.id, &by.mail.to_lowercase()])),
        by: by.person(is_known),
        decided: ReviewVerdict::Approve,
        body: None,
        remarks: Vec::new(),
        at: commit.committed,
        work: Work {
            repository: repository.to_owned(),
            number: commit.short(),
            url: None,
            author: commit.author.person(is_known),
            branch: None,
            description: Some(commit.message.clone()),
            revision: Some(commit.id.clone()),
        },
        url: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trailers_of_the_last_paragraph_name_who_approved() {
        let message = "Add it\n\nReviewed-by: Zoe <zoe@x> said no.\n\nReviewed-by: Ann <ann@x>\nAcked-By: Ben <ben@x>\n\
                       reviewed-by: ann <ann@x>\nReviewed-by: nobody\nTested-by: Eva <eva@x>\n[ben: typos]\n";
        let commit = Commit { message: message.to_owned(), ..Commit::default() };
        let names: Vec<String> = approvers(&commit).into_iter().map(|ident| ident.name).collect();
        assert_eq!(names, ["Ann", "Ben"]);
    }
}
