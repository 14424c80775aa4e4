"""The name that a person may have meant, after one that was not found."""

import itertools
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any

import click

from memoryd_server.ops.cli.client.name.noun import NOUNS, Owner
from memoryd_server.ops.cli.client.name.parameter import name_parameters
from memoryd_server.ops.limit import NAMES_LISTED_MAX

if TYPE_CHECKING:
    from memoryd import Client


def suggestion(client: "Client", command: click.Command, given: dict[str, Any]) -> str:
    """Return ``; did you mean agent 'support'?``, or an empty text if nothing is near what was given."""
    from memoryd.errors import MemorydError

    agent_id = given.get("agent_id") or ""
    try:
        if agent_id and (near := _near(Owner(client), "agent", agent_id)):
            return near
        owner = Owner(client, agent_id, given.get("scope_id") or "")
        for each in name_parameters(command):
            value = given.get(each.name or "")
            if each.noun != "agent" and isinstance(value, str) and value and (near := _near(owner, each.noun, value)):
                return near
    except MemorydError:
        # The failure that is reported is the first one.
        pass
    return ""


def _near(owner: Owner, noun: str, name: str) -> str:
    known = list(itertools.islice(NOUNS[noun].names(owner, ""), NAMES_LISTED_MAX))
    nearest = [] if name in known else get_close_matches(name, known, n=1, cutoff=0.6)
    return f"; did you mean {noun} {nearest[0]!r}?" if nearest else ""
