"""The front end against clients that break HTTP/2 and gRPC, frame by frame."""
