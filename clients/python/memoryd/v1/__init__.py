"""The stubs, generated from the protos by scripts/generate."""

try:
    # Like every stub, it checks the versions of protobuf and gRPC.
    from memoryd.v1 import server_service_pb2_grpc as _checked  # noqa: F401
except Exception as error:
    from memoryd.dependency import mismatch

    raise mismatch() from error
