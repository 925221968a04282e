//! A grammar of exchanges and its expansion: an invented corpus, the same every time.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::Context;

/// One exchange of the corpus.
pub struct Made {
    /// What it says about the response.
    pub label: String,
    /// What the assistant said; may be empty.
    pub response: String,
    /// What the user said next.
    pub text: String,
}

/// Rules and productions.
pub struct Grammar {
    rules: BTreeMap<String, Vec<String>>,
    productions: Vec<(String, usize, String, String)>,
}

impl Grammar {
    /// Parses rules and exchanges.
    ///
    /// # Errors
    /// A line is neither, or a weight is not a number.
    pub fn parse(text: &str) -> anyhow::Result<Self> {
        let mut grammar = Self { rules: BTreeMap::new(), productions: Vec::new() };
        for line in text.lines().filter(|line| !line.trim().is_empty() && !line.starts_with('#')) {
            if let Some((head, production)) = line.split_once(" : ").or_else(|| line.split_once(" :")) {
                let mut words = head.split_whitespace();
                if let (Some(label @ ("accepted" | "neutral" | "rejected")), Some(weight)) =
                    (words.next(), words.next())
                {
                    let (response, said) = production.split_once("=>").with_context(|| format!("no `=>` in {line}"))?;
                    let weight = weight.parse().with_context(|| format!("the weight of {line}"))?;
                    grammar.productions.push((label.into(), weight, response.trim().into(), said.trim().into()));
                    continue;
                }
            }
            let (name, body) = line.split_once(" = ").with_context(|| format!("neither rule nor exchange: {line}"))?;
            let alternatives = alternatives(body).into_iter().map(|one| one.trim().to_owned()).collect();
            grammar.rules.insert(name.to_owned(), alternatives);
        }
        Ok(grammar)
    }

    /// Returns `count` distinct exchanges, distributed by weight.
    pub fn expand(&self, count: usize) -> Vec<Made> {
        let total: usize = self.productions.iter().map(|(_, weight, ..)| weight).sum();
        let mut all = Vec::with_capacity(count);
        let mut seen = BTreeSet::new();
        for (at, (label, weight, response, text)) in self.productions.iter().enumerate() {
            let mut dice = Dice(at as u64 * 7919 + 17);
            for _ in 0..(count * weight / total).max(4) {
                let mut bound = BTreeMap::new();
                let said = self.bind(response, &mut bound, &mut dice);
                let next = self.bind(text, &mut bound, &mut dice);
                let (said, next) = (self.fill(&said, &mut dice, 0), self.fill(&next, &mut dice, 0));
                let (said, next) = (spoil(&said, &mut dice), spoil(&next, &mut dice));
                if seen.insert((said.clone(), next.clone())) {
                    all.push(Made { label: label.clone(), response: said, text: next });
                }
            }
        }
        all
    }

    /// `<name>` has one value throughout the exchange.
    fn bind(&self, text: &str, bound: &mut BTreeMap<String, String>, dice: &mut Dice) -> String {
        let mut filled = String::new();
        let mut rest = text;
        while let Some((start, inner)) =
            rest.find('<').zip(rest.split_once('<')).and_then(|(at, (_, tail))| Some((at, tail.split_once('>')?.0)))
        {
            filled.push_str(&rest[..start]);
            let value = bound.entry(inner.to_owned()).or_insert_with(|| {
                let rule = inner.trim_end_matches(|one: char| one.is_ascii_digit());
                self.fill(&format!("{{{rule}}}"), dice, 0)
            });
            filled.push_str(value);
            rest = &rest[start + inner.len() + 2..];
        }
        filled.push_str(rest);
        filled
    }

    fn fill(&self, text: &str, dice: &mut Dice, depth: usize) -> String {
        let mut filled = String::new();
        let mut rest = text;
        while let Some(at) = rest.find(['{', '[']) {
            filled.push_str(&rest[..at]);
            let open = rest.as_bytes()[at];
            let close = if open == b'{' { '}' } else { ']' };
            let Some(end) = rest[at..].find(close).map(|end| at + end) else { break };
            let inner = &rest[at + 1..end];
            if open == b'{' {
                let alternatives = self.rules.get(inner).unwrap_or_else(|| panic!("no rule {inner}"));
                assert!(depth < 12, "{inner} calls itself");
                filled.push_str(&self.fill(dice.pick(alternatives), dice, depth + 1));
            } else {
                let alternatives: Vec<String> = inner.split('|').map(str::to_owned).collect();
                filled.push_str(&self.fill(dice.pick(&alternatives), dice, depth + 1));
            }
            rest = &rest[end + 1..];
        }
        filled.push_str(rest);
        filled
    }
}

/// Splits on ` | ` outside brackets.
fn alternatives(body: &str) -> Vec<&str> {
    let (mut parts, mut start, mut depth) = (Vec::new(), 0, 0_i32);
    for (at, one) in body.char_indices() {
        match one {
            '[' => depth += 1,
            ']' => depth -= 1,
            '|' if depth == 0 => {
                parts.push(&body[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&body[start..]);
    parts
}

/// Mimics hasty typing by dropping capitals, full stops and apostrophes. Other sentences start with a capital.
fn spoil(text: &str, dice: &mut Dice) -> String {
    let mut clean = String::new();
    let mut begins = true;
    for token in text.split_whitespace() {
        if !clean.is_empty() {
            clean.push(' ');
        }
        if begins {
            let mut chars = token.chars();
            if let Some(first) = chars.next() {
                clean.extend(first.to_uppercase());
                clean.push_str(chars.as_str());
            }
        } else {
            clean.push_str(token);
        }
        begins = token.ends_with(['.', '?', '!']);
    }
    for (from, to) in
        [("..", "."), ("?.", "?"), ("!.", "!"), (",.", "."), ("!,", ","), (".,", ","), (".?", "?"), ("?,", "?")]
    {
        clean = clean.replace(from, to);
    }
    if dice.roll(6) == 0 {
        clean = clean.to_lowercase();
    }
    if dice.roll(5) == 0 {
        clean = clean.trim_end_matches(['.', '!']).to_owned();
    }
    if dice.roll(14) == 0 {
        clean = clean.trim_end_matches('?').to_owned();
    }
    if dice.roll(12) == 0 {
        clean = clean.replace('\'', "");
    }
    if dice.roll(12) == 0 {
        clean = clean.replace(',', "");
    }
    clean.trim().to_owned()
}

/// A fixed sequence of numbers (splitmix64): the same corpus every time.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((z ^ (z >> 31)) % sides as u64) as usize
    }

    fn pick<'a>(&mut self, from: &'a [String]) -> &'a str {
        &from[self.roll(from.len())]
    }
}
