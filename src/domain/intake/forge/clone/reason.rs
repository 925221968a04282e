//! The author's reason for reverting a commit: the message without what Git, forges and scripts add. No reason is
//! better than a wrong one.

use super::skipped::SkipReason;
use regex::Regex;
use std::sync::LazyLock;

/// Maximum length of a stored reason, in characters.
const LONGEST: usize = 1_000;
/// Minimum number of words in an unlabelled and in a labelled reason.
const FEWEST: (usize, usize) = (4, 2);
/// A link to more information, not a reason itself.
static LINK: LazyLock<Regex> = LazyLock::new(|| {
    regex(r"(?i)\(?\b(?:see|cf\.?|details?:?|more:?)?[: ]*(?:https?://\S+|[\w./-]*#\d+)(?: for \w+)?\)?[.:]?|\bsee:?$")
});

/// Git's sentence about what is reverted, and what may follow: the subject, a number, a page.
static SENTENCE: LazyLock<Regex> = LazyLock::new(|| {
    regex(
        r#"(?im)^this reverts (?:commits? )?(?:cl \d+ )?[0-9a-f]{7,64}\b(?:,\s+reversing\s+changes\s+made\s+to\s+[0-9a-f]{7,64})?(?:\s*\([^)]{0,200}\))?(?:,? \S+/\S+?)?(?:\.(?:\s|$)|:?\s*$)?"#,
    )
});
/// What follows is the reverted message, not the reason.
static QUOTED: LazyLock<Regex> = LazyLock::new(|| {
    regex(
        r"(?im)^(?:original (?:change|commit|cl|patch|message|description|pr)\b.*:|-{3,}\s*$|#{1,6} .*(?:original|checklist).*$|> )",
    )
});
/// A labelled reason.
static NAMED: LazyLock<Regex> = LazyLock::new(|| {
    regex(r"(?im)^[*_#\s]{0,4}(?:reasons?(?: for (?:the )?revert(?:ing)?)?|why|rationale)[*_]{0,2}:[*_]{0,2}[ \t]*")
});
/// A line unrelated to the reason: trailers and settings of scripts, links, other repositories' numbers.
static ASIDE: LazyLock<Regex> = LazyLock::new(|| {
    regex(
        r#"(?i)^(?:[a-z][a-z0-9]*(?:-[a-z0-9]+)+\s*:.*|(?:bug|issue|issues|test|tests|link|links|cc|story|task|jira|fixes|fixed|closes|resolves|updates|topic|tag|trust|change|url)s?\s*[:#].*|(?:fix(?:es)?|closes?|resolves?|updates?|related to|refs?|see also|see)[: ]+\S+|[-*]? ?revert ".*|[a-z]+=\S*|reverts? \S*#\d+\.?|\(cherry[- ]picked from .*|\[?\d+[\].:]\s*https?://\S+|[-*]?\s*https?://\S+|co-authored-by:.*|differential revision:.*|piperorigin-revid:.*|reviewers?:.*|subscribers?:.*|approved by:.*|==>.*|\$ .*)$"#,
    )
});
/// Wording for a reason other than the work.
static ELSEWHERE: LazyLock<Regex> = LazyLock::new(|| {
    regex(concat!(
        r"(?i)\b(?:temporar|no longer|not needed|isn't needed|is unneeded|obsolete|superseded|supersedes|replaced by|better solution",
        r"|different approach|alternative (?:fix|solution)|(?:has|have|had|was|were|been|is|are|now|got) (?:now |since |already |been )*(?:fixed|resolved|addressed|undeprecated|migrated)",
        r"|should fix|fixes the (?:underlying )?(?:issue|bug|problem)|(?:indicated|said) (?:they|it) fixed|has been updated|handled (?:generically )?now|not necessary after|transition|(?:we have|there is|there's) (?:the|a) (?:proper |real |better )?fix|can be (?:removed|enabled|re-enabled)|re-?enabl|revert of (?:a |the )?revert",
        r"|accident|mistake|mistaken|too early|too soon|prematur|unintend|unintention|inadvertent|wrong branch|merge conflict|conflicts? with",
        r"|tree is (?:not |now )?(?:open|closed)|code freeze|feature freeze|branch(?:ing)? (?:cut|point)|(?:before|after|until|for|do|in) (?:the |a |this |our )?(?:next )?release\b|next (?:major |minor )?(?:version|release)|postpone|defer(?:red)? (?:it |this )?(?:to|until)",
        r"|to see (?:if|whether)|see if|let's see|check (?:if|whether)|(?:revert(?:ed|ing)?|trying|order) (?:this |it )?to (?:see|test|debug|diagnose|investigate|bisect|rule out|verify|unblock)|experiment|speculative|suspect|might|may (?:be|have)|maybe|perhaps|possibly|probably|seems?|appears?|looks like|could be|not sure|likely",
        r"|clean(?:ly)? revert|(?:order|able|need(?:ed|s)?|required|necessary|easier|prerequisite) to revert|(?:part|because|dependency|prerequisite|dependent) of (?:a |the |another )?revert|depends on|depended on|also revert|reverted in|revert(?:ing|ed)? (?:the )?(?:previous|other|dependent|parent|prior)",
        r"|this (?:revert |change |commit )?(?:also )?includes|for now|re-?roll|re-?land|re-?appl(?:y|ied)|re-?submit|re-?merge|split (?:in|into|it|this|up)|at the request|as requested|requested by|by request|on behalf|forgot to|insert reason|my (?:bad|fault|flawed|mistake)|i (?:missed|misread|broke))",
    ))
});

/// Returns the reason stated in a revert's message.
///
/// # Errors
/// If it states none, or one that is not about the work.
pub(super) fn reason(message: &str) -> Result<String, SkipReason> {
    let message = message.replace("\r\n", "\n");
    let body = message.trim().split_once('\n').map_or("", |(_, body)| body);
    let body = match QUOTED.find(body) {
        Some(found) => &body[..found.start()],
        None => body,
    };
    let body = SENTENCE.replace_all(body, "");
    let (named, fewest) = match NAMED.find(&body) {
        Some(found) => (&body[found.end()..], FEWEST.1),
        None => (&*body, FEWEST.0),
    };
    let text = paragraphs(named, fewest == FEWEST.0);
    let told = LINK.replace_all(&text, " ");
    let words = told.split_whitespace().filter(|word| word.chars().filter(|c| c.is_alphabetic()).count() > 1).count();
    if words < fewest {
        return Err(SkipReason::NoReason);
    }
    if ELSEWHERE.is_match(&text) {
        return Err(SkipReason::OtherReason);
    }
    Ok(text)
}

/// Returns the original paragraphs: wrapped lines joined, without boilerplate, logs and code. A squashed branch lists
/// its commits, which are not reasons either.
fn paragraphs(text: &str, may_be_squashed: bool) -> String {
    let mut paragraphs: Vec<String> = vec![String::new()];
    for line in text.lines() {
        let is_shown = line.starts_with("    ") || line.starts_with('\t') || line.trim_start().starts_with("```");
        let plain = line.trim().trim_matches(['<', '>']).trim();
        let is_aside = is_shown || may_be_squashed && plain.starts_with("* ") || ASIDE.is_match(plain);
        if plain.is_empty() {
            paragraphs.push(String::new());
        } else if !is_aside && let Some(last) = paragraphs.last_mut() {
            let is_item = plain.starts_with("- ") || plain.starts_with("* ");
            if !last.is_empty() {
                last.push(if is_item { '\n' } else { ' ' });
            }
            last.push_str(plain);
        }
    }
    let mut kept = String::new();
    for paragraph in paragraphs.iter().filter(|paragraph| !paragraph.is_empty()) {
        if !kept.is_empty() && kept.chars().count() + paragraph.chars().count() > LONGEST {
            break;
        }
        if !kept.is_empty() {
            kept.push_str("\n\n");
        }
        kept.push_str(paragraph);
    }
    kept.chars().filter(|c| !c.is_control() || *c == '\n').take(LONGEST).collect()
}

fn regex(text: &str) -> Regex {
    Regex::new(text).expect("a constant pattern")
}

#[cfg(test)]
mod tests;
