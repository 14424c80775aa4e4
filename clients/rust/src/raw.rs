//! The generated stubs, for what neither a wrapper nor [`Client::call`](crate::Client::call) does: calls that stream, such
//! as the export of a snapshot. Begin with [`Client`](crate::Client) and [`Agent`](crate::Agent) instead: a stub sets no
//! agent, no user and no request id, and its errors are tonic's.
//!
//! ```no_run
//! # async fn example(client: memoryd::Client) -> Result<(), memoryd::tonic::Status> {
//! use memoryd::raw::ServerServiceClient;
//! use memoryd::v1;
//!
//! let mut server = ServerServiceClient::new(client.transport());
//! println!("{}", server.get_server_info(v1::GetServerInfoRequest::default()).await?.into_inner().version);
//! # Ok(())
//! # }
//! ```

include!(concat!(env!("OUT_DIR"), "/raw.rs"));
