"""The part of the client that its sync and async variants share, without I/O.

It builds requests, converts responses, classifies errors, and decides the steps of flows. ``memoryd.sync`` and
``memoryd.aio`` only perform the calls.
"""

try:
    # Like every stub of a service, it checks the version of gRPC.
    from memoryd.v1 import server_service_pb2_grpc as _checked  # noqa: F401
except Exception as error:
    from memoryd.dependency import mismatch

    raise mismatch() from error
