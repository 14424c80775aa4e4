"""The kinds of records, as the contract names them."""

import enum


class RecordKind(enum.IntEnum):
    """A kind of record. The numbers are those of the contract and are stored: never renumber."""

    ENTRY = 1
    SCOPE = 2
    FRAGMENT = 3
    MEMORY = 4
    MEMORY_LINK = 5
    NOTE = 6
    PLAN = 7
    PLAN_STEP = 8
    ENTITY = 9
    ENTITY_WINDOW = 10
    DOCUMENT = 11
    DOCUMENT_CHUNK = 12
    CONVERSATION = 13
    MESSAGE = 14
    SUMMARY = 15
    TEXT = 16
    AGENT = 17
    SNAPSHOT = 18
    MEMORY_PROPOSAL = 19


CLEARED_BY_DEFAULT = frozenset(
    {RecordKind.ENTRY, RecordKind.FRAGMENT, RecordKind.ENTITY_WINDOW, RecordKind.CONVERSATION}
)
