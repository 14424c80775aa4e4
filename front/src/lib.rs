//! The HTTP/2 front end of memoryd. It takes connections, frames, flow control and limits off the interpreter's lock, and
//! hands calls to Python's event loop, many at a time.

mod authority;
mod call;
mod connection;
mod front;
mod lane;
mod limit;
mod listener;
mod payload;
mod python;
mod queue;
mod request;
mod response;
mod route;
mod service;
mod status;
mod tls;

use pyo3::prelude::*;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

#[pymodule]
mod memoryd_front {
    #[pymodule_export]
    use crate::python::{Call, Front};
}
