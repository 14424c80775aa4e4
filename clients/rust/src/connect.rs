//! The settings of a client.

use std::time::Duration;

use tonic::metadata::{Ascii, MetadataValue};
use tonic::transport::Endpoint;

use crate::batching::Batcher;
use crate::channel::{Channel, Headers, Patience};
use crate::client::Client;
use crate::error::{Error, ErrorKind, Result};
use crate::target::{Target, invalid, or_environment};
use crate::tls::Tls;

/// The daemon refuses versions with which it does not work.
const USER_AGENT: &str = concat!("memoryd-rust/", env!("CARGO_PKG_VERSION"));
const TIMEOUT: Duration = Duration::from_secs(10);
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
/// One attempt to connect may take this long even if the connect timeout is shorter.
const ATTEMPT_TIMEOUT_MIN: Duration = Duration::from_secs(1);
const KEEPALIVE_INTERVAL: Duration = Duration::from_secs(20);
const KEEPALIVE_TIMEOUT: Duration = Duration::from_secs(10);

/// Builds a [`Client`]: see [`Client::builder`].
#[derive(Clone, Debug)]
#[must_use]
pub struct ClientBuilder {
    target: Option<String>,
    token: Option<String>,
    tls: Option<Tls>,
    insecure_token: bool,
    origin: Option<String>,
    patience: Patience,
    batching: Option<Batching>,
}

/// How long a call waits for others that are sent with it.
#[derive(Clone, Copy, Debug)]
enum Batching {
    Turn,
    Window(Duration),
}

impl ClientBuilder {
    pub(crate) fn new() -> Self {
        let patience = Patience { timeout: TIMEOUT, connect_timeout: CONNECT_TIMEOUT };
        Self { target: None, token: None, tls: None, insecure_token: false, origin: None, patience, batching: None }
    }

    /// Sets the address, `HOST:PORT` or `unix:/path`. Default: `MEMORYD_ADDRESS`, else `127.0.0.1:7600`.
    pub fn target(mut self, target: impl Into<String>) -> Self {
        self.target = Some(target.into());
        self
    }

    /// Sets the bearer token. Default: `MEMORYD_TOKEN`, else none.
    pub fn token(mut self, token: impl Into<String>) -> Self {
        self.token = Some(token.into());
        self
    }

    /// Enables TLS. Default: no TLS. Needs the feature `tls-ring` or `tls-aws-lc` of the crate.
    #[cfg(any(feature = "tls-ring", feature = "tls-aws-lc"))]
    pub fn tls(mut self, tls: Tls) -> Self {
        self.tls = Some(tls);
        self
    }

    /// Allows sending the token to another machine without TLS, as over a network that encrypts by itself. Default:
    /// `InvalidTarget`.
    pub fn insecure_token(mut self) -> Self {
        self.insecure_token = true;
        self
    }

    /// Sets a name for this writer, which its events carry. Default: none.
    pub fn origin(mut self, origin: impl Into<String>) -> Self {
        self.origin = Some(origin.into());
        self
    }

    /// Sets the timeout of a call with all its retries. Default: 10 s.
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.patience.timeout = timeout;
        self
    }

    /// Limits the retries while no call has reached the daemon yet. Default: 5 s.
    pub fn connect_timeout(mut self, timeout: Duration) -> Self {
        self.patience.connect_timeout = timeout;
        self
    }

    /// Sends gets, sets and removes of working memory together that are called in one turn of the runtime: by tasks that
    /// are ready to run at the same time. Default: off.
    ///
    /// Each call has the result and the error that it has by itself. Writes that were sent together have one revision.
    /// A call waits until this client's earlier writes of the same key are answered. Calls with a condition or a
    /// consistency, of a client [with another timeout](Client::with_timeout), and all other calls are sent by themselves,
    /// after the writes of their agent that are on their way.
    pub fn batching(mut self) -> Self {
        self.batching = Some(Batching::Turn);
        self
    }

    /// Sends calls together as [`batching`](Self::batching) does, which are made within this time after the first of them:
    /// at most the timeout of a call. Replaces `batching`.
    pub fn batching_within(mut self, window: Duration) -> Self {
        self.batching = Some(Batching::Window(window));
        self
    }

    /// Returns the client. The first call connects it.
    ///
    /// # Errors
    ///
    /// `InvalidTarget` if the address or the TLS files cannot be used, if the token or the origin cannot be sent as a
    /// header, or if a token would be sent to another machine without TLS; `InvalidArgument` for a window of batching that
    /// is longer than the timeout.
    ///
    /// # Panics
    ///
    /// Panics outside a tokio runtime, which drives the connection.
    pub fn connect(self) -> Result<Client> {
        let target = Target::resolve(self.target.as_deref())?;
        let token = or_environment(self.token.as_deref(), "MEMORYD_TOKEN");
        if token.is_some() && self.tls.is_none() && !self.insecure_token {
            target.check_secrecy()?;
        }
        let batcher = match self.batching {
            Some(Batching::Window(window)) if window > self.patience.timeout => {
                let message = format!("the window of batching must be at most the timeout of a call, not {window:?}");
                return Err(Error::new(ErrorKind::InvalidArgument, message));
            }
            Some(Batching::Window(window)) => Some(Batcher::new(Some(window))),
            Some(Batching::Turn) => Some(Batcher::new(None)),
            None => None,
        };
        let headers = Headers {
            authorization: token.map(|token| header_of("token", &format!("Bearer {token}"))).transpose()?,
            origin: self
                .origin
                .filter(|origin| !origin.is_empty())
                .map(|origin| header_of("origin", &origin))
                .transpose()?,
        };
        let endpoint = endpoint_of(&target, self.tls.as_ref())?
            .user_agent(USER_AGENT)
            .map_err(|error| invalid(format!("the user agent cannot be sent: {error}")))?
            .connect_timeout(self.patience.connect_timeout.max(ATTEMPT_TIMEOUT_MIN))
            .http2_keep_alive_interval(KEEPALIVE_INTERVAL)
            .keep_alive_timeout(KEEPALIVE_TIMEOUT)
            .keep_alive_while_idle(true);
        Ok(Client::new(Channel::new(&target, endpoint.connect_lazy(), headers, self.patience, batcher)))
    }
}

fn endpoint_of(target: &Target, tls: Option<&Tls>) -> Result<Endpoint> {
    let unusable = |error: tonic::transport::Error| invalid(format!("the address {target} cannot be used: {error}"));
    match (target, tls) {
        (Target::Unix(_), Some(_)) => Err(invalid(format!("the socket {target} does not support TLS"))),
        (Target::Unix(_), None) => Endpoint::from_shared(target.to_string()).map_err(unusable),
        (Target::Tcp(address), None) => Endpoint::from_shared(format!("http://{address}")).map_err(unusable),
        (Target::Tcp(address), Some(tls)) => {
            tls.apply(Endpoint::from_shared(format!("https://{address}")).map_err(unusable)?)
        }
    }
}

fn header_of(name: &str, text: &str) -> Result<MetadataValue<Ascii>> {
    let mut value: MetadataValue<Ascii> =
        text.parse().map_err(|_| invalid(format!("the {name} has characters that are not allowed in a header")))?;
    value.set_sensitive(name == "token");
    Ok(value)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::ErrorKind;

    #[tokio::test]
    async fn connecting_does_not_call_the_daemon() {
        let client = Client::builder().target("127.0.0.1:1").connect().unwrap();
        assert_eq!(client.target(), "127.0.0.1:1");
    }

    #[tokio::test]
    async fn characters_that_are_not_allowed_in_a_header_are_refused() {
        for builder in [Client::builder().token("a\nb"), Client::builder().origin("späher\n")] {
            assert_eq!(builder.connect().unwrap_err().kind(), ErrorKind::InvalidTarget);
        }
    }

    #[tokio::test]
    async fn a_token_is_sent_to_another_machine_only_by_tls_or_on_request() {
        for target in ["memory.example:1", "10.0.0.1:1", "[::2]:1", "127.0.0.1.example:1", "0.0.0.0:1"] {
            let builder = Client::builder().target(target).token("secret");
            let error = builder.clone().connect().unwrap_err();
            assert_eq!(error.kind(), ErrorKind::InvalidTarget);
            let message =
                format!("the token would be sent to {target} in the clear: use TLS, or allow it by insecure_token");
            assert_eq!(error.message(), message);
            builder.clone().insecure_token().connect().unwrap();
            builder.tls(Tls::new()).connect().unwrap();
            Client::builder().target(target).connect().unwrap();
        }
    }

    #[tokio::test]
    async fn a_token_may_be_sent_within_this_machine() {
        for target in ["127.0.0.1:1", "127.8.8.8:1", "localhost:1", "LOCALHOST:1", "[::1]:1", "unix:/run/m.sock"] {
            Client::builder().target(target).token("secret").connect().unwrap();
        }
    }

    #[tokio::test]
    async fn a_socket_and_tls_exclude_each_other() {
        let error = Client::builder().target("unix:/s").tls(Tls::new()).connect().unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidTarget);
    }

    #[test]
    fn debug_output_does_not_contain_the_token() {
        assert!(!format!("{:?}", header_of("token", "Bearer secret").unwrap()).contains("secret"));
    }
}
