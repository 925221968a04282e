//! Protection of private networks: names are resolved to public addresses only, and addresses in URLs must be public.
//!
//! The check is part of connecting, so what a name resolves to cannot change in between.

use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use reqwest::{Url, tls};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, ToSocketAddrs};

/// Resolves names to public addresses only.
pub(super) struct PublicOnly;

impl Resolve for PublicOnly {
    fn resolve(&self, name: Name) -> Resolving {
        Box::pin(async move {
            let host = name.as_str().to_owned();
            let found = tokio::task::spawn_blocking(move || (host.as_str(), 0).to_socket_addrs()).await??;
            let public: Vec<SocketAddr> = found.filter(|address| is_public(address.ip())).collect();
            if public.is_empty() {
                return Err(REFUSED.into());
            }
            Ok(Box::new(public.into_iter()) as Addrs)
        })
    }
}

/// The message for an address that is not public.
const REFUSED: &str = "its address is in a private network; if that is intended, set allow_private = true for it";

/// Checks a URL: https only, and no private address in it. `private`: any http or https.
///
/// # Errors
/// A sentence that states why it is not allowed.
pub(super) fn check(url: &Url, private: bool) -> Result<(), String> {
    if !url.username().is_empty() || url.password().is_some() {
        return Err("its URL contains a user or password; use a token instead".to_owned());
    }
    match url.scheme() {
        "https" => {}
        "http" if private => return Ok(()),
        "http" => return Err("its URL must begin with https://; http:// needs allow_private = true".to_owned()),
        other => return Err(format!("its URL begins with {other}:, but must begin with https://")),
    }
    let address = url.host_str().and_then(|host| host.trim_matches(['[', ']']).parse::<IpAddr>().ok());
    match address {
        Some(address) if !private && !is_public(address) => Err(REFUSED.to_owned()),
        _ => Ok(()),
    }
}

/// The minimum TLS version.
pub(super) const LEAST_TLS: tls::Version = tls::Version::TLS_1_2;

/// Reports whether an address is public.
pub(super) fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => is_public_v4(address),
        IpAddr::V6(address) => is_public_v6(address),
    }
}

fn is_public_v4(address: Ipv4Addr) -> bool {
    let [a, b, c, _] = address.octets();
    let shared = a == 100 && (64..128).contains(&b);
    let special = (a, b, c) == (192, 0, 0) || (a, b, c) == (192, 88, 99) || (a == 198 && (b == 18 || b == 19));
    !(a == 0
        || a >= 240
        || shared
        || special
        || address.is_private()
        || address.is_loopback()
        || address.is_link_local()
        || address.is_multicast()
        || address.is_documentation())
}

/// Only allocated addresses (2000::/3), except those that carry an IPv4 address elsewhere.
fn is_public_v6(address: Ipv6Addr) -> bool {
    if let Some(mapped) = address.to_ipv4_mapped() {
        return is_public_v4(mapped);
    }
    let parts = address.segments();
    // NAT64 (64:ff9b::/96 and 64:ff9b:1::/48) is outside the allocated range.
    let given_out = parts[0] & 0xe000 == 0x2000;
    let teredo_and_such = parts[0] == 0x2001 && parts[1] < 0x0200;
    let documentation = (parts[0] == 0x2001 && parts[1] == 0x0db8) || parts[0] == 0x3fff;
    let six_to_four = parts[0] == 0x2002;
    given_out && !teredo_and_such && !documentation && !six_to_four
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_public_addresses_are_public() {
        for private in [
            "127.0.0.1",
            "127.8.9.10",
            "0.0.0.0",
            "0.1.2.3",
            "10.0.0.1",
            "172.16.0.1",
            "172.31.255.255",
            "192.168.1.1",
            "169.254.169.254",
            "100.64.0.1",
            "100.127.255.255",
            "192.0.0.8",
            "198.18.0.1",
            "203.0.113.7",
            "224.0.0.1",
            "240.0.0.1",
            "255.255.255.255",
            "::",
            "::1",
            "::ffff:127.0.0.1",
            "::ffff:169.254.169.254",
            "::127.0.0.1",
            "64:ff9b::7f00:1",
            "64:ff9b::a9fe:a9fe",
            "64:ff9b:1::1",
            "2002:7f00:1::",
            "2001::1",
            "2001:db8::1",
            "fc00::1",
            "fd12::1",
            "fe80::1",
            "fec0::1",
            "ff02::1",
            "100::1",
        ] {
            assert!(!is_public(private.parse().unwrap()), "{private}");
        }
        for public in
            ["1.1.1.1", "100.128.0.1", "172.32.0.1", "::ffff:8.8.8.8", "2606:4700::1111", "2001:4860:4860::8888"]
        {
            assert!(is_public(public.parse().unwrap()), "{public}");
        }
    }

    #[test]
    fn urls_that_lead_inside_are_refused_however_they_are_written() {
        let said = |url: &str, private| check(&Url::parse(url).unwrap(), private);
        for url in [
            "https://127.0.0.1/x",
            "https://2130706433/x",
            "https://0x7f.1/x",
            "https://0177.0.0.1/x",
            "https://[::1]/x",
            "https://[::ffff:7f00:1]/x",
            "https://[64:ff9b::a9fe:a9fe]/latest",
            "https://169.254.169.254/latest/meta-data",
        ] {
            assert_eq!(said(url, false), Err(REFUSED.to_owned()), "{url}");
            assert_eq!(said(url, true), Ok(()), "{url}");
        }
        assert_eq!(said("https://example.org/x", false), Ok(()));
        assert!(said("http://example.org/x", false).is_err());
        assert!(said("https://me:pw@example.org/x", true).is_err());
        assert!(said("ftp://example.org/x", true).is_err());
    }
}
