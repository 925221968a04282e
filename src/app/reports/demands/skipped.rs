//! What never became feedback and why, in words, across all repositories read.

use crate::domain::intake::forge::Reason;
use crate::domain::intake::forge::clone::SkipReason;
use crate::domain::reporting::demands::LeftOut;
use crate::forges::history::{SkippedNote, TOO_LARGE};
use std::collections::BTreeMap;

/// Returns what the notes list as left out, for one repository or all, most frequent reason first.
pub fn left_out(notes: &[SkippedNote], repository: Option<&str>) -> Vec<LeftOut> {
    let mut all: BTreeMap<&str, u64> = BTreeMap::new();
    for note in notes {
        if repository.is_none_or(|wanted| wanted.eq_ignore_ascii_case(&note.repository)) {
            note.left_out.iter().for_each(|(reason, count)| *all.entry(reason).or_default() += count);
        }
    }
    left_out_of(all)
}

/// Returns counts with their reasons in words, most frequent first.
pub fn left_out_of<'r>(counts: impl IntoIterator<Item = (&'r str, u64)>) -> Vec<LeftOut> {
    let told = |(reason, count): (&str, u64)| LeftOut {
        reason: reason.to_owned(),
        why: match reason.parse::<Reason>() {
            Ok(known) => known.why().to_owned(),
            Err(_) if reason == TOO_LARGE => "the forge sends too much data for this pull request".to_owned(),
            Err(_) => reason.parse().map_or("the reason is not known", SkipReason::why).to_owned(),
        },
        count,
    };
    let mut all: Vec<LeftOut> = counts.into_iter().map(told).collect();
    all.sort_by(|a, b| b.count.cmp(&a.count).then_with(|| a.reason.cmp(&b.reason)));
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notes_of_several_repositories_are_counted_together_or_apart() {
        let note = |repository: &str, left_out: &[(&str, u64)]| SkippedNote {
            repository: repository.to_owned(),
            left_out: left_out.iter().map(|(reason, count)| ((*reason).to_owned(), *count)).collect(),
        };
        let notes =
            [note("octo/shop", &[("bot", 2), ("author", 5)]), note("octo/site", &[("bot", 9), ("other_time", 1)])];
        let told = |of| {
            let told: Vec<String> =
                left_out(&notes, of).iter().map(|one| format!("{} {}", one.count, one.why)).collect();
            told.join("; ")
        };
        insta::assert_snapshot!(told(None), @"11 a program wrote it; 5 the author of the work wrote it; 1 it is outside the requested period");
        insta::assert_snapshot!(told(Some("Octo/Shop")), @"5 the author of the work wrote it; 2 a program wrote it");
    }
}
