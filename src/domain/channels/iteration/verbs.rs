//! Words that indicate an instruction, its outcome and the effect of a problem: our own tables, and patterns built from
//! them. English. What a hit or a miss means is not decided here.

use crate::text::language::specificity::phrases::GENERIC;
use regex::Regex;
use std::collections::HashSet;
use std::sync::LazyLock;

/// Verbs that demand a change. At the start of a clause they form an instruction.
const CHANGES: &str = "abort abstract accept acquire activate adapt add adjust adopt align allocate allow amend \
    annotate anonymize append apply archive arrange ask assert assign attach audit authenticate author authorize \
    automate await backfill back-port backport balance ban base batch begin benchmark bind block bound break bring \
    broaden buffer build bump bundle bypass cache calculate call cancel canonicalize cap capitalize capture cast catch \
    centralize chain change check choose chunk cite clamp clarify clean clear clone close coalesce collapse collect \
    combine comment commit compare compile complete compress compute condense configure confine confirm connect \
    consolidate constrain construct consume contain continue convert copy correct count cover create cross-reference \
    cut de-duplicate deallocate debounce declare decode decompose decouple decrease dedent deduplicate default defer \
    define delay delegate delete deliver demote denormalize deny deploy deprecate derive describe deserialize detach \
    detect determine disable disallow discard dispatch display dispose distinguish divide do document double downgrade \
    draw drop duplicate earmark echo edit eliminate embed emit employ enable encapsulate encode encrypt end enforce \
    ensure enumerate escape establish estimate evaluate exclude execute exempt exit expand expect expire explain export \
    expose express extend extract fail feed fetch fill filter finish fix flag flatten flip flush fold follow forbid \
    force fork format forward free freeze generate get give grant group guarantee guard halve handle hard-code hardcode \
    harden hash hide highlight hoist hold hook identify ignore implement import include increase increment indent index \
    infer inherit initialize initialise inject inline insert inspect install instantiate instruct instrument integrate \
    interpolate intersect introduce invalidate invert invoke isolate iterate join justify keep label launch lazy-load \
    lead leave let lift limit link list load localize localise lock log loop lower maintain make map mark mask match \
    measure memoize memoise mend mention merge migrate minimize minimise mirror mock modify monitor mount move mutate \
    name narrow negate nest normalize normalise notify number obtain offload omit open order organize organise output \
    overload override pad paginate parallelize parameterize parametrize parse partition pass paste patch perform \
    permit persist pick pin pipe place plan point poll pool populate port postpone precede precompute prefer prefetch \
    prefix preload prepare prepend present preserve prevent print prioritize probe produce profile prohibit promote \
    propagate protect prove provide prune publish pull purge push put qualify quantify query queue quote raise randomize \
    re-export read rearrange reassign rebase rebuild recompute record recover redact redefine redirect reduce refactor \
    reference refresh refuse regenerate register reindex reject relax release reload relocate rely remove rename render \
    reorder reorganize reorganise repeat replace rephrase report represent request require rerun reserve reset resize \
    resolve respect respond restart restore restrict restructure retain rethrow retrieve retry return reuse revalidate reverse \
    revert revoke reword rewrite rotate round route run sample sanitize sanitise save scale schedule scope seal search \
    seed select send separate serialize serve set share shift shorten show shrink shuffle shut sign signal simplify \
    skip slice snapshot sort specify specialise specialize spell split spread stage standardize start state stop store \
    stream strip stub subclass submit subscribe substitute subtract summarize supply support suppress surround swap \
    switch sync synchronize tag take tear tell terminate test throttle throw tidy tie tighten time toggle trace track \
    transform translate treat trigger trim truncate try turn type unify unregister unroll unsubscribe unwrap update \
    upgrade upload use utilize validate vary verify version wait walk warm warn weigh widen wire withdraw wrap write \
    yield zero";

/// Words that begin the subject of a statement.
const SUBJECTS: &str = "the a an this that these those it its there he she they we i you my our your his her their \
    some any every each all no nothing something everything most many few";

/// Words that praise what does not exist yet.
const COMPARATIVES: &str = "better more less well clearer cleaner nicer simpler faster safer good great proper easier \
    stronger shorter higher lower ok okay yes";

/// Other words that are not verbs.
const OTHERS: &str = "what which who when where why how if because since although while in on at for from with without \
    of to and or but as is are was were be been has have had can could will would may might must should shall not \
    maybe perhaps generally overall currently here very also so too only just after before during under over by";

/// Words before the verb of an instruction.
const LEAD: &str = r"(?:(?:please|always|also|then|next|first|second|third|finally|instead|additionally|furthermore|now|just|simply|explicitly|directly|otherwise|afterwards|immediately|either|at least|only|never|don['’]t|do not|avoid|stop|you (?:must|should|need to|have to)|we (?:must|should|need to|have to)|make sure to|be sure to|remember to|let['’]?s|it is enough to|to)[,:]?\s+)*";

fn regex(pattern: &str) -> Regex {
    Regex::new(pattern).expect("a constant")
}

fn any(words: &str) -> String {
    words.split_whitespace().collect::<Vec<_>>().join("|")
}

/// An instruction: a verb of change at the start of a clause, with something it changes.
pub(super) static INSTRUCTION: LazyLock<Regex> = LazyLock::new(|| {
    regex(&format!(
        r#"(?im)(?:^|[.;:!?,)\]]\s+|\s[-–—]\s+|\b(?:and|or|then|but|by)\s+)(?:[-*•]\s+|\(?\d{{1,2}}[.)]\s+|step \d+:\s+)?{LEAD}(?:{})\s+\S*[\w\x01\x02]"#,
        any(CHANGES)
    ))
});

/// "Never …", "Avoid …ing", "Stop …ing": prohibitions are instructions as well.
pub(super) static BAN: LazyLock<Regex> = LazyLock::new(|| {
    regex(r"(?im)(?:^|[.;:!?,]\s+)(?:never|avoid|stop|do not|don['’]t|no longer)\s+\w+\s+\S*[\w\x01\x02]")
});

/// A demand about the work: "the handler must return 404", "`limit` is to be capped".
pub(super) static DEMAND: LazyLock<Regex> = LazyLock::new(|| {
    regex(
        r"(?i)[\w\x01\x02]\S*\s+(?:must|shall|should|needs? to|ha(?:s|ve) to|(?:is|are) to|ought to)\s+(?:not |only |always |never |also )?(?:be \w+(?:ed|en|t|wn)\b|\w{3,}\s+\S*[\w\x01\x02])",
    )
});

/// A verb that is in no table: a possible verb before an article, a name or code.
pub(super) static LIKELY: LazyLock<Regex> = LazyLock::new(|| {
    regex(
        r#"(?im)(?:^|[.;,:]\s+)(?:[-*•]\s+)?([a-z][a-z-]{2,})\s+(?:the|a|an|all|every|each|any|both|this|these|its|up|out|in|into|it|down|off|\d+|[`"“]|\w+\(|\w+_\w+)"#,
    )
});

/// Reports whether a first word could be a verb.
pub(super) fn may_be_verb(word: &str) -> bool {
    let word = word.to_lowercase();
    ![SUBJECTS, COMPARATIVES, OTHERS].into_iter().any(|list| has(list, &word))
        && !["ing", "tion", "ness", "ment", "ly", "ity", "ed"].iter().any(|end| word.ends_with(end))
}

/// Words that can fill an instruction without specifying what to change.
const EMPTY: &str = "code document documents text artifact file project readable maintainable robust clean cleaner clear \
    clearer simple simpler simplify efficient efficiently performance performant structure structured readability \
    maintainability robustness consistency consistent quality feedback comment comments discussed agreed described \
    address appropriately works solution implementation implement design approach whole entire content contents";

/// Reports whether an instruction names what to change: some word is neither the verb nor one that fits everywhere.
pub(super) fn names_something(text: &str) -> bool {
    static COMMON: LazyLock<HashSet<&'static str>> =
        LazyLock::new(|| [CHANGES, EMPTY, GENERIC].into_iter().flat_map(str::split_whitespace).collect());
    let names = |c: char| matches!(c, '`' | '"' | '“' | '_' | '(' | '/' | '=') || c.is_ascii_digit() || !c.is_ascii();
    text.contains(names)
        || text
            .split(|c: char| !c.is_alphanumeric())
            .filter(|word| !word.is_empty())
            .any(|word| !COMMON.contains(word.to_ascii_lowercase().as_str()))
}

/// Problems described only by a negative judgement.
pub(super) static LOOSE: LazyLock<Regex> = LazyLock::new(|| {
    regex(
        r"(?i)\b(?:bad|poor|low|weak|insufficient|inadequate|improper|ugly|messy|sloppy|terrible|awful) (?:\w+ )?(?:quality|code|structure|style|design|naming|documentation|wording)\b",
    )
});

/// Reports whether a first word begins a statement about something.
pub(super) fn is_subject(word: &str) -> bool {
    has(SUBJECTS, &word.to_lowercase())
}

/// Reports whether a first word asks for more of something without specifying how.
pub(super) fn is_comparative(word: &str) -> bool {
    has(COMPARATIVES, &word.to_lowercase())
}

fn has(list: &str, word: &str) -> bool {
    list.split_whitespace().any(|known| known == word)
}

/// A statement of how things are.
pub(super) static STATES: LazyLock<Regex> = LazyLock::new(|| {
    regex(
        r"(?i)\b(?:is|are|was|were|isn['’]t|aren['’]t|has|have|had|does|doesn['’]t|do|don['’]t|did|seems?|looks?|feels?|lacks?|works?|can|cannot|could|will|would|may|might)\b",
    )
});

/// The result of a change.
pub(super) static OUTCOME: LazyLock<Regex> = LazyLock::new(|| {
    const VERBS: &str = "prevent avoid ensure allow enable reduce improve make keep let eliminate protect remove stop \
        guarantee simplif[iy] speed save catch detect help give clarif[iy] shorten lower cut increase restore fix close \
        satisf[iy] compl[iy] meet support decouple isolate document tell show lead result cause break fail crash leak \
        block lose expose throw return raise reject violate mislead confuse hide depend require need guard bound limit \
        free unblock preserve maintain enforce match align fulfil fulfill provide add avert mitigate minimi[sz]e \
        maximi[sz]e optimi[sz]e accelerate facilitate strengthen harden secure unif[iy] centrali[sz]e standardi[sz]e \
        surface reveal signal warn inform explain describe convey communicate drop grow scale run become remain stay \
        get take cost waste consume produce create generate trigger introduce carr[iy] hold happen occur den[iy] \
        replac decreas eas handl solv defin duplicat deliver repeat conform correspond follow respect conflict \
        contradict differ refer point turn work end read see find know understand learn verif[iy] test validate prove \
        confirm check use call accept assume expect ignore overwrite corrupt truncate clear separate encapsulate hang \
        deadlock starve spin retr[iy] abort terminate exit panic compile parse encode escape bypass steal forge replay \
        inject exploit brute attack abuse spoof continue exclude rule seriali[sz]e survive halve double arrive receive \
        pass wait bound agree notice recogni[sz]e decide reach fit save shrink scale";
    regex(&format!(
        r"(?i)\b(?:{})\b|\b(?:will|would|can|cannot|can['’]t|could|should|must|may|might|won['’]t|no longer|so that|so|otherwise|instead of|rather than|without|because|since|therefore|thus|hence|in order to|as soon as|if|when|whenever|until)\b|\b(?:faster|slower|easier|simpler|clearer|safer|shorter|smaller|cheaper|fewer|less|more|better|stronger|lower|higher|cleaner|consistent|readable|reusable|testable|maintainable|predictable|reliable|deterministic|robust|secure|resistan(?:t|ce)|vulnerab\w+|idempotent|compatib\w+|accessib\w+)\b|\b(?:is|are|was|were|has|have|does|do|gets?)\b",
        VERBS.split_whitespace().map(inflected).collect::<Vec<_>>().join("|")
    ))
});

/// Returns a verb in its forms; one that drops its last letter before "-ing" has it dropped here.
fn inflected(verb: &str) -> String {
    match verb.strip_suffix('e') {
        Some(stem) => format!("{stem}(?:e|es|ed|ing)"),
        None => format!("{verb}(?:s|es|ed|ied|e|[a-z]?ing|t?ted|p?ped)?"),
    }
}

/// An observable effect of a problem.
pub(super) static EFFECT: LazyLock<Regex> = LazyLock::new(|| {
    regex(
        r"(?i)\b(?:caus(?:e|es|ed|ing)|creat(?:e|es|ed|ing)|lead(?:s|ing)? to|led to|result(?:s|ed|ing)?|produc(?:e|es|ed|ing)|mak(?:e|es|ing)|so|thus|hence|therefore|which|otherwise|because|when|whenever|if|until|after|fail(?:s|ed|ing|ures?)?|crash\w*|panic\w*|throw\w*|thrown|rais(?:e|es|ed|ing)|return(?:s|ed|ing)?|leak\w*|allow\w*|let(?:s|ting)?|permit\w*|enabl\w+|break\w*|broken|los(?:e|es|t|ing|s)|block\w*|time[sd]? ?out|timeouts?|hang\w*|deadlock\w*|reject\w*|accept\w*|ignor\w+|swallow\w*|duplicat\w+|wrong|incorrect\w*|cannot|can['’]t|unable|never|expos\w+|vulnerab\w+|attack\w*|inject\w+|exploit\w*|bypass\w*|corrupt\w*|overwrit\w+|overflow\w*|slow\w*|waste[sd]?|consum\w+|block\w*|confus\w+|mislead\w*|misled|contradict\w*|conflict\w*|differ\w*|inconsisten\w+|ambigu\w+|unreadable|undefined|nan|stale|flak\w+|fires?|trigger\w*|skip\w*|drops?|dropped|truncat\w+|races?|errors?|exceptions?|warn\w*|prevent\w*|avoid\w*|protect\w*|violat\w+|reduc\w+|increas\w+|no longer|users?|readers?|callers?|clients?|customers?|operators?|maintainers?|will|would|must|can|could|has to|have to|depends?|impossible|hard(?:er)? to|difficult|easier|faster|slower|safer|risk\w*|unsafe|insecure|takes?|lasts?|costs?|locks?|rewrites?|loops?|forever|O\(\w|\d+(?:[.,]\d+)* ?(?:ms|s|seconds?|minutes?|hours?|days?|mb|gb|kb|times|rows|percent))\b",
    )
});

/// Empty rationales: they name a virtue or an authority, but not what improves here.
pub(super) static EMPTY_REASON: LazyLock<Regex> = LazyLock::new(|| {
    regex(
        r"(?i)^(?:because |since |as |so |so that )?(?:(?:it|this|that|the code|the document|the artifact|everything|things|we|you|i|the result|the change|the quality|doing (?:so|this|it)|this (?:change|action|way|suggestion|improvement))\s+)?(?:(?:is|are|will be|would be|looks?|seems?|gets?|becomes?|should be|must be|will|would|makes?|can|could|might|feels?|i think|think|simply|just|much|far|a lot|lot|definitely|generally|really|very|more|most|always|usually|considered|to be|be|it|this|things|everything|the|code|document|artifact|overall|quality|a|an|of|in|general|and|for|everyone|us|improves?|improving|better|nicer|cleaner|good|best|great|right|fine|important|necessary|needed|required|recommended|advisable|sensible|useful|helpful|nice|better way|way|thing|idea|practices?|to do|do|so|standard|common|industry|correct|proper|higher|high|as|i said|said|so in the review|enough|too|also|here|now|than|before|current|one|what|how|done|that|because|reasons?|reason)\b[\s,]*)+[.!]*$",
    )
});
