//! Literals required for an expression to match: at least one of a few short texts.

use regex_syntax::hir::{Class, Hir, HirKind};

/// The shortest useful text, in bytes, and the most that are worth searching for at once.
const SHORTEST: usize = 3;
const MOST: usize = 24;
/// The largest character class that is expanded into alternatives.
const CHOICES: usize = 3;

/// Returns lower-case texts of which every match contains one; `None` if no short text is required.
pub(super) fn required(expression: &Hir) -> Option<Vec<String>> {
    let found = needs(expression)?;
    (found.iter().all(|text| text.len() >= SHORTEST) && found.len() <= MOST).then_some(found)
}

/// Does the same without a minimum length.
fn needs(expression: &Hir) -> Option<Vec<String>> {
    match expression.kind() {
        HirKind::Literal(_) | HirKind::Class(_) => exact(expression),
        HirKind::Capture(group) => needs(&group.sub),
        HirKind::Repetition(repeated) if repeated.min > 0 => needs(&repeated.sub),
        HirKind::Alternation(choices) => {
            let mut all = Vec::new();
            for choice in choices {
                all.extend(needs(choice)?);
            }
            (all.len() <= MOST).then_some(all)
        }
        HirKind::Concat(parts) => {
            // Adjacent exact parts join into longer texts.
            let mut best: Option<Vec<String>> = None;
            let mut run: Vec<String> = vec![String::new()];
            let mut offer = |found: Vec<String>| {
                let least = |texts: &Vec<String>| texts.iter().map(String::len).min().unwrap_or_default();
                if best.as_ref().is_none_or(|known| {
                    (least(&found), MOST - found.len().min(MOST)) > (least(known), MOST - known.len().min(MOST))
                }) {
                    best = Some(found);
                }
            };
            for part in parts {
                match exact(part).filter(|texts| texts.len() * run.len() <= MOST) {
                    Some(texts) => {
                        run =
                            run.iter().flat_map(|head| texts.iter().map(move |text| format!("{head}{text}"))).collect();
                    }
                    None => {
                        offer(std::mem::replace(&mut run, vec![String::new()]));
                        if !matches!(part.kind(), HirKind::Look(_) | HirKind::Empty)
                            && let Some(found) = needs(part)
                        {
                            offer(found);
                        }
                    }
                }
            }
            offer(run);
            best.filter(|texts| texts.iter().all(|text| !text.is_empty()))
        }
        HirKind::Empty | HirKind::Look(_) | HirKind::Repetition(_) => None,
    }
}

/// Returns all texts that an expression matches, if they are few.
fn exact(expression: &Hir) -> Option<Vec<String>> {
    let lower = |text: &str| text.to_ascii_lowercase();
    match expression.kind() {
        HirKind::Empty => Some(vec![String::new()]),
        HirKind::Literal(literal) => std::str::from_utf8(&literal.0).ok().map(|text| vec![lower(text)]),
        HirKind::Class(class) => {
            let chars: Vec<char> = match class {
                Class::Unicode(class) => class
                    .iter()
                    .flat_map(|range| (range.start()..=range.end()).take(CHOICES + 1))
                    .take(CHOICES + 1)
                    .collect(),
                Class::Bytes(class) => {
                    let bytes = class.iter().flat_map(|range| (range.start()..=range.end()).take(CHOICES + 1));
                    bytes.take(CHOICES + 1).map(char::from).collect()
                }
            };
            let fits = chars.len() <= CHOICES && chars.iter().all(char::is_ascii);
            fits.then(|| chars.iter().map(|c| lower(&c.to_string())).collect())
        }
        HirKind::Capture(group) => exact(&group.sub),
        HirKind::Concat(parts) => {
            let mut all = vec![String::new()];
            for part in parts {
                let texts = exact(part)?;
                if texts.len() * all.len() > MOST {
                    return None;
                }
                all = all.iter().flat_map(|head| texts.iter().map(move |text| format!("{head}{text}"))).collect();
            }
            Some(all)
        }
        HirKind::Alternation(choices) => {
            let mut all = Vec::new();
            for choice in choices {
                all.extend(exact(choice)?);
            }
            (all.len() <= MOST).then_some(all)
        }
        HirKind::Repetition(repeated) if repeated.min == 0 && repeated.max == Some(1) => {
            let mut all = exact(&repeated.sub)?;
            all.push(String::new());
            Some(all)
        }
        HirKind::Look(_) | HirKind::Repetition(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(expression: &str) -> Option<Vec<String>> {
        let hir = regex_syntax::ParserBuilder::new().unicode(false).utf8(false).build().parse(expression).unwrap();
        required(&hir)
    }

    #[test]
    fn what_must_be_there_is_found() {
        let cases = [
            (r"\brequireNonNull\b", Some(vec!["requirenonnull"])),
            (r"(?:remove|drop) (?:this|that)", Some(vec!["remove this", "remove that", "drop this", "drop that"])),
            (
                r"^`?final`?\??$",
                Some(vec!["`final`?", "`final`", "`final?", "`final", "final`?", "final`", "final?", "final"]),
            ),
            (r"a.{0,30}unused", Some(vec!["unused"])),
            (r"\w+", None),
            (r"(?:x|\w+)y", None),
            (r"(?:abc)?", None),
            (r"ab", None),
        ];
        for (expression, expected) in cases {
            let expected = expected.map(|texts| texts.into_iter().map(str::to_owned).collect::<Vec<_>>());
            assert_eq!(of(expression), expected, "{expression}");
        }
    }
}
