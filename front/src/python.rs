//! What Python sees: the front end, and its calls.

// Python's arguments are extracted into values that the methods own.
#![allow(clippy::needless_pass_by_value, clippy::struct_field_names)]

use std::os::fd::RawFd;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use bytes::Bytes;
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::{PyBytes, PyList, PyString, PyTuple};

use crate::call::{self, Command};
use crate::door::{Codec, Page, Pages, Visitors};
use crate::duration::Durations;
use crate::front;
use crate::limit::SHARED_BYTES_MIN;
use crate::listener::Listener;
use crate::payload::Payload;
use crate::queue::{Pool, Queue, Signal, Waiting};
use crate::request::text_of;
use crate::route::{Method, Refusals, Settings, Shared, Types};
use crate::status::Status;
use crate::tls::Tls;

/// A status as Python writes it: code, message, details.
type PyStatus = (u32, String, Vec<u8>);
/// The certificate chain, the key, and the authorities of client certificates, in PEM.
type Credentials = (Vec<u8>, Vec<u8>, Option<Vec<u8>>);

fn status((code, message, details): PyStatus) -> Status {
    Status {
        code,
        message,
        details: Bytes::from(details),
    }
}

#[derive(FromPyObject)]
#[allow(clippy::struct_excessive_bools)]
struct PyMethod {
    path: String,
    pool: usize,
    streams: bool,
    answers: bool,
    is_read: bool,
    request: String,
    response: String,
    needs_credentials: bool,
    bytes_max: usize,
    too_large: PyStatus,
}

#[derive(FromPyObject)]
struct PyPool {
    maximum: u32,
    connection_maximum: u32,
    total_refusal: PyStatus,
    connection_refusal: PyStatus,
}

#[derive(FromPyObject)]
struct PyPage {
    path: String,
    status: u16,
    headers: Vec<(String, String)>,
    body: Vec<u8>,
}

#[derive(FromPyObject)]
struct PySettings {
    connections_max: usize,
    streams_max: u32,
    metadata_bytes_max: u32,
    unsent_bytes_max: usize,
    elements_max: usize,
    origins: Vec<String>,
    hosts: Option<Vec<String>>,
    pages: Vec<PyPage>,
    waiting_max: usize,
    connection_waiting_max: usize,
    handshake_s: f64,
    arrival_s: f64,
    keep_alive_s: f64,
    keep_alive_timeout_s: f64,
    age_s: f64,
    idle_s: f64,
    threads: usize,
    duration_bounds_s: Vec<f64>,
}

#[derive(FromPyObject)]
struct PyRefusals {
    unauthenticated: PyStatus,
    stalled: PyStatus,
    malformed: PyStatus,
    metadata: PyStatus,
    unread: PyStatus,
    collected: PyStatus,
    elements: PyStatus,
    waiting: PyStatus,
}

fn unusable(error: std::io::Error) -> PyErr {
    PyValueError::new_err(error.to_string())
}

fn method(number: usize, given: PyMethod, bounds: &Arc<[Duration]>, codec: &Codec) -> Arc<Method> {
    let types = codec.message(&given.request).zip(codec.message(&given.response));
    Arc::new(Method {
        path: given.path,
        number,
        pool: given.pool,
        streams: given.streams,
        answers: given.answers,
        is_read: given.is_read,
        types: types.map(|(request, response)| Types { request, response }),
        needs_credentials: given.needs_credentials,
        bytes_max: given.bytes_max,
        too_large: status(given.too_large),
        durations: Durations::new(Arc::clone(bounds)),
    })
}

fn page(given: PyPage) -> PyResult<(String, Page)> {
    let page = Page::new(given.status, given.headers, given.body.into())
        .map_err(|error| PyValueError::new_err(format!("{}: {error}", given.path)))?;
    Ok((given.path, page))
}

fn pool(given: PyPool) -> Pool {
    Pool {
        maximum: given.maximum,
        connection_maximum: given.connection_maximum,
        total_refusal: status(given.total_refusal),
        connection_refusal: status(given.connection_refusal),
    }
}

#[pyclass(module = "memoryd_front")]
pub struct Front {
    front: front::Front,
    listeners: Vec<Listener>,
    tls: Vec<Arc<Tls>>,
}

#[pymethods]
impl Front {
    /// ``methods`` are those of all paths, the last one of paths that have none. ``files`` describe their messages, as a
    /// serialized `google.protobuf.FileDescriptorSet`.
    #[new]
    fn new(
        methods: Vec<PyMethod>,
        files: &[u8],
        pools: Vec<PyPool>,
        refusals: PyRefusals,
        settings: PySettings,
    ) -> PyResult<Self> {
        let codec = Codec::new(files).map_err(|error| PyValueError::new_err(error.to_string()))?;
        let waiting = Waiting {
            maximum: settings.waiting_max,
            connection_maximum: settings.connection_waiting_max,
            refusal: status(refusals.waiting),
        };
        let queue = Queue::new(pools.into_iter().map(pool).collect(), waiting)?;
        let duration_bounds = settings
            .duration_bounds_s
            .into_iter()
            .map(Duration::from_secs_f64)
            .collect();
        let mut all: Vec<_> = methods
            .into_iter()
            .enumerate()
            .map(|(number, given)| method(number, given, &duration_bounds, &codec))
            .collect();
        let unknown = all
            .pop()
            .ok_or_else(|| PyRuntimeError::new_err("there are no methods"))?;
        let bounds = Settings {
            connections_max: settings.connections_max,
            streams_max: settings.streams_max,
            metadata_bytes_max: settings.metadata_bytes_max,
            unsent_bytes_max: settings.unsent_bytes_max,
            elements_max: settings.elements_max,
            handshake: Duration::from_secs_f64(settings.handshake_s),
            arrival: Duration::from_secs_f64(settings.arrival_s),
            keep_alive: Duration::from_secs_f64(settings.keep_alive_s),
            keep_alive_timeout: Duration::from_secs_f64(settings.keep_alive_timeout_s),
            age: Duration::from_secs_f64(settings.age_s),
            idle: Duration::from_secs_f64(settings.idle_s),
        };
        let refusals = Refusals {
            unauthenticated: status(refusals.unauthenticated),
            stalled: status(refusals.stalled),
            malformed: status(refusals.malformed),
            metadata: status(refusals.metadata),
            unread: status(refusals.unread),
            collected: status(refusals.collected),
            elements: status(refusals.elements),
        };
        let visitors = Visitors {
            origins: settings.origins,
            hosts: settings.hosts,
        };
        let pages = Pages(settings.pages.into_iter().map(page).collect::<PyResult<_>>()?);
        let shared = Shared::new(queue, bounds, refusals, visitors, pages, all, unknown);
        Ok(Self {
            front: front::Front::new(shared, settings.threads),
            listeners: Vec::new(),
            tls: Vec::new(),
        })
    }

    /// Bind ``HOST:PORT``, and return the port. Raises OSError, and `ValueError` for credentials that cannot be used.
    #[pyo3(signature = (address, credentials, *, shares_ports))]
    fn listen_tcp(&mut self, address: &str, credentials: Option<Credentials>, shares_ports: bool) -> PyResult<u16> {
        let tls = match credentials {
            None => None,
            Some((chain, key, authorities)) => Some(Arc::new(
                Tls::new(&chain, &key, authorities.as_deref()).map_err(unusable)?,
            )),
        };
        let (bound, port) = Listener::tcp(address, tls.as_ref(), shares_ports)?;
        self.listeners.extend(bound);
        self.tls.extend(tls);
        Ok(port)
    }

    /// Bind the path of a unix socket. Raises OSError.
    fn listen_unix(&mut self, path: &str) -> PyResult<()> {
        self.listeners.push(Listener::unix(path)?);
        Ok(())
    }

    /// Use other credentials for new connections. Raises `ValueError` if they cannot be used.
    fn renew(&self, credentials: Credentials) -> PyResult<()> {
        let (chain, key, authorities) = credentials;
        for each in &self.tls {
            each.renew(&chain, &key, authorities.as_deref()).map_err(unusable)?;
        }
        Ok(())
    }

    /// Accept connections, on threads that need no interpreter. Raises OSError.
    fn start(&mut self) -> PyResult<()> {
        Ok(self.front.start(std::mem::take(&mut self.listeners))?)
    }

    /// Take no new calls, and close all connections: each once it has no calls, or after ``grace_s`` seconds.
    ///
    /// To be called on a thread of its own: the calls that are in progress go on meanwhile.
    fn stop(&self, py: Python<'_>, grace_s: f64) {
        let front = &self.front;
        py.detach(|| front.stop(Duration::from_secs_f64(grace_s)));
    }

    /// Return the file descriptor that is readable while ``next`` or ``signals`` have something.
    fn fileno(&self) -> RawFd {
        self.front.shared.queue.fileno()
    }

    /// Take the next call: the number of its method, the call, and its request if that has arrived. None if there is none.
    #[allow(clippy::should_implement_trait)]
    fn next<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyTuple>>> {
        let Some(arrival) = self.front.shared.queue.next() else {
            return Ok(None);
        };
        let number = arrival.call.method().number;
        let message = arrival.message.map(|message| PyBytes::new(py, &message));
        let call = Bound::new(py, Call(arrival.call))?;
        Ok(Some((number, call, message).into_pyobject(py)?))
    }

    /// Take what calls are to be told: the id of the call, what it is, and a message or a status for some.
    fn signals<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let told = PyList::empty(py);
        for (id, signal) in self.front.shared.queue.signals() {
            match signal {
                Signal::Message(message) => told.append((id, MESSAGE, PyBytes::new(py, &message)))?,
                Signal::Part(part) => told.append((id, PART, PyBytes::new(py, &part)))?,
                Signal::End => told.append((id, END, py.None()))?,
                Signal::Broken(status) => {
                    let details = PyBytes::new(py, &status.details);
                    told.append((id, BROKEN, (status.code, status.message, details)))?;
                }
                Signal::Sent => told.append((id, SENT, py.None()))?,
                Signal::Left => told.append((id, LEFT, py.None()))?,
            }
        }
        Ok(told)
    }

    /// Return how many calls of each pool were refused since the last time; None if there were none.
    fn refused(&self) -> Option<Vec<u64>> {
        self.front.shared.queue.refused()
    }

    /// Carry out what was done with calls since the last time.
    fn flush(&self) {
        self.front.lanes.iter().for_each(|lane| lane.flush());
    }

    /// End the process as a defect would, on a thread of connections. For tests of what follows.
    fn fail(&self) {
        self.front.lanes[0].push(Command::Fail);
        self.flush();
    }

    /// Return how many connections there are, calls that have not ended, and calls that wait to be begun.
    fn usage(&self) -> (usize, usize, usize) {
        let shared = &self.front.shared;
        let counts = [&shared.connections, &shared.calls].map(|count| count.load(Ordering::Acquire));
        (counts[0], counts[1], shared.queue.waiting())
    }

    /// Return how often connections and calls were refused without Python since the beginning, by the reason.
    fn refused_early(&self) -> Vec<(&'static str, u64)> {
        self.front.shared.refused.by_name()
    }

    /// Return how long calls took: a method's path, a code, how many calls each bucket has, and the sum in seconds.
    ///
    /// A duration is from the arrival of the call's headers to the decision of its end. Calls of paths that have no
    /// method are left out.
    fn durations(&self) -> Vec<(&str, usize, Vec<u64>, f64)> {
        let mut all = Vec::new();
        for method in self.front.shared.methods() {
            for counted in method.durations.counted() {
                all.push((
                    method.path.as_str(),
                    counted.code,
                    counted.counts,
                    counted.sum.as_secs_f64(),
                ));
            }
        }
        all
    }

    /// The number of bytes of shared messages that some client has not been sent.
    fn told_bytes(&self) -> usize {
        self.front.shared.told_bytes.load(Ordering::Acquire)
    }

    /// Give one message to many streams. Return the indices of those that have not sent everything before, or have ended.
    fn tell(&self, calls: Vec<PyRef<'_, Call>>, message: &[u8]) -> Vec<usize> {
        let payload = Payload::counted(message, &self.front.shared.told_bytes);
        let mut shares: Vec<Vec<call::Unsent>> = self.front.lanes.iter().map(|_| Vec::new()).collect();
        let mut without_room = Vec::new();
        for (index, each) in calls.iter().enumerate() {
            if !each.0.has_room() {
                without_room.push(index);
                continue;
            }
            let unsent = each.0.told(payload.clone());
            let lane = self
                .front
                .lanes
                .iter()
                .position(|lane| Arc::ptr_eq(lane, &each.0.connection.lane));
            shares[lane.unwrap_or_default()].push(unsent);
        }
        for (lane, share) in self.front.lanes.iter().zip(shares) {
            if !share.is_empty() {
                lane.push(Command::Tell(share));
            }
        }
        without_room
    }
}

const MESSAGE: u8 = 0;
const END: u8 = 1;
const BROKEN: u8 = 2;
const SENT: u8 = 3;
const LEFT: u8 = 4;
const PART: u8 = 5;

#[pyclass(module = "memoryd_front", frozen)]
pub struct Call(Arc<call::Call>);

#[pymethods]
impl Call {
    /// The number by which ``signals`` name the call.
    #[getter]
    fn id(&self) -> u64 {
        self.0.id
    }

    /// Return the text of a key of the metadata that the client sent, the last one if there are several; None without one.
    fn metadata<'py>(&self, py: Python<'py>, key: &str) -> Option<Bound<'py, PyString>> {
        Some(PyString::new(py, &text_of(&self.0.metadata, key)?))
    }

    /// Return the path of a method that does not exist; empty for all others.
    fn path(&self) -> &str {
        &self.0.path
    }

    /// Return the client's address.
    fn address<'py>(&self, py: Python<'py>) -> Bound<'py, PyString> {
        let connection = &self.0.connection;
        let made = || PyString::new(py, &connection.address).unbind();
        connection.python_address.get_or_init(py, made).bind(py).clone()
    }

    /// Return the names in the client's certificate.
    fn identities(&self) -> Vec<&str> {
        self.0.connection.identities.iter().map(String::as_str).collect()
    }

    /// Return how many seconds the client still waits; None for ever.
    fn remaining_s(&self) -> Option<f64> {
        let deadline = self.0.deadline?;
        Some(
            deadline
                .saturating_duration_since(tokio::time::Instant::now())
                .as_secs_f64(),
        )
    }

    /// Return True if the client no longer waits.
    fn has_left(&self) -> bool {
        self.0.has_left()
    }

    /// Ask for the next message of the request, which comes as a signal.
    fn want(&self) {
        self.0.connection.lane.push(Command::Want(Arc::clone(&self.0)));
    }

    /// Send a message of a stream. Return False if the signal of its end is to be awaited before the next one.
    fn send(&self, message: &Bound<'_, PyBytes>) -> bool {
        let (unsent, is_awaited) = self.0.unsent(payload(message), true);
        self.0.send(unsent);
        !is_awaited
    }

    /// End the call with its only response.
    fn answer(&self, message: &Bound<'_, PyBytes>) {
        let (unsent, _) = self.0.unsent(payload(message), false);
        self.0.answer(unsent);
    }

    /// End the call with its only response, and signal when it was sent.
    fn answer_and_tell(&self, message: &Bound<'_, PyBytes>) {
        let unsent = self.0.awaited(payload(message));
        self.0.answer(unsent);
    }

    /// End the call with a status, after all that was sent.
    fn end(&self, code: u32, message: String, details: Vec<u8>) {
        self.0.end(status((code, message, details)));
    }

    /// End the call at once, although its response is not sent.
    fn reset(&self) {
        self.0.leave_place();
        self.0.connection.lane.push(Command::Reset(Arc::clone(&self.0)));
    }
}

fn payload(message: &Bound<'_, PyBytes>) -> Payload {
    if message.as_bytes().len() < SHARED_BYTES_MIN {
        Payload::copied(message.as_bytes())
    } else {
        Payload::shared(Bytes::from_owner(PyBackedBytes::from(message.clone())))
    }
}
