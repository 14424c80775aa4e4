//! The daemon's address.

use std::net::IpAddr;
use std::{env, fmt};

use crate::error::{Error, ErrorKind, Result};

const DEFAULT: &str = "127.0.0.1:7600";

/// A valid address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Target {
    Tcp(String),
    Unix(String),
}

impl Target {
    /// Parses the given address, else `MEMORYD_ADDRESS`, else the default.
    pub(crate) fn resolve(given: Option<&str>) -> Result<Self> {
        Self::parse(&or_environment(given, "MEMORYD_ADDRESS").unwrap_or_else(|| DEFAULT.to_owned()))
    }

    fn parse(address: &str) -> Result<Self> {
        if let Some(path) = address.strip_prefix("unix:") {
            return match path.strip_prefix("//").unwrap_or(path) {
                "" => Err(invalid(format!("the address {address:?} names no socket: use unix:/path"))),
                path => Ok(Self::Unix(path.to_owned())),
            };
        }
        // An IPv6 host needs brackets: without them the start of the port is ambiguous.
        let valid = address.rsplit_once(':').is_some_and(|(host, port)| {
            let bracketed = host.starts_with('[') && host.ends_with(']');
            let digits = port.bytes().all(|byte| byte.is_ascii_digit());
            let port_fits = digits && port.parse::<u16>().is_ok_and(|port| port > 0);
            !host.is_empty() && (bracketed || !host.contains(':')) && port_fits
        });
        if valid {
            Ok(Self::Tcp(address.to_owned()))
        } else {
            Err(invalid(format!("the address {address:?} is neither HOST:PORT nor unix:/path")))
        }
    }

    /// Refuses a target for a token without TLS, unless the target is on this machine. A host name other than
    /// localhost may be that of another machine.
    pub(crate) fn check_secrecy(&self) -> Result<()> {
        let Self::Tcp(address) = self else { return Ok(()) };
        let host = address.rsplit_once(':').map_or("", |(host, _)| host).trim_matches(['[', ']']);
        let is_loopback = host
            .parse::<IpAddr>()
            .map_or_else(|_| host.eq_ignore_ascii_case("localhost"), |address| address.is_loopback());
        if is_loopback {
            Ok(())
        } else {
            let advice = "use TLS, or allow it by insecure_token";
            Err(invalid(format!("the token would be sent to {address} in the clear: {advice}")))
        }
    }
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Tcp(address) => f.write_str(address),
            Self::Unix(path) => write!(f, "unix:{path}"),
        }
    }
}

/// Returns the given text, else the variable of the environment. An empty text counts as missing.
pub(crate) fn or_environment(given: Option<&str>, variable: &str) -> Option<String> {
    let filled = |text: &String| !text.is_empty();
    let given = given.map(str::to_owned).filter(filled);
    given.or_else(|| env::var(variable).ok().filter(filled))
}

pub(crate) fn invalid(message: impl Into<String>) -> Error {
    Error::new(ErrorKind::InvalidTarget, message)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_host_and_a_port_are_an_address() {
        for address in ["127.0.0.1:7600", "localhost:1", "[::1]:65535", "memory.example:443"] {
            assert_eq!(Target::parse(address).unwrap(), Target::Tcp(address.to_owned()));
            assert_eq!(Target::parse(address).unwrap().to_string(), address);
        }
    }

    #[test]
    fn a_socket_is_an_address() {
        for address in ["unix:/run/memoryd.sock", "unix:///run/memoryd.sock"] {
            let target = Target::parse(address).unwrap();
            assert_eq!(target, Target::Unix("/run/memoryd.sock".to_owned()));
            assert_eq!(target.to_string(), "unix:/run/memoryd.sock");
        }
    }

    #[test]
    fn anything_else_is_refused_and_named() {
        for address in
            ["localhost", ":7600", "host:", "host:0", "host:65536", "host:+80", "::1:7600", "unix:", "unix://"]
        {
            let error = Target::parse(address).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::InvalidTarget, "{address}");
            assert!(error.message().contains(address));
        }
    }

    #[test]
    fn a_given_text_takes_precedence_over_the_environment() {
        assert_eq!(or_environment(Some("given"), "PATH").as_deref(), Some("given"));
        assert_eq!(or_environment(Some(""), "PATH"), env::var("PATH").ok());
        assert_eq!(or_environment(None, "MEMORYD_NOBODY_SETS_THIS"), None);
    }
}
