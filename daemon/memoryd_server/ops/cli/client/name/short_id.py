"""Short ids: the beginning of a generated id stands for the id, if only one begins so."""

import itertools
import re
from typing import TYPE_CHECKING

import click

from memoryd_server.ops.cli.client.name.noun import NOUNS, Owner
from memoryd_server.ops.limit import CANDIDATES_SHOWN_MAX, NAMES_LISTED_MAX, SHORT_ID_CHARACTERS_MIN

# Names that people choose are never completed: `conversation delete a talk` must not delete talk-2, nor 2026 the talk
# 20260520. These are the forms of the daemon's ids, of fragments, and of snapshots.
_GENERATED = re.compile(r"[0-9a-f]{20,}|mem_[0-9a-f]{8}|[0-9]{8}t[0-9]{6}\.[0-9]{3}z-[0-9a-f]{6}")
_COMPLETE_CHARACTERS = 20
"""Length from which on an id is taken as it is, without a call."""

if TYPE_CHECKING:
    from memoryd import Client


def full_id(client: "Client", noun: str, agent_id: str, given: str) -> str:
    """Return the id that ``given`` stands for: itself, unless it is the beginning of one generated id.

    An id that does not exist is returned as it is, for the command to refuse; so is one where the caller may not look
    for others. Raises click.UsageError if several ids begin so, or if there are too many to compare.
    """
    get = NOUNS[noun].get
    if get is None or not SHORT_ID_CHARACTERS_MIN <= len(given) < _COMPLETE_CHARACTERS:
        return given
    # Imported late: help needs no client.
    from memoryd.errors import NotFound, PermissionDenied

    owner = Owner(client, agent_id)
    try:
        get(owner, given)
    except PermissionDenied:
        # A token that may write may be one that must not read.
        return given
    except NotFound:
        pass
    else:
        return given
    try:
        known = list(itertools.islice(NOUNS[noun].names(owner, given), NAMES_LISTED_MAX + 1))
    except (NotFound, PermissionDenied):
        return given
    found = sorted({name for name in known if name.startswith(given) and _GENERATED.fullmatch(name)})
    if found and len(known) > NAMES_LISTED_MAX:
        raise click.UsageError(f"There are too many {noun} ids to find {given!r} among them: give the whole id.")
    if len(found) > 1:
        more = len(found) - CANDIDATES_SHOWN_MAX
        named = ", ".join(found[:CANDIDATES_SHOWN_MAX]) + (f" and {more:,} more" if more > 0 else "")
        raise click.UsageError(f"{given!r} is the beginning of {len(found):,} {noun} ids: {named}.")
    return found[0] if found else given
