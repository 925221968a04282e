//! Cues in what the user says next, each with a name for rationales. The five steps of the specification are in
//! `patterns.rs`; these cues put them in context.

use std::sync::LazyLock;

use regex::RegexSet;

use super::text::Text;

/// Names and patterns; all are matched against the text in lower case with straight apostrophes.
const CUES: &[(&str, &str)] = &[
    (
        "begins with no",
        r"^\W*(?:oh,? |uh,? |um+,? |hm+,? |well,? |sorry,? |wait,? |i'm sorry,? |ok,? |oops,? )*(?:no|nope|nah|negative|uh-uh|nop)\b",
    ),
    ("begins with not", r"^\W*(?:hm+,? |well,? )?not\b"),
    (
        "begins with yes",
        r"^\W*(?:oh,? |ah,? |well,? )?(?:yes|yeah|yep|yup|yea|ya|sure|ok|okay|k|correct|right|exactly|absolutely|definitely|of course|certainly|affirmative|indeed|alright|all right|fine|true|you got it|agreed|please do|go ahead|go for it|positive|confirm(?:ed)?|proceed|i do)\b",
    ),
    ("a bare no", r"^\W*(?:no|nope|nah)(?: no| nope)*\W*$"),
    (
        "a bare yes",
        r"^\W*(?:yes|yeah|yep|yup|sure|ok|okay|correct|right|exactly|fine|alright)(?: please| thanks| thank you)?\W*$",
    ),
    (
        "agrees",
        r"\b(?:that(?:'s| is|s)|it(?:'s| is)|this is|it|all|everything(?:'s| is)?|they are|those are|looks?|sounds?|seems?) (?:all |just |absolutely |very |quite )?(?:right|correct|fine|good|great|perfect|ok|okay|awesome|wonderful|excellent|accurate|alright|amazing|nice|lovely|cool|brilliant)\b|\bthat (?:one )?(?:works|will work|would work|will do|'ll work|suits|does it|would be (?:fine|good|great|perfect|awesome|lovely))\b|\b(?:that'll|it'll|it will|i think it'll) (?:work|do)\b|\bworks? (?:for|with|well|great|fine|perfectly)\b|\bi (?:confirm|agree|accept|approve)\b|\b(?:is|are) confirmed\b|\bproceed\b|\bthat (?:would|will|should) be (?:\w+ )?(?:right|correct|fine|good|great|all right|ok|okay)\b|\binterested in (?:this|that|it)\b|\bjust what\b|\bsounds like\b|\bgo ahead\b|\byou(?:'ve)? got it\b|\byou(?:'re| are| were) (?:absolutely )?right\b|\bmakes sense\b",
    ),
    (
        "praises",
        r"\b(?:great|perfect|awesome|wonderful|excellent|fantastic|lovely|amazing|brilliant|superb?|cool|nice|love|like (?:it|that|this)|yay|well done|good (?:job|work|answer|stuff|choice|idea|point|to know|one)|lgtm|impressive|beautiful|terrific|neat|sweet|helpful|interesting)\b|\bnot bad\b|\bcan'?t (?:complain|wait)\b|\bcouldn'?t be better\b|\bbetter than\b|\bhow (?:well|good|great|nice|fast)\b",
    ),
    (
        "thanks",
        r"\b(?:thanks?|thank (?:you|u)|thx|ty|cheers|much appreciated|appreciate|grateful|you(?:'ve| have) been (?:very |so |a )?(?:helpful|great|big help))\b",
    ),
    (
        "closes",
        r"\b(?:that(?:'s| is|'ll be| will be| was|s)?|this is|it's) (?:all|it|everything)\b|\ball (?:i|that i|we) (?:need|needed|want|wanted)\b|\b(?:don'?t|do not|won'?t|didn'?t) (?:need|want|require) (?:any(?:thing| more| other| further)?)(?: else| more| help)?\b|\bi(?:'m| am|m) (?:good|fine|all set|done|set)\b|\b(?:good ?bye|bye|see you|have a (?:good|nice|great|lovely))\b|\bnothing (?:else|more)\b|\bno more\b|\bfor now\b|\bthat will be it\b|\bthat was all\b|\bwe'?re (?:done|good)\b|\bbe all\b",
    ),
    ("asks", r"\?"),
    (
        "asks for a detail",
        r"(?:^|[.!?,;] |\band |\bbut |\bso |\boh |\bok(?:ay)? |\balso |\bcool |\bgreat )(?:what|what's|whats|which|when|when's|where|where's|who|who's|whose|why|how|is|are|does|do|did|was|were|will|would|has|have|can i|should i|may i|am i|at what|in which|from which|on what|from where|what're)\b|\b(?:tell|give|let|show|send) me\b|\bcan (?:you|i) (?:tell|give|have|get|know|please tell|also tell|let me know)\b|\bcould (?:you|i) (?:tell|give|have|please tell|let me)\b|\b(?:like|want|need|love) to know\b|\bwhat (?:is|are|time|kind|about)\b|\bhow (?:much|far|long|many|is|are|do|does)\b",
    ),
    (
        "asks to do",
        r"\b(?:can|could|will|would) (?:you|we|u)(?: please| also| go ahead and)? (?:\w+ )?(?:find|book|make|get|help|look|search|check|add|put|play|reserve|buy|schedule|order|set|send|try|see|change|do|switch|include|recommend|suggest|show|give|explain|write|start|update|move|shorten|add)\b|\b(?:please|kindly|let's|lets)\b|^\W*(?:ok(?:ay)?,? |yes,? |yeah,? |great,? |now,? |then,? |and,? |also,? |thanks,? )*(?:find|book|get|search|check|add|play|reserve|buy|schedule|order|send|show|look|help|make|set|put|give|tell|start|transfer|remind|write|translate|merge|commit|ship|push|deploy|close|continue|keep|go|do|use|take|sort|run|save)\b",
    ),
    (
        "wants",
        r"\bi(?:'d| would|'ll| will|'m| am)? (?:(?:also|really|actually|still|just|only|now) )*(?:like|love|want|wanna|need|prefer|rather|looking|searching|interested|going to need|trying|require|wish)\b",
    ),
    ("also", r"^\W*(?:and|also|plus|next|then|now)\b|\b(?:also|as well|in addition|another thing)\b|\btoo\W*$"),
    (
        "changes its mind",
        r"\b(?:actually|instead|on second thought|second thought|changed? (?:my |of )?mind|my (?:mistake|bad|apologies)|oops|whoops|scratch that|hold on|hang on|rather|wait|sorry|except|shoot|darn|oh no|i forgot|now that i think|come to think|let'?s change|better make|mixed up|just (?:found out|realized|remembered))\b",
    ),
    (
        "changes a detail",
        r"\b(?:change|switch|move|modify|correct|update|alter|adjust|shorten|extend|push)\b[^.?!]{0,30}\b(?:to|it|that|the|my|this|date|time|for)\b|\bmake (?:it|that|this|them|the)\b|\bshould (?:be|have been|say)\b|\bit(?:'s| is) (?:actually |for |only |just )\b|\bneeds? to be\b|\b(?:i|we) only (?:want|need)\b|\binstead of\b|, not \w+|\bnot \w+[,.] ",
    ),
    ("only", r"\b(?:only|just)\b"),
    (
        "says it is wrong",
        r"\b(?:wrong|incorrect|not (?:right|correct|true|accurate)|isn'?t (?:right|correct|true)|doesn'?t (?:seem|look|sound) (?:right|correct)|mistaken|false|that isn'?t|that'?s not|that is not|thats not|this is not|this isn'?t|not what|not the|they are not|it is not|it'?s not|it isn'?t|inaccurate|made that up|opposite|other way (?:a?round)|mixed up|confus(?:ed|ing))\b",
    ),
    (
        "says what was meant",
        r"\bi (?:meant|mean|said|asked|told|wanted|was asking|was looking|was talking|already|clearly|specifically|just (?:said|told|asked)|never asked|did(?:n'?t| not) (?:ask|say|want|mean|request))\b|\b(?:like|as) i (?:said|told|asked|mentioned)\b|\bnot what i\b|\btold you\b|\bmy (?:question|request) was\b|\bi asked\b",
    ),
    (
        "does not follow",
        r"\bwhat (?:do|did|are|does) (?:you|that|this|it|u) (?:mean|talking|saying|even)\b|\b(?:no|any|make|made|makes|making) (?:any |no |much |even )?sense\b|\bdoes(?: not|n'?t?)? (?:make )?(?:any )?sense\b|\bwhat are you (?:talking|saying|on about|trying)\b|\bno idea what\b|^\W*(?:um+|uh+|wait|sorry|oh|eh)?,? ?(?:what|huh|pardon|come again|excuse me|sorry)\W*$|\bdon'?t (?:understand|get|follow)\b|\boff topic\b|\birrelevant\b|\byou lost me\b|\bnonsense\b|\bgibberish\b|\bconfused\b|\bnothing to do with\b|\bhas to do with\b|\bwhat do you mean\b",
    ),
    (
        "blames",
        r"\byou (?:\w+ )?(?:misunderstood|misread|ignored?|forgot|missed|broke|deleted|removed|skipped|left out|keep|didn'?t|did not|don'?t|aren'?t|are not|never|made|failed|got it wrong|heard me wrong|changed|overwrote|lost|mixed|only)\b|\bwhy (?:did|would|are|do|have) you\b|\b(?:broke|after|since|before) (?:you|your)\b|\bstop (?:doing|it|that|adding|changing|using)\b",
    ),
    (
        "still broken",
        r"\b(?:still|again|same) (?:\w+ ){0,3}(?:broken|wrong|fails?|failing|error|not|doesn'?t|crash\w*|problem|issue|result|answer|trace|thing|bug|old|missing|the same|version|stack|exception|warning|message)\b|\b(?:does|did|is|do)(?:n'?t| not) (?:work|help|compile|run|build|fix|start|solve|change|load|open)\b|\b(?:nothing|hasn'?t|not|never) (?:\w+ )?(?:changed|working|helpful|useful|solved|fixed)\b|\b(?:worse|useless|terrible|garbage|nonsense|rubbish|awful|broken|crash(?:es|ed)?|outdated|incomplete|horrible|ridiculous)\b|\bbroke\b|\b(?:is|are) missing\b|\bdoes(?:n'?t| not) exist\b|\bdead link\b|\bwaste of\b|\bugh\b|\bseriously\b|\bno good\b|\bnot again\b",
    ),
    (
        "fixed now",
        r"\b(?:it|that|this|all|everything|they|tests?) (?:now |all )?(?:works?|worked|runs|passes|pass|solved|fixed|helps|helped|compiles|builds)\b|\b(?:works?|working|fixed|solved|fine|passes|pass|green|gone|resolved) (?:now|again|like a charm|perfectly|well|great)\b|\bnow (?:works|passes|runs)\b|\b(?:is|are) (?:green|gone|fixed|resolved|solved)\b|\bi (?:got|found|see|solved|fixed|figured|have) (?:it|that|this)(?: out)?(?: now)?\b|\b(?:it|that|this|all)(?:'s| is) (?:working|fine|ok|okay|solved|fixed|good|well)\b|\bdid (?:it|the (?:trick|job))\b|\b(?:code|script|answer|query|version|yours) (?:is|was|works|runs|holds)\b|\bno (?:more )?(?:errors?|problems?|issues?|worries|complaints|doubt|need)\b|\bnothing (?:wrong|to (?:add|change|complain|fix))\b|\bexactly (?:what|this|that|the)\b|\bwhat i (?:needed|wanted|was looking for)\b|\b(?:don'?t|do not) (?:change|stop)\b|\bon my (?:side|part|end)\b|\bmy (?:fault|mistake|error|bad)\b[^.]*\b(?:right|correct|fine|works?)\b|\b(?:answer|yours|you) (?:was|were|is) (?:right|correct|fine)\b|\bneed exactly\b",
    ),
    (
        "undo",
        r"\b(?:revert|undo|roll (?:\w+ )?back|put (?:it|that|them) back|take (?:it|that) (?:back|out)|restore|back out)\b",
    ),
    (
        "retry",
        r"\b(?:try|do|run|read|check|look at) (?:\w+ ){0,4}again\b|\bonce more\b|\bretry\b|\btry (?:it|that|this) (?:without|with)\b|\banother (?:try|attempt)\b|\bredo\b",
    ),
    (
        "other options",
        r"\b(?:any(?:thing)?|some(?:thing)?) (?:else|other|different)\W*\?|\bsomething (?:else|different)\b|\b(?:any|some|show|other|different|another|more) (?:\w+ )?(?:others?|options?|ones?|different|choices|results|suggestions?|alternatives?)\b|\bdon'?t (?:like|want)\b|\bhate\b",
    ),
    (
        "gives up",
        r"\b(?:never ?mind|forget (?:it|that|about|the|this)|let me (?:re-?phrase|put (?:it|that|this)|ask (?:it |this |that )?(?:differently|another|again)|try (?:it |this |that )?(?:another|a different))|start(?:ing)? (?:over|again|afresh|fresh|from)|scrap (?:it|that)|drop (?:it|that)|cancel (?:it|that)|give up|i'?ll (?:do it myself|ask someone|look elsewhere|figure it out)|new plan|let'?s (?:try|do) something else|abort)\b",
    ),
    (
        "not now",
        r"\b(?:not (?:right )?(?:now|away|this)|not (?:yet|today|at (?:the|this) (?:moment|time)|just yet|ready|interested|needed|necessary)|(?:maybe|perhaps|do it|do that|decide|some other|another) (?:later|time|other time)|later|i(?:'ll| will) (?:think|decide|do it|wait|let you|pass|buy|book|get back)|no need|hold off|think about it|(?:do|did|will|would) ?(?:not|n'?t) (?:want|need|wish|like) (?:to|a|it|that|this|any|the|you)|rather not|i (?:don'?t|do not|won'?t|wouldn'?t)\b|just (?:wanted|checking|looking|asking|curious)|don'?t (?:do|book|buy|add|play|schedule|bother|worry)|isn'?t (?:needed|necessary)|decided (?:not|against)|that'?s ok(?:ay)?|leave it)\b",
    ),
    (
        "selects",
        r"\b(?:i(?:'ll| will)|let'?s|i'?d) (?:take|go with|use|have|pick|choose|keep|do|try|order|get|buy|like that|book|reserve)\b|\b(?:the|that|this) (?:first|second|third|last|cheaper|cheapest|other|latter|former)? ?one\b|\bgo with\b|\btake (?:it|that|the|this)\b|\b(?:ordering|ordered|bought|buying|booked|deployed|merged|done|sold|approved)\b|\b(?:first|second|third|last) (?:one|option|version|choice)\b|\bi like\b|\bthat one\b|\bmerge\b|\bcommit\b|\bship it\b",
    ),
    (
        "more about it",
        r"\b(?:tell me more|more (?:about|detail|info\w*|on)|explain|elaborate|go into|example|what about|how about|which (?:one|of)|compare|compared?|difference|between|what if|how come|why is|how does|how do i|how would|recommend|expand on|go on|continue|keep going)\b",
    ),
    (
        "no preference",
        r"\b(?:don'?t|do not|doesn'?t|does not|dont|doesnt|isn'?t) (?:really )?(?:care|mind|matter|important)\b|\bno preference\b|\bany(?:thing|where|one|time)? (?:is|are|will|works?|would) \w+|\bwhatever\b|\beither\b|\bup to you\b|\bany of\b",
    ),
    (
        "waits",
        r"\b(?:brb|one (?:moment|sec|second)|a (?:moment|second|minute|sec)|let me (?:check|see|think|look|ask)|give me a|hold on|be (?:right )?back|get back to you|let you know|i'?ll be back|think about)\b|^\W*(?:h+m+|uh+m*|um+|er+m*|well|hello|hi|hey|test|lol|ok|okay|i see|maybe|perhaps|good morning|good evening)[\W]*$|^\W*$",
    ),
    (
        "here is",
        r"\b(?:here (?:is|are|it is|you go)|here's|attached|see (?:the )?(?:attachment|below|above)|as follows|my name is|i(?:'m| am) (?:from|at|on|in|called|leaving|going|travell?ing|flying|staying|looking|using|\w+ years)|i live|my \w+ is|(?:it|which) is called|you asked for|you wanted)\b",
    ),
    (
        "not sure",
        r"\b(?:not (?:really |quite |so )?sure|don'?t know|no idea|depends|maybe|perhaps|possibly|i guess|unsure|hard to say)\b",
    ),
    (
        "rebuts",
        r"^\W*(?:i (?:do(?:n'?t| not) (?:think|believe)|doubt)|it(?:'s| is) actually|well,? (?:a|actually|it|the)|not really|are you sure|is it\?|really\?|but )\b",
    ),
    (
        "asks how it is meant",
        r"\b(?:did you|are you|have you) (?:\w+ )?(?:say|mean|sure|even|listening|reading|understand|get)\b",
    ),
];

static SET: LazyLock<RegexSet> =
    LazyLock::new(|| RegexSet::new(CUES.iter().map(|(_, pattern)| *pattern)).expect("constants"));

/// Returns the names of the cues in the text, in table order.
pub(crate) fn read(text: &Text) -> Vec<&'static str> {
    SET.matches(&text.lower).into_iter().map(|at| CUES[at].0).collect()
}
