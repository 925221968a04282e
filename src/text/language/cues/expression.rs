//! Expressions of cues: their macros, and parsing.

/// The replacements of `%NAME%` in expressions.
const MACROS: [(&str, &str); 4] = [
    (
        "%ASK%",
        concat!(
            r"(?:(?:can|could|should|shall|would|may|might|do|does|did)(?:n'?t)? (?:we|you|this|it|that|i|these|they)",
            r"(?: also| instead| just| maybe| not| please| all)?|let'?s|please|pls|maybe|perhaps",
            r"|i(?:'d| would| think| guess| believe| suggest)(?: prefer| suggest| like| say| rather)?(?: that| it| we| this)?",
            r"|how about|what about|we (?:should|could|can|usually|generally|normally|always|typically|tend to|prefer to)",
            r"|you (?:should|could|can|may|might)",
            r"|(?:this|it|that|these|they) (?:should|could|can|may|might|needs? to|must|has to|ought to)",
            r"|needs? to|must|better|would be (?:nice|good|great|better) (?:to|if))"
        ),
    ),
    ("%CODE%", r"`[^`]+`"),
    (
        "%UNNEEDED%",
        concat!(
            r"(?:unnecessary|unneeded|not (?:really |strictly )?(?:needed|necessary|required)|not used|needless|redundant",
            r"|superfluous|unused|useless|pointless|extraneous|no longer (?:needed|used|necessary|required)",
            r"|(?:isn'?t|aren'?t|doesn'?t seem|don'?t think (?:this|it|that) is) (?:really |strictly )?",
            r"(?:needed|necessary|required|used))"
        ),
    ),
    ("%DROP%", r"(?:remove|drop|delete|get rid of|omit|leave out|strip|kill|eliminate|skip|lose|ditch|take out)"),
];

/// Expands the macros of an expression.
pub(super) fn written_out(expression: &str) -> String {
    MACROS.iter().fold(expression.to_owned(), |text, (name, stands_for)| text.replace(name, stands_for))
}

/// Parses an expression as it is matched but case-sensitively, so that its literals are visible.
pub(super) fn parsed(expression: &str) -> Result<regex_syntax::hir::Hir, String> {
    let text = written_out(expression);
    let mut parser = regex_syntax::ParserBuilder::new();
    parser.unicode(false).utf8(false).build().parse(&text).map_err(|error| {
        let lines = error.to_string();
        lines.lines().last().unwrap_or("it is no regular expression").trim().to_owned()
    })
}
