//! The trace that an entry belongs to, as its field `traceparent` names it (W3C Trace Context). A field that makes no sense
//! counts as none: the entry is worth more than its trace.

use super::event::RawEntry;

/// The entry's trace, in version 00 whatever later version it came in; `None` where it names none.
pub fn traceparent(entry: &RawEntry) -> Option<String> {
    let (_, value) = entry.fields.iter().find(|(name, _)| name == "traceparent")?;
    let text = std::str::from_utf8(value).ok()?;
    let mut parts = text.splitn(5, '-');
    let mut next = |length: usize| parts.next().filter(|part| part.len() == length && is_hex(part));
    let (version, trace, span, flags) = (next(2)?, next(32)?, next(16)?, next(2)?);
    let is_zero = |part: &str| part.bytes().all(|b| b == b'0');
    // Only later versions may have more to say.
    if version == "ff" || is_zero(trace) || is_zero(span) || (version == "00" && parts.next().is_some()) {
        return None;
    }
    Some(format!("00-{trace}-{span}-{flags}"))
}

fn is_hex(part: &str) -> bool {
    part.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::intake::event::StreamKind;

    fn read(value: &str) -> Option<String> {
        traceparent(&RawEntry {
            stream: "s".into(),
            kind: StreamKind::Turns,
            id: "1-0".into(),
            fields: vec![("traceparent".into(), value.into())],
            oversize: None,
            gate_request: None,
        })
    }

    #[test]
    fn only_a_well_formed_one_is_a_trace() {
        let good = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
        assert_eq!(read(good).as_deref(), Some(good));
        // A later version is read as far as this one goes.
        assert_eq!(read(&format!("cc{}-more", &good[2..])).as_deref(), Some(good));
        for bad in [
            "",
            "00",
            &format!("{good}-more"),
            &format!("ff{}", &good[2..]),
            &good.to_uppercase(),
            "00-00000000000000000000000000000000-00f067aa0ba902b7-01",
            "00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01",
            "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7",
        ] {
            assert_eq!(read(bad), None, "{bad}");
        }
    }
}
