//! What precedes and follows a demand: addressees, urgency, repetition, places, greetings and thanks.
//!
//! Nothing is removed from the middle, nor anything that may be the demand itself. Patterns see texts folded to ASCII,
//! where `~` is a long dash or any other sign.

use super::parts::{SetAside, SurroundingPart};
use super::pointer::{FILE, ID, NAMED, PART};
use super::text::{STATES, regex, says_something};
use crate::language::fold::{FoldedText, ascii};
use regex::bytes::{Captures, Regex, RegexBuilder};
use std::sync::LazyLock;

/// Builds a pattern for folded texts, with FILE, PART, ID and NAMED substituted.
fn pattern(text: &str) -> Regex {
    let whole = text.replace("FILE", FILE).replace("PART", PART).replace("NAMED", NAMED).replace("IDENT", ID);
    RegexBuilder::new(&ascii(&whole))
        .unicode(false)
        .dfa_size_limit(STATES)
        .build()
        .expect("the patterns are constants and a test compiles them")
}

static LEAD: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?xi)^\s*(?:
        (?P<address>
            (?:/?cc:?\ +)?@[\w./-]+(?:\ *,\ *@[\w./-]+)*[:,]?
          | (?:hi|hello|hey|hallo|moin|hola|bonjour|salut|olá|ciao)(?:\ (?:all|team|folks|there|everyone|zusammen|@[\w./-]+))?\s*[,!.:]+
        )
      | (?P<location>
            (?:(?:in|on|at|see)\ )?(?:the\ )?(?:FILE|PART|IDENT)(?:\s*:|\ [-~]\ )
          | (?:in|on|at|zu|dans|en|em)\ (?:the\ )?(?:FILE|PART|IDENT)\s*[,:]
          | (?:(?:in|on|at)\ )?NAMED\s*:
          | (?:in|on|at)\ NAMED\s*,
        )
      | (?P<marker>
            (?:minor|small|tiny|nit|sorry|petty)\ ?,?\ but\b
          | (?:nits?|nitpick(?:ing)?|qq?|sorry\ to\ (?:bother(?:\ you)?|nag|insist|nitpick|repeat(?:\ myself)?|be\ (?:an?\ )?(?:pain|bother|nag|stickler|picky|pedantic|annoying|blunt))(?:\ (?:again|here|about\ (?:this|it)))?|minor|major|fyi|again|and\ again|yet\ again|reminder|question|suggestion|issue|todo|note|ps|btw|well|h+m+|uh|um|please\ note|(?:just\ )?(?:a\ )?(?:small|tiny|minor|quick|one|one\ more|another|last)\ (?:thing|nit|point|remark|one|question|note|comment)|just\ a\ (?:nit|note|thought|question)|ping|bump|ditto|tbh|imho|imo|honestly|optional|thought|quibble|chore|polish|still|still\ open|small\ remark|once\ (?:more|again))(?:\ \([\w,\ -]{1,24}\))?\s*(?:[:.,!~]+|-+(?:\s|$))
          | (?:blocking|blocker|critical|important|urgent|(?:to\ be|must|should|please|needs?)\ fix(?:ed)?|to\ fix|must\ have|nice\ to\ have|my\ (?:2|two)\ cents|p[0-4]|this\ blocks\ me|this\ is\ (?:blocking(?:\ me)?|a\ blocker))\s*(?:[:.!~]+|-+(?:\s|$))
          | (?:fyi|imho|imo|tbh|btw)\b
          | \[(?:optional|must[\ -]?fix|nit|minor|major|blocking|blocker|question|suggestion|todo|wip|fyi|important|non-blocking|critical|p\d)\]\s*:?
          | (?:same|just)?\s*(?:as|like)\ (?:before|last\ time|(?:in|at)\ (?:the|our|my)\ last\ (?:round|review|meeting|time|call)|in\ my\ last\ (?:review|remark|comment)|always|usual)\s*[:.,!~-]+
          | (?:same|just)\ as\ (?:before|last\ time)\b
          | (?:the\ )?(?:2nd|3rd|second|third|fourth|fifth|nth|umpteenth|\d+th)\ time(?:\ (?:that\ )?(?:i|i'm|i\ am|we)\ (?:say|ask|write|mention|saying|asking|writing|have\ to\ say)(?:\ (?:for\ )?(?:this|it|so))?)?\s*[:.,!~-]+
          | (?:(?:as|like)\ )?(?:i|we)(?:'ve|\ have)?\ (?:already\ )?(?:say|said|keep\ (?:asking|saying|writing|repeating)|mentioned|wrote|asked)(?:\ (?:for\ )?(?:this|it|that))?(?:\ (?:before|already|again|last\ time|twice|earlier))?\s*[:]
          | (?:as|like)\ (?:i\ |we\ )?(?:already\ )?(?:said|mentioned|discussed|agreed|wrote)(?:\ (?:before|already|earlier|last\ time))?\s*[:,]
          | i(?:'m|\ am)?\ repeat(?:ing)?(?:\ myself)?\s*[:,]
          | (?:nochmals?|noch\ einmal|wieder|erneut|wie\ (?:schon\ |bereits\ )?gesagt|wie\ (?:beim\ letzten\ mal|zuvor|vorher)|zum\ (?:zweiten|dritten|wiederholten)\ mal|kleinigkeit|hinweis|anmerkung|frage|blockierend|nur\ zur\ info|zur\ info)\s*[:.,!~-]+
          | (?:encore|encore\ une\ fois|comme\ (?:déjà\ )?dit|comme\ (?:avant|la\ dernière\ fois)|rappel|remarque|bloquant|détail|pour\ info|mineur|petit\ détail)\s*[:.,!~-]+
          | (?:otra\ vez|de\ nuevo|de\ novo|outra\ vez|novamente|como\ (?:ya\ )?dije|como\ (?:já\ )?disse|recordatorio|lembrete|nota|pregunta|pergunta|bloqueante|detalle|detalhe|menor|igual\ que\ antes|como\ la\ última\ vez|como\ antes)\s*[:.,!~-]+
          | [-*~]\s+
        )
    )\s*",
    )
});

static TAIL: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?xi)(?:^|[\s.!;,])\s*(?:
        (?P<location>
            \(\s*(?:(?:see|in|on|at|cf\.?)\ )?(?:FILE|(?:the\ )?PART|IDENT|NAMED)(?:\s*[,;]\s*(?:FILE|PART|IDENT))*\s*\)
          | (?P<see>(?:see(?:\ also)?|siehe|s\.|cf\.?|voir|véase|ver)\ (?:in\ )?(?:FILE|(?:the\ )?PART|IDENT|NAMED|[\w-]+(?:/[\w.-]+)+(?::\d+)?|https?://\S+))
          | (?-i:See)\ (?:also\ )?(?:the\ )?[\w./:\#-]+(?:\ [\w./:\#-]+){0,2}
        )
      | (?P<address>
            /?\bcc:?\ +@?[\w./-]+(?:(?:\ |,\ ?)@[\w./-]+)*
          | (?:fao|ping|fyi)\ @[\w./-]+
        )
      | (?P<marker>
            (?:many\ |big\ |ok\ )?thanks(?:\ (?:a\ lot|in\ advance|again))?|thank\ you(?:\ (?:very\ much|in\ advance))?|thx|cheers|ty
          | (?:danke(?:\ (?:schön|dir|euch|vorab))?|vielen\ dank|merci(?:\ (?:d'avance|beaucoup))?|(?:muchas\ )?gracias|(?:muito\ )?obrigad[oa]|grazie)
          | (?:i'm\ )?(?:happy|glad)\ to\ (?:pair|talk|help|discuss|chat|explain|sync|jump\ on\ a\ call)(?:\ (?:on|about|through|over)?\ ?(?:it|this|that))?
          | (?:wdyt|wyt|thoughts|what\ do\ you\ think|any\ thoughts|makes\ sense|ok\ for\ you|does\ that\ make\ sense)\s*\?+
          | (?:this\ |it\ |that\ )?can\ (?:be\ )?(?:done\ )?(?:in\ |as\ )?(?:be\ )?a\ follow[-\ ]?up|follow[-\ ]?up\ is\ (?:ok|okay|fine)|no\ rush|not\ urgent
          | (?:otherwise|apart\ from\ that|other\ than\ that)\ (?:it's\ |it\ is\ |it\ |looks\ |all\ |this\ is\ |this\ |is\ )?(?:looks\ )?(?:all\ )?(?:ok|okay|fine|good|great|lgtm|approved)
          | (?:the\ )?rest\ (?:is|looks)\ (?:all\ )?(?:ok|okay|fine|good|great)
          | (?:das\ |der\ )?rest\ (?:ist\ )?(?:ok|gut|passt)|(?:an)?sonsten\ (?:alles\ )?(?:ok|gut|prima)|sonst\ (?:alles\ )?(?:ok|gut)|le\ reste\ est\ (?:ok|bon|bien)|sinon\ (?:ok|c'est\ (?:bon|ok))|(?:por\ )?lo\ demás(?:\ está)?\ (?:ok|bien)|o\ resto\ está\ (?:ok|bem|bom)|de\ resto\ (?:ok|tudo\ bem)
          | (?:this|that|it)\ (?:blocks\ (?:me|us)|is\ blocking(?:\ (?:me|us))?|is\ a\ blocker)|not\ (?:a\ )?block(?:ing|er)|non-blocking|das\ blockiert\ mich|ça\ me\ bloque|(?:esto\ )?me\ bloquea
          | (?:please\ )?fix\ (?:this\ )?before\ merg(?:e|ing)
          | (?:imho|imo|tbh|btw|fyi|asap|lmk)|(?:please\ )?let\ me\ know(?:\ what\ you\ think)?|(?:please|pls)\ (?:fix|address)(?:\ this)?
          | \(?\bused\ (?:[\w-]+\ )?(?:\[REDACTED:[^\]]*\]|\S{16,})(?:\ to\ reproduce)?\)?
          | [:;]-?[)DP(]|\^\^
        )
    )\s*[.!]*\s*$",
    )
});

/// Endings that folding would make equal.
static SIGNS: LazyLock<regex::Regex> = LazyLock::new(|| {
    regex(
        r"(?i)(?:^|[\s.!;,])\s*(?:[🙂😊🙏😉😅😄👍]+|よろしくお願い(?:いた)?します|ありがとうございます|谢谢|감사합니다|спасибо)\s*[.!。]*\s*$",
    )
});

/// Strips the wrappings of a text, unless nothing else would be left.
pub(super) fn peel<'a>(text: &'a str, set_aside: &mut Vec<SetAside>) -> &'a str {
    let text = text.trim();
    let folded = ascii(text);
    let mut piece = FoldedText { text, ascii: &folded };
    while let Some(found) = LEAD.captures(piece.ascii.as_bytes()) {
        let ((lead, rest), kind) = (piece.split_at(found[0].len()), kind(&found));
        // "lines 3, 5 and 7": the place continues. "UTF-8: …" is not a ticket.
        let goes_on = kind == SurroundingPart::Location
            && (rest.text.starts_with(|c: char| c.is_ascii_digit()) || STANDARD.is_match(piece.text));
        if !says_something(rest.text) || lead.text.is_empty() || goes_on {
            break;
        }
        set_aside.push(SetAside { kind, text: lead.text.to_owned() });
        piece = rest;
    }
    while let Some((at, kind, see)) = tail(piece) {
        let rest = piece.split_at(at).0.trim_end();
        // "I cannot see section 3", "no thanks": the words belong to the preceding ones.
        let bound: &Regex = if see { &SUBJECT } else { &NO };
        if !says_something(rest.text) || bound.is_match(rest.ascii.as_bytes()) {
            break;
        }
        let stops = |c: char| c.is_whitespace() || ",;.!，；。！、".contains(c);
        let cut = piece.text[rest.text.len()..].trim_matches(stops);
        set_aside.push(SetAside { kind, text: cut.to_owned() });
        piece = rest;
    }
    piece.text
}

/// Returns where the wrapping at the end of a text begins, its kind, and whether it is a "see".
fn tail(piece: FoldedText<'_, '_>) -> Option<(usize, SurroundingPart, bool)> {
    if let Some(found) = TAIL.captures(piece.ascii.as_bytes()) {
        return Some((found.get(0)?.start(), kind(&found), found.name("see").is_some()));
    }
    let signs = if piece.text.len() == piece.ascii.len() { None } else { SIGNS.find(piece.text) };
    signs.map(|found| (piece.text[..found.start()].chars().count(), SurroundingPart::Marker, false))
}

fn kind(found: &Captures<'_>) -> SurroundingPart {
    if found.name("location").is_some() {
        SurroundingPart::Location
    } else if found.name("address").is_some() {
        SurroundingPart::Address
    } else {
        SurroundingPart::Marker
    }
}

/// What reverses a thanks, a verdict or a place.
static NO: LazyLock<Regex> = LazyLock::new(|| pattern(r"(?i)(?:^|[^\w])(?:no|not|isn't|nein|non)$"));

/// The subject of a "see" that is not a pointer.
static SUBJECT: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i)\b(?:i|we|you|they|he|she|people|users?|to|not|cannot|can't|can|don't|didn't|doesn't|could|couldn't|would|should|must|will|won't|let's|never|and|or|only|still|also|where|when)$",
    )
});

/// Names that resemble ticket ids.
static STANDARD: LazyLock<regex::Regex> =
    LazyLock::new(|| regex(r"^(?:UTF|SHA|ISO|AES|HTTP|TLS|RFC|MD|RSA|EC|UTC|CVE|IPV|X|I|A)-?\d"));
