"""The views of records."""

import enum


class RecordView(enum.IntEnum):
    """The part of each record that is returned. The numbers are those of the contract: never renumber."""

    FULL = 1
    WITHOUT_CONTENT = 2
