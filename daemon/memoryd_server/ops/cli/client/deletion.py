"""The deletion of the one record that a command names."""

from collections.abc import Callable
from typing import Any, NamedTuple

from memoryd_server.ops.cli.client.consent import Consent
from memoryd_server.ops.cli.client.failure import not_found
from memoryd_server.ops.cli.client.receipt import show_erased
from memoryd_server.ops.cli.terminal.output import Output


class Named(NamedTuple):
    """A record as a command names it. ``noun`` is the name of its kind in the contract, such as ``plan_step``."""

    agent_id: str
    noun: str
    record_id: str


def delete_record(
    output: Output, consent: Consent, named: Named, delete: Callable[..., Any], *, erase: bool, **options: Any
) -> None:
    """Delete a record by the client's method ``delete``, or erase it, which needs consent.

    Raises click.ClickException if there is no such record; not with ``erase``, since past events may have had it.
    """
    agent_id, noun, record_id = named
    deed = f"{'erase' if erase else 'delete'} {noun.replace('_', ' ')} {record_id!r} of agent {agent_id!r}"
    if not consent.to(output, lambda: deed, needed=erase):
        return
    if erase:
        show_erased(output, record_id, delete(erase=True, **options))
        return
    if not delete(**options):
        raise not_found(agent_id, noun, record_id)
    field = noun.removeprefix("plan_")
    output.done({f"{field}_id": record_id, "deleted": True}, f"{record_id} was deleted")
