from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from typing import ClassVar as _ClassVar

DESCRIPTOR: _descriptor.FileDescriptor

class RecordView(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    RECORD_VIEW_UNSPECIFIED: _ClassVar[RecordView]
    RECORD_VIEW_FULL: _ClassVar[RecordView]
    RECORD_VIEW_WITHOUT_CONTENT: _ClassVar[RecordView]

class ListOrder(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    LIST_ORDER_UNSPECIFIED: _ClassVar[ListOrder]
    LIST_ORDER_ID: _ClassVar[ListOrder]
    LIST_ORDER_ID_DESCENDING: _ClassVar[ListOrder]
    LIST_ORDER_CREATE_TIME: _ClassVar[ListOrder]
    LIST_ORDER_CREATE_TIME_DESCENDING: _ClassVar[ListOrder]
    LIST_ORDER_UPDATE_TIME: _ClassVar[ListOrder]
    LIST_ORDER_UPDATE_TIME_DESCENDING: _ClassVar[ListOrder]
    LIST_ORDER_IMPORTANCE: _ClassVar[ListOrder]
    LIST_ORDER_IMPORTANCE_DESCENDING: _ClassVar[ListOrder]
RECORD_VIEW_UNSPECIFIED: RecordView
RECORD_VIEW_FULL: RecordView
RECORD_VIEW_WITHOUT_CONTENT: RecordView
LIST_ORDER_UNSPECIFIED: ListOrder
LIST_ORDER_ID: ListOrder
LIST_ORDER_ID_DESCENDING: ListOrder
LIST_ORDER_CREATE_TIME: ListOrder
LIST_ORDER_CREATE_TIME_DESCENDING: ListOrder
LIST_ORDER_UPDATE_TIME: ListOrder
LIST_ORDER_UPDATE_TIME_DESCENDING: ListOrder
LIST_ORDER_IMPORTANCE: ListOrder
LIST_ORDER_IMPORTANCE_DESCENDING: ListOrder
