"""What grpc.health.v1 says of a daemon."""

from typing import Any

from grpc_health.v1 import health_pb2, health_pb2_grpc
from tests.integration.wire import Wire
from tests.wait import until

SERVING = health_pb2.HealthCheckResponse.SERVING
NOT_SERVING = health_pb2.HealthCheckResponse.NOT_SERVING


def health_of(wire: Wire) -> int:
    """The daemon's own status."""
    stub: Any = health_pb2_grpc.HealthStub(wire.channel)
    status: int = stub.Check(health_pb2.HealthCheckRequest()).status
    return status


def until_health(wire: Wire, status: int) -> None:
    """Wait until the daemon says so."""
    until(lambda: health_of(wire) == status, f"health is {status}")
