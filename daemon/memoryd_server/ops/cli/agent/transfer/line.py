"""The lines of a readable copy: a header, a record each, and an end."""

from typing import Any

import msgspec
from google.protobuf import json_format
from google.protobuf.message import DecodeError

from memoryd_server.ops.cli.agent.transfer.record import KINDS, Record, message_type
from memoryd_server.ops.cli.terminal.phrase import plain
from memoryd_server.ops.error import OperatorError

FORMAT, VERSION = "memoryd.agent", 1
"""The name and the version of the format. A newer version is refused."""


class Header(msgspec.Struct, frozen=True, rename="camel", kw_only=True):
    """The first line: the agent, and its revision and time to which all lines belong."""

    format: str = FORMAT
    version: int = VERSION
    agent_id: str
    revision: str
    export_time: str


END = b'{"kind":"end"}'
"""The last line. A copy without it is incomplete."""


def encode_header(header: Header) -> bytes:
    """Return the first line."""
    return _printable(msgspec.json.encode(header))


def decode_header(line: bytes) -> Header:
    """Return what a first line says. Raises OperatorError for one of another format or of a newer version."""
    try:
        header = msgspec.json.decode(line, type=Header)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise OperatorError(f"line 1 is not the header of an agent's export: {error}") from None
    if header.format != FORMAT:
        raise OperatorError(f"line 1 is not the header of an agent's export: its format is {header.format!r}")
    if header.version > VERSION:
        raise OperatorError(
            f"the export has version {header.version}, and this memoryd reads {VERSION}: update memoryd"
        )
    return header


def encode_record(record: Record) -> bytes:
    """Return the line of a record: its kind, its JSON form of the contract, and the text of a document."""
    line: dict[str, Any] = {"kind": record.kind, "record": json_format.MessageToDict(record.message)}
    if record.kind == "document":
        line["text"] = record.text
    return _printable(msgspec.json.encode(line))


def _printable(line: bytes) -> bytes:
    """Return the same JSON with the characters escaped that would move the cursor of a terminal, or turn a line."""
    return plain(line.decode()).encode()


class _Line(msgspec.Struct, forbid_unknown_fields=True):
    kind: str
    record: dict[str, Any] | None = None
    text: str = ""


def decode_record(line: bytes) -> Record | None:
    """Return the record of a line; None for the end. Raises ValueError, which says what is wrong with the line."""
    found = msgspec.json.decode(line, type=_Line)
    if found.kind == "end":
        return None
    if found.kind not in KINDS:
        raise ValueError(f"no kind {found.kind!r}: one of {', '.join(KINDS)}")
    if found.record is None:
        raise ValueError("no record")
    return Record(found.kind, message_of(found.kind, found.record), found.text)


def message_of(kind: str, fields: dict[str, Any]) -> Any:
    """Return the message of a record from its JSON form. Raises ValueError."""
    type_ = message_type(kind)
    try:
        message = json_format.ParseDict(fields, type_())
    except json_format.ParseError as error:
        raise ValueError(str(error)) from None
    try:
        # Older versions of protobuf make messages of JSON that no daemon can read.
        type_.FromString(message.SerializeToString())
    except DecodeError:
        raise ValueError("the record is nested too deeply") from None
    return message
