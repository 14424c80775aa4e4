"""``memoryd health``: whether a daemon serves."""

import time
from typing import TYPE_CHECKING, Any

import click

from memoryd_server.ops.cli.client.connection import ConnectingCommand, Connection
from memoryd_server.ops.config.setting_type import DURATION
from memoryd_server.ops.limit import HEALTH_PAUSE_S, HEALTH_S_MAX

if TYPE_CHECKING:
    from memoryd_server.ops.cli.daemon.probe import Probe


@click.command(cls=ConnectingCommand)
@click.option(
    "--service",
    metavar="NAME",
    default="",
    help="Ask about this service, such as memoryd.v1.Writes, which does not serve while the disk is full.",
)
@click.option(
    "--wait",
    "wait_s",
    type=DURATION,
    metavar="DURATION",
    default=0.0,
    help="Wait until it serves, at most for this time, such as 30s.",
)
@click.option(
    "--process",
    "pid",
    type=click.IntRange(1),
    metavar="PID",
    help="Ask the daemon of this process, at the address of its command line. A process of another command is healthy.",
)
def health(connection: Connection, service: str, wait_s: float, pid: int | None) -> None:
    """Exit with status 0 if the daemon serves, and with 1 if it does not.

    This is a probe for containers and load balancers. It sends no token. Without --address and MEMORYD_ADDRESS, it
    asks the daemon that the settings of serve in this environment describe, such as MEMORYD_LISTEN: at its unix socket,
    if it has one, otherwise at its first port.
    """
    from memoryd_server.ops.cli.daemon.probe import probe_of

    probe = probe_of(connection, pid)
    if probe is None:
        click.echo(f"process {pid} runs, and is no daemon")
        return
    failure = _ask(probe, service, connection.settings.get("timeout", HEALTH_S_MAX), time.monotonic() + wait_s)
    if failure:
        raise click.ClickException(failure)
    click.echo(f"{service or 'the daemon'} serves at {probe.target}")


def _ask(probe: "Probe", service: str, timeout_s: float, deadline: float) -> str:
    """Ask until the service serves or the deadline has passed. Return the last failure, empty for none."""
    # Imported late: the stubs of health alone, not those of the daemon's own services.
    from grpc_health.v1.health_pb2_grpc import HealthStub

    with probe.open_channel() as channel:
        stub = HealthStub(channel)
        while failure := _ask_once(stub, service, probe.target, timeout_s):
            if time.monotonic() + HEALTH_PAUSE_S > deadline:
                break
            time.sleep(HEALTH_PAUSE_S)
        return failure


def _ask_once(stub: Any, service: str, target: str, timeout_s: float) -> str:
    import grpc
    from grpc_health.v1.health_pb2 import HealthCheckRequest, HealthCheckResponse

    try:
        response = stub.Check(HealthCheckRequest(service=service), timeout=timeout_s)
    except grpc.RpcError as error:
        return _describe(error, service, target)
    if response.status == HealthCheckResponse.SERVING:
        return ""
    return f"{service or 'the daemon'} does not serve at {target}"


def _describe(error: Any, service: str, target: str) -> str:
    """Return the failure in words. An error that a call raises is the call, too, which the stubs do not say."""
    import grpc

    code, details = error.code(), error.details() or ""
    if code is grpc.StatusCode.NOT_FOUND:
        return f"the daemon at {target} has no service {service!r}"
    if code is grpc.StatusCode.DEADLINE_EXCEEDED:
        return f"no daemon answers at {target} in time"
    return f"no daemon answers at {target}: {details.rpartition(': ')[2]}"
