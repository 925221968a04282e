//! Parses replies to the stream commands by hand: values are moved, never copied.
//!
//! Both protocols are supported (RESP2 arrays, RESP3 maps). An undocumented shape is an error, never a panic.

use crate::domain::intake::event::Oversize;
use redis::{ErrorKind, RedisError, RedisResult, Value};

type Fields = Vec<(String, Vec<u8>)>;

/// One entry; without fields if it was trimmed.
#[derive(Debug, PartialEq)]
pub(super) struct Item {
    pub(super) id: String,
    pub(super) fields: Option<Fields>,
    /// Set if the fields hold only their beginnings.
    pub(super) oversize: Option<Oversize>,
}

/// Parses the reply of `read.lua`: for each stream, its entries or an error.
pub(super) fn read(reply: Value) -> RedisResult<Vec<Result<Vec<Item>, RedisError>>> {
    let one = |stream| match stream {
        list @ (Value::Array(_) | Value::Nil) => Ok(Ok(items(list)?)),
        wrong => Ok(Err(error_of(&text(wrong)?))),
    };
    array(reply)?.into_iter().map(one).collect()
}

/// Converts an error returned to a script to its direct form.
fn error_of(said: &str) -> RedisError {
    let (code, detail) = said.split_once(' ').unwrap_or((said, ""));
    redis::make_extension_error(code.to_owned(), Some(detail.to_owned()))
}

/// Parses the reply of XAUTOCLAIM: the next start id, the entries, and the ids that were trimmed.
pub(super) fn claimed(reply: Value) -> RedisResult<(String, Vec<Item>, Vec<String>)> {
    let [cursor, list, trimmed] = exactly(array(reply)?)?;
    Ok((text(cursor)?, items(list)?, texts(trimmed)?))
}

/// Parses alternating names and values, or a map, lossily.
pub(super) fn pairs(reply: Value) -> RedisResult<Vec<(String, Value)>> {
    match reply {
        Value::Map(pairs) => pairs.into_iter().map(|(name, value)| Ok((text(name)?, value))).collect(),
        reply => {
            let mut pairs = Vec::new();
            let mut rest = array(reply)?.into_iter();
            while let (Some(name), Some(value)) = (rest.next(), rest.next()) {
                pairs.push((text(name)?, value));
            }
            Ok(pairs)
        }
    }
}

/// Parses a list of strings.
pub(super) fn texts(reply: Value) -> RedisResult<Vec<String>> {
    array(reply)?.into_iter().map(text).collect()
}

/// Parses a list.
pub(super) fn array(reply: Value) -> RedisResult<Vec<Value>> {
    match reply {
        Value::Array(list) | Value::Set(list) => Ok(list),
        Value::Nil => Ok(Vec::new()),
        _ => Err(unexpected()),
    }
}

/// Parses a string, decoded lossily.
pub(super) fn text(reply: Value) -> RedisResult<String> {
    match reply {
        Value::BulkString(bytes) => {
            Ok(String::from_utf8(bytes).unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned()))
        }
        Value::SimpleString(text) | Value::VerbatimString { text, .. } => Ok(text),
        Value::Okay => Ok("OK".to_owned()),
        Value::Int(number) => Ok(number.to_string()),
        _ => Err(unexpected()),
    }
}

fn items(reply: Value) -> RedisResult<Vec<Item>> {
    array(reply)?
        .into_iter()
        .map(|item| {
            let mut parts = array(item)?;
            let cut = parts.split_off(parts.len().min(2));
            let [id, fields] = exactly(parts)?;
            Ok(Item { id: text(id)?, fields: fields_of(fields)?, oversize: oversize_of(cut)? })
        })
        .collect()
}

fn oversize_of(cut: Vec<Value>) -> RedisResult<Option<Oversize>> {
    if cut.is_empty() {
        return Ok(None);
    }
    let [bytes, digest] = exactly(cut)?;
    let bytes = text(bytes)?.parse().map_err(|_| unexpected())?;
    Ok(Some(Oversize { bytes, digest: text(digest)? }))
}

fn fields_of(reply: Value) -> RedisResult<Option<Fields>> {
    if matches!(reply, Value::Nil) {
        return Ok(None);
    }
    let bytes = |value| match value {
        Value::BulkString(bytes) => Ok(bytes),
        other => text(other).map(String::into_bytes),
    };
    pairs(reply)?.into_iter().map(|(name, value)| Ok((name, bytes(value)?))).collect::<RedisResult<_>>().map(Some)
}

fn exactly<const N: usize>(list: Vec<Value>) -> RedisResult<[Value; N]> {
    list.try_into().map_err(|_| unexpected())
}

fn unexpected() -> RedisError {
    RedisError::from((ErrorKind::UnexpectedReturnType, "the server's reply is not as documented"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bulk(text: &str) -> Value {
        Value::BulkString(text.as_bytes().to_vec())
    }

    #[test]
    fn both_protocols_read_the_same() {
        let entry = Value::Array(vec![bulk("1-0"), Value::Map(vec![(bulk("a"), Value::BulkString(vec![0xff]))])]);
        let resp2 = Value::Array(vec![bulk("1-0"), Value::Array(vec![bulk("a"), Value::BulkString(vec![0xff])])]);
        assert_eq!(
            items(Value::Array(vec![resp2])).expect("RESP2"),
            items(Value::Array(vec![entry.clone()])).expect("RESP3")
        );
        let trimmed = Value::Array(vec![bulk("2-0"), Value::Nil]);
        let list = Value::Array(vec![entry, trimmed]);
        let expected = [
            Item { id: "1-0".into(), fields: Some(vec![("a".into(), vec![0xff])]), oversize: None },
            Item { id: "2-0".into(), fields: None, oversize: None },
        ];
        let wrong = bulk("WRONGTYPE it is a list");
        let mut streams = read(Value::Array(vec![list, Value::Nil, wrong])).expect("a reply").into_iter();
        assert_eq!(streams.next().expect("a stream").expect("entries"), expected);
        assert_eq!(streams.next().expect("a stream").expect("entries"), []);
        assert_eq!(streams.next().expect("a stream").expect_err("no stream").code(), Some("WRONGTYPE"));
    }

    #[test]
    fn nonsense_is_an_error() {
        let entry = Value::Array(vec![Value::Array(vec![Value::Array(vec![])])]);
        for reply in [Value::Int(1), Value::Array(vec![Value::Boolean(true)]), entry] {
            assert!(read(reply.clone()).is_err(), "{reply:?}");
            assert!(claimed(reply).is_err());
        }
    }
}
