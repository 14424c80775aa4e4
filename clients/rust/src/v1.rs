//! The messages and stubs of package `memoryd.v1`, generated from the protos.

#![allow(missing_docs, clippy::all, clippy::pedantic, rustdoc::all)]

tonic::include_proto!("memoryd.v1");
