"""The gRPC server: registration of methods, health and reflection."""
