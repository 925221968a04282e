//! The language of a comment: by its script, its function words, and its letters.
//!
//! Comments are short, and full of English terms in any language. So a Latin text counts as English unless its function
//! words or accents show otherwise. A statistical detector only decides between those that are shown.

use std::collections::HashMap;
use std::sync::LazyLock;
use whatlang::{Detector, Lang};

/// A language.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Language {
    /// Its two-letter code (ISO 639-1); `en` unless another is shown.
    pub code: &'static str,
    /// Whether script, words or letters show it; otherwise it is assumed.
    pub sure: bool,
}

/// The distinguished Latin-script languages, with words unique to them, and their letters.
const LATIN: [(&str, &str, &str); 7] = [
    (
        "en",
        "the a an and or is are was were be this that these those it its with without for from of to in on at by not no \
         there where what when why how who which should must can could would will have has had please than then them \
         they we our you your i me my missing add needs need all any each every does do doesn't don't isn't",
        "",
    ),
    (
        "de",
        "der die das den dem des ein eine einen einem einer und oder ist sind war nicht kein keine keinen mit ohne für \
         von zu zum zur im auf aus bei nach vor wird werden wurde muss müssen soll sollte sollen fehlt fehlen bitte auch noch \
         hier wie wo wann warum wer welche welcher welches wenn dass sich nur schon mehr als beim diese dieser dieses wir \
         ich es geht man sein gegen zwischen über unter",
        "äöüß",
    ),
    (
        "fr",
        "le la les un une des du de et ou est sont pas ne sans avec pour dans sur par au aux ce cette ces il elle faut \
         manque manquent quel quelle quels quelles que qui où quand pourquoi noms valeur s'il vous plaît nous votre notre \
         plus tout toute tous être doit doivent chaque aucun aucune si mais ça c'est n'est",
        "àâçèéêëîïôùûœ",
    ),
    (
        "es",
        "el la los las un una unos unas y o es son está están no sin con para por en del al que qué quién cómo cuándo \
         dónde cuál falta faltan hay debe deben debería se lo su sus este esta esto estos más pero muy también cada si \
         de ya nadie alguien ninguna ningún porque",
        "áéíóúñ¿¡",
    ),
    (
        "pt",
        "o a os as um uma e ou é são está estão não sem com para por em no na nos nas do da dos das ao que quem como \
         quando onde qual falta faltam há deve devem se seu sua este esta isso mais mas muito também cada já nem pelo \
         pela de um",
        "ãõáâçéêíóú",
    ),
    (
        "it",
        "il lo la gli le un una uno e o è sono non senza con per di del della dei delle nel nella che chi come quando \
         dove quale manca mancano deve devono si questo questa questi più ma molto anche ogni se da al alla perché",
        "àèéìòù",
    ),
    (
        "nl",
        "de het een en of is zijn niet geen met zonder voor van naar bij op uit wordt worden moet moeten zou ontbreekt \
         ontbreken graag ook nog hier hoe waar wanneer waarom wie welke als dat dit deze die we ik meer dan maar te om",
        "ëï",
    ),
];

static WORDS: LazyLock<HashMap<&'static str, Vec<usize>>> = LazyLock::new(|| {
    let mut words: HashMap<&str, Vec<usize>> = HashMap::new();
    for (index, (_, list, _)) in LATIN.iter().enumerate() {
        for word in list.split_whitespace() {
            words.entry(word).or_default().push(index);
        }
    }
    words
});

/// Detects the language of a text.
pub(super) fn of(text: &str) -> Language {
    script(text).unwrap_or_else(|| latin(text))
}

/// Returns the language whose script makes up a fifth of the letters.
fn script(text: &str) -> Option<Language> {
    let (mut letters, mut kana, mut han, mut hangul, mut cyrillic) = (0, 0, 0, 0, 0);
    for c in text.chars().filter(|c| c.is_alphabetic()) {
        letters += 1;
        match c {
            '\u{3040}'..='\u{30ff}' => kana += 1,
            '\u{3400}'..='\u{9fff}' => han += 1,
            '\u{1100}'..='\u{11ff}' | '\u{ac00}'..='\u{d7af}' => hangul += 1,
            '\u{0400}'..='\u{04ff}' => cyrillic += 1,
            _ => {}
        }
    }
    let code = match () {
        () if kana > 0 && (kana + han) * 5 >= letters => "ja",
        () if han > 0 && han * 5 >= letters => "zh",
        () if hangul > 0 && hangul * 5 >= letters => "ko",
        () if cyrillic > 0 && cyrillic * 5 >= letters => "ru",
        () => return None,
    };
    Some(Language { code, sure: true })
}

fn latin(text: &str) -> Language {
    let lower = text.replace('\u{2019}', "'").to_lowercase();
    // Code and quotations have no language, and identifiers are mostly English.
    let words: Vec<&str> = lower
        .split(|c: char| !(c.is_alphanumeric() || matches!(c, '\'' | '_' | '.' | '/')))
        .map(|word| word.trim_matches(['.', '\'', '/']))
        .filter(|word| !word.is_empty())
        .collect();
    let mut points = [0_usize; LATIN.len()];
    for word in &words {
        let elided =
            word.split_once('\'').map(|(article, _)| article).filter(|a| matches!(*a, "l" | "d" | "n" | "qu" | "s"));
        if elided.is_some() {
            points[2] += 2;
        }
        for index in WORDS.get(word).into_iter().flatten() {
            points[*index] += 2;
        }
    }
    for (index, (_, _, letters)) in LATIN.iter().enumerate() {
        points[index] += lower.chars().filter(|c| letters.contains(*c)).count().min(3);
    }
    let best = points.iter().copied().max().unwrap_or(0);
    let leading: Vec<usize> = (0..LATIN.len()).filter(|i| points[*i] == best).collect();
    let index = match leading.as_slice() {
        _ if best == 0 || points[0] == best => 0,
        [one] => *one,
        several => detected(text, several),
    };
    let second = points.iter().enumerate().filter(|(i, _)| *i != index).map(|(_, p)| *p).max().unwrap_or(0);
    // One word shared with another language shows nothing.
    let shown = best >= 3 || (best >= 2 && words.len() <= 3);
    if index != 0 && !shown {
        return Language { code: "en", sure: false };
    }
    Language { code: LATIN[index].0, sure: best >= 4 && best > second }
}

/// Picks one of several languages with a statistical detector; the first if it detects none of them.
fn detected(text: &str, several: &[usize]) -> usize {
    let lang = |index: usize| [Lang::Eng, Lang::Deu, Lang::Fra, Lang::Spa, Lang::Por, Lang::Ita, Lang::Nld][index];
    let detector = Detector::with_allowlist(several.iter().map(|i| lang(*i)).collect());
    let seen = detector.detect_lang(text);
    several.iter().copied().find(|i| seen == Some(lang(*i))).unwrap_or(several[0])
}
