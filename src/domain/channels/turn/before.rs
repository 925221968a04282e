//! What the previous response asked of the user: it determines the meaning of "no".

use std::sync::LazyLock;

use regex::Regex;

use super::text::Text;

/// How the previous response ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Before {
    /// Nothing is known about it.
    Nothing,
    /// "Anything else?": "no" is satisfaction.
    AnythingElse,
    /// It repeats details for confirmation: "no" is a correction.
    Confirmation,
    /// It offers to do something: "no" merely declines.
    Offer,
    /// It proposes something: a place, a product, a result.
    Proposal,
    /// It asks for a detail: what follows is an answer.
    Question,
    /// It reports that something was done.
    Done,
    /// It reports that something could not be done.
    Failed,
    /// It says something else.
    Statement,
}

impl Before {
    /// Returns the name used for features and rationales.
    pub fn name(self) -> &'static str {
        match self {
            Self::Nothing => "nothing known",
            Self::AnythingElse => "anything else?",
            Self::Confirmation => "a confirmation asked for",
            Self::Offer => "an offer",
            Self::Proposal => "a proposal",
            Self::Question => "a question",
            Self::Done => "a success reported",
            Self::Failed => "a failure reported",
            Self::Statement => "a statement",
        }
    }

    /// Reads the response. Only the end of a long response counts.
    pub fn read(response: &Text) -> Self {
        if response.words.is_empty() {
            return Self::Nothing;
        }
        let whole = response.lower.as_str();
        let start = whole.char_indices().rev().nth(420).map_or(0, |(at, _)| at);
        let ending = &whole[start..];
        let last = response.last_sentence();
        if ANYTHING_ELSE.is_match(ending) && !OR_ELSE.is_match(ending) {
            return Self::AnythingElse;
        }
        if CONFIRMATION.is_match(ending) && !WHICH.is_match(last) {
            return Self::Confirmation;
        }
        let specific = is_specific(response, last);
        if ACT_OFFERED.is_match(last) {
            return if specific { Self::Confirmation } else { Self::Offer };
        }
        if PROPOSAL.is_match(last) {
            return Self::Proposal;
        }
        if WHICH.is_match(last) || ASKS.is_match(ending) {
            return Self::Question;
        }
        if RESTATED.is_match(whole) {
            return Self::Confirmation;
        }
        if FOUND.is_match(whole) {
            return Self::Proposal;
        }
        if DONE.is_match(ending) {
            return Self::Done;
        }
        if last.trim_end().ends_with('?') {
            return Self::Question;
        }
        if FAILED.is_match(ending) {
            return Self::Failed;
        }
        Self::Statement
    }
}

/// Reports whether the sentence names a number, a time or a name: it is then specific.
fn is_specific(response: &Text, sentence: &str) -> bool {
    let own = Text::new(sentence);
    let names = response.names();
    // "This 3 day trip" is one value; two are details.
    own.words.iter().filter(|word| super::text::value(word).is_some() || names.contains(*word)).count() >= 2
        || SPECIFIC.is_match(sentence)
}

fn pattern(text: &str) -> Regex {
    Regex::new(text).expect("a constant")
}

static ANYTHING_ELSE: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?:^|[.!?] |\b(?:is there|for|with|need|want|do|have|be|like|require|get|in|you|assist|add|know|there|so|and|okay|ok|now|but|what|again|welcome|up|of) |- |\n|[a-z], but )(?:anything|something|what|how|nothing) else\b|\bwhat else\b|\belse (?:can|may|could|might|would|do|you|i)\b|\banything (more|further|additional)\b|\b(something|what) more\b|\b(any|additional|further|other|more) (help|assistance|requests?|questions)\b|\bother (way|thing)s?\b|\bneed (more|further|additional|any) (help|assistance)|\b(help|assist)(ed)? (you )?(with|in) (anything|any other)|\bis that (all|everything)\b|\bbe of (any )?(more|further|help)",
    )
});

/// "Italian, Mexican or something else?" asks for a detail.
static OR_ELSE: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"\b(?:or|like|as) (?:\w+ )?(?:anything|something|any other|some other|somewhere|what)\b|, (?:anything|something) else",
    )
});

static CONFIRMATION: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"\bconf[io]r\w*|\b(?:please|kindly|can you|could you|let me|to) (?:verify|check|acknowledge|ensure|review|double[- ]check|recap|repeat)\b|\bverify\b|\backnowledge\b|\bdouble[- ]check\b|\b(?:is|are|does|do|did|am|have)\b[^?.!]{0,60}\b(?:right|correct|accurate|correctly)\b|\b(?:right|correct|yes|yeah)\?|\bto (?:be|make) (?:sure|clear|certain)\b|\bmak(?:e|ing) sure\b|\blet me (?:see|make|repeat|recap|summari[sz]e)\b|\bdoes (?:that|this|it|everything) (?:all )?(?:sound|look|seem)\b[^?]{0,20}\b(?:right|correct|good|ok|okay|fine|alright)\b[^?]{0,8}\?\s*$|\bis (?:that|this|everything|it|all) (?:all )?(?:ok|okay|alright|fine|good)\?|\bjust to clarify\b|\b(?:here(?:'s| is) what i have|details to|the following(?: details| information)?:)|^so,? you|\byou want to confirm|\bto my understanding\b|\byou said\b|\bi (?:think|believe) i have\b|\bshould i go ahead\b|\bshall i (?:go ahead|proceed)\b|\b(?:i'm|am i) right\b",
    )
});

static ACT_OFFERED: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"^(?:\W|ok(?:ay)?|so|and|well|great|sure|now|then|alright)*(?:would|do|did|are|were|will|may|can|could|shall|should|want|wanna|need|ready|interested|care|wish|have|is|if|am|you (?:want|wanna|need|wish|would like))\b[^?]*?\b(?:book|buy|purchase|reserve|play|watch|listen|see it|get|add|schedule|make|rent|transfer|start|order|send|visit|go ahead|proceed|set|put|create|run|commit|open|apply|fix|continue|tickets?|reservations?|appointment|call|hire|find|search|check|give|show|share|try|stream|hear)\b|\bi (?:can|could) [^?]*\bif you (?:like|want|wish)\b|\b(?:want|need) me to\b|\blet me know if you(?:'d| would| want)",
    )
});

static SPECIFIC: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"\b(?:on|from|in|to) (?:the|your) (?:tv|kitchen|bedroom|living room|patio|speaker|device)|\bwith(?:out)? (?:\w+ )?subtitles|\btickets? (?:to|for) \w+ (?:vs|versus)\b",
    )
});

static PROPOSAL: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"^(?:\W|ok(?:ay)?|so|and|well|great|sure|alright|or|sorry)*(?:how about|what about|how does|how's|what do you think|maybe|perhaps|you (?:might|may|could|should|can) (?:like|try|enjoy|want|be interested)|i(?:'d| would)? (?:suggest|recommend|propose)|would you (?:like|prefer|consider) (?:to try )?(?:the|a|an|\w+ ?'s)|do you like|does (?:that|this|it) (?:work|sound|interest|suit|appeal)|would (?:that|this|it|\S+) (?:work|be|suit|do)|try|any interest|is (?:that|this|it) (?:one )?(?:something|suitable|to your)|are you interested in)\b",
    )
});

static WHICH: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"\b(?:what|which|when|where|who|whom|how many|how much|how long|how far|what's)\b[^?]*\?|\b(?:preference|preferred|prefer)\b[^?]*\?|\b(?:may|can|could) i (?:know|have|get)\b|\b(?:tell|give|provide|specify|name|choose|select|enter|share|send) (?:me )?(?:the|your|me|a|us|which|what|where|how|in)\b|\blet me know (?:the|what|which|where|when|how|who|your)\b|\bi(?:'ll)? (?:need|would need|require) (?:to know|some|more|the|your|a few)\b|^(?:and|for) (?:the|which|what|how)\b|\bwould you like a\b[^?]*\bor\b|\b(?:any|particular|specific)\b[a-z ]{0,30}\b(?:in mind|preference|for|you)\b[^.!]*\?|\bin mind\b|\b(?:particular|specific|certain)\b[^.!]*\?|\?.*\bor\b[^?]*\?|\bdo you (?:want|need)\b[^?]*\bor\b",
    )
});

static ASKS: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"\b(?:what|which|when|where|who|how many|how much) (?:\w+ ){0,3}(?:do|would|will|should|are|is|is it|can|did) (?:you|your|i|the|we|it)\b[^.!]*\?|\bfrom (?:which|what|where)\b|\bin (?:which|what) (?:city|area|location)",
    )
});

static RESTATED: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"^(?:\W|ok(?:ay)?|so|and|well|great|sure|now|then|alright|all right|got it|of course|certainly|understood|perfect|no problem|just|again|good)*(?:i(?:'ll| will| am|'m)(?: now| going to| gonna| go ahead and)? (?:book|reserv|play|schedul|purchas|buy|mak|get|put|order|set|rent|add|transfer|be |start)|you(?:'d| would| are|'re| will|'ll)? (?:like|want|be|get|have|going|leaving|need|prefer|book|purchas|reserv|check|flying|travel|buying|visiting)|you want|i have (?:you|a (?:table|reservation|booking)|\d|your)|your (?:appointment|reservation|booking|flight|bus|check|tickets?) (?:is|will be|are) (?:for|at|on|set|with|from)|(?:a )?(?:booking|playing|reserving|scheduling|purchasing|buying|transferring|appointment|reservation|visit|table|ride|check-?in|play|book|transfer|reserve|location|pick-?up)\b|the (?:reservation|check|booking|appointment|flight|ride|pick-?up|group|location) )",
    )
});

static FOUND: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"\bi(?:'ve| have|'d)? (?:also )?(?:found|see|got|have|can (?:see|offer|find))\b|\bthere (?:is|are|'s|'re|was)\b|\bthere's\b|\bbalance (?:is|of)\b|\b(?:how|what) about\b|\b(?:recommend|suggest)\b|\byou (?:might|may|could) (?:like|try|enjoy)\b|\b(?:options|results|matches|choices)\b|\b(?:is|are) (?:also )?available\b|\bis a (?:good|great|nice|popular|lovely)\b|\byou are free\b|\bwould \S+ (?:work|do)\b|\bthey have\b",
    )
});

static DONE: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"\b(?:is|was|are|were|has been|have been|been|'s|i've|i have|it's|successfully|now) (?:now |all |successfully |just )?(?:booked|reserved|confirmed|scheduled|made|complete|completed|done|added|placed|sent|set|updated|fixed|playing|started|transferred|purchased|ordered|pushed|saved|successful|finished|changed|created|finali[sz]ed)\b|\bsuccess(?:ful|fully)?\b|\benjoy\b|\bhave (?:a good|fun|a great|a nice)\b|\ball set\b|^done\b|\bon (?:the|its) way\b|\b(?:went|gone) through\b|\bhas (?:been|begun|started)\b|\b(?:starts|begins|started|began) (?:playing|to play|now)\b|\b(?:booked|scheduled|reserved) (?:it|your|the)\b|\btests pass\b",
    )
});

static FAILED: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"\b(?:sorry|unfortunately|unable|apologi[sz]e|afraid|failed|failure)\b|\b(?:could|can|did|do|is|was)(?: not|n't|nt|not)\b[^.?!]{0,40}\b(?:book|find|reserve|make|available|complete|work|successful|possible)\b|\bnot available\b|\bunavailable\b|\bno longer\b|\bwent wrong\b|\bdeclined\b",
    )
});
