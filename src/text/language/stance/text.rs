//! A comment split into sentences, without what is not in the reviewer's own words: code, quotations, frames,
//! addresses.

use crate::language::comment;
use crate::prose::one_line;
use regex::Regex;
use std::sync::LazyLock;

/// One sentence, or one side of a "but".
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Sentence {
    /// Lower case, single spaces.
    pub(super) text: String,
    /// A frame around it announces something to fix.
    pub(super) reserve: bool,
    /// It contrasts within itself ("…, though"), without playing that down ("though only …").
    pub(super) contrast: bool,
    /// The other side of its "but" praises.
    pub(super) praised_nearby: bool,
    /// It ends with a question mark.
    pub(super) question: bool,
    /// It is a question, and a bare "no" follows.
    pub(super) denied: bool,
}

impl Sentence {
    /// Reports whether these words of it request a change outright: they begin a clause, or follow a polite word, and
    /// are not part of praise or of a past worry. "Plan" in "the plan uses the index" is not a request.
    pub(super) fn requests_with(&self, words: &str) -> bool {
        let parts = self.text.split([',', ':', '–', '(']);
        let Some(part) = parts.into_iter().find(|part| part.contains(words)) else { return true };
        let (before, _) = part.split_once(words).unwrap_or_default();
        let polite = POLITE.is_match(part);
        let begins =
            before.trim().is_empty() || LEADS.is_match(before) || POLITE.is_match(words) || LACKS.is_match(words);
        (polite || (begins && !super::cues::praises(part))) && !WORRY.is_match(&self.text)
    }

    /// Reports whether it announces something to fix, whatever else is fine.
    pub(super) fn has_reserve(&self) -> bool {
        self.reserve || self.contrast
    }
}

/// Returns the sentences of a text, in order; those that are empty without their frames still show a reservation.
pub(super) fn sentences(text: &str) -> Vec<Sentence> {
    let plain = comment::own_words(text).replace(['\u{2019}', '\u{2018}', '\u{b4}'], "'").to_lowercase();
    // Not read, but not nothing either: "`data2`, really?" is about something.
    let plain = QUOTED.replace_all(&plain, " xquotedx ");
    let plain = FOREIGN.replace_all(&plain, " ");
    let mut out = Vec::new();
    let ends: Vec<(usize, usize)> =
        END.find_iter(&plain).map(|m| (m.start(), m.end())).chain([(plain.len(), plain.len())]).collect();
    let mut start = 0;
    for (end, next) in ends {
        let (sentence, question) = (&plain[start..end], plain[end..next].contains(['?', '？']));
        start = next;
        let denied = question && DENIED.is_match(&plain[next..]);
        let sides: Vec<(String, bool)> = BUT.split(sentence).map(bare).collect();
        let praise: Vec<bool> = sides.iter().map(|(side, _)| super::cues::praises(side)).collect();
        let contrast: Vec<bool> =
            sides.iter().map(|(side, _)| CONTRAST.is_match(side) && !MERELY.is_match(side)).collect();
        // "I was afraid of the move, but the rehearsal went well": what follows retracts a worry.
        let worried = (sides.len() > 1 || contrast.contains(&true))
            && sides.first().is_some_and(|(side, _)| WORRY.is_match(side));
        for (index, (side, reserve)) in sides.into_iter().enumerate() {
            if side.is_empty() && !reserve {
                continue;
            }
            let contrast = contrast[index] && !worried;
            // "I was sceptical, but you convinced me": the praise comes last and retracts the first side.
            let praised_nearby = praise[index + 1..].contains(&true);
            // Anything after a "but" that is not praise is not covered by the praise before it.
            let reserve = reserve || (index > 0 && !praise[index] && !worried);
            out.push(Sentence { text: side, reserve, contrast, praised_nearby, question, denied });
        }
    }
    out
}

/// Returns a sentence without its frames, and whether one of them announces something to fix.
fn bare(sentence: &str) -> (String, bool) {
    let marked = RESERVE.is_match(sentence);
    let without = RESERVE.replace_all(sentence, " ");
    let without = FRAME.replace_all(&without, " ");
    let words = one_line(&without);
    (words.trim_matches(|c: char| matches!(c, ',' | ':' | '-' | '–' | ' ')).to_owned(), marked)
}

fn regex(pattern: &str) -> Regex {
    Regex::new(pattern).expect("a constant pattern")
}

/// Inline code and quotations. A called name is not a verb: "handle() has grown".
static QUOTED: LazyLock<Regex> = LazyLock::new(|| {
    regex(concat!(
        r#"(?s:```.*?(?:```|\z)|~~~.*?(?:~~~|\z))|`[^`\n]*`|"[^"\n]{0,300}"|“[^”\n]{0,300}”|«[^»\n]{0,300}»"#,
        r"|\b[\w.]*\w\([^()\n]{0,40}\)",
    ))
});

/// Quoted lines, addresses, references.
static FOREIGN: LazyLock<Regex> = LazyLock::new(|| {
    regex(concat!(
        r"(?m:^[ \t]*>.*$)|https?://\S+|\[redacted:[^\]]*\]",
        r"|\bcc(?:[ \t]+@[\w-]+)+|@[\w/-]+",
        // (src/a.rs:12), (page 4), handlers.go L133:, in line 42,
        r"|\([^()\n]{0,40}\)|\b[\w/-]+\.[a-z]{1,4}(?::\d+|[ \t]+l\d+)?:?(?:[ \t]|$)",
        r"|\bin (?:line|section|step|fig|figure|page|req|story|the second case|the new class|the intro) ?[\d.]*,",
    ))
});

static END: LazyLock<Regex> = LazyLock::new(|| regex(r"[.!?;…]+(?:\s|$)|\n+|[。！？]"));

/// A bare no.
static DENIED: LazyLock<Regex> = LazyLock::new(|| {
    regex(r"^\s*(?:no|nope|never|certainly not|absolutely not|of course not|nein|non)\s*(?:[.!,;]|$)")
});

static BUT: LazyLock<Regex> = LazyLock::new(|| {
    regex(
        r"[,\s]+(?:but|however|yet you|except that|aber|jedoch|mais|cependant|pero|sin embargo|mas|porém|però|maar)[,\s]+|^(?:but|however|aber|mais|pero|mas|però|maar)[,\s]+",
    )
});

/// What turns praise into a demand: "would be nice to have a test".
static POLITE: LazyLock<Regex> = LazyLock::new(|| {
    regex(concat!(
        r"\b(?:please|pls|plz|nächstes mal|prochaine fois|próxima vez|prossima volta|volgende keer|plis|aub|alsjeblieft|",
        r"per favore|should|could|would|can you|must|needs? to|needs|have to|has to|next time|bitte|sollte\w*|muss|",
        r"müssen|por favor|s'il|stp|svp|il faut|faudrait|hay que|debería|deve|devem|precisa|falta|occorre|bisogna|va|graag|",
        r"moet|moeten|nog)\b",
    ))
});

/// What precedes a request.
static LEADS: LazyLock<Regex> = LazyLock::new(|| {
    regex(
        r"\b(?:and|but|then|also|just|to|so|still|now|later|after you|once you|after|once|if you|und|noch|et|y|e|en|merge and)\s*$",
    )
});

/// States outright that something is missing.
static LACKS: LazyLock<Regex> = LazyLock::new(|| regex(r"^(?:fehl|manqu|manca|falta|ontbre|missing)"));

/// Plays something down rather than objecting.
static MERELY: LazyLock<Regex> = LazyLock::new(|| regex(r"\b(?:just|only|still)\b"));

/// A past worry.
static WORRY: LazyLock<Regex> = LazyLock::new(|| {
    regex(concat!(
        r"\b(?:thought|feared|afraid|worried|nervous|sceptical|skeptical|doubt\w*|unsure|suspicious|expected|skeptisch|dachte|",
        r"befürchte\w*|angst|sorgen?|vreesde|bauchschmerzen|zweifel\w*|doutes?|peur|craignais|flippais|pensais|miedo|vértigo|temía|",
        r"dudas?|creía|pensaba|medo|receio|jurava|achei|achava|pé atrás|dubbi\w*|paura|temevo|pensiero|pensavo|bang|dacht|",
        r"twijfel\w*)\b",
    ))
});

static CONTRAST: LazyLock<Regex> = LazyLock::new(|| regex(r"\b(?:though|although|except|apart from|besides)\b"));

/// Frames that announce something to fix.
static RESERVE: LazyLock<Regex> = LazyLock::new(|| {
    regex(concat!(
        r"\b(?:otherwise|apart from that|other than that|besides that|the rest|rest|ansonsten|sonst|sinon|por lo demás)",
        r"(?: is| are| it's| its| i'm| ist| c'est)? (?:ok|okay|fine|good|great|looks good|look good|lgtm|gut|bon|bien|happy|solid|all good)\b",
        r"|\b(?:good|ok|okay|fine|lgtm|looks good|nice|solid) (?:otherwise|apart from|except for|except|besides|other than)(?: that| this)?\b",
        r"|^(?:blocking|blocker|major|minor|nit|nitpick|again|once more|as before|reminder)(?:\s*[:\-,–]|\s*$|\s)",
        r"|\b(?:same as (?:before|last time)|(?:2nd|3rd|second|third|nth) time i say this|i said this before|as i said)\b:?",
        r"|\b(?:this |it |that )?(?:blocks me|is blocking|is a blocker|must be fixed before)\b",
    ))
});

/// Meaningless frames.
static FRAME: LazyLock<Regex> = LazyLock::new(|| {
    regex(concat!(
        r"^(?:fyi|hi|hello|hey|imo|imho|btw|ps|note)\b[:,]?|\b(?:happy|glad) to (?:pair|help|discuss|chat|talk)[^,]*",
        r"|\bused\s+to reproduce\b|\bsee(?: the)? (?:above|below|the new class|line \d+)\b|\bthanks in advance\b",
        r"|[,\s]*\b(?:many )?(?:thanks|thank you|thx|ty|danke|merci|gracias)$",
    ))
});
