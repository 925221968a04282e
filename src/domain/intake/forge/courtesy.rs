//! Text that asks for nothing: praise and thanks, and commands to programs.
//!
//! Much on a forge is unrelated to the work: "LGTM", "Thanks!", "/retest", "@bors r+". Detection uses only the words,
//! and requires all of them to be known: a single unknown word makes it a comment on the work. Doubtful cases stay
//! comments.

use super::bot_commands::is_order;
use super::event::{Kind, Reason, Review, ReviewVerdict};
use regex::Regex;
use std::sync::LazyLock;

/// Maximum size of a checked text, in bytes: no thanks are longer.
const LONGEST: usize = 1_000;

/// The kind of a text that asks for nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Courtesy {
    /// It praises, thanks or agrees.
    Praise,
    /// It is a command to a program, or names its addressees.
    Order,
}

impl Courtesy {
    fn reason(self) -> Reason {
        match self {
            Courtesy::Praise => Reason::Praise,
            Courtesy::Order => Reason::Command,
        }
    }

    /// Reports whether such words are kept with a decision. Gerrit's are not: its events and API report the same vote
    /// with and without them.
    pub fn stays_beside(self, decided: ReviewVerdict, kind: Kind) -> bool {
        self == Courtesy::Praise && decided != ReviewVerdict::Comment && kind != Kind::Gerrit
    }
}

/// Removes words that ask for nothing from a review.
///
/// # Errors
/// Why nothing is left: it decides nothing and has no other content.
pub fn without_courtesy(mut review: Review, kind: Kind) -> Result<Review, Reason> {
    let mut left_out = None;
    let of_body = review.body.as_deref().and_then(read);
    if let Some(found) = of_body.filter(|found| !found.stays_beside(review.decided, kind)) {
        review.body = None;
        left_out = Some(found);
    }
    review.remarks.retain(|remark| {
        let found = read(&remark.text);
        left_out = left_out.or(found);
        found.is_none()
    });
    let is_empty = review.decided == ReviewVerdict::Comment && review.body.is_none() && review.remarks.is_empty();
    match left_out {
        Some(found) if is_empty => Err(found.reason()),
        _ => Ok(review),
    }
}

/// Classifies a text, if every word of it is known to ask for nothing.
pub(super) fn read(text: &str) -> Option<Courtesy> {
    if text.len() > LONGEST {
        return None;
    }
    let text = COMMENTS.replace_all(text, "\n").to_lowercase();
    // Quotations are by someone else.
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('>'));
    let mut found = None;
    for line in lines {
        if is_order(line) {
            found = Some(Courtesy::Order);
        } else if praises(line) {
            found = found.or(Some(Courtesy::Praise));
        } else {
            return None;
        }
    }
    found
}

/// Reports whether a line is nothing but praise.
fn praises(line: &str) -> bool {
    if TRAILER.is_match(line) {
        return true;
    }
    // Pictures used as praise, and the people addressed.
    let line = PICTURE.replace_all(line, " $alt. ");
    let line = PERSON.replace_all(&line, "$before ");
    let line = SIGNS.replace_all(&line, ". +1. ");
    let mut some = false;
    for clause in
        line.split(['.', '!', '¡', ',', ';', ':', '\u{2026}', '(', ')', '、', '。', '！', '，', '～', '~', '—', '–'])
    {
        let clause = clause.trim_matches(|c: char| c.is_whitespace() || matches!(c, '*' | '_' | '#' | '-' | '"'));
        // "+1" is unaffected: its sign is not a dash.
        if clause.is_empty() {
            continue;
        }
        let clause = clause.split_whitespace().collect::<Vec<_>>().join(" ");
        if !PRAISE.is_match(&clause) && !thanks_for(&clause) {
            return false;
        }
        some = true;
    }
    some
}

/// Reports thanks for something done. Thanks in advance are a demand.
fn thanks_for(clause: &str) -> bool {
    const WORDS: usize = 6;
    let what =
        ["thanks for ", "thank you for ", "thx for ", "danke für ", "merci pour ", "gracias por ", "obrigado por "];
    let Some(rest) = what.iter().find_map(|begin| clause.strip_prefix(begin)) else { return false };
    let is_plain =
        |word: &str| word.chars().all(|c| c.is_alphabetic() || matches!(c, '\'' | '-' | '#') || c.is_ascii_digit());
    let is_known = |word: &str| !YET_TO_COME.contains(&word);
    rest.split(' ').count() <= WORDS && rest.split(' ').all(|word| is_plain(word) && is_known(word))
}

/// Words for something still to be done.
const YET_TO_COME: [&str; 29] = [
    "but",
    "please",
    "next",
    "later",
    "before",
    "first",
    "not",
    "without",
    "todo",
    "advance",
    "future",
    "tomorrow",
    "follow-up",
    "followup",
    "follow",
    "instead",
    "when",
    "if",
    "once",
    "should",
    "must",
    "need",
    "needs",
    "missing",
    "aber",
    "bitte",
    "mais",
    "pero",
    "also",
];

/// The content of an HTML comment is invisible.
static COMMENTS: LazyLock<Regex> = LazyLock::new(|| regex(r"(?s)<!--.*?(?:-->|$)"));
/// `![LGTM](https://...)`
static PICTURE: LazyLock<Regex> = LazyLock::new(|| regex(r"!\[(?<alt>[^\]]{0,60})\]\([^)]*\)"));
/// `@ann`, not `ann@example.org`
static PERSON: LazyLock<Regex> = LazyLock::new(|| regex(r"(?<before>^|[\s,(])@[\w/-]+(?:\[bot\])?"));
/// "Reviewed-by: Ann <ann@example.org>"
static TRAILER: LazyLock<Regex> = LazyLock::new(|| {
    regex(r"^(?:reviewed|acked|tested|approved|lgtm|signed-off)[- ]by\b:?\s*[^.!?]{0,80}(?:<[^>]*>)?$")
});

/// Signs of agreement, as characters and as forges name them, with tones and joiners.
static SIGNS: LazyLock<Regex> = LazyLock::new(|| {
    let names = "\\+1|thumbsup|thumbs_up|heart|hearts|tada|rocket|clap|pray|fire|100|ok|ok_hand|white_check_mark|\
                 heavy_check_mark|shipit|ship|sparkles|star|star2|raised_hands|muscle|smile|smiley|grin|blush|heart_eyes|\
                 partying_face|beers|sunglasses|trophy|sparkling_heart|star-struck|star_struck|green_heart|bow|handshake";
    let signs = "👍|👌|❤|♥|🧡|💚|💙|💜|🎉|🚀|👏|🙏|🔥|💯|✅|✔|☑|🆗|✨|⭐|🌟|🙌|💪|😀|😃|😄|😁|😊|🙂|😍|🥳|🤩|😎|🏆|🤝|🍻|🥇|🙇|🚢";
    regex(&format!("(?::(?:{names}):|(?:{signs})[\u{fe0f}\u{1f3fb}-\u{1f3ff}\u{200d}♂♀]*)+"))
});

static PRAISE: LazyLock<Regex> = LazyLock::new(|| {
    let how = "(?:(?:so|very|really|super|pretty|quite|overall|absolutely|totally|truly|just|also|still) )*";
    let good = "(?:good|great|nice|fine|ok|okay|correct|right|perfect|excellent|awesome|amazing|brilliant|fantastic|wonderful|\
                beautiful|superb|lovely|neat|cool|sweet|impressive|elegant|solid|reasonable|sensible|outstanding|clean)";
    let thing = "(?:work|job|catch|find|idea|point|fix|change|changes|stuff|one|improvement|improvements|refactor|\
                 refactoring|cleanup|solution|pr|mr|patch|addition|feature|thinking|call|effort|progress|contribution|tests?)";
    let it = "(?:this|it|that|everything|all|the rest|all of it|the code|the change|the changes|the pr|changes|code)";
    let end = "(?: (?:(?:to|for|with|from|by) (?:me|us|my side|my end|here)|now|too|again|here|overall|everyone|everybody|folks|\
               team|all|guys|mate|man|so far|as well|then|already|indeed|there))*";
    let english = [
        "lgtm ?\\d?".to_owned(),
        "[slw]gtm|sgtm|ltgm|wfm|gtm|g2g".to_owned(),
        format!("(?:{it} )?(?:looks?|looking|sounds?|seems?|reads?|works|feels) {how}{good}"),
        "works(?: (?:great|fine|well|perfectly|as expected))?".to_owned(),
        format!("{it}(?: is|'s| are| was) {how}{good}"),
        format!("{how}{good}"),
        format!("{how}(?:a )?{good} {thing}(?: on (?:this|it|that)(?: one)?)?"),
        format!("{how}(?:all )?(?:well done|good to (?:go|merge|ship)|ready to (?:go|merge|ship)|all good|all set)"),
        format!("i? ?{how}(?:love|like) (?:it|this|that)(?: one)?"),
        "(?:many |big |huge |lots of )?(?:thanks|thank you|thankyou|thx|tnx|thnx|tysm|ty|cheers)(?: (?:a lot|a bunch|a ton|so \
         much|very much|again|heaps))*"
            .to_owned(),
        format!("{how}(?:much )?appreciated?(?: (?:it|this|that|the \\w+|your \\w+))?"),
        "kudos|bravo|congrats|congratulations|hooray|hurray|yay|woohoo|wow|whoa|nice one|hats off|chapeau".to_owned(),
        "\\+[12]|\\+\\+|1\\+|(?:cr|code-review|v|verified|w|workflow|qa|qa-review) ?\\+ ?[12]".to_owned(),
        "(?:concept |approach |code review |re-?|ut|cr|t)?ack(?:ed)?(?: [0-9a-f]{6,40})?".to_owned(),
        "approved?|approving|approving this|stamp|stamped|rubber ?stamp|rs=me|r=me|ship ?it|shipping|merge it|merging(?: this)?\
         |merged|will merge|i'll merge(?: this| it)?|landed(?: in [0-9a-f]{6,40})?"
            .to_owned(),
        "(?:i have )?no (?:further |more |other |additional )?(?:comments?|objections?|concerns?|issues?|remarks?|complaints?|\
         nits?|questions?)"
            .to_owned(),
        "nothing (?:else |more |further )?(?:to add|from me|from my side)".to_owned(),
        "agreed?|i agree|makes sense|fair enough|fair|got it|understood|will do|sure|yes|yep|yeah|yup|ok|okay|of course".to_owned(),
    ];
    let others = [
        // German, French, Spanish, Portuguese, Italian, Dutch
        "danke(?: schön| sehr| dir| euch| vielmals)?|dankeschön|(?:vielen|besten|herzlichen) dank|super(?: arbeit| gemacht| sache)?\
         |gute arbeit|(?:sehr )?gut gemacht|sieht (?:sehr )?(?:gut|super|toll|prima) aus|passt(?: so| für mich)?|prima|toll|klasse\
         |perfekt|(?:sehr )?(?:gut|schön|sauber)|gefällt mir(?: sehr| gut)?|top|einverstanden",
        "merci(?: beaucoup| bien| à toi| à tous)?|parfait|très bien|excellent|beau travail|bon travail|bien joué|nickel|génial\
         |impeccable|ça me va|ok pour moi|c'est (?:très )?(?:bon|bien|parfait)(?: pour moi)?|d'accord|chapeau",
        "(?:muchas |mil |muchísimas )?gracias|perfecto|excelente|genial|muy bien|(?:muy )?buen trabajo|bien hecho|todo bien\
         |se ve (?:muy )?bien|me gusta|estupendo|fantástico|de acuerdo|vale",
        "(?:muito )?obrigad[oa]|valeu|perfeito|ótimo|muito (?:bom|bem)|bom trabalho|boa|parabéns|show",
        "grazie(?: mille)?|perfetto|ottimo(?: lavoro)?|bel lavoro|ben fatto|bene|va bene",
        "bedankt|dank ?je(?: ?wel)?|goed werk|ziet er goed uit|mooi(?: werk)?|prima|top",
        // Slavic, northern and others
        "dzięki|dziękuję(?: bardzo)?|świetnie|świetna robota|wygląda dobrze|díky|děkuji|dobrá práce|hvala|köszi|köszönöm|mulțumesc",
        "(?:большое )?спасибо(?: большое)?|отлично|супер|класс|хорошо|круто|выглядит хорошо|молодец|дякую|лгтм",
        "tack(?: så mycket)?|snyggt|bra jobbat|tak|mange tak|flot|takk|tusen takk|bra|kiitos|teşekkürler|teşekkür ederim|harika\
         |eline sağlık|güzel|cảm ơn|terima kasih|धन्यवाद|شكرا|תודה",
        "谢谢|感谢|多谢|谢谢你|辛苦了|没问题|看起来不错|很好|不错|赞|非常好|太棒了|好的|可以|可以合并|謝謝|感謝|沒問題",
        "(?:\\w{0,6})?ありがとうございま(?:す|した)|ありがとう|良さそう(?:です)?|よさそう(?:です)?|(?:良|い)いと思います|(?:良|い)いですね\
         |素晴らしい(?:です)?|問題ありません|問題なさそうです|大丈夫です|お疲れ様です|お疲れさまです|確認しました|了解です|承知しました",
        "감사합니다|고맙습니다|좋습니다|좋아요|좋네요|수고하셨습니다|고생하셨습니다|확인했습니다|문제없습니다",
    ];
    let all: Vec<&str> = english.iter().map(String::as_str).chain(others).collect();
    regex(&format!("^(?:{}){end}$", all.join("|")))
});

fn regex(pattern: &str) -> Regex {
    Regex::new(pattern).unwrap_or_else(|error| unreachable!("{pattern}: {error}"))
}

#[cfg(test)]
mod tests;
