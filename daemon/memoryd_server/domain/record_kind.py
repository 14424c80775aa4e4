"""The kinds of memory that are counted and cleared together, as the contract names them."""

import enum


class RecordKind(enum.IntEnum):
    """A kind of memory. The numbers are those of the contract: never renumber."""

    WORKING = 1
    FRAGMENT = 2
    LONG_TERM = 3
    NOTE = 4
    PLAN = 5
    ENTITY = 6
    DOCUMENT = 7
    CONTEXT = 8


CLEARED_BY_DEFAULT = frozenset({RecordKind.WORKING, RecordKind.FRAGMENT, RecordKind.ENTITY, RecordKind.CONTEXT})
