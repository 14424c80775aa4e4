//! How to reach the daemon.

use std::time::Duration;

use tonic::metadata::{Ascii, MetadataValue};
use tonic::transport::Endpoint;

use crate::channel::{Channel, Headers, Patience};
use crate::client::Client;
use crate::error::Result;
use crate::target::{Target, invalid, or_environment};
use crate::tls::Tls;

const TIMEOUT: Duration = Duration::from_secs(10);
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
/// One attempt to connect may take this long even when the connect timeout is shorter.
const CONNECT_LEAST: Duration = Duration::from_secs(1);
const KEEPALIVE_INTERVAL: Duration = Duration::from_secs(20);
const KEEPALIVE_TIMEOUT: Duration = Duration::from_secs(10);

/// What a client is set to, before it is made: see [`Client::builder`].
#[derive(Clone, Debug)]
#[must_use]
pub struct ClientBuilder {
    target: Option<String>,
    token: Option<String>,
    tls: Option<Tls>,
    origin: Option<String>,
    patience: Patience,
}

impl ClientBuilder {
    pub(crate) fn new() -> Self {
        let patience = Patience { timeout: TIMEOUT, connect_timeout: CONNECT_TIMEOUT };
        Self { target: None, token: None, tls: None, origin: None, patience }
    }

    /// Where the daemon is: `HOST:PORT` or `unix:/path`. Without it `MEMORYD_ADDRESS`, else `127.0.0.1:7600`.
    pub fn target(mut self, target: impl Into<String>) -> Self {
        self.target = Some(target.into());
        self
    }

    /// The bearer token to send with each call. Without it `MEMORYD_TOKEN`, else none.
    pub fn token(mut self, token: impl Into<String>) -> Self {
        self.token = Some(token.into());
        self
    }

    /// Speak TLS. Without it the connection is in the clear.
    pub fn tls(mut self, tls: Tls) -> Self {
        self.tls = Some(tls);
        self
    }

    /// A name for this writer, which its events carry.
    pub fn origin(mut self, origin: impl Into<String>) -> Self {
        self.origin = Some(origin.into());
        self
    }

    /// How long a call may take with all its attempts; 10 s unless told otherwise.
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.patience.timeout = timeout;
        self
    }

    /// How long a daemon that was never heard from is asked again; 5 s unless told otherwise.
    pub fn connect_timeout(mut self, timeout: Duration) -> Self {
        self.patience.connect_timeout = timeout;
        self
    }

    /// Makes the client. The daemon is asked nothing: the first call connects.
    ///
    /// # Errors
    ///
    /// `InvalidTarget` for an address that is none, TLS files that cannot be used, or a token or an origin that cannot
    /// be sent as a header.
    ///
    /// # Panics
    ///
    /// Outside of a tokio runtime, which drives the connection.
    pub fn connect(self) -> Result<Client> {
        let target = Target::resolve(self.target.as_deref())?;
        let headers = Headers {
            authorization: or_environment(self.token.as_deref(), "MEMORYD_TOKEN")
                .map(|token| header_of("token", &format!("Bearer {token}")))
                .transpose()?,
            origin: self
                .origin
                .filter(|origin| !origin.is_empty())
                .map(|origin| header_of("origin", &origin))
                .transpose()?,
        };
        let endpoint = endpoint_of(&target, self.tls.as_ref())?
            .connect_timeout(self.patience.connect_timeout.max(CONNECT_LEAST))
            .http2_keep_alive_interval(KEEPALIVE_INTERVAL)
            .keep_alive_timeout(KEEPALIVE_TIMEOUT)
            .keep_alive_while_idle(true);
        Ok(Client::new(Channel::new(&target, endpoint.connect_lazy(), headers, self.patience)))
    }
}

fn endpoint_of(target: &Target, tls: Option<&Tls>) -> Result<Endpoint> {
    let unusable = |error: tonic::transport::Error| invalid(format!("the address {target} cannot be used: {error}"));
    match (target, tls) {
        (Target::Unix(_), Some(_)) => Err(invalid(format!("the socket {target} is not spoken to by TLS"))),
        (Target::Unix(_), None) => Endpoint::from_shared(target.to_string()).map_err(unusable),
        (Target::Tcp(address), None) => Endpoint::from_shared(format!("http://{address}")).map_err(unusable),
        (Target::Tcp(address), Some(tls)) => {
            let endpoint = Endpoint::from_shared(format!("https://{address}")).map_err(unusable)?;
            endpoint.tls_config(tls.config()?).map_err(|error| {
                let why = std::error::Error::source(&error).map_or_else(|| error.to_string(), ToString::to_string);
                invalid(format!("TLS cannot be used: {why}")).with_source(error)
            })
        }
    }
}

fn header_of(name: &str, text: &str) -> Result<MetadataValue<Ascii>> {
    let mut value: MetadataValue<Ascii> =
        text.parse().map_err(|_| invalid(format!("the {name} has characters that no header can carry")))?;
    value.set_sensitive(name == "token");
    Ok(value)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::ErrorKind;

    #[tokio::test]
    async fn connecting_asks_nothing_of_the_daemon() {
        let client = Client::builder().target("127.0.0.1:1").connect().unwrap();
        assert_eq!(client.target(), "127.0.0.1:1");
    }

    #[tokio::test]
    async fn what_no_header_can_carry_is_refused() {
        for builder in [Client::builder().token("a\nb"), Client::builder().origin("späher\n")] {
            assert_eq!(builder.connect().unwrap_err().kind(), ErrorKind::InvalidTarget);
        }
    }

    #[tokio::test]
    async fn a_socket_and_tls_exclude_each_other() {
        let error = Client::builder().target("unix:/s").tls(Tls::new()).connect().unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidTarget);
    }

    #[test]
    fn the_token_is_not_shown_by_debug() {
        assert!(!format!("{:?}", header_of("token", "Bearer secret").unwrap()).contains("secret"));
    }
}
