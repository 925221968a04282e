//! Lists what the cues of the shipped catalogue find in comments. Input: lines of JSON (`src`, `id`, `path`, `hunk`,
//! `body`); output: `src`, `id` and the concerns. For comparing and timing changes to the cues.

use feedbackd::domain::intake::comment::Comment;
use feedbackd::domain::intake::place::code_of_comment;
use feedbackd::text::language::catalogue::shipped;
use feedbackd::text::language::cues::Cues;
use std::io::{BufRead, Write};
use std::time::Instant;

fn main() {
    let begun = Instant::now();
    let catalogue = shipped();
    let read = begun.elapsed();
    let cues = Cues::new(catalogue.cues());
    eprintln!("{} concerns; read in {read:?}, ready in {:?}", catalogue.concerns().len(), begun.elapsed() - read);
    let (mut comments, begun) = (0_u32, Instant::now());
    let mut out = std::io::BufWriter::new(std::io::stdout().lock());
    for line in std::io::stdin().lock().lines().map_while(Result::ok) {
        let Ok(row) = serde_json::from_str::<serde_json::Value>(&line) else { continue };
        let text = |name: &str| row[name].as_str().unwrap_or_default().to_owned();
        let comment = Comment {
            comment_id: text("id"),
            body: text("body"),
            path: Some(text("path")).filter(|path| !path.is_empty()),
            diff_hunk: Some(text("hunk")).filter(|hunk| !hunk.is_empty()),
            ..Comment::default()
        };
        let found = cues.recognise(&comment.body, code_of_comment(&comment).as_ref());
        let found: Vec<String> = found.into_iter().map(|one| one.concern).collect();
        comments += 1;
        if writeln!(out, "{}\t{}\t{}", text("src"), comment.comment_id, found.join(" ")).is_err() {
            return;
        }
    }
    eprintln!("{comments} comments, {:?} each", begun.elapsed() / comments.max(1));
}
