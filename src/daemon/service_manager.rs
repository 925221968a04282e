//! Status messages to the daemon's supervisor, using the sd_notify(3) protocol. Without a supervisor nothing is sent.

use sd_notify::NotifyState;
use std::io;
use std::os::unix::net::UnixDatagram;
use std::sync::Once;

/// Sends a status. A failure is logged once: nothing else here depends on it, but the supervisor is waiting.
pub(super) fn tell(state: &NotifyState<'_>) {
    static ONCE: Once = Once::new();
    let name = std::env::var_os("NOTIFY_SOCKET").unwrap_or_default();
    let told = match name.as_encoded_bytes().strip_prefix(b"@") {
        Some(name) => send_to_abstract(name, state),
        None => sd_notify::notify(std::slice::from_ref(state)),
    };
    if let Err(error) = told {
        ONCE.call_once(|| {
            tracing::warn!(socket = %name.display(), %error, "cannot report the daemon's state to the supervisor \
                                                             (NOTIFY_SOCKET)");
        });
    }
}

/// Sends to a socket that is not a file; the library would treat it as a path.
#[cfg(target_os = "linux")]
fn send_to_abstract(name: &[u8], state: &NotifyState<'_>) -> io::Result<()> {
    use std::os::linux::net::SocketAddrExt;
    let address = std::os::unix::net::SocketAddr::from_abstract_name(name)?;
    UnixDatagram::unbound()?.send_to_addr(format!("{state}\n").as_bytes(), &address).map(drop)
}

#[cfg(not(target_os = "linux"))]
fn send_to_abstract(_: &[u8], _: &NotifyState<'_>) -> io::Result<()> {
    Err(io::Error::new(io::ErrorKind::Unsupported, "abstract sockets exist only on Linux"))
}
