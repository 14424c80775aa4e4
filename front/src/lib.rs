//! The HTTP front end of memoryd. It takes connections, frames, flow control and limits off the interpreter's lock, and
//! hands calls to Python's event loop, many at a time.

mod authority;
mod call;
mod connection;
mod count;
mod door;
mod duration;
mod failure;
#[cfg(test)]
mod fixture;
mod framing;
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

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

#[pyo3::pymodule]
mod memoryd_front {
    use pyo3::prelude::*;

    #[pymodule_export]
    use crate::python::{Call, Front};

    // PyO3 asks for a result.
    #[allow(clippy::unnecessary_wraps)]
    #[pymodule_init]
    fn init(_module: &Bound<'_, PyModule>) -> PyResult<()> {
        crate::failure::report();
        Ok(())
    }
}
