"""Notes as files of Markdown: the fields between lines of three hyphens, then the content."""

import re
from typing import Any

from google.protobuf import json_format

from memoryd_server.ops.cli.agent.transfer.line import message_of
from memoryd_server.ops.cli.agent.transfer.record import Record

FIELDS = ("note_id", "title", "notebook", "user_id", "tags", "importance", "metadata")
"""The fields that stand above the content, by their names in the contract."""

SUFFIX = ".md"
_FRONT = re.compile(r"---\r?\n(.*?)^---[ \t]*(?:\r?\n|\Z)(?:\r?\n)?", re.DOTALL | re.MULTILINE)
_ID = re.compile(r"[A-Za-z0-9.:_-]{1,128}")


def encode_note(note: Any) -> str:
    """Return the text of a note's file."""
    import yaml

    fields = json_format.MessageToDict(note, preserving_proto_field_name=True)
    front = {name: fields[name] for name in FIELDS if name in fields}
    # A field of 0 is left out of the JSON form, and means 0.5 to a person who writes none.
    front["importance"] = note.importance
    head = yaml.safe_dump(front, sort_keys=False, allow_unicode=True)
    return f"---\n{head}---\n\n{note.content}\n"


def decode_note(text: str, stem: str) -> Record:
    """Return the note of a file. Without a note_id, it has that of the file's name, ``stem``. Raises ValueError."""
    import yaml

    matched = _FRONT.match(text)
    if matched is None:
        raise ValueError("no line of three hyphens above and below the note's fields")
    try:
        # A few aliases of aliases are a document of gigabytes.
        if any(isinstance(event, yaml.AliasEvent) for event in yaml.parse(matched[1], yaml.SafeLoader)):
            raise ValueError("the fields have an alias (*): write out the value that it stands for")
        fields = yaml.safe_load(matched[1]) or {}
    except yaml.YAMLError as error:
        raise ValueError(f"the fields are not YAML: {' '.join(str(error).split())}") from None
    if not isinstance(fields, dict) or (unknown := [name for name in fields if name not in FIELDS]):
        raise ValueError(f"no field {unknown[0]!r}" if isinstance(fields, dict) else "the fields are no mapping")
    content = text[matched.end() :]
    content = content.removesuffix("\r\n") if content.endswith("\r\n") else content.removesuffix("\n")
    note = message_of("note", {"importance": 0.5, "note_id": stem, **fields, "content": content})
    if not _ID.fullmatch(note.note_id):
        raise ValueError(
            f"{note.note_id!r} is no note_id: 1 to 128 letters, digits, dots, colons, underscores, hyphens"
        )
    return Record("note", note)
