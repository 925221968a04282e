//! An OpenTelemetry collector on this machine: it receives spans over OTLP and HTTP, as protobuf, and keeps them.

use opentelemetry_proto::tonic::collector::trace::v1::ExportTraceServiceRequest;
use opentelemetry_proto::tonic::common::v1::any_value::Value;
use opentelemetry_proto::tonic::common::v1::{AnyValue, KeyValue};
use opentelemetry_proto::tonic::trace::v1::Span;
use prost::Message;
use std::fmt::Write as _;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicU16, Ordering};
use std::sync::{Arc, Mutex};

/// The collector. Its thread ends with the test.
pub struct Collector {
    port: u16,
    status: Arc<AtomicU16>,
    taken: Arc<Mutex<Vec<Taken>>>,
}

/// One successfully answered request.
#[derive(Clone)]
pub struct Taken {
    /// Its request line and headers, one per line.
    pub head: String,
    /// What it contains about the sending service.
    pub resource: Vec<KeyValue>,
    pub spans: Vec<Span>,
}

impl Collector {
    pub fn start() -> Collector {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let port = listener.local_addr().expect("an address").port();
        let (status, taken) = (Arc::new(AtomicU16::new(200)), Arc::default());
        let (answer, kept) = (Arc::clone(&status), Arc::clone(&taken));
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (answer, kept) = (Arc::clone(&answer), Arc::clone(&kept));
                std::thread::spawn(move || serve(&stream, &answer, &kept));
            }
        });
        Collector { port, status, taken }
    }

    pub fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// Sets how it answers from now on.
    pub fn answer(&self, status: u16) {
        self.status.store(status, Ordering::SeqCst);
    }

    pub fn taken(&self) -> Vec<Taken> {
        self.taken.lock().expect("no thread panicked").clone()
    }

    pub fn spans(&self) -> Vec<Span> {
        self.taken().into_iter().flat_map(|taken| taken.spans).collect()
    }
}

/// Returns an attribute as text.
pub fn attribute(attributes: &[KeyValue], name: &str) -> Option<String> {
    let AnyValue { value } = attributes.iter().find(|pair| pair.key == name)?.value.clone()?;
    match value? {
        Value::StringValue(text) => Some(text),
        Value::IntValue(number) => Some(number.to_string()),
        other => panic!("{name}: {other:?}"),
    }
}

/// Returns an id as written in `traceparent`.
pub fn hex(id: &[u8]) -> String {
    id.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

fn serve(stream: &TcpStream, status: &AtomicU16, taken: &Mutex<Vec<Taken>>) {
    let mut reader = BufReader::new(stream);
    loop {
        let mut head = String::new();
        while !head.ends_with("\r\n\r\n") {
            if reader.read_line(&mut head).unwrap_or(0) == 0 {
                return;
            }
        }
        let length = head.lines().find_map(|line| line.to_lowercase().strip_prefix("content-length: ")?.parse().ok());
        let mut body = vec![0; length.expect("a length")];
        reader.read_exact(&mut body).expect("a body");
        let status = status.load(Ordering::SeqCst);
        if status == 200 {
            let request = ExportTraceServiceRequest::decode(body.as_slice()).expect("OTLP");
            for of in request.resource_spans {
                let resource = of.resource.map(|resource| resource.attributes).unwrap_or_default();
                let spans = of.scope_spans.into_iter().flat_map(|of| of.spans).collect();
                taken.lock().expect("no thread panicked").push(Taken { head: head.clone(), resource, spans });
            }
        }
        let answer =
            format!("HTTP/1.1 {status} Answer\r\ncontent-type: application/x-protobuf\r\ncontent-length: 0\r\n\r\n");
        let mut stream = stream;
        if stream.write_all(answer.as_bytes()).is_err() {
            return;
        }
    }
}
