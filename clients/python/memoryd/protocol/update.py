"""Compare-and-set as a generator of calls, which ``memoryd.sync`` and ``memoryd.aio`` perform."""

from collections.abc import Callable, Generator
from typing import Any

from memoryd.errors import RevisionMismatch
from memoryd.model.entry import Entry
from memoryd.model.value import decode, encode
from memoryd.protocol.call import Call
from memoryd.protocol.entry import Place, get_entry, set_entry
from memoryd.protocol.option import EntryOptions, precondition_of

# Each lost race means that another caller has won one. This many in a row cannot be chance: something else is wrong.
RACES_MAX = 1_000


def update(
    place: Place, key: str, change: Callable[[Any], Any], default: Any, options: EntryOptions
) -> Generator[Call[Any], Any, Any]:
    """Read the scope's own value, change it, and store it. If another caller stored one meanwhile, start again."""
    for race in range(1, RACES_MAX + 1):
        entry: Entry | None = yield get_entry(place, key, local_only=True)
        value = change(default if entry is None else entry.value)
        unchanged = precondition_of(expected_revision=entry.revision if entry else 0)
        try:
            yield set_entry(place, key, value, options, precondition=unchanged)
        except RevisionMismatch:
            if race == RACES_MAX:
                raise
        else:
            return decode(encode(value))
    raise AssertionError("unreachable: the last race returns or raises")
