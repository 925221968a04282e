//! The phrases that make a text vague or advisory: tables only, shared by all wording checks.
//!
//! The meaning of a match in context (in a quotation, under a ban) is not decided here. The first two tables are
//! verbatim from the specification; the others are ours. Patterns are in lower case; `'` matches both apostrophes.

/// specification, "Review documents: Specificity": a problem phrased like this names nothing.
pub const ISSUE_SPECIFICITY: &[&str] =
    &["could be better", "needs improvement", "consider changing", "might want to", "should probably"];

/// specification, "Review documents: Actionability": phrased like this it is advice, not a demand.
pub const SUGGESTION_ACTIONABILITY: &[&str] = &["think about", "consider", "maybe", "perhaps", "you might"];

/// Unnamed problems; ours, in the spirit of [`ISSUE_SPECIFICITY`].
pub const VAGUE_ISSUES: &[&str] = &[
    r"(?:can|should|must) be (?:better|improved|nicer|cleaner)\b",
    r"(?:can|could) be improved",
    r"needs? (?:some |more |a bit of |a lot of )?(?:work|love|polish|attention|tlc)\b",
    r"not (?:good|great|nice) enough\b",
    r"leaves? (?:a lot|much|something) to be desired",
    r"(?:feels?|looks?|seems?|smells?) (?:a bit |somewhat |kind of |sort of )?(?:off|wrong|odd|weird|funny|bad)\b",
    r"room for improvement",
    "(?:higher|better|poor|good) quality",
    r"(?:is|are|was|were) (?:a bit |a little |somewhat |kind of |sort of |rather |quite )?(?:odd|weird|ugly|messy|strange|funny)\b",
];

/// Words that leave open whether to do anything.
pub const HEDGES: &[&str] = &[
    "probably",
    "possibly",
    "presumably",
    "hopefully",
    "ideally",
    "preferably",
    "somehow",
    r"(?:if|where|wherever|when|whenever) (?:at all )?possible",
    r"(?:if|where|wherever|when|as) appropriate",
    r"(?:as|where|wherever) (?:needed|necessary|required|applicable)",
    r"as (?:far|much|well) as possible",
    r"(?:i|we) (?:think|guess|suppose|believe)",
    r"(?:it )?(?:would|might|could) be (?:good|nice|better|great|helpful|useful|worth|ideal|an idea|best)",
    r"(?:it|this)(?: is|'s) (?:advisable|advised|recommended|suggested|preferable|worth)",
    "nice to have",
    "feel free to",
    "may want to",
    r"(?:when|if) (?:you (?:have|find|get)|there is) (?:the |some )?time",
    r"do your best",
    r"more or less",
    "(?:at some point|some day|one day|eventually|sooner or later|in the future|in the long run)",
    "(?:if|when) you can",
];

/// Words that hedge a demand but state a fact elsewhere ("values that could contain input").
pub const MODALS: &[&str] = &["might", "could", r"tr(?:y|ies|ying) (?:to|and|not to|[a-z]+ing)", r"attempt to"];

/// References to what a reader of the prompt cannot see.
pub const OPEN_REFERENCES: &[&str] = &[
    r"lines? \d+(?:\s?[-–]\s?\d+)?\b",
    r"[\w/-]+\.[a-z]{1,4}:\d+\b",
    r"(?:see|as|the|mentioned|described|noted|listed|shown|explained|from) (?:above|below)\b",
    r"same as (?:before|last time|yesterday)\b",
    r"(?:comments?|remarks?|notes?|text|example|list|table|section) (?:above|below)\b",
    r"as per (?:our|the|my|your) (?:call|chat|meeting|discussion|conversation|talk|mail|email)\b",
    r"what (?:we|i|you) (?:discussed|said|agreed|talked|mentioned|decided)\b",
    r"my (?:comments?|remarks?|notes?|reviews?|points?|suggestions?)\b",
    r"(?:the|your|our) (?:last|previous|earlier|other) (?:comments?|remarks?|notes?|reviews?|messages?|points?)\b",
    r"(?:story|task|item|ticket|page|paragraph|bullet|goal|objective|milestone|comment|remark) #?\d+\b",
    r"t-?\d{1,5}\b",
    r"\[redacted",
];

/// References to events at the time of the comment.
pub const TIMES_AT_HAND: &[&str] = &["(?:last|second|third) time", "just now", "right now", "yesterday", "last week"];

/// References to earlier statements, unless they name the source ("as stated in the style guide").
pub const SAID_BEFORE: &str = r"as (?:i |we |you |already |previously |just |was |were )*(?:discussed|mentioned|agreed|said|noted|explained|told|suggested|promised|requested|stated|described)\b";

/// Things that "this" and "that" refer to in the work at hand, which is gone by the time the rule is read.
pub const THINGS_AT_HAND: &str = "line|lines|file|function|method|class|test|block|loop|handler|pr|diff|commit|change|paragraph|sentence|section|page|bit|part|thing|one|spot|place|story|task|ticket|draft|doc|time|issue|problem|mess|stuff|case|code|approach|way";

/// Verbs without a verifiable object, at the start of a clause. The flag: a measure in the same sentence (a figure,
/// code, "by doing", a colon with an explanation) makes up for it.
pub const VAGUE_VERBS: &[(&str, bool)] = &[
    (r"(?:improve|enhance|optimi[sz]e|polish|refine|strengthen|streamline|beautify|upgrade)(?: [^,]*)?$", true),
    (r"make (?:[^,:]{0,60} )?(?:better|nicer|cleaner|good|great|robust|more [a-z]+|work|right|sense)$", true),
    (
        r"make sure (?:it|this|that|everything|all|things)(?: (?:is|are|looks?))? ?(?:ok|okay|good|fine|right|correct|works?)$",
        false,
    ),
    (
        r"(?:clean|tidy|sort|straighten)(?: (?:it|this|that|these|things|everything|code|the code|the mess|the file))?(?: (?:up|out))?(?: (?:it|this|that|these|things|everything|code|the code|your code|the mess|the file|after yourself))?(?: (?:after|before|when|while|once|first|later)\b.*)?$",
        false,
    ),
    (
        r"(?:fix|refactor|rework|redo|revise|rewrite|resolve|mend|address|reconsider|revisit|deal with|take care of|look at|see to)(?: (?:it|this|that|these|those|them|things|everything|(?:the|all|any|these|those|all the|such) (?:issues?|problems?|bugs?|errors?|code|mess|things|findings|comments?|feedback|remarks?)|code|issues|problems|bugs))?(?: (?:please|again|now|soon|asap|first|too))?$",
        false,
    ),
    (
        r"be (?:more |very |extra |a bit more |always )?(?:careful|mindful|aware|thoughtful|thorough|diligent|attentive|cautious|conscious|smart|sensible|reasonable|better|good|vigilant|professional)\b[^,]*",
        false,
    ),
    (r"be (?:more |very |always )?(?:consistent|clear|clearer|concise|specific|precise|explicit|brief)$", true),
    (r"(?:take|use) (?:more |good |extra |special |great |due )?care\b[^,]*", true),
    (r"pay (?:more |close |closer |special |extra |greater )?attention\b[^,]*", true),
    (r"(?:keep|bear|have) [^,]{0,40}\bin mind\b[^,]*", true),
    (r"(?:watch out|look out|look into|think (?:harder|twice|carefully|again|it over|things through))\b[^,]*", false),
    (r"use (?:your |some )?(?:common sense|best judge?ment|good judge?ment|judge?ment)\b[^,]*", false),
    (
        r"do (?:it|this|that|things|a|an|the) (?:right|properly|better|better job|good job|work better|correctly|well)$",
        false,
    ),
    (
        r"(?:follow|apply|use|respect|adhere to) (?:the |industry |all )*(?:usual |common )?(?:best|good) practi[cs]es?$",
        true,
    ),
    (
        r"(?:ensure|guarantee|maintain|keep|aim for|strive for|focus on|increase|raise|provide)(?: up)? (?:a |an |the )?(?:high |good |better |highest |overall |consistent )*(?:code |test |document |output )?(?:quality|readability|maintainability|robustness|correctness|consistency|clarity|standards?|performance|security|usability)$",
        true,
    ),
    (
        r"(?:write|produce|deliver|create|provide|hand in|use|add|include|choose|pick|do|have|apply) (?:a |an |the |some |more )?(?:good|better|clean|cleaner|nice|nicer|proper|high[- ]quality|quality|great|readable|maintainable|robust|solid|appropriate|suitable|adequate|sensible|reasonable|sufficient|meaningful|descriptive|clear|self-explanatory)(?: (?:and )?(?:good|better|clean|readable|maintainable|robust|solid))*(?: [\w-]+){0,2}$",
        true,
    ),
    (
        r"keep (?:the |your |it |all )?(?:\w+ )?(?:clean|simple|tidy|readable|maintainable|robust|neat|nice|in order)$",
        true,
    ),
    (r"(?:put|take|spend|invest) more (?:thought|time|effort|care|work|energy)\b[^,]*$", true),
    (
        r"(?:follow|respect|obey|observe|adhere to|stick to) (?:the |all |our |these |usual |common )*(?:guidelines?|conventions?|rules?|standards?|norms?|principles?)$",
        true,
    ),
    (r"(?:take|keep) [^,]{1,60} into (?:account|consideration)\b[^,]*$", true),
    (r"(?:deal with|cope with|strive for|strive to|aim for|aim to|endeavou?r to)\b[^,]*$", true),
    (r"(?:reconsider|rethink|revisit)\b[^,]*$", false),
    (
        r"(?:ensure|provide|keep|maintain) (?:a |an |the )?(?:high|good|better|higher) (?:level|degree|standard)s? of\b[^,]*$",
        true,
    ),
    (
        r"(?:avoid|prevent|write no|never write|do not write|don't write) (?:bad|ugly|poor|sloppy|messy|unclean|low[- ]quality|unnecessary|needless|undue)\b[^,]*$",
        false,
    ),
    (
        r"(?:work|try|code|write|test|plan|document) (?:harder|better|more carefully|more thoroughly|with care|well)$",
        false,
    ),
    (
        r"(?:handle|do|test|validate|document|write|name|format|structure|treat|implement|check|manage|process|cover|design|plan)(?: [^\s,:]+){0,5} (?:properly|correctly|appropriately|nicely|better|carefully|more carefully|accordingly|well|adequately|sufficiently|reasonably|thoroughly|gracefully|responsibly|cleanly|right)$",
        true,
    ),
    (r"(?:double[- ]check|check|review|test|verify) (?:everything|all|it all|things|your work|the work)\b[^,]*", false),
];

/// Words that name nothing on their own.
pub const GENERIC: &str = "a an the this that these those it it's its i i'm i'd i've i'll me my we we're us our you your \
    you're he she they them their one ones all every each any some no none of in on at to for from with by as into onto \
    is are was were be been being isn't aren't wasn't am do does did doing don't doesn't didn't done can can't cannot \
    could couldn't will won't would wouldn't should shouldn't shall may might must mustn't have has had having haven't \
    hasn't not never always often sometimes yes ok okay sure fine good bad great nice nicer best better worse wrong right \
    well off just only still yet already again quite really very too so and or but if because then than like feel feels \
    seem seems look looks think expected want wants wish something anything nothing everything somehow else different \
    other another more most less much many lot lots bit work works working way ways ready there here now later soon today \
    tomorrow needs need needed required redo rework try retry go get gets make makes making please pls sorry thanks thank \
    thx change changes changed improve improves improved improvement fix fixes fixed mistake mistakes problem problems \
    issue issues concern concerns see what why how who when where which about thing things stuff quality output \
    result results job time times part parts point points matter matters care careful carefully properly correctly \
    appropriately thoroughly thorough accordingly nicely possible appropriate necessary ensure sure be-careful clean \
    cleaner proper consider maybe perhaps probably possibly ideally up out over down remark remarks \
    review reviewed reviewer above below sense effort attention mind general overall enough few";
