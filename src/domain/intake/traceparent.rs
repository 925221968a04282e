//! The trace of an entry, from its fields `traceparent` and `tracestate` (W3C Trace Context). An invalid field counts
//! as absent: the entry is worth more than its trace.

use super::event::RawEntry;

/// A longer `tracestate` is dropped, as the standard permits.
const MAX_STATE: usize = 512;

/// A point in a trace at which others may continue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TraceContext {
    /// The trace, the span, and the sampling flag; in version 00.
    pub traceparent: String,
    /// Additions of tracing systems.
    pub tracestate: Option<String>,
}

/// Returns the entry's trace, converted to version 00 from any later one; `None` if it names none.
pub fn trace_context(entry: &RawEntry) -> Option<TraceContext> {
    let traceparent = version_00(field(entry, "traceparent")?)?;
    let tracestate = field(entry, "tracestate").filter(|state| is_state(state)).map(str::to_owned);
    Some(TraceContext { traceparent, tracestate })
}

fn field<'a>(entry: &'a RawEntry, wanted: &str) -> Option<&'a str> {
    let (_, value) = entry.fields.iter().find(|(name, _)| name == wanted)?;
    std::str::from_utf8(value).ok()
}

fn version_00(text: &str) -> Option<String> {
    let mut parts = text.splitn(5, '-');
    let mut next = |length: usize| parts.next().filter(|part| part.len() == length && is_hex(part));
    let (version, trace, span, flags) = (next(2)?, next(32)?, next(16)?, next(2)?);
    let is_zero = |part: &str| part.bytes().all(|b| b == b'0');
    // Only later versions may have more fields.
    if version == "ff" || is_zero(trace) || is_zero(span) || (version == "00" && parts.next().is_some()) {
        return None;
    }
    Some(format!("00-{trace}-{span}-{flags}"))
}

/// Reports whether a text is a list of `key=value`. The values are not checked.
fn is_state(text: &str) -> bool {
    let is_plain = |member: &str| member.contains('=') && member.bytes().all(|b| matches!(b, b' '..=b'~'));
    text.len() <= MAX_STATE && text.split(',').all(is_plain)
}

fn is_hex(part: &str) -> bool {
    part.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::intake::event::StreamKind;

    fn entry(fields: &[(&str, &str)]) -> RawEntry {
        RawEntry {
            stream: "s".into(),
            kind: StreamKind::Turns,
            id: "1-0".into(),
            fields: fields.iter().map(|(name, value)| ((*name).to_owned(), (*value).into())).collect(),
            oversize: None,
            gate_request: None,
        }
    }

    fn read(value: &str) -> Option<String> {
        trace_context(&entry(&[("traceparent", value)])).map(|trace| trace.traceparent)
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

    #[test]
    fn a_state_comes_with_a_trace_or_not_at_all() {
        const TRACE: &str = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
        let state = |text: &str| {
            trace_context(&entry(&[("tracestate", text), ("traceparent", TRACE)])).expect("a trace").tracestate
        };
        assert_eq!(
            state("rojo=00f067aa0ba902b7,congo=t61rcWkgMzE").as_deref(),
            Some("rojo=00f067aa0ba902b7,congo=t61rcWkgMzE")
        );
        for bad in ["", "rojo", "a=1,,b=2", "a=\n1", "a=ü", &format!("a={}", "x".repeat(MAX_STATE))] {
            assert_eq!(state(bad), None, "{bad}");
        }
        assert_eq!(trace_context(&entry(&[("tracestate", "a=1")])), None);
    }
}
