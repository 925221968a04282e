//! Paginated lists: each page states where the next one begins.

use super::request::{ApiRequest, bad};
use crate::problem::Problem;
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;

/// The separator in a cursor.
const BETWEEN: char = '\n';

/// Returns the requested page of a list and the next cursor; none after the last page. `id` names an item; a page
/// begins after the item named by the cursor, if it still exists, otherwise at the same position.
///
/// # Errors
/// 400 if the cursor is invalid or belongs to a list with another filter.
pub fn part<T>(
    asked: &ApiRequest,
    items: Vec<T>,
    id: impl Fn(&T) -> &str,
) -> Result<(Vec<T>, Option<String>), Problem> {
    let (limit, filter) = (asked.limit()?, filter(asked));
    let start = match asked.option("cursor") {
        Some(cursor) => {
            let (at, last) = read(cursor, &filter)?;
            items.iter().position(|item| id(item) == last).map_or(at, |found| found + 1)
        }
        None => 0,
    };
    let total = items.len();
    let part: Vec<T> = items.into_iter().skip(start).take(limit).collect();
    let end = start.saturating_add(part.len());
    let next = part.last().filter(|_| end < total).map(|last| written(end, id(last), &filter));
    Ok((part, next))
}

/// Returns everything that identifies a list.
fn filter(asked: &ApiRequest) -> String {
    let mut hasher = blake3::Hasher::new();
    for (name, value) in asked.path.iter().chain(&asked.query).filter(|(name, _)| *name != "cursor" && *name != "limit")
    {
        for text in [name, value] {
            hasher.update(text.as_bytes()).update(&[0]);
        }
    }
    hasher.finalize().to_hex()[..16].to_owned()
}

fn written(at: usize, last: &str, filter: &str) -> String {
    URL_SAFE_NO_PAD.encode(format!("{filter}{BETWEEN}{at}{BETWEEN}{last}"))
}

fn read(cursor: &str, filter: &str) -> Result<(usize, String), Problem> {
    let text = URL_SAFE_NO_PAD.decode(cursor).ok().and_then(|bytes| String::from_utf8(bytes).ok());
    let parts = text.as_deref().map(|text| text.splitn(3, BETWEEN).collect::<Vec<_>>());
    let Some([of, at, last]) = parts.as_deref() else {
        return Err(bad("invalid `cursor`; send `next` of the previous page unchanged"));
    };
    if *of != filter {
        return Err(bad("`cursor` belongs to a list with another filter; start without it"));
    }
    let at = at.parse().map_err(|_| bad("invalid `cursor`; send `next` of the previous page unchanged"))?;
    Ok((at, (*last).to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(query: &[(&str, &str)]) -> ApiRequest {
        let query = query.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        ApiRequest { query, ..ApiRequest::default() }
    }

    #[test]
    fn a_list_is_read_in_parts_whatever_leaves_it_meanwhile() {
        let all = || ["e", "d", "c", "b", "a"].map(str::to_owned).to_vec();
        let (first, next) = part(&asked(&[("limit", "2")]), all(), |id| id).expect("a part");
        assert_eq!(first, ["e", "d"]);
        let next = next.expect("there is more");
        let rest = |items| part(&asked(&[("cursor", &next)]), items, |id: &String| id.as_str()).expect("a part");
        assert_eq!(rest(all()), (vec!["c".to_owned(), "b".into(), "a".into()], None));
        let mut more = all();
        more.insert(0, "f".into());
        assert_eq!(rest(more).0, ["c", "b", "a"], "what came first since then moves nothing");
        let mut fewer = all();
        fewer.remove(1);
        assert_eq!(rest(fewer).0, ["b", "a"]);
    }

    #[test]
    fn a_cursor_of_another_list_is_refused() {
        let items = || vec!["b".to_owned(), "a".to_owned()];
        let (_, next) = part(&asked(&[("limit", "1"), ("agent", "x")]), items(), |id| id).expect("a part");
        let next = next.expect("there is more");
        for query in [[("cursor", next.as_str()), ("agent", "y")], [("cursor", "nonsense"), ("agent", "x")]] {
            let refused = part(&asked(&query), items(), |id| id);
            assert_eq!(refused.expect_err("refused").status().as_u16(), 400);
        }
    }
}
