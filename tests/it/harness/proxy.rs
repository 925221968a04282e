//! A TCP proxy that fails as networks do: it cuts, goes silent half-open, delays, slices, and redirects.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicU16, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

/// Forwards to a port on this machine for as long as the test runs.
pub struct Proxy {
    port: u16,
    shared: Arc<Shared>,
}

/// The treatment of traffic.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Passage {
    /// Without delay.
    Free,
    /// Two seconds late.
    Late,
    /// One byte at a time.
    Sliced,
}

#[derive(Default)]
struct Shared {
    target: AtomicU16,
    /// Connections made under an earlier number are silent, or cut.
    era: AtomicUsize,
    passage: AtomicUsize,
    /// The ends of silent connections, kept from closing.
    kept: Mutex<Vec<TcpStream>>,
    /// The ends of all connections of this era.
    open: Mutex<Vec<TcpStream>>,
}

impl Proxy {
    pub fn to(port: u16) -> Proxy {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let proxy =
            Proxy { port: listener.local_addr().expect("its address").port(), shared: Arc::new(Shared::default()) };
        proxy.lead_to(port);
        let shared = Arc::clone(&proxy.shared);
        thread::spawn(move || {
            for client in listener.incoming().flatten() {
                let target = shared.target.load(Ordering::SeqCst);
                let Ok(server) = TcpStream::connect(("127.0.0.1", target)) else { continue };
                for (from, to) in [(&client, &server), (&server, &client)] {
                    let _ = to.set_nodelay(true);
                    let ends = (from.try_clone().expect("a handle"), to.try_clone().expect("a handle"));
                    shared.open.lock().expect("not poisoned").push(from.try_clone().expect("a handle"));
                    let shared = Arc::clone(&shared);
                    thread::spawn(move || forward(ends.0, ends.1, &shared));
                }
            }
        });
        proxy
    }

    pub fn url(&self) -> String {
        format!("redis://127.0.0.1:{}/0", self.port)
    }

    /// Directs new connections to this port.
    pub fn lead_to(&self, port: u16) {
        self.shared.target.store(port, Ordering::SeqCst);
    }

    /// Silences every current connection, half-open; new ones work.
    pub fn silence(&self) {
        self.shared.era.fetch_add(1, Ordering::SeqCst);
        self.shared.open.lock().expect("not poisoned").clear();
    }

    /// Cuts every current connection; new ones work.
    pub fn cut(&self) {
        for end in self.shared.open.lock().expect("not poisoned").drain(..) {
            let _ = end.shutdown(std::net::Shutdown::Both);
        }
    }

    /// Sets the treatment of traffic from now on.
    pub fn pass(&self, passage: Passage) {
        self.shared.passage.store(passage as usize, Ordering::SeqCst);
    }
}

fn forward(mut from: TcpStream, mut to: TcpStream, shared: &Shared) {
    let mine = shared.era.load(Ordering::SeqCst);
    let mut buffer = [0; 16 * 1024];
    loop {
        let read = from.read(&mut buffer).unwrap_or(0);
        if shared.era.load(Ordering::SeqCst) != mine {
            shared.kept.lock().expect("not poisoned").extend([from, to]);
            return;
        }
        let passage = shared.passage.load(Ordering::SeqCst);
        if passage == Passage::Late as usize {
            thread::sleep(Duration::from_secs(2));
        }
        let sent = if passage == Passage::Sliced as usize {
            buffer[..read].iter().try_for_each(|byte| to.write_all(&[*byte]))
        } else {
            to.write_all(&buffer[..read])
        };
        if read == 0 || sent.is_err() {
            let _ = to.shutdown(std::net::Shutdown::Both);
            return;
        }
    }
}
