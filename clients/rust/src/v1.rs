//! The messages of package `memoryd.v1`, generated from the protos. Its stubs are listed in [`raw`](crate::raw).

#![allow(missing_docs, clippy::all, clippy::pedantic, rustdoc::all)]

tonic::include_proto!("memoryd.v1");
