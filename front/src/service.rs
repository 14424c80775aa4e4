//! Serves one call: what can be refused without Python is refused here, and all else is queued for it.

use std::convert::Infallible;
use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use http::request::Parts;
use http::{Request, Response, header};
use hyper::body::Incoming;
use tokio::time::{Instant, timeout, timeout_at};

use crate::call::Call;
use crate::connection::{Active, Connection};
use crate::count::Refused;
use crate::door::{self, is_for_door};
use crate::queue::Arrival;
use crate::request::{Broken, Early, Encoding, Messages, Metadata, Source, accepts_gzip, metadata_of, timeout_of};
use crate::response::{Body, LATE, Presence, refusal, response};
use crate::route::{Method, Shared};
use crate::status::{CANCELLED, DEADLINE_EXCEEDED, INTERNAL, Status};

/// An allowance for each header, as HTTP/2 counts it: RFC 9113, section 6.5.2.
const HEADER_OVERHEAD_BYTES: usize = 32;

/// The response, on the heap: a stream that stays open does not keep the room that its beginning took.
type Responding = Pin<Box<dyn Future<Output = Result<Response<Body>, Infallible>> + Send>>;

pub fn serve(connection: Arc<Connection>, request: Request<Incoming>) -> Responding {
    let active = connection.enter();
    let began = Instant::now();
    Box::pin(async move {
        let (parts, body) = request.into_parts();
        Ok(if is_for_door(&parts) {
            // On the heap, too: gRPC's calls need not have the room for it.
            let request = Request::from_parts(parts, body);
            Box::pin(door::serve(&connection, request, active, began)).await
        } else {
            call(&connection, parts, body, active, began).await
        })
    })
}

/// Serve a call of gRPC's.
pub async fn call<S: Source>(
    connection: &Arc<Connection>,
    parts: Parts,
    body: S,
    active: Active,
    began: Instant,
) -> Response<Body> {
    let head = checked(connection, &parts, began);
    drop(parts);
    match head {
        Ok(head) => respond(connection, head, body, active).await,
        Err(refused) => *refused,
    }
}

/// What the headers of a call say.
struct Head {
    method: Arc<Method>,
    path: String,
    metadata: Metadata,
    encoding: Encoding,
    compresses: bool,
    began: Instant,
    wait: Option<Duration>,
}

/// A call that Python has not seen, and never sees if it ends here.
struct Unseen<'a> {
    shared: &'a Shared,
    method: &'a Method,
    began: Instant,
}

impl Unseen<'_> {
    fn refused(&self, reason: Refused, status: &Status) -> Response<Body> {
        self.shared.refused.add(reason);
        self.method.durations.add(status.code, self.began);
        refusal(status)
    }

    /// The client no longer waits, or is not there any more.
    fn left(&self) -> Response<Body> {
        self.method.durations.add(CANCELLED, self.began);
        refusal(&Status::plain(DEADLINE_EXCEEDED, LATE))
    }
}

fn checked(connection: &Connection, parts: &Parts, began: Instant) -> Result<Head, Box<Response<Body>>> {
    let shared = &connection.shared;
    let method = Arc::clone(shared.method(parts.uri.path()));
    let unseen = Unseen {
        shared,
        method: &method,
        began,
    };
    let sizes = parts
        .headers
        .iter()
        .map(|(key, value)| key.as_str().len() + value.len() + HEADER_OVERHEAD_BYTES);
    if sizes.sum::<usize>() > shared.settings.metadata_bytes_max as usize {
        return Err(Box::new(unseen.refused(Refused::Metadata, &shared.refusals.metadata)));
    }
    if method.needs_credentials
        && connection.identities.is_empty()
        && !parts.headers.contains_key(header::AUTHORIZATION)
    {
        return Err(Box::new(
            unseen.refused(Refused::Unauthenticated, &shared.refusals.unauthenticated),
        ));
    }
    if connection.is_clogged() {
        return Err(Box::new(unseen.refused(Refused::Unread, &shared.refusals.unread)));
    }
    let Ok(wait) = timeout_of(&parts.headers) else {
        let status = Status::plain(INTERNAL, "the header grpc-timeout is malformed");
        return Err(Box::new(unseen.refused(Refused::Malformed, &status)));
    };

    let encoding = Encoding::of(&parts.headers);
    let path = if method.is_unknown() {
        parts.uri.path().to_owned()
    } else {
        String::new()
    };
    Ok(Head {
        method,
        path,
        metadata: metadata_of(&parts.headers),
        encoding,
        compresses: encoding == Encoding::Gzip && accepts_gzip(&parts.headers),
        began,
        wait,
    })
}

async fn respond<S: Source>(connection: &Arc<Connection>, head: Head, body: S, active: Active) -> Response<Body> {
    let shared = &connection.shared;
    let Head {
        method,
        path,
        metadata,
        encoding,
        compresses,
        began,
        wait,
    } = head;
    let deadline = wait.and_then(|wait| began.checked_add(wait));
    let unseen = Unseen {
        shared,
        method: &method,
        began,
    };
    let mut messages = Messages::new(body, Arc::clone(&method), encoding);
    let mut early = Early::Later;
    if !method.streams {
        let (patience, late) = match wait {
            Some(wait) if wait < shared.settings.arrival => (wait, true),
            _ => (shared.settings.arrival, false),
        };
        match timeout(patience, messages.early(shared)).await {
            Ok(Ok(arrived)) => early = arrived,
            Ok(Err(Broken::Status(reason, status))) => return unseen.refused(reason, &status),
            Ok(Err(Broken::Left)) => return unseen.left(),
            Err(_) if late => return unseen.left(),
            Err(_) => return unseen.refused(Refused::Stalled, &shared.refusals.stalled),
        }
    }

    let call = Call::new(
        Arc::clone(connection),
        Arc::clone(&method),
        metadata,
        path,
        began,
        deadline,
    );
    // From here on, the call has left when this is dropped.
    let mut presence = Presence {
        call: Arc::clone(&call),
        reader: None,
        is_over: false,
        _active: active,
    };
    let message = match early {
        Early::Whole(Some(message)) => Some(message),
        Early::Whole(None) | Early::Later => {
            let reader = tokio::spawn(messages.pass_on(Arc::clone(&call)));
            presence.reader = Some(reader.abort_handle());
            None
        }
    };
    let arrival = Arrival {
        call: Arc::clone(&call),
        message,
    };
    if let Err(status) = shared.queue.push(&connection.turns, arrival) {
        presence.is_over = true;
        return unseen.refused(Refused::Waiting, status);
    }
    let ready = poll_fn(|context| call.poll_ready(context));
    if let Some(deadline) = deadline {
        if timeout_at(deadline, ready).await.is_err() {
            return refusal(&Status::plain(DEADLINE_EXCEEDED, LATE));
        }
    } else {
        ready.await;
    }
    if let Some(status) = call.take_only_status() {
        presence.is_over = true;
        return refusal(&status);
    }
    response(presence, compresses)
}
