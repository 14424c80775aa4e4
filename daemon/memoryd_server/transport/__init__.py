"""The contract over gRPC: translate the request, call the engine, translate the answer."""
