//! Whether two sentences mean the same: by their vectors or by their words.

use crate::text::language::direction::Direction;
use crate::text::language::similarity::{Calibration, DemandVector};
use crate::text::language::stance::read_stance;
use crate::text::prose::{line, round};
use crate::text::verdict::Verdict;
use regex::Regex;
use std::cell::OnceCell;
use std::collections::BTreeSet;
use std::sync::LazyLock;

/// The calibrated similarity from which two sentences in the same direction are one.
pub const RESTATES_AT: f64 = 0.9;

/// The share of a known sentence's words that a rule must contain to repeat it: a much longer sentence says other
/// things.
const SHARE: f64 = 0.5;

/// A sentence that an agent is already told.
#[derive(Clone, Debug, PartialEq)]
pub struct KnownSentence {
    /// Its text.
    pub text: String,
    /// Its vector, if there is one.
    pub vector: Option<DemandVector>,
    /// Its location, in words: `CLAUDE.md, line 12`, `RULE-2026-0003`.
    pub source: String,
}

/// The sentence that a rule repeats.
#[derive(Clone, Debug, PartialEq)]
pub struct Restatement {
    /// Its location.
    pub source: String,
    /// Its text.
    pub sentence: String,
    /// The calibrated similarity or, if greater, the share of words in common; 0 to 1.
    pub similarity: f64,
}

impl std::fmt::Display for Restatement {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "restates “{}” ({})", line(&self.sentence, 160), self.source)
    }
}

/// Returns the known sentence that a rule repeats, the nearest of several. A rule asking for the opposite repeats
/// nothing.
pub fn restates(
    draft_text: &str,
    draft_vector: Option<&DemandVector>,
    candidates: &[KnownSentence],
    calibration: &Calibration,
    at: f64,
) -> Option<Restatement> {
    let demand = SentenceFeatures::of(draft_text);
    let mut best: Option<Restatement> = None;
    for known in candidates {
        let by_words = clauses(&known.text).map(|c| demand.share_in(&SentenceFeatures::of(c))).fold(0.0, f64::max);
        let near = draft_vector.zip(known.vector.as_ref()).map(|(a, b)| calibration.similarity(a.cosine(b)));
        let by_vector =
            near.filter(|similarity| *similarity >= at && demand.may_equal(&SentenceFeatures::of(&known.text)));
        let similarity = by_words.max(by_vector.unwrap_or(0.0));
        if similarity > best.as_ref().map_or(0.0, |b| b.similarity) {
            let (source, sentence) = (known.source.clone(), known.text.clone());
            best = Some(Restatement { source, sentence, similarity: round(similarity) });
        }
    }
    best
}

/// Returns the comment that a rule merely frames.
fn framed(text: &str) -> Option<&str> {
    static FRAME: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r"(?s)\bthis remark\b[^“]{0,60}“(.+)”[\s.]*$").expect("a constant pattern"));
    // "Do not hand in work that draws …" reverses the comment; it is compared as a whole.
    FRAME.captures(text).and_then(|c| c.get(1)).filter(|_| !text.starts_with("Do not hand in")).map(|m| m.as_str())
}

/// Returns a sentence and each of its clauses: a single clause may cover it all.
fn clauses(text: &str) -> impl Iterator<Item = &str> {
    std::iter::once(text).chain(text.split([';', ',', ':']).filter(move |clause| clause.len() < text.len()))
}

/// The features by which two sentences are compared.
struct SentenceFeatures<'t> {
    text: &'t str,
    /// Content words, without order and endings.
    words: BTreeSet<String>,
    numbers: BTreeSet<String>,
    /// Whether an odd number of negations reverses it.
    negated: bool,
    /// Whether it is a comment: "no rollback plan" complains, and asks for one.
    complaint: bool,
    /// Computed lazily: it costs far more than the words.
    direction: OnceCell<Direction>,
}

impl<'t> SentenceFeatures<'t> {
    fn of(text: &'t str) -> SentenceFeatures<'t> {
        let remark = framed(text);
        let text = remark.unwrap_or(text);
        let plain = text.replace('’', "'").to_lowercase();
        let mut meaning = SentenceFeatures {
            text,
            words: BTreeSet::new(),
            numbers: BTreeSet::new(),
            negated: false,
            complaint: remark.is_some(),
            direction: OnceCell::new(),
        };
        for word in plain.split(|c: char| !(c.is_alphanumeric() || c == '\'')) {
            let word = word.trim_matches('\'');
            if NEGATIONS.contains(&word) || word.ends_with("n't") {
                meaning.negated = !meaning.negated;
            } else if word.chars().any(|c| c.is_ascii_digit()) {
                meaning.numbers.insert(word.to_owned());
                meaning.words.insert(word.to_owned());
            } else if !word.is_empty() && !STOP_WORDS.split_whitespace().any(|stop| stop == word) {
                meaning.words.insert(stem(word));
            }
        }
        meaning
    }

    fn direction(&self) -> Direction {
        *self.direction.get_or_init(|| read_stance(Verdict::Rejected, Some(self.text), None).direction)
    }

    /// Reports whether both have the same direction, judging by their words.
    fn same_way(&self, other: &SentenceFeatures<'_>) -> bool {
        let (own, others) = (self.direction(), other.direction());
        let complained = (self.complaint || other.complaint) && own == others && own != Direction::Unclear;
        !own.opposes(others) && (self.negated == other.negated || complained)
    }

    /// Reports whether similarity alone suffices for both to be the same demand.
    fn may_equal(&self, other: &SentenceFeatures<'_>) -> bool {
        let numbers = self.numbers.is_empty() || other.numbers.is_empty() || self.numbers == other.numbers;
        self.same_way(other) && numbers
    }

    /// Returns the share of the other's words that this one has, if the other has all of this one's; otherwise 0.
    fn share_in(&self, other: &SentenceFeatures<'_>) -> f64 {
        let inside = !self.words.is_empty() && self.words.is_subset(&other.words);
        let same = self.words.len() == other.words.len();
        let share = self.words.len() as f64 / other.words.len().max(1) as f64;
        let enough = same || (self.words.len() >= 2 && share >= SHARE);
        if inside && enough && self.same_way(other) { share } else { 0.0 }
    }
}

/// Strips a word's endings of number and tense: enough for matching, not a real stem.
fn stem(word: &str) -> String {
    let bare = word.strip_suffix("'s").unwrap_or(word);
    for ending in ["ations", "ation", "ings", "ing", "ies", "ed", "es", "s", "e", "y"] {
        if let Some(root) = bare.strip_suffix(ending).filter(|root| root.chars().count() >= 4) {
            let root = root.strip_suffix("at").filter(|r| r.len() >= 4).unwrap_or(root);
            let doubled = ["bb", "dd", "gg", "mm", "nn", "pp", "rr", "tt"].iter().any(|pair| root.ends_with(pair));
            return root[..root.len() - usize::from(doubled)].to_owned();
        }
    }
    bare.to_owned()
}

/// Words that reverse the meaning: "never omit tests" asks for tests.
const NEGATIONS: [&str; 20] = [
    "not",
    "no",
    "never",
    "cannot",
    "without",
    "avoid",
    "stop",
    "refrain",
    "nor",
    "neither",
    "forbidden",
    "prohibited",
    "refuse",
    "none",
    "omit",
    "skip",
    "forget",
    "neglect",
    "missing",
    "lacks",
];

/// Words without meaning for the work.
const STOP_WORDS: &str = "a an the this that these those it its is are was were be been being do does did will would \
    should shall must may can have has had to of in on at by for from with as into and or but if then than so also \
    please always every each all any some you your we our they their them there here only just make sure ensure need \
    needs needed required require requires";

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn known(text: &str, vector: Option<DemandVector>) -> Vec<KnownSentence> {
        vec![KnownSentence { text: text.to_owned(), vector, source: "CLAUDE.md, line 12".to_owned() }]
    }

    fn by_words(draft: &str, sentence: &str) -> Option<Restatement> {
        restates(draft, None, &known(sentence, None), &Calibration::new(0.66), RESTATES_AT)
    }

    fn by_vector(draft: &str, sentence: &str, cosine: f32) -> Option<Restatement> {
        let sine = (1.0 - cosine * cosine).sqrt();
        let vector = Some(DemandVector::new(&[(0, cosine), (1, sine)]));
        restates(
            draft,
            Some(&DemandVector::new(&[(0, 1.0)])),
            &known(sentence, vector),
            &Calibration::new(0.66),
            RESTATES_AT,
        )
    }

    #[test]
    fn the_same_demand_in_other_order_is_a_restatement() {
        for (draft, sentence) in [
            ("Never log personal data.", "personal data is never logged"),
            ("Validate the input of each handler.", "All handlers must validate their input."),
            (
                "Include error handling.",
                "Include error handling; keep functions under 40 lines and never log personal data",
            ),
            (
                "Before the gate, check the work against this remark and mend what it names: “no rollback plan”.",
                "There is no rollback plan",
            ),
            (
                "Before the gate, check the work against this remark and mend what it names: “no rollback plan”.",
                "Include a rollback plan.",
            ),
            ("Don’t add comments.", "Do not add comments"),
        ] {
            assert!(by_words(draft, sentence).is_some(), "{draft} / {sentence}");
        }
        let found = by_words("Never log personal data.", "Never log personal data!").unwrap();
        assert_eq!(found.to_string(), "restates “Never log personal data!” (CLAUDE.md, line 12)");
    }

    #[test]
    fn what_says_something_else_is_none() {
        for (draft, sentence) in [
            ("Add comments.", "Do not add comments."),
            ("Log personal data.", "Never log personal data."),
            ("Keep functions under 80 lines.", "Keep functions under 40 lines."),
            ("Include tests.", "Include tests of the payment provider's failures in every release plan of billing"),
            ("Validate page numbers.", "Validate page sizes."),
            ("Do not hand in work that draws this remark: “magic numbers everywhere”.", "magic numbers everywhere"),
        ] {
            assert_eq!(by_words(draft, sentence), None, "{draft} / {sentence}");
        }
    }

    #[test]
    fn near_vectors_that_point_the_same_way_are_restatements() {
        assert!(by_vector("Validate page limits.", "Check paging bounds.", 0.95).is_some());
        assert_eq!(by_vector("Validate page limits.", "Check paging bounds.", 0.7), None);
        assert_eq!(by_vector("Add comments.", "Remove comments.", 0.99), None);
        assert_eq!(by_vector("Cache results of queries.", "Never cache results of queries.", 0.99), None);
        assert_eq!(by_vector("Limit pages to 50 rows.", "Limit pages to 100 rows.", 0.99), None);
        assert!(by_vector("Never omit tests.", "Include tests.", 0.95).is_some());
    }

    fn demand() -> impl Strategy<Value = String> {
        let verbs = vec!["log", "validate", "include", "rename", "cache", "mask", "split", "describe", "pin", "add"];
        let things =
            vec!["personal data", "page limits", "comments", "tests", "versions", "rollback steps", "12 retries"];
        let places = vec!["", " in handlers", " of each release", " before the gate"];
        (prop::sample::select(verbs), prop::sample::select(things), prop::sample::select(places))
            .prop_map(|(verb, thing, place)| format!("{verb} {thing}{place}"))
    }

    proptest! {
        #[test]
        fn a_sentence_restates_itself(text in demand(), cosine in 0.0..1.0f32) {
            prop_assert_eq!(by_words(&text, &text).map(|r| r.similarity), Some(1.0));
            prop_assert!(by_vector(&text, &text, cosine).is_some());
        }

        #[test]
        fn its_negation_never_does(text in demand(), ban in prop::sample::select(vec!["Do not", "Never", "Don't", "Must not", "You cannot"]), cosine in 0.0..1.0f32) {
            let negated = format!("{ban} {text}");
            prop_assert_eq!(by_words(&negated, &text), None);
            prop_assert_eq!(by_words(&text, &negated), None);
            prop_assert_eq!(by_vector(&negated, &text, cosine), None);
            prop_assert_eq!(by_vector(&text, &negated, cosine), None);
        }
    }
}
