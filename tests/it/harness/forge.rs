//! The API of a forge as a server on this machine, which answers as a test specifies: late, cut off, rejected. It
//! records its requests.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

/// A request.
#[derive(Clone, Debug)]
pub struct Asked {
    pub method: String,
    /// The path, with the query.
    pub path: String,
    /// The headers, with names in lower case.
    pub headers: Vec<(String, String)>,
    /// The body; null if there is none.
    pub body: serde_json::Value,
}

/// An answer.
#[derive(Clone, Debug, Default)]
pub struct Answered {
    pub status: u16,
    pub headers: Vec<(&'static str, String)>,
    pub body: String,
    /// The number of body bytes after which the connection is cut.
    pub cut: Option<usize>,
}

/// The server. Dropping it stops it.
pub struct ForgeServer {
    port: u16,
    asked: Arc<Mutex<Vec<Asked>>>,
    stop: Arc<AtomicBool>,
}

impl Asked {
    /// Returns a field of the query.
    pub fn query(&self, name: &str) -> Option<&str> {
        let (_, query) = self.path.split_once('?')?;
        query.split('&').filter_map(|pair| pair.split_once('=')).find(|(key, _)| *key == name).map(|(_, value)| value)
    }

    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }
}

impl Answered {
    pub fn json(body: &serde_json::Value) -> Answered {
        Answered { status: 200, body: body.to_string(), ..Answered::default() }
    }

    pub fn status(status: u16) -> Answered {
        Answered { status, body: "{}".to_owned(), ..Answered::default() }
    }

    pub fn with(mut self, name: &'static str, value: impl Into<String>) -> Answered {
        self.headers.push((name, value.into()));
        self
    }
}

impl ForgeServer {
    /// Starts it; `answer` receives the port, for the addresses of next pages.
    pub fn start(answer: impl Fn(u16, &Asked) -> Answered + Send + Sync + 'static) -> ForgeServer {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let port = listener.local_addr().expect("an address").port();
        let (asked, stop) = (Arc::new(Mutex::new(Vec::new())), Arc::new(AtomicBool::new(false)));
        let (log, ended, answer) = (Arc::clone(&asked), Arc::clone(&stop), Arc::new(answer));
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                if ended.load(Ordering::SeqCst) {
                    return;
                }
                let (log, answer) = (Arc::clone(&log), Arc::clone(&answer));
                std::thread::spawn(move || serve(&stream, &log, &|asked| answer(port, asked)));
            }
        });
        ForgeServer { port, asked, stop }
    }

    pub fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// Returns all requests.
    pub fn asked(&self) -> Vec<Asked> {
        self.asked.lock().expect("no thread panicked").clone()
    }
}

impl Drop for ForgeServer {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::SeqCst);
        let _ = TcpStream::connect(("127.0.0.1", self.port));
    }
}

fn serve(stream: &TcpStream, log: &Mutex<Vec<Asked>>, answer: &dyn Fn(&Asked) -> Answered) {
    let mut reader = BufReader::new(stream);
    let _ = stream.set_nodelay(true);
    loop {
        let mut lines = Vec::new();
        loop {
            let mut line = String::new();
            if reader.read_line(&mut line).unwrap_or(0) == 0 {
                return;
            }
            if line.trim().is_empty() {
                break;
            }
            lines.push(line.trim().to_owned());
        }
        let mut first = lines[0].split(' ');
        let method = first.next().unwrap_or_default().to_owned();
        let path = first.next().unwrap_or_default().to_owned();
        let header = |line: &String| line.split_once(": ").map(|(name, value)| (name.to_lowercase(), value.to_owned()));
        let headers: Vec<(String, String)> = lines.iter().skip(1).filter_map(header).collect();
        let length = headers.iter().find(|(name, _)| name == "content-length").and_then(|(_, size)| size.parse().ok());
        let mut body = vec![0; length.unwrap_or(0)];
        if reader.read_exact(&mut body).is_err() {
            return;
        }
        let body = serde_json::from_slice(&body).unwrap_or_default();
        let asked = Asked { method, path, headers, body };
        log.lock().expect("no thread panicked").push(asked.clone());
        let said = answer(&asked);
        let mut head = format!("HTTP/1.1 {} x\r\ncontent-type: application/json\r\n", said.status);
        for (name, value) in &said.headers {
            head += &format!("{name}: {value}\r\n");
        }
        let body = if said.status == 304 { "" } else { &said.body };
        head += &format!("content-length: {}\r\n\r\n", body.len());
        let sent = said.cut.map_or(body, |cut| &body[..cut.min(body.len())]);
        let mut stream = stream;
        // Head and body in one write: otherwise each side waits for the other.
        if stream.write_all(format!("{head}{sent}").as_bytes()).is_err() || said.cut.is_some() {
            let _ = stream.shutdown(std::net::Shutdown::Both);
            return;
        }
    }
}
