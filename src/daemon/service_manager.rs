//! What is told to the program that supervises the daemon, by the protocol of sd_notify(3). Without one nothing is told.

use sd_notify::NotifyState;
use std::io;
use std::os::unix::net::UnixDatagram;
use std::sync::Once;

/// Tells it. That it cannot be told is logged once: nothing else depends on it here, but the supervisor waits.
pub(super) fn tell(state: &NotifyState<'_>) {
    static ONCE: Once = Once::new();
    let name = std::env::var_os("NOTIFY_SOCKET").unwrap_or_default();
    let told = match name.as_encoded_bytes().strip_prefix(b"@") {
        Some(name) => send_to_abstract(name, state),
        None => sd_notify::notify(std::slice::from_ref(state)),
    };
    if let Err(error) = told {
        ONCE.call_once(|| {
            tracing::warn!(socket = %name.display(), %error, "the supervisor cannot be told how the daemon is (NOTIFY_SOCKET)");
        });
    }
}

/// A socket that is no file, which the library takes for a path.
#[cfg(target_os = "linux")]
fn send_to_abstract(name: &[u8], state: &NotifyState<'_>) -> io::Result<()> {
    use std::os::linux::net::SocketAddrExt;
    let address = std::os::unix::net::SocketAddr::from_abstract_name(name)?;
    UnixDatagram::unbound()?.send_to_addr(format!("{state}\n").as_bytes(), &address).map(drop)
}

#[cfg(not(target_os = "linux"))]
fn send_to_abstract(_: &[u8], _: &NotifyState<'_>) -> io::Result<()> {
    Err(io::Error::new(io::ErrorKind::Unsupported, "abstract sockets are there on Linux alone"))
}
