//! Tables of what people say about work under review: rejection, praise, an adjustment. English, and a few direct
//! phrases in German, French and Spanish.
//!
//! Guards are matched first, and cues do not see what they match. Cues are matched case-insensitively.

use super::patterns::regex;
use regex::Regex;
use std::sync::LazyLock;

/// What a cue indicates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Side {
    /// The work is rejected.
    Rejects,
    /// The work is rejected and must be redone.
    Again,
    /// The work, or a comment on it, is praised.
    Praises,
    /// The work is nearly right, or right except for something.
    Nearly,
    /// Something specific should change.
    Change,
    /// A question, a request or information: neither accepts nor rejects.
    Neutral,
}

/// One cue.
pub(super) struct VoiceRule {
    pub(super) id: &'static str,
    pub(super) side: Side,
    pub(super) weight: f64,
    pattern: &'static str,
}

const fn cue(id: &'static str, side: Side, weight: f64, pattern: &'static str) -> VoiceRule {
    VoiceRule { id, side, weight, pattern }
}
use Side::{Again, Change, Nearly, Neutral, Praises, Rejects};

#[rustfmt::skip]
pub(super) const RULES: &[VoiceRule] = &[
    // Rejection.
    cue("reject.no_first", Rejects, 0.6, r"^\W*(?:imho|imo|sorry|hmm+|ugh|well|um|erm)?\W*(?:no|nope|nah|nein|non)\b\s*(?:[,.!:;?-]|$)"),
    cue("reject.no_sentence", Rejects, 0.5, r"(?:^|[.!?\n]\s*)no\.(?:\s|$)|\W-\W+no\s*!|\bno+!+"),
    cue("reject.no_such", Rejects, 0.6, r"^\W*no (?:\S+ ){1,4}?(?:anywhere|here|please|allowed|in (?:this|here|production))\b|^\W*no \S+,? please\b"),
    cue("reject.wrong", Rejects, 0.65, r"\b(?:this|that|it|which|these|those|they|(?:the|your|this|that) (?:[\w'-]+ ){0,3}?[\w'-]+)(?: is| are|'s|'re| was| were| looks?| seems?| feels?) (?:just |still |completely |totally |clearly |simply |plain |all |also |obviously |actually |really |entirely |quite |flat[- ]out |again |so |fundamentally )*(?:the )?(?:wrong|incorrect|broken|false|bogus|backwards|inverted|nonsense|rubbish|garbage|unacceptable|inaccurate|mistaken)\b"),
    cue("reject.wrong_first", Rejects, 0.6, r"^\W*(?:still |completely |totally |just |plain |again )?(?:wrong|incorrect|false|bad idea|rejected|unacceptable|nonsense)\b"),
    cue("reject.wrong_thing", Rejects, 0.55, r"\b(?:the )?wrong (?:file|way|thing|place|approach|one|direction|function|method|branch|language|answer|order|repo\w*|version|layer|abstraction|tool|format|result|output|test|module|fix|table|column|field)\b"),
    cue("reject.not_right", Rejects, 0.6, r"\b(?:is|are|was|'s|'re|that's|it's)(?: not|n't) (?:at all |quite |even |really |actually )?(?:right|correct|true|valid|acceptable|ok|okay|good enough|a good idea|the (?:right|correct|way)|an option|how (?:this|it|we)|going to work|appropriate|allowed|supposed to)\b|\b(?:does|do)(?: not|n't) (?:look|seem|sound|feel) (?:right|good|correct|ok|okay)\b"),
    cue("reject.not_first", Rejects, 0.5, r"^\W*not (?:a )?(?:valid|correct|right|true|good|acceptable|ok|okay|convinced|like this|this way|an option|what)\b"),
    cue("reject.not_what", Rejects, 0.8, r"\b(?:not|isn't|wasn't|never|nothing like) (?:quite |at all |really |exactly )?(?:what|how) (?:i|we|the \w+) (?:asked|want(?:ed)?|meant|said|needed|need|had in mind|expected|requested|ordered|intended|described|agreed)\b|\bthat's not (?:it|what|how)\b"),
    cue("reject.i_meant", Rejects, 0.6, r"\bi (?:meant|actually meant|asked for|said |explicitly asked|specifically asked|already (?:said|told|asked))\b"),
    cue("reject.doesnt_work", Rejects, 0.7, r"\b(?:does(?:n't| not)|won't|will not|do(?:n't| not)|still does(?:n't| not)|cannot|can't|didn't|did not|never) (?:actually |even |really |quite |seem to )?work(?:s|ed)?\b|\bnot working\b|\bstill (?:broken|wrong|fails?|failing|crash\w*|the same|not|has the|shows?|get)\b|\bsame (?:error|problem|stack ?trace|issue|bug|result) (?:as before|again|still)\b"),
    cue("reject.missed_point", Rejects, 0.75, r"\b(?:misunderst(?:ood|and|anding|ands)|miss(?:ed|es|ing) the point|misread|misses the|beside the point|ignor(?:ed|es|ing) (?:my|what|half|the (?:request|question|requirement|comment|spec\w*))|not (?:follow|address|answer)(?:ing|ed)? (?:my|the) \w+)\b"),
    cue("reject.disagree", Rejects, 0.65, r"\b(?:disagree|(?:don't|do not|can't|cannot|didn't) agree|object to|am against|i'm against|strongly oppose|not (?:happy|comfortable|ok|okay|fine|a fan) (?:with|of)|don't (?:like|want) (?:this|that|the idea|it)|hate (?:(?:this|it|that)(?:[.!,]|$)|(?:this|the) (?:idea|change|patch|approach))|(?:won't|will not|can't|cannot) (?:accept|approve|merge|take|land))\b"),
    cue("reject.vote", Rejects, 0.75, r"^\W*-[12](?:[\s.,;:!)]|$)|\bi(?:'m| am) (?:a )?-[12]\b|(?:^|[.!?\n]\s*)-[12] (?:on|from|for|until|because|to|here)\b|\bnacke?d?\b|\bnak\b|\bveto\b|\brejecte?d?(?:ing)? (?:this|the|it)\b"),
    cue("reject.revert", Rejects, 0.65, r"\b(?:please |pls |should |must |let's |have to |need to |to )?(?:revert|undo|roll back|back out|abandon|drop) (?:this|that|it|the (?:change|commit|patch|last|whole|merge)|these changes|everything|all (?:of )?(?:this|these|that)|your)\b|^\W*(?:revert|undo)\b"),
    cue("reject.no_place", Rejects, 0.65, r"\b(?:has|have) no (?:place|business) (?:in|here)\b|\b(?:does(?:n't| not)|don't) belong (?:in|here|to)\b|\b(?:completely |totally )?unrelated to (?:this|your|the)\b|\bhas nothing to do with\b"),
    cue("reject.no_sense", Rejects, 0.55, r"\b(?:makes?|making) (?:no|zero|little) sense\b|\b(?:does(?:n't| not)|don't) make (?:any |much )?sense\b|\b(?:complete|utter|total|pure) (?:nonsense|mess|garbage|rubbish|crap)\b|\bpointless\b"),
    cue("reject.bad", Rejects, 0.55, r"\b(?:is|are|'s|looks?|was) (?:a |an |just |really |pretty |so |such a |absolutely |truly )*(?:terrible|horrible|awful|dreadful|a disaster|dangerous|insane|ridiculous|absurd|a mess|bad idea|a bad idea|worse|unusable|hopeless)\b|\bgot(?:ten)? worse\b|\bworse than\b|\bbad idea\b"),
    cue("reject.why_did_you", Rejects, 0.5, r"\bwhy (?:did|would|have|are) you (?:delet|remov|chang|break|broke|ignor|rewr|drop|touch|revert|undo)\w*|\byou (?:deleted|removed|broke|ignored|dropped|overwrote|destroyed|lost|forgot) (?:my|the|half|all|our|everything)\b|\bstop (?:doing|changing|adding|it)\b"),
    cue("reject.dont", Rejects, 0.45, r"^\W*(?:please,? )?(?:don't|do not|never|stop|you (?:can't|cannot|can not|must not|shouldn't|should not))\b"),
    cue("reject.this_breaks", Rejects, 0.55, r"\b(?:this|that|it|your (?:change|patch|fix)) (?:will |would |still |just |completely |also )?(?:breaks?|defeats?|violates?|contradicts?|defies|introduces? a (?:bug|regression))\b"),
    cue("reject.actually_not", Rejects, 0.5, r"\b(?:that|this|it)(?:'s| is)(?: simply| just)? not (?:how|why|what|true|the case)\b|\byou(?:'re| are) (?:wrong|mistaken)\b"),
    cue("reject.again", Again, 0.75, r"\btry again\b|\bonce more\b|\b(?:do|redo|rewrite|rework) (?:it|this|that|everything|the whole \w+)(?: all)? (?:again|over|from scratch)\b|\bredo\b|\bstart (?:over|again|from scratch)\b|\banother (?:attempt|try|go)\b|\bback to the drawing board\b|\b(?:same|again) the (?:old|same)\b|\bforget (?:it|that|this)\b"),
    cue("reject.not_english", Rejects, 0.65, r"\b(?:das ist (?:falsch|nicht richtig|quatsch|nicht das)|stimmt (?:so )?nicht|funktioniert (?:immer noch )?nicht|geht (?:so )?nicht|nicht das,? was ich|so nicht|c'est (?:faux|incorrect|n'importe quoi|pas (?:ça|bon|correct))|(?:ça|cela) ne (?:marche|fonctionne) (?:pas|toujours pas)|pas ce que (?:j'ai|je)|est[aá] (?:mal|equivocado)|no (?:funciona|es (?:lo que|correcto|eso))|incorrecto|falsch)\b"),
    cue("reject.again_not_english", Again, 0.7, r"\b(?:noch ?mal(?: (?:bitte|versuchen|machen))?|versuch'?s? es (?:noch ?mal|erneut)|recommence[zr]?|r[ée]essaye[zr]?|int[ée]nt[ae]lo (?:de nuevo|otra vez)|hazlo (?:de nuevo|otra vez))\b"),

    // Praise and agreement.
    cue("praise.lgtm", Praises, 0.9, r"\b(?:lgtm|sgtm|wfm|ship it|shipit|approved|approving|acked|ack'd|r\+|good to (?:go|merge|land)|ready to (?:merge|land|go)|merge (?:it|away|this)|go ahead)\b|(?:^|\s)\+[12](?:[\s.,!]|$)|👍|🎉"),
    cue("praise.looks_good", Praises, 0.8, r"\b(?:looks?|look|looking|sounds?|seems?|reads?|works?|feels?|is|are|it's|this's|that's|'s) (?:all |very |really |pretty |mostly |quite |so |much |just |totally |absolutely |perfectly |now |overall |generally |otherwise )*(?:good|great|nice|fine|perfect|excellent|lovely|awesome|beautiful|brilliant|neat|ok|okay|reasonable|right|correct|solid|clean|better|sane|fantastic|amazing|spot on|a nice \w+|a good \w+|a great \w+)\b"),
    cue("praise.first", Praises, 0.7, r"^\W*(?:very |really |pretty |so |all |that's |it's )?(?:good|great|nice|perfect|excellent|lovely|awesome|beautiful|brilliant|neat|cool|sweet|yay|wow|ok|okay|fine|works|sure|yes|yep|yeah|right|correct|exactly|indeed|agreed|done|super|wonderful)\b"),
    cue("praise.thanks", Praises, 0.75, r"\b(?:thanks|thank you|thx|ty|cheers|much appreciated|appreciate (?:it|this|the)|merci|danke|gracias)\b"),
    cue("praise.good_catch", Praises, 0.95, r"\b(?:good|great|nice|excellent|awesome|amazing|sharp|fantastic) (?:catch|spot|find|point|eye|idea|call|suggestion|one|job|work|stuff)\b|\bwell (?:spotted|done|written|said)\b|\bfor (?:catching|spotting|pointing|noticing|finding|the (?:catch|review|clarification|explanation|pointer|heads))\b"),
    cue("praise.you_are_right", Praises, 0.85, r"\b(?:you(?:'re| are) (?:absolutely |totally |completely |quite )?(?:right|correct)|my (?:bad|mistake|fault)|i stand corrected|oops|whoops|d'oh|doh|missed (?:that|this|it)(?: one)?|fair (?:enough|point)|point taken|good (?:point|idea)|gotcha|makes sense(?: to me| now)?|i agree|agree(?:d)?(?: with (?:you|this|that))|fully agree)\b"),
    cue("praise.fine_with_me", Praises, 0.8, r"\b(?:i(?:'m| am) (?:totally |perfectly |absolutely |quite |also )?(?:fine|ok|okay|good|happy|cool|comfortable) (?:with|either)|works for me|fine (?:by|with) me|ok (?:by|with) me|happy (?:with|to (?:merge|approve|land|accept))|no (?:further )?objections?|either way|i'?ll take it|(?:i )?(?:like|love) (?:it|this|that|how|the (?:way|idea|approach)))\b"),
    cue("praise.done", Praises, 0.45, r"^\W*(?:done|fixed|will do|will fix|changed|updated|removed|addressed|resolved|acknowledged|ack)\b"),
    cue("praise.works_now", Praises, 0.75, r"\b(?:works?|working|passes|green|fixed|solved) (?:now|fine|great|well|perfectly|as expected|for me|like a charm|again)\b|\b(?:exactly|just|precisely) (?:this|what i (?:needed|wanted|asked|meant))\b|\bhow well\b|\bnot bad\b"),
    cue("praise.not_english", Praises, 0.7, r"\b(?:passt|perfekt|sehr gut|sieht gut aus|in ordnung|parfait|très bien|c'est (?:bon|parfait|bien)|perfecto|muy bien|está bien|bien hecho|de acuerdo)\b"),

    // Nearly right.
    cue("partial.nit", Nearly, 0.8, r"(?:^|[\s(\[])(?:tiny |small |minor |super |ultra |one |extreme |optional |style |just a |a |another |same )?nit(?:s|pick|picks|picky|picking|ty)?(?:[\s:,.;*\])!-]|$)"),
    cue("partial.almost", Nearly, 0.8, r"\b(?:almost|nearly|mostly|just about|basically|pretty much|largely|very close|so close|9\d ?%|8\d ?%) (?:there|right|correct|done|good|works?|working|perfect|fine|ok|okay|ready|complete|finished|what i|looks? good|lgtm|happy|great|agree)\b|\balmost!|\bclose,? but\b|\bgetting (?:there|closer)\b|\b[89]\d ?% (?:right|there|done|correct|of the way)\b|\bnot quite (?:there|right|done|it|finished|complete|perfect)\b"),
    cue("partial.good_but", Nearly, 0.85, r"\b(?:good|great|nice|fine|works?|working|ok|okay|lgtm|sgtm|looks good|better|correct|right|perfect|cool|clean|neat|agree|like (?:it|this)|love (?:it|this)|sure|reasonable|happy|solid|useful|helpful|thanks|\+1)\b[^.!?\n]{0,40}?(?:,|;| -+)? (?:but|however|though|although|except|apart from|aside from|other than|save for|just (?:one|a|the|missing|needs?|rename|add|fix|change|make))\b"),
    cue("partial.once", Nearly, 0.85, r"\b(?:lgtm|\+[12]|approved?|good to (?:go|merge)|ready|ship it|happy to (?:merge|approve|land)|looks (?:good|great|fine)|merge|land|ok|fine)\b[^.!?\n]{0,40}\b(?:once|after|as soon as|when|if|assuming|provided|modulo|with (?:the|a|one|this|that|those|these)|pending|conditional)\b"),
    cue("partial.except", Nearly, 0.75, r"\b(?:except (?:for|that|the)|apart from|aside from|other than that|modulo|barring|save for|otherwise (?:lgtm|looks?|good|fine|ok|great|this|it|nice|all))\b"),
    cue("partial.one_thing", Nearly, 0.7, r"\b(?:just |only )?(?:one|a|two|a few|a couple(?: of)?|some|few|couple) (?:small |minor |tiny |last |more |other |quick |little |trivial |final |cosmetic )*(?:things?|nits?|nitpicks?|issues?|changes?|tweaks?|adjustments?|details?|suggestions?|caveats?|comments?)\b(?:[:,.-]| (?:to|left|is|and|but|inline|below|before|though)|$)|\b(?:small|minor|tiny) (?:thing|issue|change|comment|suggestion|tweak|point|typo|fix|style)\b|^\W*(?:minor|optional|cosmetic|tiny|small)\s*[:;,-]"),
    cue("partial.for_now", Nearly, 0.75, r"\b(?:ok|okay|fine|good|acceptable|good enough|works|enough|lgtm) (?:\S+ ){0,3}?(?:for (?:now|the (?:first|initial|time)|right now|this (?:pr|cl|patch|change|release))|as (?:a )?(?:first|interim|is|it is|start)|in the short term|to start)\b"),
    cue("partial.fine_too", Nearly, 0.55, r"\b(?:fine|ok|okay|works?|good) (?:too|as well|either way)\b|\beither (?:works|is fine|way is fine)\b|\b(?:a )?(?:tiny |little |slight(?:ly)? )?bit (?:nicer|cleaner|better)\b|\b(?:isn't|not|is not) bad\b"),
    cue("partial.just_need", Nearly, 0.45, r"\byou (?:still )?(?:just|only) (?:need|have) (?:to|one)\b|\b(?:just|only) (?:needs?|missing|lacks?)\b|\bis (?:still )?missing\b.{0,20}$|\bjust need(?:s|ed)? (?:to|one|a|the)\b"),
    cue("partial.ok_but", Nearly, 0.7, r"^\W*(?:ok|okay|sure|fine|yes|yeah|yep|right|agreed|good|great|nice|thanks|true|lgtm|cool)\b[^.!?\n]{0,30}[,.;:!]? (?:but|however|though|except|only|if (?:this|it|you|that)|then (?:you|we|please|use))\b"),
    cue("partial.not_english", Nearly, 0.75, r"\b(?:fast (?:fertig|perfekt|richtig|da)|(?:gut|passt|ok|schön),? aber|bis auf|nur noch|presque|(?:bien|bon|parfait|ok),? (?:mais|pero)|sauf|casi|excepto|salvo)\b"),

    // Requested changes.
    cue("change.request", Change, 0.5, r"\b(?:please|pls|plz|can you|could you|would you|can we|could we|you(?:'ll)? need to|needs? to|should|must|let's|just|rename|use|add|fix|remove|move|replace|change|drop|split|update|make|missing|reversed|swap|instead|rather|prefer|better to|maybe)\b"),
    cue("change.imperative", Neutral, 0.4, r"^\W*(?:please |pls |maybe |just |nit:? )?(?:use|add|fix|remove|move|replace|change|drop|split|update|make|rename|delete|put|extract|inline|keep|leave|return|check|avoid|consider|merge|sort|wrap|mention|document|explain|see|note|try|s/)\b"),
    cue("neutral.question", Neutral, 0.5, r"\?"),
    cue("neutral.question_word", Neutral, 0.5, r"^\W*(?:why|what|how|when|where|who|which|is|are|do|does|did|can|could|should|would|will|have|has|shouldn't|isn't|doesn't|don't you|wouldn't|any)\b"),
    cue("neutral.why_not", Neutral, 0.5, r"\b(?:why not|how about|what about|wondering|curious|not sure|i'm not sure|i think|i guess|maybe|perhaps|probably|might|seems?|would be nice|it'd be nice|would prefer|i'd rather|i'd prefer)\b"),
    cue("neutral.history", Neutral, 0.45, r"\b(?:used to|as per|per (?:the|our)|by convention|because|since|strictly speaking|fyi|for reference|see (?:https?|above|below|also|the)|ditto|same (?:here|as|below|above))\b"),
    cue("neutral.polite", Neutral, 0.5, r"(?s)\b(?:please|pls|can you|could you|would you)\b.{4,400}\b(?:thanks|thank you|thx|cheers)\b\W*(?:in advance|so much|a lot|\w{2,12})?\W*$|\bplease and thank"),
    cue("neutral.sorry", Neutral, 0.45, r"^\W*(?:sorry|ah|oh|hm+|well|yeah|btw|note|fwiw|fyi|i)\b"),
];

/// Idioms that look like a rejection but are not.
#[rustfmt::skip]
const GUARDS: &[&str] = &[
    r"\bno,? (?:problems?|worries|worry|thanks|thank you|thx|need|doubt|idea|matter|longer|one|more|big deal|biggie|hurry|rush|wonder|way around|harm|strong (?:opinion|feelings?|preference)|preference|pressure|action (?:required|needed)|change(?:s)? (?:needed|required)|offen[cs]e|objections?|concerns?|complaints?|issues?|errors?|questions?|regrets|comments?|reason|policy|good reason|point in|mention of|such|less|later|other|further|op|ops|where|strings|fun)\b",
    r"\bno-?ops?\b|\bno\. ?\d+|\byes (?:or|and) no\b|\bor no\b|\bwhether or no\b|\bsay(?:s|ing)? no\b|\btotal no\.",
    r"\bno,? (?:that(?:'s| is)|this is|it(?:'s| is)) (?:all|it|everything|actually (?:fine|good|ok|okay|right|correct)|fine|ok|okay|good|great|perfect|right|correct)\b",
    r"\b(?:nothing(?:'s| is)? (?:\w+ )?(?:wrong|broken)|not (?:\w+ )?(?:wrong|incorrect|broken|a bad idea)|(?:doesn't|does not|don't) (?:look|seem|sound|appear) (?:wrong|incorrect|broken|bad)|isn't (?:wrong|incorrect|broken|a bad idea)|aren't (?:wrong|broken)|never wrong|can't go wrong|prove me wrong|correct me if i(?:'m| am) wrong|if i(?:'m| am) not (?:wrong|mistaken)|(?:i|unless i) (?:may|might|could) be wrong|i(?:'m| am| was) wrong|wrong on my (?:side|part|end)|what's wrong|what is wrong|something(?:'s| is)? wrong|go(?:es)? wrong|went wrong)\b",
    r"\b(?:not|isn't|aren't|wasn't) (?:that |so |too |half |at all )?bad\b|\bcan't believe how (?:well|good|nice|fast)\b|\bdon't (?:worry|stop|mind|hesitate|get me wrong)\b|\bcouldn't (?:agree more|be better)\b",
    r"\b(?:i|we) (?:was|were|had) (?:wrong|mistaken|misunderstood)\b|\bi (?:was )?(?:misunderst(?:ood|anding)|misread|missed the point)\b",
    // Wishes, conditions and purposes are not praise.
    r"\b(?:would|'d|might|could|will|may|should) (?:also |even |really |probably )?be (?:\w+ )?(?:good|great|nice|nicer|better|fine|cleaner|helpful|useful)\b|\bif (?:it|this|that|so|not)(?:'s| is)? (?:good|fine|ok|okay)\b|\bnice to (?:have|try|see if)\b|\b(?:not sure|unsure|whether|if|probably|don't think) (?:it|this|that) makes sense\b|\bmakes sense only\b",
    r"\bwon't work(?:ed)? around\b|\b(?:used to|previously) not work\b|\bdoes(?:n't| not) work(?: yet)?,? (?:if|when|unless|with (?:old|older))\b",
];

pub(super) static GUARD: LazyLock<Regex> = LazyLock::new(|| regex(&GUARDS.join("|")));
pub(super) static PATTERNS: LazyLock<Vec<Regex>> =
    LazyLock::new(|| RULES.iter().map(|rule| regex(rule.pattern)).collect());
