//! The table of cues: which words demand, in which direction, and which only appear to.
//!
//! All rows are matched at once. Of two rows that match at the same position the upper one wins, and matched text is
//! hidden from other rows, so a guard precedes the cue it guards.

use crate::language::direction::Direction;
use crate::language::direction::Direction::{Less, More, Unclear};
use crate::language::fold::ascii;
use regex::Regex;
use regex_automata::{meta, util::syntax};
use std::collections::HashSet;
use std::sync::LazyLock;

/// How certainly a cue is a demand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Force {
    /// A request, or taking a side.
    Strong,
    /// A usual demand is not needed, or the work is fine without it.
    Waived,
    /// A complaint; in praise it describes what was fixed.
    Weak,
    /// Not a cue: it hides the words from other rows.
    Guard,
    /// A change reported as done: counts in summaries and in comments on changes, not in approvals.
    Done,
}
use Force::{Done, Guard, Strong, Waived, Weak};

/// The reading of a sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct CueReading {
    pub(super) direction: Direction,
    pub(super) force: Force,
    /// The words that show it.
    pub(super) words: String,
    /// Whether they waive a usual demand.
    pub(super) waives: bool,
}

/// How something is waived: as it is, here, for now.
const FINE: &str = r"(?:still |perfectly |totally |absolutely |just |quite |also )?(?:fine|ok|okay|acceptable|alright|all right|tolerable|good enough|no problem|not a problem|no issue|intentional|intended|on purpose|by design|in ordnung|acceptables?|aceptables?)\b";
const BE: &str = r"(?:is|are|'s|was|were|seems?|looks?|ist|sind|est|sont|es|son)";
/// What may precede a "don't"; included in the match, so that a row sees the words where a request would start.
const PLEASE: &str = r"(?:(?:^|[,:]\s|\bplease |\bpls |\bjust ))?";
/// Verbs that demand something else, in neither direction; most are also nouns.
const VERBS: &str = "(?:use|replace|rename|move|change|split|extract|rewrite|redo|refactor|reuse|convert|switch|swap|update|fix|correct|adjust|reword|rephrase|merge|batch|cache|hoist|separate|wrap|return|raise|throw|wait|pick|choose|tie|point|ask|ping|consider|verwende\\w*|ersetze\\w*|ändern|umbenennen|remplacer|remplacez|utilisez|usar|usa|cambiar|cambia|reemplaza\\w*)";
/// A gap within a clause.
const GAP: &str = r"[^,:]{0,60}?";

#[rustfmt::skip]
static TABLE: LazyLock<Vec<(Direction, Force, String)>> = LazyLock::new(|| {
    let row = |direction, force, pattern: &str| (direction, force, pattern.replace("FINE", FINE).replace("BE", BE).replace("GAP", GAP).replace("PLEASE", PLEASE).replace("VERBS", VERBS));
    vec![
        // No problems.
        row(Unclear, Guard, r"(?:[,:] ?)?\b(?:no|zero|not a single|not one|without) (?:real |further |more |other |major |big )?(?:concerns?|objections?|complaints?|problems?|issues?|nits?|nitpicks?|notes|remarks|questions|blockers?|worries|doubts?|surprises|(?:further|other|additional) comments|comments from (?:me|my side)|changes? (?:needed|required|requested|necessary))\b"),
        row(Unclear, Guard, r"\bnothing (?:BE )?(?:is |was |at all )?(?:wrong|missing|to (?:add|change|fix|improve|complain about|criticise|criticize)|left to|else|more to)\b[^,]*"),
        row(Unclear, Guard, r"PLEASE\b(?:don't|do not|wouldn't|would not|won't|not) (?:need to )?(?:change|touch|alter) (?:a|any|one|single|it|this|much)?\s?(?:thing|anything|line|word|bit)?\b"),
        row(Unclear, Guard, r"\bno need to (?:change|touch|fix|redo) (?:a thing|anything|it|this)\b|\b(?:couldn't|could not|can't|cannot) (?:ask for more|fault|find anything|find any (?:issues?|problems?|bugs?)|complain|think of anything)\b[^,]*"),
        row(Unclear, Guard, r"(?:[,:] ?)?\b(?:no|don't|do not) (?:thanks|thank you|idea|worries|doubt|matter|wonder|longer|one|mind)\b|\bif you (?:need|want|must|have)\b|\bfeel free to\b|\b(?:works?|does|did) (?:exactly )?(?:what|as) (?:it should|i need(?:ed)?|we need(?:ed)?|expected|i wanted)\b"),
        row(Unclear, Guard, r"\b(?:everything|all) (?:that |what )?(?:i|we) (?:need|needed|want|wanted|asked)\b|\bno more (?:questions|comments)\b|\bmore than (?:enough|happy|fine)\b|\bmuch (?:better|cleaner|clearer)\b|\b(?:they|it|numbers?|figures?|sums?|this|that|everything|all) (?:all )?adds? up\b"),
        row(Unclear, Guard, r"\b(?:nothing|rien|nada|nichts|niente|niets|nulla|aucune|ninguna?|nenhuma?|nessun\w*|geen) (?:to|à|a|que|zu|da|te|op|de|do|dal|vanuit|objections?|objeciones|obje\w*)\b[^,]*|\bno (?:further )?(?:action|follow-?up)s? (?:BE )?(?:required|needed|necessary)\b|\bnot? an? single\b[^,]*"),
        row(Unclear, Guard, r"\bno need for (?:any )?(?:more|further|additional|extra)\b[^,]*"),
        // Statements about oneself, or predictions.
        row(Unclear, Guard, r"\bi (?:must|should|have to|had to|need to) (?:be|say|admit|confess|add)\b|\b(?:you|one)(?:'d| would) (?:really |almost )?(?:have|need) to (?:be|look|search|dig|try)\b[^,]*"),
        row(Unclear, Guard, r"\b(?:this|that|it|which|we|you) should (?:make|help|suffice|be (?:proud|good enough|enough|plenty|safe now|happy))\b"),
        // The name of a change, or a compound word, is not a request.
        row(Unclear, Guard, r"(?:^|[,:]\s)VERBS (?:makes|is|was|looks|reads|works|went|feels|helps|solves|seems)\b"),
        row(Unclear, Guard, r"(?:^|[,:]\s|\band |\bto )(?:comment|test|check|handle|guard|measure|name|limit|bound|track|budget|plan|note|link|back)-[a-z]+"),
        // What others may do is not a waiver.
        row(Unclear, Weak, r"\b(?:users?|clients?|customers?|callers?|consumers?|attackers?|nobody|no one|anyone|anybody|someone|somebody|they|people|(?:the|a|an) [\w-]+) (?:can|could|may|might) (?:just |simply |easily |even |still )?(?:skip|omit|leave out|ignore|drop|do without|live without|defer|postpone)\b"),
        // Waived: the side opposite to the demand.
        row(Less, Waived, r"(?:[,:] ?)?\b(?:missing|absent|lack of|lacking|absence of|no|without|not having|incomplete|sparse|minimal|un(?:tested|documented|handled|validated|commented|checked|specified|bounded)|skipping|omitting|leaving out|fehlende[rns]?|ohne|keine?|sans|pas de|sin)\bGAP BE FINE"),
        row(Less, Waived, r"(?:[,:] ?)?\b(?:fine|ok|okay|good|acceptable|works|happy|better|enough|great|live|do|cope|ship) (?:here |for now |even |also |just |it |this )?without\b|\bwithout (?:it|them|that|this|one|any)? ?BE ?(?:also )?FINE"),
        row(Less, Waived, r"\b(?:can|could|may|we'll|we will|let's|let us|safe to|ok to|okay to|fine to) (?:safely |just |also )?(?:skip|omit|leave out|ignore|drop|do without|live without|go without|defer|postpone)\b|\b(?:(?:we|you|i) )?(?:doesn't|does not|don't|do not|won't|needn't|need not) (?:really |strictly |even )?(?:need|require|have to|call for|deserve|warrant)\b"),
        row(Less, Waived, r"(?:[,:] ?)?\bno (?:real |particular |pressing )?need\b|\bno GAP (?:is |are |be )?(?:needed|necessary|required)\b|\bnot (?:really |strictly |actually )?(?:needed|necessary|required|worth (?:it|the)|warranted|called for)\b|\b(?:isn't|aren't|wasn't) (?:really |strictly )?(?:needed|necessary|required|worth)\b|\bno longer (?:needed|required|necessary)\b"),
        row(More, Waived, r"\b(?:hard-?coded|hard-?coding|duplicat\w+|magic numbers?|magic values?|long \w+|verbose|verbosity|repetiti\w+|repeated|global|inline|copy[- ]?past\w+|large|big|extra|additional|redundan\w+|too (?:many|much|long)|fest verdrahtet\w*)\bGAP BE FINE"),
        row(More, Waived, r"\b(?:the |this |these |those |that |our )[\w -]{1,40}? (?:can|may|could) (?:all )?stay\b|\b(?:can|may|could|let it|let them) (?:all )?stay\b|\bleave GAP (?:in|as (?:it )?is|as they are|alone)\b|\b(?:leave|keep|keeping) (?:it|this|them|these) as (?:is|it is|they are)\b"),
        row(More, Waived, r"\b[\w-]{4,} (?:is|are) (?:fine|ok|okay|good|great|acceptable|enough|right) (?:as[- ]is|as it is|as they are|the way (?:it|they) (?:is|are)|for now|in this case|for this (?:case|one|release|time))\b"),
        row(Less, Waived, r"\b(?:can|could|may) (?:safely |well )?(?:be (?:skipped|omitted|left out|dropped|deferred|postponed)|wait) (?:here|for now|this time|in this case|for this|for once|until)\b"),
        row(Less, Strong, r"\b(?:can|can't|could|couldn't|may|should|shall) (?:we|i|you) (?:please |just |safely |simply )?(?:skip|omit|leave out|drop|do without|defer|postpone)\b"),
        row(More, Strong, r"\b(?:should|must|has to|have to) (?:all )?stay\b"),
        row(Less, Strong, r"(?:[,:] ?)?\bno (?:real |particular )?(?:reason|point|use|value) (?:for|to|in|of)\b"),
        // Figures of speech and thought experiments.
        row(Unclear, Weak, r"\b(?:delete|remove|drop|break|strip) [^,]{1,40} and (?:it|the|all|everything|nothing|every|tests?)\b"),
        row(Unclear, Strong, r"\bcut (?:it|this|them|these) (?:up|into|in)\b"),
        // A "don't" that demands more.
        row(More, Strong, r"PLEASE\b(?:don't|do not|never|stop|avoid|shouldn't|should not|must not|mustn't|can't|cannot|please not) (?:ever |just |simply )?(?:forget\w*|skip\w*|omit\w*|leav\w+ out|ignor\w+|drop\w*|remov\w+|delet\w+|swallow\w*|neglect\w*|miss(?:ing)?|go without|ship without|merge without|release without)\b"),
        row(More, Weak, r"PLEASE\b(?:don't|do not|can't|cannot|couldn't|could not|didn't|did not|unable to|fail to|failed to) (?:really |even |quite |yet )?(?:see|find|spot|tell|follow|know|understand|reproduce|locate|read)\b"),
        row(Less, Strong, r"(?:^|[,:]\s|\bplease |\bpls )(?:don't|do not)\b"),
        row(More, Weak, r"\b(?:doesn't|does not|don't|do not|didn't|did not|fails to|fail to|never) (?:even |really |actually |yet )?(?:handle|cover|check|validate|test|mention|say|state|explain|describe|document|include|contain|have|show|list|define|specify|address|consider|account|log|verify|assert|report|tell|name|provide|give)s?\b"),
        row(More, Weak, r"\b(?:is|are|was|were|isn't|aren't|wasn't|weren't) (?:not |never |nowhere |only |not yet |hardly |barely )?(?:actually |really |yet |even |fully )?(?:covered|tested|handled|documented|described|mentioned|explained|validated|specified|defined|stated|said|told|listed|checked|quantified|commented)\b(?: anywhere| yet)?"),
        row(More, Weak, r"\b(?:nothing|nobody|no one|none|nowhere|never)\b(?: in GAP| of GAP| about| on| here| that)* ?(?:says?|tells?|mentions?|mentioned|tests?|covers?|handles?|checks?|explains?|describes?|covered|tested|explained|described|states?|validated?|about|documented)\b"),
        row(More, Weak, r"\bnever (?:ever |even |really )?(?:\w+ed|looked at|seen|read|run|told|shown|set|met|thrown|caught|given|said)\b"),
        row(More, Strong, r"\b(?:not|isn't|aren't|never|hardly|barely) (?:nearly |quite )?(?:enough|sufficient|complete|detailed|specific|clear enough|measurable)\b"),
        row(More, Strong, r"\btoo (?:few|little|sparse|thin|vague|short|terse|shallow|brief|coarse|generic|weak)\b"),
        // Less of it.
        row(Less, Strong, r"\bplease no\b|\bno GAP please\b|\bno more\b[^,]*\bplease\b"),
        row(Less, Weak, r"\bno more\b|\bno longer\b"),
        row(Less, Strong, r"\b(?:too|way too|far too) (?:many|much|long|verbose|chatty|big|large|complex|complicated|detailed|noisy|wordy|heavy|clever|deep|often|technical|broad|wide|strict)\b"),
        row(Less, Strong, r"\b(?:remove|delete|erase|eliminate|strip|prune|purge|shorten|simplify|reduce|scrap|get rid of|do away with|take out|throw out|cut (?:down|back|out|it|them|this|these|the|all)|trim|kill (?:the|this|these|all|it|them|off)|drop (?:the|this|these|those|all|it|them|any|every|that|support|\w+ (?:comments?|from|and|for))|ditch|lose the|tone down|collapse)\b"),
        row(Less, Strong, r"\b(?:fewer|less)\b"),
        row(Less, Strong, r"\b(?:don't|do not|doesn't belong|does not belong|stop|quit|avoid|refrain from|shouldn't|should not|must not|mustn't|may not|ought not|never|we don't|we do not|cannot have|can't have)\b"),
        row(Less, Weak, r"\b(?:unnecessary|unneeded|superfluous|redundant|pointless|overkill|excessive|gratuitous|bloated?|noise|noisy|clutter\w*|boilerplate|over-?(?:engineered|complicated|commented|documented|specified|abstracted|tested|kill|used)|verbose|out of scope|scope creep|gold[- ]plat\w+|unused|dead code|hard-?coded|hard-?coding|duplicat\w+|copy[- ]?past\w+|magic (?:numbers?|values?|strings?))\b"),
        row(Less, Strong, r"\bkeep (?:it|this|them|these|the \w+) (?:short|small|simple|brief|minimal|lean|concise|tight|out)\b|\bkeep GAP out of\b|\b(?:has|have|needs?|wants?) to (?:go|disappear)\b|\bwith no \w+ at all\b"),
        // More of it.
        row(More, Weak, r"\b(?:missing|misses|lacks?|lacking|absent|omitted|omits|forgot(?:ten)?|left out|incomplete|insufficient|nowhere|unclear|sparse|lack of|absence of|un(?:tested|documented|handled|validated|commented|specified|bounded|quantified|explained|described|checked|covered))\b|\b(?:coverage|density|detail) is (?:too )?(?:low|thin|poor)\b"),
        row(More, Strong, r"\b(?:add|include|provide|supply|insert|append|attach|introduce|document|explain|describe|define|specify|mention|annotate|quantify|spell out|write (?:down|up|a|an|the|some|tests?|docs?)|ensure|make sure|be sure to|remember to|cover|validate|sanitise|sanitize|expand|extend|elaborate|clarify|justify|enumerate|list|state|give (?:us|me|the|a|an|each|every|it)|show (?:us|me|the|a|how)|leave a|put (?:a|an|some|in)|bring back|restore|keep|retain|preserve|set (?:a|an|up)|log (?:the|a|each|every)|tell (?:us|me|the)|demand|require)\b"),
        row(More, Strong, r"(?:^|[,:]\s|\bplease |\bpls |\band |\bto )(?:comment|test|check|handle|guard|verify|assert|measure|monitor|name|limit|bound|narrate|record|track|estimate|budget|plan|note|cite|link|say|answer|back)\b"),
        row(More, Strong, r"\b(?:need|needs|needed|require|requires|deserves?|calls? for|wants?|warrants?|must have|must include|must be|should have|should include|should contain|should cover|should say|should explain|should state|ought to|has to|have to|had better|could use|would help|would benefit|would like|i'd like|i'd love|i want|i expect|i would expect|we expect|i'd expect|would be (?:nice|good|great|helpful|useful)|mandatory|is required|are required)\b"),
        row(More, Strong, r"(?:^|[,:]\s|\b(?:some|bit|even|much|few|lot|please|little) )more\b|\bmore \w+(?: \w+)? (?:please|pls|needed|required|here)\b|\bat least (?:one|two|a|an|some|\d+)\b"),
        row(More, Weak, r"\b(?:where|what|who)(?: is|'s| are| were|'re)? (?:the|a|an|our|your|my|any|all|its|about)\b|\bwhere (?:is|are|do|does|did)\b|\bwhat (?:happens|if|about|else|would|does)\b|\bhow (?:do|does|will|would|can|should|is|are|many|much|long|often|fast)\b|\bwhy (?:is|are) there no\b|\bwhy no\b"),
        row(More, Weak, r"\b(?:has|have|had|with|there is|there's|there are|i see|see|sees|still|contains?|shows?|got|without) (?:absolutely |still |literally )?(?:no|zero|not any|not a single)\b|\bwithout (?:a|an|any|the|tests?|\w+ing|[a-z]{4,})\b"),
        row(More, Weak, r"(?:^|[,:]\s?|\bagain |\bstill |\bwhy |\band )(?:no|zero|not a single|not one|keine?|aucune?|pas de|ningún|ninguna|sin) [a-zà-ÿ][a-zà-ÿ-]+"),
        // German, French, Spanish.
        row(Less, Weak, r"\b(?:nicht mehr|weniger|moins de|menos)\b"),
        row(Less, Strong, r"\b(?:entfernen|entferne|löschen|lösche|weglassen|streichen|streiche|kürzen|zu viele?|überflüssig\w*|unnötig\w*|nicht (?:nötig|notwendig|erforderlich)|bitte kein\w*|supprimer|supprimez|enlever|enlevez|retirer|retirez|trop (?:de|long)|inutiles?|superflue?s?|pas besoin|quitar|quita|eliminar|elimina|borrar|borra|demasiad[oa]s?|innecesari[oa]s?|no hace falta|sobran?)\b"),
        row(More, Strong, r"\b(?:fehlt|fehlen|fehlende?[rns]?|ergänzen|ergänze|ergänzt|hinzufügen|füge?|nachreichen|braucht|brauchen|benötigt|benötigen|muss|müssen|sollte|sollten|mehr|manque(?:nt|nts|nte|ntes)?|ajouter|ajoutez|ajoute|il faut|faudrait|doit|doivent|préciser|précisez|plus de|faltan?|añadir|añade|añadid|agregar|agrega|agreguen|necesita|necesitamos|hay que|debe|deben|debería|más|incluir|incluye)\b"),
        // Italian, Portuguese, Dutch, and polite forms in any of them.
        row(More, Strong, r"\b(?:manca(?:no)?|ontbre(?:ekt|ken|kende)|bisogna|occorre|precisa(?:mos)?|aggiung\w+|acrescent\w+|adicion\w+|toevoegen)\b"),
        row(Less, Strong, r"\b(?:rimuov\w+|togli\w*|verwijder\w*|weghalen|remover|remove[mr]?|tire|tirar)\b"),
        row(Unclear, Strong, r"\b(?:next time|nächstes mal|prochaine fois|próxima vez|prossima volta|volgende keer|stp|svp|plis|plz|aub|alsjeblieft|per favore|por favor|s'il (?:te|vous) plaît)\b"),
        // A demand for something else, in neither direction.
        row(Unclear, Strong, r"(?:^|[,:]\s)VERBS\b|\b(?:should|could you|can you|can we|would you|please|pls|bitte|instead|rather|must|better to|make (?:it|this|the|them)|turn (?:it|this|the))\b"),
        row(Unclear, Weak, r"\bVERBS\b|\bprefer\b"),
        row(Unclear, Weak, r"\b(?:assumes?|assuming|pretends?|breaks?|broken|fails?|failing|crash(?:es|ed)?|leaks?|contradicts?|conflicts?|collides?|overlaps?|loses|lost)\b"),
        // Reported as done.
        row(More, Done, r"^(?:i |we |have |i've )?(?:added|included|documented|inserted|restored|introduced|defined|specified|covered|handled|validated|wrote|described|extended|expanded|hinzugefügt|ergänzt|ajouté|añadido)\b"),
        row(Less, Done, r"^(?:i |we |have |i've )?(?:removed|deleted|dropped|stripped|cut|trimmed|shortened|simplified|reduced|eliminated|entfernt|gelöscht|supprimé|eliminado)\b"),
        row(Unclear, Done, r"^(?:i |we |have |i've )?(?:changed|replaced|renamed|moved|rewrote|fixed|corrected|split|extracted|updated|swapped)\b"),
    ]
});

/// One pattern per row. Sentences are folded to ASCII first: Unicode word boundaries would need an engine that takes a
/// hundred times as long, and a hundred megabytes.
static CUES: LazyLock<meta::Regex> = LazyLock::new(|| {
    let rows: Vec<String> = TABLE.iter().map(|(_, _, pattern)| ascii(pattern).into_owned()).collect();
    meta::Regex::builder()
        .syntax(syntax::Config::new().unicode(false).utf8(false))
        // Space for the states of all rows: without it they would be rebuilt again and again.
        .configure(meta::Config::new().nfa_size_limit(Some(64 << 20)).hybrid_cache_capacity(16 << 20).utf8_empty(false))
        .build_many(&rows)
        .expect("the table holds valid patterns")
});

/// Returns the first cue with a direction in a sentence, else the first cue; with `told_as_done` changes in the past
/// count.
pub(super) fn read(sentence: &str, told_as_done: bool) -> Option<CueReading> {
    let mut best: Option<CueReading> = None;
    for found in CUES.find_iter(ascii(sentence).as_ref()) {
        let (direction, force, _) = &TABLE[found.pattern().as_usize()];
        if *force == Guard || (*force == Done && !told_as_done) {
            continue;
        }
        let words: String = sentence.chars().skip(found.start()).take(found.len()).collect();
        let words = words.trim_matches(|c: char| !c.is_alphanumeric()).to_owned();
        let reading = CueReading { direction: *direction, force: *force, words, waives: *force == Waived };
        let better = match &best {
            None => true,
            // A request outweighs a preceding complaint without a direction.
            Some(old) => old.direction == Unclear && *direction != Unclear,
        };
        if better {
            best = Some(reading);
        } else if let Some(old) = &mut best
            && matches!(force, Strong | Waived)
        {
            old.force = Strong;
        }
    }
    best
}

/// Reports whether a waiving sentence names its scope or a usual demand of reviewers.
pub(super) fn is_scoped(sentence: &str) -> bool {
    static SCOPED: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(concat!(
            r"\b(?:here|for now|for this|in this case|this time|for once|yet|for (?:a|an|such|internal|prototypes?)|until)\b",
            r"|\b(?:tests?|docs?|documentation|docstrings?|readme|comments?|changelogs?|(?:release )?notes|benchmarks?|(?:error|exception) handling|validation|logging|logs|metrics|monitoring|alert\w*|dashboards?|rollbacks?|rollout|migrations?|retries|timeouts?|pagination|paging|translations?|estimates?|diagrams?|examples?|mocks?|types?|reviews?|approvals?|sign-?off|coverage|edge cases|alternatives|acceptance criteria|owners?|backups?|caching|flags?|versioning)\b",
        ))
        .expect("a constant pattern")
    });
    SCOPED.is_match(sentence)
}

/// Reports whether a sentence praises.
pub(super) fn praises(sentence: &str) -> bool {
    static PRAISE: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(concat!(
            r"\b(?:great|good|nice|nicely|perfect|perfectly|clean|cleaner|clear|clearer|love|loved|loving|like it|like how|like this|like the|excellent|solid|neat|impressive|impressed|well done|well (?:written|thought|put|argued|said|structured|spotted)|(?:reads|works|looks|flows|hangs together|fits) (?:very |really |quite )?well|happy|glad|pleased|fine|lgtm|ship it|go ahead|approved|approve|works? (?:as|for|well|fine|great|like|nicely|now|on|perfectly|everywhere|again)|works|working (?:well|fine|now|again|great)|thanks (?:for|to)|thank you|cheers|exactly (?:right|what|as|how|the)|quick|spot on|thorough|pleasure|joy|readable|elegant|awesome|brilliant|beautiful|fantastic|wonderful|amazing|superb|outstanding|stellar|terrific|lovely|tidy|crisp|concise|learned|learnt|fixes|fixed|solves|solved|convinced|convincing|sold|sensible|reasonable|makes sense|agreed?|kudos|bravo|respect|chapeau|wow|cool|sweet|top|super|green now|all green|(?:tests? |all |it )pass|passes|passed|at last|finally|best|better than|as discussed|as agreed|no notes|nailed|delighted|enjoyed|resolved|answered|win)\b|\b(?:points|comments|concerns|remarks|questions|findings|feedback) (?:are|were|have been|has been|is|was) (?:all |now |well )*(?:addressed|covered|handled|fixed|gone|taken)\b",
            r"|\b(?:no|zero|not a single|not one|without) (?:real |further |more |other |major )?(?:concerns?|objections?|complaints?|problems?|issues?|nits?|notes|remarks|questions|blockers?|worries|doubts?)\b",
            r"|\b(?:no|without) (?:(?:further|other|additional) comments|changes? (?:needed|required|requested|necessary))\b",
            r"|\bnothing (?:is |was |at all )?(?:wrong|missing|to (?:add|change|fix|improve|complain))|\b(?:don't|do not|wouldn't|would not) change a\b",
            r"|\b(?:gut|sehr gut|danke|prima|perfekt|klasse|toll|passt|einverstanden|super|spitze|sauber|parfait|merci|très bien|bien|nickel|génial|impeccable|d'accord|gracias|perfecto|perfecta|excelente|genial|de acuerdo|estupendo|ottimo|perfetto|grazie|bene|obrigad[oa]|ótimo|perfeito|tack|tak|dobrze|dzięki|super|bedankt|goed|prachtig|kiitos|hyvä)\b",
            r"|好|很棒|谢谢|完美|不错|素晴らしい|いいです|良い|よくでき|進めて|助かり|ありがとう|いいね|完璧|問題ありません|감사|좋|спасибо|отлично|хорошо|супер",
            r"|[👍👏🎉✅💯🚀❤💚💪🙌🔥⭐🌟😊🙂😀😍🥳👌]",
        ))
        .expect("a constant pattern")
    });
    static DENIED: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"\b(?:not|isn't|aren't|never|hardly|doesn't|don't|no|nicht|pas|barely) (?:really |very |quite |so |that |a |at all |yet |even )?(?:great|good|nice|perfect|clean|clear|like|excellent|solid|neat|happy|convinced|fine|work|works|working|readable|convincing|sensible|reasonable|agree|approve|gut|bien|better)\b")
            .expect("a constant pattern")
    });
    PRAISE.is_match(sentence) && !DENIED.is_match(sentence)
}

/// Reports whether a sentence describes what the reviewer did or will do, and demands nothing.
pub(super) fn is_report(sentence: &str) -> bool {
    static REPORT: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(concat!(
            r"^(?:i |i've |i have |i'll |i will |we |we've |just |already |also |have )*(?:ran|run|tested|tried|checked|verified|reviewed|read|went|walked|compared|deployed|merged|merging|merge|deploying|shipping|discussed|confirmed|spot-checked|talked|spoke|looked|signed|going|let's go|seen|saw|proceed|moving|continue|rolled)\b",
            r"|\b(?:tests?|build|pipeline|ci|suite|checks) (?:is |are |all )?(?:green|pass|passes|passed|ok)\b|\b(?:matches|same as|in line with|according to|as per)\b",
        ))
        .expect("a constant pattern")
    });
    REPORT.is_match(sentence)
}

/// Reports whether a sentence has no word that names anything: "needs work", "this feels off", "??".
pub(super) fn is_contentless(sentence: &str) -> bool {
    static EMPTY: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"^(?:please )?(?:see|read|check|address|look at|cf) (?:my|the|our|previous|earlier|inline|other|above)* ?(?:comments?|notes?|remarks?|feedback)(?: above| below| inline)?$|^(?:can|could|may|should|let's|let us|we should|we need to) ?(?:we|i)? ?(?:talk|chat|discuss|sync|meet)\b.{0,30}$|^(?:see|read|check|cf\.?|siehe|voir|ver) (?:my |the |our |also )*(?:(?:previous|earlier|last) )?(?:mails?|e-?mails?|messages?|tickets?|threads?|chat|slack|teams|notes?|comments?|comentarios?|commentaires?|above|below|oben|unten|plus haut|arriba)$|^(?:we|i) (?:already |just )?(?:talked|spoke|discussed|chatted|agreed)(?: about| on| it| this| that| already| yesterday| before)*$|^(?:as|like|wie|comme|como) (?:we )?(?:discussed|agreed|talked about|said|mentioned|besprochen|discuté|hablado|hablamos|combinado)(?: (?:in|on|at|by|before|earlier|the|our|yesterday|today|already|call|meeting|mail|phone|standup|chat|round|last))*$|^(?:ask|ping|call|come see|talk to|write) me\b.{0,20}$|^(?:the |my |our )?(?:previous|earlier|last|above|inline) (?:mails?|messages?|comments?|notes?|remarks?)$|^discuss(?:ed|ion)? offline$")
            .expect("a constant pattern")
    });
    static WORDS: LazyLock<HashSet<&'static str>> = LazyLock::new(|| GENERIC.split_whitespace().collect());
    let mut words = sentence.split(|c: char| !(c.is_alphanumeric() || c == '\'')).filter(|w| !w.is_empty());
    EMPTY.is_match(sentence) || words.all(|word| WORDS.contains(word))
}

/// Words that are irrelevant to the work: pronouns, auxiliaries, bare verdicts.
const GENERIC: &str = "cf ps eg ie a an the this that these those it its it's i i'm i'd i've i'll me my we we're us our you your you're \
    he she they them one all of in on at to for from with by as is are was were be been being isn't aren't wasn't am \
    do does did don't doesn't didn't done can can't cannot could couldn't will won't would wouldn't should shouldn't \
    shall may might have has had haven't hasn't not no nope nah yes yep yeah yup ok okay k sure fine good bad great \
    nice wrong right off meh hmm hm hmmm mm uh um eh ugh wow well just only still yet already again quite really very too so \
    and or but if because then than like likes liked love feel feels felt feeling seem seems look looks looking think \
    thinks thought believe guess expect expected hoped wanted want wish something anything nothing everything somehow \
    else different other another more work works working way ready there here now later soon today tomorrow needs need \
    needed redo rework revise retry try go going back come get gets make makes let's convinced sure unsure happy unhappy \
    satisfied pleased please pls sorry thanks thank thx reject rejected rejecting approve approved approving \
    accept accepted acceptable decline declined block blocked blocking merge merging changes change changed fix fixed fixes \
    mistake mistakes problem problems issue issues concern concerns talk chat discuss offline see my what why how huh about \
    much many lot bit little little stuff thing things general overall sense convincing enough up down out over into once \
    next time before after first last same lgtm wip todo tbd wtf lol nein ja nicht gut so non oui pas bien sí si muy mal \
    ditto round iteration attempt version weird strange odd confusing messy mess sloppy poor weak \
    disappointing disappointed far close enough quality shape state das ist es geht c'est ça va noch nochmal bitte de la le les el lo";
