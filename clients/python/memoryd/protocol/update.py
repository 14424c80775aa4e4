"""Compare-and-set as a generator of calls, which ``memoryd.sync`` and ``memoryd.aio`` perform."""

from collections.abc import Callable, Generator
from typing import Any

from memoryd.errors import RevisionMismatch
from memoryd.model.entry import Entry
from memoryd.model.value import as_read
from memoryd.protocol.call import Call
from memoryd.protocol.entry import Place, get_entry, set_entry, value_of
from memoryd.protocol.option import EntryOptions, named_fields, precondition_of, type_name_of

# Each lost race means that another caller has won one. This many in a row cannot be chance: something else is wrong.
RACES_MAX = 1_000


def update(
    place: Place,
    key: str,
    change: Callable[[Any], Any],
    default: Any,
    expected: type[Any] | None,
    options: EntryOptions,
) -> Generator[Call[Any], Any, Any]:
    """Read the scope's own value, change it, and store it. If another caller stored one meanwhile, start again.

    The entry keeps what the options do not name.
    """
    for race in range(1, RACES_MAX + 1):
        entry: Entry | None = yield get_entry(place, key, local_only=True)
        value = change(default if entry is None else value_of(entry, expected))
        named = named_fields(options)
        if entry is not None and "type_name" not in named and entry.type_name == type_name_of(entry.value):
            # It was not chosen by a writer: it is that of the value, which may become one of another type.
            named.append("type_name")
        unchanged = precondition_of(expected_revision=entry.revision if entry else 0)
        try:
            yield set_entry(place, key, value, options, precondition=unchanged, update_mask=named)
        except RevisionMismatch:
            if race == RACES_MAX:
                raise
        else:
            return as_read(value, expected, key)
    raise AssertionError("unreachable: the last race returns or raises")
