"""Commands that leave their work to an operation of the daemon."""

from typing import TYPE_CHECKING, Any

import click

from memoryd_server.ops.cli.terminal.output import Output

if TYPE_CHECKING:
    from memoryd import Operation

BACKGROUND = click.option(
    "--background", is_flag=True, help="Return at once. `memoryd operation watch` waits for the end."
)


def write_started(output: Output, operation: "Operation[Any]") -> None:
    """Write the id of an operation that a command has started."""
    operation_id = operation.operation_id
    output.done(
        operation.info, f"{operation_id} was started: memoryd operation watch {operation_id}", name=operation_id
    )
