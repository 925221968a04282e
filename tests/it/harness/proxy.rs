//! A TCP proxy that can fall silent: what went through it stays open on both sides, but nothing passes any more.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;

/// Forwards to a port on this machine for as long as the test runs.
pub struct Proxy {
    port: u16,
    /// Connections made under an earlier number are silent.
    era: Arc<AtomicUsize>,
    /// The ends of silent connections, kept from closing.
    kept: Arc<Mutex<Vec<TcpStream>>>,
}

impl Proxy {
    pub fn to(port: u16) -> Proxy {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let proxy = Proxy {
            port: listener.local_addr().expect("its address").port(),
            era: Arc::default(),
            kept: Arc::default(),
        };
        let (era, kept) = (Arc::clone(&proxy.era), Arc::clone(&proxy.kept));
        thread::spawn(move || {
            for client in listener.incoming().flatten() {
                let Ok(server) = TcpStream::connect(("127.0.0.1", port)) else { continue };
                for (from, to) in [(&client, &server), (&server, &client)] {
                    let ends = (from.try_clone().expect("a handle"), to.try_clone().expect("a handle"));
                    let (era, kept) = (Arc::clone(&era), Arc::clone(&kept));
                    thread::spawn(move || forward(ends.0, ends.1, &era, &kept));
                }
            }
        });
        proxy
    }

    pub fn url(&self) -> String {
        format!("redis://127.0.0.1:{}/0", self.port)
    }

    /// Lets every connection of now fall silent, half-open; new ones work.
    pub fn silence(&self) {
        self.era.fetch_add(1, Ordering::SeqCst);
    }
}

fn forward(mut from: TcpStream, mut to: TcpStream, era: &AtomicUsize, kept: &Mutex<Vec<TcpStream>>) {
    let mine = era.load(Ordering::SeqCst);
    let mut buffer = [0; 16 * 1024];
    loop {
        let read = from.read(&mut buffer).unwrap_or(0);
        if era.load(Ordering::SeqCst) != mine {
            kept.lock().expect("not poisoned").extend([from, to]);
            return;
        }
        if read == 0 || to.write_all(&buffer[..read]).is_err() {
            let _ = to.shutdown(std::net::Shutdown::Both);
            return;
        }
    }
}
