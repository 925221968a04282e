//! Whether texts can be understood: by the embedder, the store's own catalogue, and the language model.

use super::check::{Check, ok, problem, warning};
use crate::app::pipeline::{self, CatalogueFiles};
use crate::cli::page::count;
use crate::config::Config;
use crate::text::ids::Gate;
use crate::text::language::catalogue::Layers;
use crate::wiring;

pub(super) fn check_understanding(config: &Config) -> Check {
    let hint =
        "check the embedder section of the configuration; the embedded model fails only if the program is damaged";
    let understanding = match wiring::understanding(config) {
        Ok(understanding) => understanding,
        Err(error) => return problem("understanding", error.to_string(), hint),
    };
    let gate = Gate::new(4);
    let words = ["the handler has no error handling", "add error handling to the handler", "translate the notes"];
    let read = words.map(|text| understanding.read(text, gate, false));
    let (embedder, concerns) = (understanding.embedder().id(), understanding.catalogue().concerns().len());
    match read {
        [Ok(Some(a)), Ok(Some(b)), Ok(Some(c))] if a.vector.cosine(&b.vector) > a.vector.cosine(&c.vector) => {
            ok("understanding", format!("{embedder} works, with {concerns} concerns"))
        }
        [Err(error), _, _] | [_, Err(error), _] | [_, _, Err(error)] => {
            problem("understanding", error.to_string(), hint)
        }
        _ => problem("understanding", format!("{embedder} does not tell similar texts from different ones"), hint),
    }
}

/// Checks the files of the store's own catalogue, if it has any and can be read.
pub(super) fn check_catalogue(config: &Config) -> Vec<Check> {
    let files = wiring::catalogue_files(config).unwrap_or_default();
    if files.is_empty() {
        return Vec::new();
    }
    catalogue_findings(&files)
}

fn catalogue_findings(files: &CatalogueFiles) -> Vec<Check> {
    let errors = pipeline::reasons(&Layers::over_shipped(files));
    if errors.is_empty() {
        return vec![ok("catalogue", format!("{} of the store's own can be read", count(files.len() as u64, "file")))];
    }
    let hint = "a running daemon keeps its catalogue, a start skips the file; `feedbackd catalogue lint` shows \
                details; fix it in a clone of the store, commit and push";
    errors.into_iter().map(|error| warning("catalogue", error, hint)).collect()
}

/// Checks the model configuration and the answer to one small question.
pub(super) fn check_model(config: &Config) -> Check {
    let model = &config.model;
    let asked = || match wiring::probe_model(config) {
        Ok(Some(Err(why))) => problem(
            "model",
            format!("{}; it does not answer: {why}", model.described()),
            "check model.url, model.model, model.api_key_file and model.timeout_seconds; everything else works \
             without it",
        ),
        Ok(Some(Ok(probe))) if !probe.is_right => warning(
            "model",
            format!("{}; {}", model.described(), probe.described()),
            "its answers are then ignored; try another model",
        ),
        Ok(Some(Ok(probe))) => ok("model", format!("{}; {}", model.described(), probe.described())),
        Ok(None) | Err(_) => ok("model", model.described()),
    };
    match model.api_key() {
        _ if !model.is_on() => ok("model", model.described()),
        Err(error) => problem(
            "model",
            error.to_string(),
            "set model.api_key_file to a file with the key that the daemon's user can read, or leave model.provider \
             empty",
        ),
        Ok(Some(_)) if model.url.starts_with("http://") && !is_local(&model.url) => warning(
            "model",
            format!("{}; the key and the comments are sent unencrypted", model.described()),
            "use https:// in model.url",
        ),
        Ok(_) => asked(),
    }
}

fn is_local(url: &str) -> bool {
    let host = url.trim_start_matches("http://");
    ["127.", "localhost", "[::1]"].iter().any(|local| host.starts_with(local))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::doctor::check::describe;

    #[test]
    fn a_catalogue_that_cannot_be_used_is_named_with_its_file() {
        let good = ("catalogue/a.yaml".to_owned(), "more_phrasings: {err.swallowed: [eaten again]}".to_owned());
        let wrong = ("catalogue/b.yaml".to_owned(), "more: [1]".to_owned());
        let useless = OWN.replace("ours.x", "ours");
        let said = |files: &[(String, String)]| describe(&catalogue_findings(&files.to_vec()), 400);
        insta::assert_snapshot!(said(std::slice::from_ref(&good)), @"ok       catalogue          1 file of the store's own can be read");
        assert!(said(&[good, wrong]).starts_with("warning  catalogue          catalogue/b.yaml: "));
        insta::assert_snapshot!(said(&[("catalogue/c.yaml".into(), useless)]), @r"
        warning  catalogue          catalogue/c.yaml: ours needs an id like area.name, of a-z, 0-9 and _
                                    -> a running daemon keeps its catalogue, a start skips the file; `feedbackd catalogue lint` shows details; fix it in a clone of the store, commit and push
        ");
    }

    const OWN: &str = "concerns: [{id: ours.x, title: T, description: D, gates: [code], direction: less, phrasings: [p], \
                       rule: Do it., why: W}]";
}
