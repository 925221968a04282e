//! The features of a text for a trained reader: its words, word pairs and character n-grams, each as a hash.

/// Length of the n-grams, in characters.
const RUNS: std::ops::RangeInclusive<usize> = 3..=5;
/// Characters of a text that are read: the demand of a comment is at its beginning.
const LOOKED_AT: usize = 1_000;
/// The placeholder for a web address.
const ADDRESS: &str = "xaddress";

/// The features of a text, each kind sorted, with its count.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Features {
    /// Words, single marks, and pairs of them.
    pub words: Vec<(u32, f32)>,
    /// Character n-grams within words.
    pub letters: Vec<(u32, f32)>,
}

impl Features {
    /// Extracts the features of a text.
    pub fn of(text: &str) -> Features {
        let text = looked_at(text);
        let words = words(&text);
        let mut hashes: Vec<u32> = words.iter().map(|word| of_word(word)).collect();
        hashes.extend(words.windows(2).map(|pair| {
            let (one, other) = (pair[0].bytes().map(u32::from), pair[1].bytes().map(u32::from));
            hash(b'p', one.chain([u32::MAX]).chain(other))
        }));
        Features { words: counted(hashes), letters: counted(letters(&text)) }
    }

    /// Returns both kinds.
    pub fn kinds(&self) -> [&[(u32, f32)]; 2] {
        [&self.words, &self.letters]
    }
}

/// Returns the words of a text, of two letters or more, each as its feature with its count.
pub fn word_features(text: &str) -> Vec<(u32, f32)> {
    let text = looked_at(text);
    let words = words(&text).into_iter().filter(|word| word.chars().nth(1).is_some());
    counted(words.map(of_word).collect())
}

/// Returns the part of a text that is read.
fn looked_at(text: &str) -> String {
    let text: String = text.chars().take(LOOKED_AT).flat_map(char::to_lowercase).collect();
    // An address has many letters but one meaning.
    let words: Vec<&str> =
        text.split_whitespace().map(|word| if word.contains("://") { ADDRESS } else { word }).collect();
    words.join(" ")
}

fn of_word(word: &str) -> u32 {
    hash(b'w', word.bytes().map(u32::from))
}

/// Splits a text into words and single marks.
fn words(text: &str) -> Vec<&str> {
    let mut words = Vec::new();
    let mut begins = None;
    for (at, c) in text.char_indices() {
        if c.is_alphanumeric() || c == '_' {
            begins.get_or_insert(at);
            continue;
        }
        words.extend(begins.take().map(|begins| &text[begins..at]));
        if !c.is_whitespace() {
            words.push(&text[at..at + c.len_utf8()]);
        }
    }
    words.extend(begins.map(|begins| &text[begins..]));
    words
}

/// Returns the n-grams of each word, including the surrounding spaces.
fn letters(text: &str) -> Vec<u32> {
    let mut hashes = Vec::new();
    for word in text.split_whitespace() {
        let padded: Vec<u32> = std::iter::once(' ').chain(word.chars()).chain([' ']).map(u32::from).collect();
        for length in RUNS {
            hashes.extend(padded.windows(length).map(|run| hash(b'l', run.iter().copied())));
        }
    }
    hashes
}

fn counted(mut hashes: Vec<u32>) -> Vec<(u32, f32)> {
    hashes.sort_unstable();
    hashes.chunk_by(|a, b| a == b).map(|same| (same[0], same.len() as f32)).collect()
}

/// Computes FNV-1a of a kind and its parts, folded to 32 bits: a hundred thousand features hardly collide.
fn hash(kind: u8, parts: impl Iterator<Item = u32>) -> u32 {
    const BASIS: u64 = 0xcbf2_9ce4_8422_2325;
    const PRIME: u64 = 0x0100_0000_01b3;
    let hash = std::iter::once(u32::from(kind))
        .chain(parts)
        .fold(BASIS, |hash, part| (hash ^ u64::from(part)).wrapping_mul(PRIME));
    (hash ^ (hash >> 32)) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_and_marks_stand_apart() {
        assert_eq!(words("why not `is_empty()`?"), ["why", "not", "`", "is_empty", "(", ")", "`", "?"]);
        assert_eq!(words(""), Vec::<&str>::new());
    }

    #[test]
    fn the_same_words_have_the_same_features_and_others_have_not() {
        assert_eq!(Features::of("Static import"), Features::of("static import"));
        assert_ne!(Features::of("static import").words, Features::of("import static").words);
        assert_eq!(Features::of("import static").letters, Features::of("static import").letters);
        assert_eq!(Features::of(""), Features::default());
    }
}
