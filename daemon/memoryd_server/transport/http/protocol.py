"""The protocols that are not gRPC's own, told apart by the head of a request."""

import enum

import msgspec

from memoryd_server.transport.http.head import Head


class Form(enum.Enum):
    """The place of the messages of a call in the bodies of its request and its response.

    ``WHOLE`` is a body that is one message, ``FRAMES`` are those of Connect's streams, ``WEB`` those of gRPC-Web.
    ``EVENTS`` are server-sent events, for a request that is one message:
    https://html.spec.whatwg.org/#server-sent-events.
    """

    WHOLE = enum.auto()
    FRAMES = enum.auto()
    WEB = enum.auto()
    EVENTS = enum.auto()


class Protocol(msgspec.Struct, frozen=True):
    """A protocol. ``is_text`` is true for frames in base64."""

    form: Form
    is_json: bool = False
    is_text: bool = False

    @property
    def media_type(self) -> str:
        """The type of a response."""
        match self.form:
            case Form.WHOLE:
                return "application/json" if self.is_json else "application/proto"
            case Form.FRAMES:
                return "application/connect+json" if self.is_json else "application/connect+proto"
            case Form.WEB:
                return "application/grpc-web-text+proto" if self.is_text else "application/grpc-web+proto"
            case Form.EVENTS:
                return "text/event-stream"


_JSON = Protocol(Form.WHOLE, is_json=True)
_BINARY = Protocol(Form.WHOLE)
_EVENTS = Protocol(Form.EVENTS, is_json=True)
_WEB = Protocol(Form.WEB)
_WEB_TEXT = Protocol(Form.WEB, is_text=True)

_BY_TYPE = {
    "application/json": _JSON,
    "application/proto": _BINARY,
    "application/connect+json": Protocol(Form.FRAMES, is_json=True),
    "application/connect+proto": Protocol(Form.FRAMES),
    "application/grpc-web": _WEB,
    "application/grpc-web+proto": _WEB,
    "application/grpc-web-text": _WEB_TEXT,
    "application/grpc-web-text+proto": _WEB_TEXT,
}
ACCEPTED = ", ".join(_BY_TYPE)
"""The types of bodies that are served."""


def protocol_of(head: Head) -> Protocol | None:
    """Return the protocol of a request; None if it is none of these. Raises ValueError for an unreadable query."""
    wants_events = head.names("accept", "text/event-stream")
    if head.method == "GET":
        # Connect's clients name the encoding; a person's curl gives the message alone.
        whole = _BINARY if head.query.get("encoding") == "proto" else _JSON
        return _EVENTS if wants_events else whole
    if head.method != "POST":
        return None
    # Curl says so of whatever it posts. A page could, too, without asking first.
    is_form = head.media_type == "application/x-www-form-urlencoded" and head.get("origin") is None
    protocol = _JSON if is_form else _BY_TYPE.get(head.media_type)
    return _EVENTS if protocol is _JSON and wants_events and not is_form else protocol
