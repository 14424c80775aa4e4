"""Names for a shell that completes a word."""

import itertools
from typing import TYPE_CHECKING

import click
from click.shell_completion import CompletionItem

from memoryd_server.ops.cli.client.connection import client_of, connection_of
from memoryd_server.ops.cli.name.noun import NOUNS, Owner
from memoryd_server.ops.limit import COMPLETION_S_MAX, COMPLETIONS_MAX, NAMES_LISTED_MAX

if TYPE_CHECKING:
    import memoryd


def names_beginning(ctx: click.Context, noun: str, incomplete: str) -> list[CompletionItem]:
    """Return names of a noun that begin with a text; none where no daemon answers within COMPLETION_S_MAX."""
    # Whatever is wrong, the shell shows no message: it is in the middle of a line.
    try:
        return [CompletionItem(name) for name in _names(ctx, noun, incomplete)]
    except Exception:  # noqa: BLE001 - a completion has no place for an error
        return []


def _names(ctx: click.Context, noun: str, incomplete: str) -> list[str]:
    # Imported late, as in every command.
    import memoryd

    given = {**ctx.params, "timeout": COMPLETION_S_MAX}
    if (client := client_of(ctx)) is not None:
        return _beginning(ctx, client, noun, incomplete)
    connection = connection_of(given)
    with memoryd.connect(connection.address, **connection.settings) as client:
        return _beginning(ctx, client, noun, incomplete)


def _beginning(ctx: click.Context, client: "memoryd.Client", noun: str, incomplete: str) -> list[str]:
    owner = Owner(client, ctx.params.get("agent_id") or "", ctx.params.get("scope_id") or "")
    listed = itertools.islice(NOUNS[noun].names(owner, incomplete), NAMES_LISTED_MAX)
    beginning = (name for name in listed if name.startswith(incomplete))
    return list(itertools.islice(beginning, COMPLETIONS_MAX))
