"""The health of a daemon, by grpc.health.v1."""

from typing import Any

from grpc_health.v1 import health_pb2, health_pb2_grpc
from tests.integration.wire import Wire
from tests.wait import until

SERVING = health_pb2.HealthCheckResponse.SERVING
NOT_SERVING = health_pb2.HealthCheckResponse.NOT_SERVING


def health_of(wire: Wire) -> int:
    """Return the status of the daemon as a whole."""
    stub: Any = health_pb2_grpc.HealthStub(wire.channel)
    status: int = stub.Check(health_pb2.HealthCheckRequest()).status
    return status


def until_health(wire: Wire, status: int) -> None:
    """Wait until the daemon reports this status."""
    until(lambda: health_of(wire) == status, f"health is {status}")
