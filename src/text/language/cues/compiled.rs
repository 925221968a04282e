//! Compiled cues.
//!
//! Of thousands of expressions only a few can match a sentence: those whose required text occurs in it. Only these are
//! run, and each is compiled on first use.

use super::code::Code;
use super::expression::{parsed, written_out};
use super::literals::required;
use super::sentences::sentences;
use super::source::{BACK_REFERENCE, ConcernCues, Cue, NONE};
use aho_corasick::{AhoCorasick, MatchKind};
use regex_automata::nfa::thompson::backtrack::{BoundedBacktracker, Cache};
use regex_automata::nfa::thompson::{self, WhichCaptures, pikevm::PikeVM};
use regex_automata::{Input, util::syntax};
use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::{Arc, OnceLock};

/// The largest compiled expression, in bytes.
const LARGEST: usize = 4 << 20;

/// A lazily compiled expression.
#[derive(Debug)]
struct Expression {
    text: String,
    compiled: OnceLock<Option<(BoundedBacktracker, PikeVM)>>,
}

thread_local! {
    static CACHE: RefCell<Option<Cache>> = const { RefCell::new(None) };
}

impl Expression {
    fn new(text: &str) -> Expression {
        Expression { text: written_out(text), compiled: OnceLock::new() }
    }

    fn compiled(&self) -> Option<&(BoundedBacktracker, PikeVM)> {
        let compile = || {
            let syntax = syntax::Config::new().unicode(false).utf8(false).case_insensitive(true);
            let config = thompson::Config::new()
                .utf8(false)
                .which_captures(WhichCaptures::Implicit)
                .nfa_size_limit(Some(LARGEST));
            let mut compiler = thompson::Compiler::new();
            let nfa = compiler.syntax(syntax).configure(config).build(&self.text).ok()?;
            Some((BoundedBacktracker::new_from_nfa(nfa.clone()).ok()?, PikeVM::new_from_nfa(nfa).ok()?))
        };
        self.compiled.get_or_init(compile).as_ref()
    }

    fn is_match(&self, text: &str) -> bool {
        let Some((backtracker, machine)) = self.compiled() else { return false };
        let input = Input::new(text).earliest(true);
        // The search cache is created once per thread: there are thousands of expressions.
        let found = CACHE.with_borrow_mut(|cache| {
            let cache = cache.get_or_insert_with(|| backtracker.create_cache());
            cache.reset(backtracker);
            backtracker.try_is_match(cache, input.clone())
        });
        found.unwrap_or_else(|_| machine.is_match(&mut machine.create_cache(), input))
    }

    /// Counts the matches.
    fn count(&self, text: &str) -> usize {
        let Some((_, machine)) = self.compiled() else { return 0 };
        machine.find_iter(&mut machine.create_cache(), text).count()
    }
}

/// A cue with its expressions.
#[derive(Debug)]
struct Ready {
    /// The index of its concern among those with cues.
    concern: usize,
    say: Vec<Arc<Expression>>,
    not: Vec<Arc<Expression>>,
    nowhere: Vec<Arc<Expression>>,
    line: Vec<Arc<Expression>>,
    line_not: Vec<Arc<Expression>>,
    tail: Vec<Arc<Expression>>,
    tail_not: Vec<Arc<Expression>>,
    path: Vec<Arc<Expression>>,
    path_not: Vec<Arc<Expression>>,
    adds: Vec<Arc<Expression>>,
    drops: Vec<Arc<Expression>>,
    languages: Vec<String>,
    kinds: Vec<String>,
    needs_code: bool,
}

/// Expressions by source text: each is compiled once, however many cues use it.
#[derive(Default)]
struct ExpressionCache(HashMap<String, Arc<Expression>>);

impl ExpressionCache {
    fn ready(&mut self, texts: &[String]) -> Vec<Arc<Expression>> {
        let mut one = |text: &String| {
            let known = self.0.entry(text.clone()).or_insert_with(|| Arc::new(Expression::new(text)));
            Arc::clone(known)
        };
        texts.iter().map(&mut one).collect()
    }
}

impl Ready {
    fn new(concern: usize, cue: &Cue, known: &mut ExpressionCache) -> Ready {
        let mut ready = |texts: &[String]| known.ready(texts);
        Ready {
            concern,
            say: ready(&cue.say),
            not: ready(&cue.not),
            nowhere: ready(&cue.nowhere),
            line: ready(&cue.line),
            line_not: ready(&cue.line_not),
            tail: ready(&cue.tail),
            tail_not: ready(&cue.tail_not),
            path: ready(&cue.path),
            path_not: ready(&cue.path_not),
            adds: ready(&cue.adds),
            drops: ready(&cue.drops),
            languages: cue.languages.clone(),
            kinds: cue.kinds.clone(),
            needs_code: cue.needs_code,
        }
    }

    /// Reports whether the cue may apply to a comment on such a file.
    fn is_of_file(&self, code: &Code) -> bool {
        let is = |list: &[String], what: Option<&str>| {
            list.is_empty() || what.is_some_and(|what| list.iter().any(|one| one == what))
        };
        is(&self.languages, code.language) && is(&self.kinds, Some(code.kind))
    }

    /// Reports whether the cue may apply to a comment on this code, whatever its text.
    fn is_of(&self, code: &Code) -> bool {
        if !self.is_of_file(code) {
            return false;
        }
        if !(self.path.is_empty() || any(&self.path, &code.path)) || any(&self.path_not, &code.path) {
            return false;
        }
        let Some(line) = code.line() else { return !self.needs_code };
        if !(self.line.is_empty() || any(&self.line, line)) || any(&self.line_not, line) {
            return false;
        }
        if self.tail.is_empty() && self.tail_not.is_empty() {
            return true;
        }
        let tail = code.tail.join("\n");
        (self.tail.is_empty() || any(&self.tail, &tail)) && !any(&self.tail_not, &tail)
    }

    /// Reports whether the suggestion makes the required change.
    fn is_edited(&self, code: &Code) -> bool {
        if self.adds.is_empty() && self.drops.is_empty() {
            return true;
        }
        let (Some(old), Some(new)) = (&code.replaced, &code.suggestion) else { return false };
        let count = |list: &[Arc<Expression>], text: &str| list.iter().map(|one| one.count(text)).sum::<usize>();
        (self.adds.is_empty() || count(&self.adds, new) > count(&self.adds, old))
            && (self.drops.is_empty() || count(&self.drops, new) < count(&self.drops, old))
    }
}

fn any(list: &[Arc<Expression>], text: &str) -> bool {
    list.iter().any(|one| one.is_match(text))
}

/// A concern whose cue matches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CueMatch {
    /// The concern's id.
    pub concern: String,
    /// The proof: a sentence, or the text the suggestion inserts.
    pub shown_by: String,
}

/// Compiled cues.
#[derive(Debug, Default)]
pub struct Cues {
    concerns: Vec<String>,
    cues: Vec<Ready>,
    /// The texts that expressions require.
    texts: Option<AhoCorasick>,
    /// For each text its expressions, as cue index and index within that cue.
    needed_by: Vec<Vec<(u32, u32)>>,
    /// Expressions that require no text.
    always: Vec<(u32, u32)>,
    /// Cues that check only the suggestion.
    edits: Vec<usize>,
}

impl Cues {
    /// Compiles cues; invalid ones are skipped.
    pub fn new<'c>(all: impl IntoIterator<Item = &'c ConcernCues>) -> Cues {
        let mut made = Cues::default();
        let mut texts: HashMap<String, usize> = HashMap::new();
        let mut places: HashMap<String, usize> = HashMap::new();
        let mut known = ExpressionCache::default();
        for of_concern in all {
            let concern = *places.entry(of_concern.concern.clone()).or_insert_with(|| {
                made.concerns.push(of_concern.concern.clone());
                made.concerns.len() - 1
            });
            for cue in &of_concern.cues {
                let at = made.cues.len();
                for (expression, text) in cue.say.iter().enumerate() {
                    let place = (u32::try_from(at).unwrap_or(u32::MAX), u32::try_from(expression).unwrap_or(u32::MAX));
                    match parsed(text).ok().as_ref().and_then(required) {
                        None => made.always.push(place),
                        Some(needed) => {
                            for text in needed {
                                let known = texts.len();
                                let id = *texts.entry(text).or_insert(known);
                                if id == made.needed_by.len() {
                                    made.needed_by.push(Vec::new());
                                }
                                made.needed_by[id].push(place);
                            }
                        }
                    }
                }
                if cue.say.is_empty() {
                    made.edits.push(at);
                }
                made.cues.push(Ready::new(concern, cue, &mut known));
            }
        }
        let mut ordered: Vec<(&String, usize)> = texts.iter().map(|(text, id)| (text, *id)).collect();
        ordered.sort_by_key(|(_, id)| *id);
        let builder = AhoCorasick::builder().match_kind(MatchKind::Standard).clone();
        made.texts =
            builder.build(ordered.iter().map(|(text, _)| text.as_bytes())).ok().filter(|_| !ordered.is_empty());
        made
    }

    /// Reports whether there are none.
    pub fn is_empty(&self) -> bool {
        self.cues.is_empty()
    }

    /// Returns the concerns that a comment provably voices, that of its first sentence first. If it voices none and
    /// demands nothing, that is [`NONE`]; if it refers to another comment, [`BACK_REFERENCE`].
    pub fn recognise(&self, comment: &str, code: Option<&Code>) -> Vec<CueMatch> {
        if self.is_empty() {
            return Vec::new();
        }
        let unknown = Code { kind: "source", ..Code::default() };
        let code = code.unwrap_or(&unknown);
        let sentences = sentences(comment);
        let has_block = code.suggestion.is_some() || comment.contains("```");
        if sentences.is_empty() && !has_block {
            // A smiley.
            return vec![CueMatch { concern: NONE.to_owned(), shown_by: String::new() }];
        }
        let all = sentences.join("\n");
        // By sentence, then in source order.
        let mut found: Vec<(usize, usize, usize)> = Vec::new();
        let mut seen = vec![false; self.concerns.len()];
        for (at, sentence) in sentences.iter().enumerate() {
            let mut candidates = self.candidates(sentence);
            candidates.sort_unstable();
            candidates.dedup();
            for (cue, expression) in candidates {
                let ready = &self.cues[cue as usize];
                // The file first: that check is free, and most expressions are for other languages.
                if !seen[ready.concern]
                    && ready.is_of_file(code)
                    && ready.say[expression as usize].is_match(sentence)
                    && !any(&ready.not, sentence)
                    && ready.is_of(code)
                    && !any(&ready.nowhere, &all)
                    && ready.is_edited(code)
                {
                    seen[ready.concern] = true;
                    found.push((at, cue as usize, ready.concern));
                }
            }
        }
        if code.suggestion.is_some() {
            for at in &self.edits {
                let ready = &self.cues[*at];
                if !seen[ready.concern] && ready.is_of(code) && !any(&ready.nowhere, &all) && ready.is_edited(code) {
                    seen[ready.concern] = true;
                    found.push((usize::MAX, *at, ready.concern));
                }
            }
        }
        found.sort_unstable();
        let recognised = found.into_iter().map(|(sentence, _, concern)| CueMatch {
            concern: self.concerns[concern].clone(),
            shown_by: match sentences.get(sentence) {
                Some(sentence) => sentence.clone(),
                None => code.suggestion.clone().unwrap_or_default(),
            },
        });
        let mut recognised: Vec<CueMatch> = recognised.collect();
        let is_concern = |one: &CueMatch| one.concern != NONE && one.concern != BACK_REFERENCE;
        if recognised.iter().any(is_concern) || has_block {
            // A comment with code demands something.
            recognised.retain(is_concern);
        }
        recognised
    }

    /// Returns the expressions that may match a sentence.
    fn candidates(&self, sentence: &str) -> Vec<(u32, u32)> {
        let mut candidates = self.always.clone();
        if let Some(texts) = &self.texts {
            let lower = sentence.to_ascii_lowercase();
            let mut last = usize::MAX;
            for found in texts.find_overlapping_iter(lower.as_bytes()) {
                let text = found.pattern().as_usize();
                if text != last {
                    candidates.extend(&self.needed_by[text]);
                    last = text;
                }
            }
        }
        candidates
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cues(yaml: &str) -> Cues {
        let all: Vec<ConcernCues> = crate::yaml::parse(yaml).unwrap();
        Cues::new(&all)
    }

    fn java(line: &str, suggestion: Option<&str>) -> Code {
        let lines: Option<Vec<&str>> = suggestion.map(|text| text.lines().collect());
        Code::new(
            "src/A.java",
            (Some("Java"), Some("source")),
            &format!("@@ -1 +1 @@\n+{line}"),
            None,
            lines.as_deref(),
        )
    }

    fn concerns(cues: &Cues, comment: &str, code: Option<&Code>) -> Vec<String> {
        cues.recognise(comment, code).into_iter().map(|found| found.concern).collect()
    }

    const FINAL: &str = r"
- concern: java.final
  cues:
    - say: ['^`?final`?\W*$', '%ASK% .{0,20}final']
      not: '%DROP%'
      line_not: ['\bfinal\b']
      languages: [Java]
    - adds: '\bfinal\b'
      languages: [Java]
- concern: none
  cues: [{say: '^thanks?\W*$'}]
";

    #[test]
    fn the_code_tells_which_way_a_word_points() {
        let cues = cues(FINAL);
        let (missing, there) = (java("int a;", None), java("final int a;", None));
        assert_eq!(concerns(&cues, "nit: `final`?", Some(&missing)), ["java.final"]);
        assert_eq!(concerns(&cues, "`final`?", Some(&there)), [""; 0]);
        assert_eq!(concerns(&cues, "Should we remove final", Some(&missing)), [""; 0]);
        assert_eq!(concerns(&cues, "final?", None), [""; 0], "the language is not known");
        let python = Code { language: Some("Python"), ..missing };
        assert_eq!(concerns(&cues, "final?", Some(&python)), [""; 0]);
    }

    #[test]
    fn a_suggestion_is_read_by_what_it_changes() {
        let cues = cues(FINAL);
        let code = java("int a;", Some("final int a;"));
        let found = cues.recognise("```suggestion\nfinal int a;\n```", Some(&code));
        assert_eq!(found, [CueMatch { concern: "java.final".into(), shown_by: "final int a;".into() }]);
        assert_eq!(concerns(&cues, "", Some(&java("final int a;", Some("final int b;")))), [""; 0]);
        let dart = Code { language: Some("Dart"), ..code };
        assert_eq!(concerns(&cues, "", Some(&dart)), [""; 0], "it is of another language");
    }

    #[test]
    fn what_asks_for_something_does_not_ask_for_nothing() {
        let cues = cues(FINAL);
        assert_eq!(concerns(&cues, "Thanks!", None), ["none"]);
        assert_eq!(concerns(&cues, "Thanks! Could you make it final?", Some(&java("int a;", None))), ["java.final"]);
    }

    #[test]
    fn a_cue_that_cannot_be_read_says_why() {
        let wrong = |yaml: &str| {
            let all: Vec<ConcernCues> = crate::yaml::parse(yaml).unwrap();
            all[0].cues[0].check().unwrap_err().to_string()
        };
        assert!(wrong("[{concern: a.b, cues: [{say: '('}]}]").contains("cannot be read"));
        assert!(wrong("[{concern: a.b, cues: [{say: '(?=a)'}]}]").contains("look-around"));
        assert!(wrong("[{concern: a.b, cues: [{not: 'a'}]}]").contains("none of"));
        assert!(wrong("[{concern: a.b, cues: [{say: a, kinds: [tests]}]}]").contains("`tests`"));
    }
}
