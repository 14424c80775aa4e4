"""The options of lists."""

from enum import StrEnum

from memoryd.model.enum_word import EnumWords
from memoryd.v1 import listing_pb2


class ListOrder(StrEnum):
    """The order of a list. ``UNSPECIFIED`` is the list's default; an update time is that of the last change.

    Entries, notes, memories and messages have an importance.
    """

    UNSPECIFIED = "unspecified"
    ID = "id"
    ID_DESCENDING = "id_descending"
    CREATE_TIME = "create_time"
    CREATE_TIME_DESCENDING = "create_time_descending"
    UPDATE_TIME = "update_time"
    UPDATE_TIME_DESCENDING = "update_time_descending"
    IMPORTANCE = "importance"
    IMPORTANCE_DESCENDING = "importance_descending"


class RecordView(StrEnum):
    """The part of each record that a list returns. ``WITHOUT_CONTENT`` leaves out everything that a writer wrote."""

    UNSPECIFIED = "unspecified"
    FULL = "full"
    WITHOUT_CONTENT = "without_content"


LIST_ORDER = EnumWords(listing_pb2.ListOrder, "LIST_ORDER")
RECORD_VIEW = EnumWords(listing_pb2.RecordView, "RECORD_VIEW")
