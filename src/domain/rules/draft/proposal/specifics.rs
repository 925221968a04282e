//! Names that comments on one concern have in common: the endpoints, files, fields and components that they are about.
//!
//! Uses only words and their positions, no grammar: a name follows an article or a preposition, or is written like one.
//! People, numbers, ids and redacted text are never used, nor what the rule contains anyway.

use crate::text::language::comment;
use rust_stemmers::{Algorithm, Stemmer};
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::sync::LazyLock;

/// The maximum number of names.
const MOST: usize = 3;
/// A word used by more concerns than this is not a name.
const SPREAD: usize = 60;

/// Where to search for names, and what does not count as one.
pub struct NameSearch<'a> {
    /// The comments, without their wrapping.
    pub remarks: &'a [&'a str],
    /// The rule's present text.
    pub said: &'a str,
    /// The comments' authors.
    pub people: &'a BTreeSet<&'a str>,
    /// Returns the number of concerns with a word in their phrasings.
    pub spread: &'a dyn Fn(&str) -> usize,
}

/// Returns the names shared by at least two and at least half of the comments, the most frequent first: rarer ones are
/// not part of the rule.
pub fn specifics(named: &NameSearch<'_>) -> Vec<String> {
    let stemmer = Stemmer::create(Algorithm::English);
    let stem = |word: &str| stemmer.stem(&word.to_lowercase()).into_owned();
    let said: HashSet<String> = words(named.said).into_iter().map(|w| stem(w.text)).collect();
    let people: HashSet<String> = named.people.iter().flat_map(|p| words(p)).map(|w| w.text.to_lowercase()).collect();
    let mut wordings: Vec<HashSet<String>> = Vec::new();
    let mut found: BTreeMap<String, Name> = BTreeMap::new();
    for text in named.remarks {
        let words = words(text);
        // The same words with another number or place do not count as a second wording.
        let wording: HashSet<String> =
            words.iter().filter(|w| w.text.chars().all(char::is_alphabetic)).map(|w| stem(w.text)).collect();
        if wordings.iter().any(|other| repeats(other, &wording)) {
            continue;
        }
        wordings.push(wording);
        let mut here = BTreeSet::new();
        for (at, word) in words.iter().enumerate() {
            let lower = word.text.to_lowercase();
            let usable = is_content(word.text) && !people.contains(&lower);
            if !usable || said.contains(&stem(word.text)) || (named.spread)(&lower) > SPREAD {
                continue;
            }
            let key = stem(word.text);
            if !here.insert(key.clone()) {
                continue;
            }
            let name = found.entry(key).or_insert_with(|| Name { forms: BTreeMap::new(), remarks: 0, nouns: 0 });
            name.remarks += 1;
            name.nouns += usize::from(is_written_like_a_name(word.text) || stands_as_noun(&words, at));
            *name.forms.entry(word.text.to_owned()).or_default() += 1;
        }
    }
    let mut names: Vec<Name> =
        found.into_values().filter(|name| name.nouns >= 2 && 2 * name.remarks >= named.remarks.len()).collect();
    names.sort_by(|a, b| b.remarks.cmp(&a.remarks).then_with(|| a.form().cmp(b.form())));
    names.iter().take(MOST).map(Name::shown).collect()
}

/// Reports whether two wordings share most of their words.
fn repeats(one: &HashSet<String>, other: &HashSet<String>) -> bool {
    let shared = one.intersection(other).count();
    2 * shared > one.len() + other.len() - shared
}

/// A word that comments have in common.
struct Name {
    forms: BTreeMap<String, usize>,
    remarks: usize,
    /// The number of comments in which it is used like a noun.
    nouns: usize,
}

impl Name {
    /// Returns its most frequent form.
    fn form(&self) -> &str {
        self.forms.iter().rev().max_by_key(|(_, n)| **n).map_or("", |(form, _)| form)
    }

    /// Returns its form in a rule; code names are formatted as code.
    fn shown(&self) -> String {
        let form = self.form();
        let code = form.contains(['_', '.']) || form.chars().skip(1).collect::<String>().contains(char::is_uppercase);
        let capitals = form.chars().all(|c| c.is_uppercase() || c == 's');
        if code && !capitals { format!("`{form}`") } else { form.to_owned() }
    }
}

struct Word<'t> {
    text: &'t str,
    /// Whether a full stop or comma precedes it.
    begins: bool,
    /// Whether one follows it.
    ends: bool,
}

/// Returns the words of a text without surrounding punctuation.
fn words(text: &str) -> Vec<Word<'_>> {
    let mut begins = true;
    let mut out = Vec::new();
    for token in comment::unwrap(text).split_whitespace() {
        if token.starts_with('@') || token.contains("[REDACTED") || token.contains("://") {
            begins = true;
            continue;
        }
        let opened = token.starts_with(['(', '"', '“', '‘']);
        let word = token.trim_matches(|c: char| !c.is_alphanumeric());
        let bare = word.strip_suffix("'s").or_else(|| word.strip_suffix("’s")).unwrap_or(word);
        let ends = token.ends_with(['.', ',', ';', ':', '!', '?', ')', '"', '”']);
        if !bare.is_empty() {
            out.push(Word { text: bare, begins: begins || opened, ends });
        }
        begins = ends;
    }
    out
}

/// Reports whether a word can name something: not a function word, a common verb or adjective of comments, a number or
/// an id.
fn is_content(word: &str) -> bool {
    let lower = word.to_lowercase();
    lower.chars().count() > 2
        // A path is the comment's location, and brackets indicate a piece of code.
        && !lower.chars().any(|c| c.is_ascii_digit() || "'’@…/()[]{}<>=\"`".contains(c))
        && !NO_NAMES.contains(lower.as_str())
}

/// Matches `RefundIssued`, `order_id`, `handlers.ts`, `GDPR`.
fn is_written_like_a_name(word: &str) -> bool {
    word.contains(['_', '.']) || word.chars().skip(1).any(char::is_uppercase)
}

/// Reports whether the preceding words indicate a noun, and no other noun follows it.
fn stands_as_noun(words: &[Word<'_>], at: usize) -> bool {
    let word = &words[at];
    let Some(before) = at.checked_sub(1).map(|before| &words[before]).filter(|_| !word.begins) else { return false };
    let led = LEADS.contains(before.text.to_lowercase().as_str());
    let next = words.get(at + 1).filter(|next| !word.ends && !next.begins);
    let head = next.is_none_or(|next| !is_content(next.text));
    led && head
}

fn set(words: &'static str) -> HashSet<&'static str> {
    words.split_whitespace().collect()
}

/// Words that precede nouns.
static LEADS: LazyLock<HashSet<&'static str>> = LazyLock::new(|| {
    set(
        "the a an this that these those our your each every any no all both some its their of for in on at by from with \
         without into onto per between under behind via to through across against about",
    )
});

/// Words of comments that name no part of the work.
static NO_NAMES: LazyLock<HashSet<&'static str>> = LazyLock::new(|| {
    set("the and for not are was were has have had but you your our they them this that these those with without from \
         into onto over under then than when where what which who whom whose why how can could should would will must \
         may might does did done doing being been its his her their there here also just only very too even still again \
         please thanks need needs needed want wants wanted see seen look looks looked make makes made get gets got give \
         gives given take takes took taken put puts add adds added remove removes removed use uses used using keep keeps \
         kept say says said tell tells told show shows shown ask asks asked read reads write writes written run runs ran \
         fix fixes fixed change changes changed check checks checked let lets come comes came goes going went gone know \
         knows known think find finds found mean means meant happen happens happened work works worked working fail fails \
         failed failing break breaks broke broken call calls called calling set sets start starts started stop stops \
         stopped move moves moved send sends sent try tries tried turn turns turned end ends ended help helps one two \
         three four five six seven eight nine ten first second third last next once twice half several many much more \
         most less least few fewer other others another such same own each every any some all both none nothing nobody \
         something somebody anything everything everywhere anywhere nowhere somewhere good bad better best worse worst \
         big bigger small smaller large larger long longer short shorter old new high low full empty real whole entire \
         clear unclear vague missing lacking absent present wrong right correct fine okay enough actual actually really \
         simply always never ever often sometimes maybe perhaps probably likely possible impossible thing things stuff \
         way ways bit lot part parts place places point points case cases side sides kind kinds sort line lines section \
         sections page pages file files task tasks story stories item items step steps word words name names number \
         numbers time times day days week weeks month months year years hour hours minute minutes moment today tomorrow \
         yesterday now later soon before after during until while since because therefore otherwise instead rather \
         either neither except about above below between within against toward towards around along across per via plus \
         minus like unlike yes nope nit nitpick blocking blocker minor major fyi reminder question questions comment \
         comments remark remarks feedback review reviewer reviewers section fig figure paragraph document doc docs draft \
         version round agent work change edit diff commit team people person everyone someone anyone nobody user users \
         customer customers client clients reader readers problem problems issue issues gap gaps risk detail details \
         intro introduction summary chapter checklist matter matters man office reason reasons idea ideas plan plans test tests code service services function functions method methods class \
         system systems data value values result results error errors input output list lists table tables production \
         prod release releases design requirement requirements behaviour behavior feature features component components \
         module modules project projects example examples default defaults rest whatever whoever whenever wherever \
         however though although anyway besides quite pretty rather almost barely hardly already yet ago far near away \
         back out off down down-the-line ones ourselves yourself itself themselves myself der die das und ist nicht ein \
         eine les des une est pas que los las una por")
});

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn of(remarks: &[&str]) -> Vec<String> {
        let people = BTreeSet::from(["dana", "rev-07"]);
        specifics(&NameSearch { remarks, said: "Validate every input of a handler.", people: &people, spread: &|_| 0 })
    }

    #[test]
    fn what_two_remarks_name_is_named() {
        let remarks = [
            "nobody bounds the amount on the voucher",
            "the amount is not validated in the voucher",
            "nothing checks RefundIssued on the refund",
            "who checks `RefundIssued`? dana?",
        ];
        assert_eq!(of(&remarks), ["`RefundIssued`", "amount", "voucher"]);
    }

    #[test]
    fn people_ids_numbers_and_wrapping_are_no_names() {
        let remarks = [
            "dana said the order-7 [REDACTED:token] in ACME-12 (src/a.rs:12)",
            "as dana says in ACME-12: the order-7 and the 12 [REDACTED:token]",
        ];
        assert_eq!(of(&remarks), Vec::<String>::new());
    }

    #[test]
    fn pieces_of_code_are_no_names() {
        let remarks =
            ["the lookup does too much: registry.find(id) rows[0]", "split this: x=registry.find(id) rows[i]"];
        assert_eq!(of(&remarks), Vec::<String>::new());
    }

    #[test]
    fn the_same_wording_counts_once() {
        assert_eq!(of(&["check the voucher", "Check the voucher!", "nit: check the voucher"]), Vec::<String>::new());
        let repeated =
            ["the voucher of a guest is not checked", "And I say it again, the voucher of a guest is not checked"];
        assert_eq!(of(&repeated), Vec::<String>::new());
    }

    proptest! {
        #[test]
        fn names_stand_in_two_remarks(a in "[a-zA-Z' .,]{0,80}", b in "[a-zA-Z' .,]{0,80}") {
            for name in of(&[&a, &b]) {
                let bare = name.trim_matches('`').to_lowercase();
                prop_assert!([&a, &b].iter().any(|t| t.to_lowercase().contains(&bare)), "{}", name);
            }
        }
    }
}
