"""The transport over the front end in Rust, which serves gRPC's protocol."""
