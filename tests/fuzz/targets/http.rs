//! Whatever arrives on the HTTP port: it is answered in HTTP, or the connection ends, and the next one is answered.

#![no_main]

use feedbackd::app::admin::health::Readiness;
use feedbackd::web::{Endpoints, Limits, router};
use feedbackd::web::serve;
use feedbackd::metrics;
use libfuzzer_sys::fuzz_target;
use std::io::{Read, Write};
use std::net::{Ipv4Addr, Shutdown, TcpListener, TcpStream};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, LazyLock};
use std::time::Duration;
use tokio_util::sync::CancellationToken;

static PORT: LazyLock<u16> = LazyLock::new(start);
/// Each connection goes to another address of this machine, for ports rest after use.
static CONNECTIONS: AtomicU32 = AtomicU32::new(0);

fuzz_target!(|data: &[u8]| {
    let mut stream = TcpStream::connect((address(), *PORT)).expect("it listens");
    stream.set_read_timeout(Some(Duration::from_secs(10))).expect("a socket");
    let _ = stream.write_all(data);
    let _ = stream.shutdown(Shutdown::Write);
    let mut answer = Vec::new();
    match stream.read_to_end(&mut answer) {
        Err(error) if error.kind() == std::io::ErrorKind::WouldBlock => panic!("it hangs"),
        _ => assert!(answer.is_empty() || answer.starts_with(b"HTTP/1."), "{}", answer.escape_ascii()),
    }
});

fn address() -> Ipv4Addr {
    let [_, b, c, d] = (CONNECTIONS.fetch_add(1, Ordering::Relaxed) / 16).to_be_bytes();
    Ipv4Addr::new(127, b, c, d.max(1))
}

fn start() -> u16 {
    let readiness = Arc::new(Readiness::new(Duration::from_secs(30)));
    let metrics = metrics::install().expect("the only recorder");
    let limits = Limits { requests_per_second: 1_000_000, ..Limits::default() };
    let routes = router(Endpoints { readiness, metrics, services: None, identity: Arc::default(), limits: limits.clone() });
    let listener = TcpListener::bind("0.0.0.0:0").expect("a free port");
    listener.set_nonblocking(true).expect("for tokio");
    let port = listener.local_addr().expect("bound").port();
    std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
        runtime.block_on(async {
            let listener = tokio::net::TcpListener::from_std(listener).expect("registered");
            serve(listener, routes, limits, CancellationToken::new()).await;
        });
    });
    port
}
