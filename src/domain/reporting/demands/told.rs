//! The same in words, shared by page, command and file.

use super::answer::{Behind, Demands, Opposed, Period, Puzzle, Read, Recurring, Share, Trust, Where};
use crate::text::prose::{count, day, people, when};

/// Accuracy without any answers on labelled reviews of other teams, and with twenty answers in each project
/// (benches/RESULTS.md): right patterns, out of how many, and demands found, out of how many.
const MEASURED: [(u64, u64, u64, u64); 2] = [(15, 17, 14, 88), (32, 34, 31, 88)];

impl Demands {
    /// Summarizes what was read, in a sentence.
    pub fn summary(&self) -> String {
        let read = &self.read;
        let (Some(first), Some(last)) = (read.first, read.last) else {
            return format!("No reviews have been read yet.{}", self.of.told());
        };
        let (of, people) = (on("of", read.pull_requests, read.tasks), people(read.people));
        let were = if read.reviews == 1 { "was" } else { "were" };
        format!(
            "{}{of} by {people} {were} read, from {} to {}. {}{}",
            match read.comments {
                0 => count(read.reviews, "review"),
                comments => format!("{} with {}", count(read.reviews, "review"), count(comments, "comment")),
            },
            day(first),
            day(last),
            self.outcome(),
            self.of.told()
        )
    }

    fn outcome(&self) -> String {
        let read = &self.read;
        let asks = read.shared + read.by_one + read.once + read.contradict + read.particular;
        match self.patterns.len() as u64 + self.more_patterns {
            _ if asks == 0 => "None of them asks for anything.".to_owned(),
            0 => format!("Of these {asks} ask for something; no two people were found to ask for the same."),
            n => format!("Of these {asks} ask for something: {} for one of {}.", read.shared, count(n, "pattern")),
        }
    }

    /// Returns the breakdown of the reviews: counts with descriptions. Together they are everything that was read.
    pub fn figures(&self) -> Vec<(u64, &'static str)> {
        self.read.figures().into_iter().filter(|(n, _)| *n > 0).collect()
    }

    /// Returns how far to trust it, in sentences.
    pub fn caution(&self) -> Vec<String> {
        let mut told = vec![match &self.trust {
            Some(trust) => trust.told(),
            None => {
                let [(right, of, found, demands), (taught_right, taught_of, taught_found, _)] = MEASURED;
                format!(
                    "No one has checked the patterns found here yet. On six real projects {right} of the {of} \
                     patterns found were right, but only {found} of {demands} recurring demands were found. After \
                     people answered 20 questions in each, {taught_right} of {taught_of} were right, and \
                     {taught_found} of {demands} were found. So recurring demands may be missing from the list, and \
                     your answers find more."
                )
            }
        }];
        told.push("Read the evidence before you trust a pattern.".to_owned());
        told
    }
}

impl Behind {
    /// Returns ` Only reviews in octo/shop, of the work of coder count here.`; empty if all count.
    fn told(&self) -> String {
        let limits = [
            self.repository.as_ref().map(|repository| format!("in {repository}")),
            self.agent.as_ref().map(|agent| format!("of {agent}'s work")),
            self.since.map(|since| format!("since {} UTC", when(since))),
            self.until.map(|until| format!("before {} UTC", when(until))),
        ];
        let limits: Vec<String> = limits.into_iter().flatten().collect();
        if limits.is_empty() { String::new() } else { format!(" Only reviews {} are counted.", limits.join(", ")) }
    }
}

impl Read {
    fn figures(&self) -> [(u64, &'static str); 8] {
        [
            (self.shared, "ask for something that another person also asks for"),
            (self.by_one, "ask for something that only the same person asks for again"),
            (self.once, "ask for something that no one else was found to ask for"),
            (self.contradict, "contradict earlier ones"),
            (self.particular, "ask for something too specific for a rule"),
            (self.nothing, "ask for nothing: approvals, praise, reports"),
            (self.wordless, "send the work back without a comment"),
            (self.withdrawn, "were withdrawn by people"),
        ]
    }
}

impl Recurring {
    /// Describes how many, who and when, in half a sentence.
    pub fn told(&self) -> String {
        let (on, voices) = (on("on", self.pull_requests, self.tasks), people(self.people));
        let (first, last) = (day(self.first), day(self.last));
        let time = if first == last { format!("on {first}") } else { format!("from {first} to {last}") };
        format!("{} by {voices}{on}, {time}", count(self.remarks, "comment"))
    }

    /// Returns how often that is, if known.
    pub fn often(&self) -> Option<String> {
        self.share.as_ref().map(Share::told)
    }

    /// Lists the parts of the time that have comments, in words.
    pub fn over_time(&self) -> String {
        let told = |part: &Period| format!("{}: {}", part.period, part.remarks);
        let heard = self.periods.iter().filter(|part| part.remarks > 0);
        heard.map(told).collect::<Vec<_>>().join(", ")
    }
}

impl Share {
    /// `12 of 340 reviews of this work ask for it (95 % interval: 2 to 6 of 100)`
    fn told(&self) -> String {
        let asks = if self.part == 1 { "asks" } else { "ask" };
        let between = between(self.low, self.high);
        format!(
            "{} of {} of this agent's work {asks} for it (95 % interval: {between} of 100)",
            self.part,
            count(self.of, "review")
        )
    }
}

impl Where {
    /// Describes where it is said, in words; empty if no comment tells.
    pub fn told(&self) -> String {
        if self.remarks == 0 {
            return String::new();
        }
        let named: Vec<String> =
            self.kinds.iter().chain(&self.files).map(|one| format!("{} {}", one.name, one.count)).collect();
        let named = if named.is_empty() { "no file name shows its kind".to_owned() } else { named.join(", ") };
        let are = if self.remarks == 1 { "is" } else { "are each" };
        format!("{} {are} about one file: {named}", count(self.remarks, "comment"))
    }
}

impl Trust {
    fn told(&self) -> String {
        let (looked, right) = (self.right + self.wrong, self.right);
        let were = if right == 1 { "was" } else { "were" };
        format!(
            "People checked {} that were built automatically; {right} {were} about one demand. So {} of 100 such \
             clusters are (90 % interval).",
            count(looked, "cluster"),
            between(self.low, self.high)
        )
    }
}

impl Opposed {
    /// Describes both sides, in a sentence.
    pub fn told(&self) -> String {
        let said = format!("{} said: “{}”", self.reviewer_id, self.text);
        match self.other_text.is_empty() {
            true => format!("{said} {}", self.question),
            false => format!("{said} Before, {} said: “{}”", self.other_reviewer_id, self.other_text),
        }
    }
}

impl Puzzle {
    /// Returns the question with its subject.
    pub fn told(&self) -> String {
        let remarks: Vec<String> = self.remarks.iter().map(|text| format!("“{text}”")).collect();
        format!("{} {}", self.question, remarks.join(" "))
    }
}

/// Returns ` on 9 pull requests and 2 tasks`; empty if there are none.
fn on(word: &str, pull_requests: u64, tasks: u64) -> String {
    let all = [(pull_requests, "pull request"), (tasks, "task")];
    let all: Vec<String> = all.into_iter().filter(|(n, _)| *n > 0).map(|(n, what)| count(n, what)).collect();
    if all.is_empty() { String::new() } else { format!(" {word} {}", all.join(" and ")) }
}

/// Formats two shares of 100, with a decimal below one and if they would be the same without it.
fn between(low: f64, high: f64) -> String {
    let (low, high) = (low * 100.0, high * 100.0);
    let is_narrow = high - low < 2.0;
    let shown = |share: f64| match is_narrow || share > 0.0 && share < 1.0 {
        true => format!("{share:.1}"),
        false => format!("{share:.0}"),
    };
    format!("{} to {}", shown(low), shown(high))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::sample::moment;

    #[test]
    fn what_was_read_is_told_in_a_sentence() {
        let read = Read {
            reviews: 312,
            pull_requests: 120,
            people: 9,
            first: Some(moment(0)),
            last: Some(moment(40 * 86_400)),
            shared: 12,
            once: 300,
            ..Read::default()
        };
        let mut demands = Demands { read, more_patterns: 3, ..Demands::default() };
        insta::assert_snapshot!(demands.summary(), @"312 reviews of 120 pull requests by 9 people were read, from 2026-01-12 to 2026-02-21. Of these 312 ask for something: 12 for one of 3 patterns.");
        assert_eq!(demands.figures().iter().map(|(n, _)| n).sum::<u64>(), 312);
        demands.of.repository = Some("octo/shop".into());
        (demands.read.reviews, demands.read.pull_requests, demands.read.tasks, demands.read.people) = (1, 0, 2, 1);
        insta::assert_snapshot!(demands.summary(), @"1 review of 2 tasks by 1 person was read, from 2026-01-12 to 2026-02-21. Of these 312 ask for something: 12 for one of 3 patterns. Only reviews in octo/shop are counted.");
        insta::assert_snapshot!(Demands::default().summary(), @"No reviews have been read yet.");
    }

    #[test]
    fn shares_are_told_as_frequencies() {
        let share = Share { part: 12, of: 3_400, low: 0.002, high: 0.0061 };
        insta::assert_snapshot!(share.told(), @"12 of 3400 reviews of this agent's work ask for it (95 % interval: 0.2 to 0.6 of 100)");
        let share = Share { part: 630, of: 12_500, low: 0.0467, high: 0.0544 };
        insta::assert_snapshot!(share.told(), @"630 of 12500 reviews of this agent's work ask for it (95 % interval: 4.7 to 5.4 of 100)");
        let trust = Trust { right: 10, wrong: 2, low: 0.6, high: 0.94 };
        insta::assert_snapshot!(trust.told(), @"People checked 12 clusters that were built automatically; 10 were about one demand. So 60 to 94 of 100 such clusters are (90 % interval).");
    }
}
