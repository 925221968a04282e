//! The language of a file, by its name.

/// Languages by file name suffix, in lower case.
const ENDS: [(&str, &[&str]); 36] = [
    ("Ada", &["adb", "ads"]),
    ("AsciiDoc", &["adoc", "asciidoc"]),
    ("C", &["c", "h"]),
    ("C#", &["cs"]),
    ("C++", &["cc", "cpp", "cxx", "hh", "hpp", "hxx"]),
    ("Clojure", &["clj", "cljc", "cljs"]),
    ("CSS", &["css", "less", "scss"]),
    ("Dart", &["dart"]),
    ("Elixir", &["ex", "exs"]),
    ("Erlang", &["erl", "hrl"]),
    ("F#", &["fs", "fsx"]),
    ("Go", &["go"]),
    ("Groovy", &["gradle", "groovy"]),
    ("Haskell", &["hs"]),
    ("HCL", &["hcl", "tf"]),
    ("HTML", &["htm", "html"]),
    ("Java", &["java"]),
    ("JavaScript", &["cjs", "js", "jsx", "mjs"]),
    ("JSON", &["json"]),
    ("Kotlin", &["kt", "kts"]),
    ("Lua", &["lua"]),
    ("Markdown", &["md", "mdx"]),
    ("OCaml", &["ml", "mli"]),
    ("PHP", &["php"]),
    ("Protocol Buffers", &["proto"]),
    ("Python", &["py", "pyi"]),
    ("reStructuredText", &["rst"]),
    ("Ruby", &["rb"]),
    ("Rust", &["rs"]),
    ("Scala", &["sc", "scala"]),
    ("Shell", &["bash", "sh", "zsh"]),
    ("SQL", &["sql"]),
    ("Swift", &["swift"]),
    ("TOML", &["toml"]),
    ("TypeScript", &["cts", "mts", "ts", "tsx"]),
    ("YAML", &["yaml", "yml"]),
];

/// Returns the language of a file; `None` if its name does not show it.
pub fn language(path: &str) -> Option<&'static str> {
    let name = path.rsplit('/').next().unwrap_or(path).to_ascii_lowercase();
    let end = name.rsplit_once('.')?.1;
    ENDS.iter().find(|(_, ends)| ends.contains(&end)).map(|(language, _)| *language)
}

/// Returns the extensions of a language, without the dot; empty if it is unknown.
pub fn extensions(language: &str) -> &'static [&'static str] {
    ENDS.iter().find(|(name, _)| *name == language).map_or(&[], |(_, ends)| *ends)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_tells_the_language_or_nothing() {
        let of = ["src/a.py", "A.Java", "x/y.test.tsx", "Makefile", "a.b/c", "notes.txt", ".py", "q.sql"].map(language);
        let (py, ts) = (Some("Python"), Some("TypeScript"));
        assert_eq!(of, [py, Some("Java"), ts, None, None, None, py, Some("SQL")]);
    }

    #[test]
    fn no_end_belongs_to_two_languages() {
        let ends: Vec<&str> = ENDS.iter().flat_map(|(_, ends)| ends.iter().copied()).collect();
        for (language_of, ends) in ENDS {
            assert!(ends.iter().all(|end| language(&format!("a.{end}")) == Some(language_of)), "{language_of}");
            assert_eq!(extensions(language_of), ends);
        }
        assert_eq!(ends.len(), ends.iter().collect::<std::collections::BTreeSet<_>>().len());
    }
}
