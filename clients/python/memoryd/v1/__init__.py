"""The stubs, generated from the protos by scripts/generate."""

try:
    # Like every message, it checks the version of protobuf. The stubs of services check that of gRPC.
    from memoryd.v1 import record_pb2 as _checked  # noqa: F401
except Exception as error:
    from memoryd.dependency import mismatch

    raise mismatch() from error
