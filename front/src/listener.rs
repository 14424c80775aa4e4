//! Addresses: bound by name or by path, and their connections accepted.

use std::io;
use std::net::{SocketAddr, ToSocketAddrs};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use socket2::{Domain, Protocol, SockRef, Socket, TcpKeepalive, Type};
use tokio::net::{TcpListener, TcpStream, UnixListener, UnixStream};
use tokio::sync::watch;
use tokio::time::sleep;

use crate::connection::{Connection, Stage, UNIX, begun, run};
use crate::count::Refused;
use crate::lane::Lane;
use crate::limit::{ACCEPT_RETRY, BACKLOG, KEEP_ALIVE_RETRIES};
use crate::route::Shared;
use crate::tls::{Tls, names};

/// A bound address.
pub enum Listener {
    Tcp(std::net::TcpListener, Option<Arc<Tls>>),
    Unix(std::os::unix::net::UnixListener),
}

impl Listener {
    /// Bind all addresses of ``HOST:PORT``. Returns the port. Port 0 is any free one, the same for all of them.
    pub fn tcp(address: &str, tls: Option<&Arc<Tls>>, shares_ports: bool) -> io::Result<(Vec<Self>, u16)> {
        let mut bound = Vec::new();
        let mut port = None;
        for mut each in address.to_socket_addrs()? {
            each.set_port(port.unwrap_or_else(|| each.port()));
            let listener = bind(each, shares_ports)?;
            port = Some(listener.local_addr()?.port());
            bound.push(Self::Tcp(listener, tls.cloned()));
        }
        let port = port.ok_or_else(|| io::Error::other("the name has no address"))?;
        Ok((bound, port))
    }

    /// Bind a path.
    pub fn unix(path: &str) -> io::Result<Self> {
        let socket = Socket::new(Domain::UNIX, Type::STREAM, None)?;
        socket.bind(&socket2::SockAddr::unix(path)?)?;
        socket.listen(BACKLOG)?;
        socket.set_nonblocking(true)?;
        Ok(Self::Unix(socket.into()))
    }

    /// Accept connections until the front end drains. Each is passed to the next of the threads.
    pub async fn accept(
        self,
        shared: Arc<Shared>,
        threads: Vec<Seat>,
        mut stage: watch::Receiver<Stage>,
    ) -> io::Result<()> {
        let accepted = Arc::new(AtomicUsize::new(0));
        let mut next = 0;
        // HTTP/2 has pings of its own. A stream of HTTP/1.1 that sends nothing would never notice that its client is gone.
        let keep_alive = TcpKeepalive::new()
            .with_time(shared.settings.keep_alive)
            .with_interval(shared.settings.keep_alive_timeout)
            .with_retries(KEEP_ALIVE_RETRIES);
        let source = match self {
            Self::Tcp(listener, tls) => Source::Tcp(TcpListener::from_std(listener)?, tls),
            Self::Unix(listener) => Source::Unix(UnixListener::from_std(listener)?),
        };
        loop {
            let stream = tokio::select! {
                stream = source.accept(&keep_alive) => stream,
                _ = stage.changed() => return Ok(()),
            };
            let stream = match stream {
                Ok(stream) => stream,
                // A client that has left already delays no others.
                Err(error) if is_of_client(&error) => continue,
                // Such as no more open files: others close theirs.
                Err(_) => {
                    sleep(ACCEPT_RETRY).await;
                    continue;
                }
            };
            let place = Place::take(&accepted, &shared);
            if accepted.load(Ordering::Acquire) > shared.settings.connections_max {
                shared.refused.add(Refused::Connections);
                continue;
            }
            next = (next + 1) % threads.len();
            threads[next].serve(stream, place, &shared, &stage);
        }
    }
}

/// A thread that serves connections: its runtime, and its lane.
#[derive(Clone)]
pub struct Seat {
    pub runtime: tokio::runtime::Handle,
    pub lane: Arc<Lane>,
}

impl Seat {
    fn serve(&self, stream: Accepted, place: Place, shared: &Arc<Shared>, stage: &watch::Receiver<Stage>) {
        let (shared, lane, mut stage) = (Arc::clone(shared), Arc::clone(&self.lane), stage.clone());
        self.runtime.spawn(async move {
            let _place = place;
            match stream {
                Accepted::Unix(stream) => {
                    if let Ok(stream) = UnixStream::from_std(stream) {
                        let connection = Connection::new(unix_address(&stream), Vec::new(), shared, lane);
                        run(connection, stream, stage).await;
                    }
                }
                Accepted::Tcp(stream, address, None) => {
                    if let Ok(stream) = TcpStream::from_std(stream) {
                        let connection = Connection::new(tcp_address(address), Vec::new(), shared, lane);
                        run(connection, stream, stage).await;
                    }
                }
                Accepted::Tcp(stream, address, Some(tls)) => {
                    let Ok(stream) = TcpStream::from_std(stream) else {
                        return;
                    };
                    let handshake = tls.acceptor().accept(stream);
                    if let Some(stream) = begun(handshake, shared.settings.handshake, &mut stage).await {
                        let certificate = stream.get_ref().1.peer_certificates().and_then(<[_]>::first);
                        let identities = certificate.map(names).unwrap_or_default();
                        let connection = Connection::new(tcp_address(address), identities, shared, lane);
                        run(connection, stream, stage).await;
                    }
                }
            }
        });
    }
}

enum Source {
    Tcp(TcpListener, Option<Arc<Tls>>),
    Unix(UnixListener),
}

/// A stream that no runtime has yet.
enum Accepted {
    Tcp(std::net::TcpStream, SocketAddr, Option<Arc<Tls>>),
    Unix(std::os::unix::net::UnixStream),
}

impl Source {
    async fn accept(&self, keep_alive: &TcpKeepalive) -> io::Result<Accepted> {
        match self {
            Self::Tcp(listener, tls) => {
                let (stream, address) = listener.accept().await?;
                // It may fail for a client that has left already.
                let _ = stream.set_nodelay(true);
                let _ = SockRef::from(&stream).set_tcp_keepalive(keep_alive);
                Ok(Accepted::Tcp(stream.into_std()?, address, tls.clone()))
            }
            Self::Unix(listener) => Ok(Accepted::Unix(listener.accept().await?.0.into_std()?)),
        }
    }
}

/// The place of a connection, in the number of its address and of all.
struct Place {
    accepted: Arc<AtomicUsize>,
    shared: Arc<Shared>,
}

impl Place {
    fn take(accepted: &Arc<AtomicUsize>, shared: &Arc<Shared>) -> Self {
        accepted.fetch_add(1, Ordering::AcqRel);
        shared.connections.fetch_add(1, Ordering::AcqRel);
        Self {
            accepted: Arc::clone(accepted),
            shared: Arc::clone(shared),
        }
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.accepted.fetch_sub(1, Ordering::AcqRel);
        self.shared.connections.fetch_sub(1, Ordering::AcqRel);
    }
}

fn is_of_client(error: &io::Error) -> bool {
    use io::ErrorKind::{ConnectionAborted, ConnectionRefused, ConnectionReset};
    matches!(error.kind(), ConnectionAborted | ConnectionRefused | ConnectionReset)
}

fn bind(address: SocketAddr, shares_ports: bool) -> io::Result<std::net::TcpListener> {
    let socket = Socket::new(Domain::for_address(address), Type::STREAM, Some(Protocol::TCP))?;
    socket.set_reuse_address(true)?;
    if shares_ports {
        socket.set_reuse_port(true)?;
    }
    if address.is_ipv6() {
        // As gRPC does: the wildcard address serves IPv4, too.
        socket.set_only_v6(!address.ip().is_unspecified())?;
    }
    socket.bind(&address.into())?;
    socket.listen(BACKLOG)?;
    socket.set_nonblocking(true)?;
    Ok(socket.into())
}

fn tcp_address(address: SocketAddr) -> String {
    match address {
        SocketAddr::V4(address) => format!("ipv4:{address}"),
        SocketAddr::V6(address) => format!("ipv6:{address}"),
    }
}

/// The process and the user at the other end: the path of a client's socket is empty.
fn unix_address(stream: &UnixStream) -> String {
    stream.peer_cred().map_or_else(
        |_| UNIX.to_owned(),
        |peer| format!("{UNIX}pid={},uid={}", peer.pid().unwrap_or_default(), peer.uid()),
    )
}
