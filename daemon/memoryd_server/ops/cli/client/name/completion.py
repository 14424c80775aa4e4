"""Names for a shell that completes a word."""

import itertools
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from memoryd_server.ops.cli.client.name.noun import NOUNS, Owner
from memoryd_server.ops.limit import COMPLETIONS_MAX, NAMES_LISTED_MAX

if TYPE_CHECKING:
    from memoryd import Client

_PLAIN = re.compile(r"[\w@%+=:,./][\w@%+=:,./-]*")
"""Names that a shell takes as they are. The script of bash inserts a name without quotes, and any client may have
chosen it: `$(...)` would run, and `--erase` be an option."""


def names_beginning(client: "Client", given: Mapping[str, Any], noun: str, incomplete: str) -> list[str]:
    """Return names of a noun that begin with a text, and need no quotes, for a command with these parameters.

    Raises MemorydError.
    """
    owner = Owner(client, given.get("agent_id") or "", given.get("scope_id") or "")
    listed = itertools.islice(NOUNS[noun].names(owner, incomplete), NAMES_LISTED_MAX)
    beginning = (name for name in listed if name.startswith(incomplete) and _PLAIN.fullmatch(name))
    return list(itertools.islice(beginning, COMPLETIONS_MAX))
