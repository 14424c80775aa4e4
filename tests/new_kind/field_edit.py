"""The edits that a field of an entry needs: a text, with a number that is far from those of the contract."""

from tests.new_kind.edit import Edit

PROTOS = "protos/memoryd/v1"
DAEMON = "daemon/memoryd_server"
CLIENT = "clients/python/memoryd"

FIELD_EDITS = (
    Edit(
        f"{PROTOS}/entry.proto",
        "  google.protobuf.Timestamp last_access_time = 18 [(google.api.field_behavior) = OUTPUT_ONLY];\n",
        "  // Where the value comes from. Empty if the writer gave none.\n  string source = 90;\n",
    ),
    Edit(
        f"{PROTOS}/working_memory_service.proto",
        "  string reservation_token = 22;\n",
        "  // Where the value comes from: at most 256 bytes. Empty for none.\n"
        "  string source = 90 [(field_policy).bytes_max = 256];\n",
    ),
    Edit(
        f"{PROTOS}/working_memory_service.proto",
        "  bool local_only = 22;\n",
        "  // Where the value comes from: at most 256 bytes. Empty for none.\n"
        "  string source = 90 [(field_policy).bytes_max = 256];\n",
    ),
    Edit(
        f"{PROTOS}/working_memory_service.proto",
        "message SetEntryOperation {\n",
        "  // Where the value comes from: at most 256 bytes. Empty for none.\n"
        "  string source = 90 [(field_policy).bytes_max = 256];\n",
    ),
    Edit(
        f"{DAEMON}/domain/limit.py",
        '"""Maximum size of a scope\'s name."""\n',
        'ENTRY_SOURCE_BYTES_MAX = 256\n"""Maximum size of an entry\'s source."""\n',
    ),
    Edit(
        f"{DAEMON}/domain/entries/entry.py",
        '    expire_time: int | None = None\n    user_id: str = ""\n',
        '    source: str = ""\n',
    ),
    Edit(
        f"{DAEMON}/domain/entries/entry.py",
        '    last_access_time: int | None = None\n    user_id: str = ""\n',
        '    source: str = ""\n',
    ),
    Edit(
        f"{DAEMON}/domain/entries/entry.py",
        "        draft.user_id,\n",
        "        draft.source,\n",
    ),
    Edit(
        f"{DAEMON}/transport/entries/entry_message.py",
        "    message.entry_id = entry.entry_id\n",
        "    message.source = entry.source\n",
    ),
    Edit(
        f"{DAEMON}/transport/entries/entry_message.py",
        "    type_name, user_id = message.type_name, message.user_id\n",
        '    source = validation.optional_text("source", message.source, limit.ENTRY_SOURCE_BYTES_MAX)\n',
    ),
    Edit(f"{DAEMON}/transport/entries/entry_message.py", "(metadata_json, type_name", ", source"),
    Edit(
        f"{DAEMON}/transport/entries/entry_message.py",
        '        user_id and validation.text("user_id", user_id, limit.USER_ID_BYTES_MAX),\n',
        "        source,\n",
    ),
    Edit(
        f"{CLIENT}/model/entry.py",
        "    access_count: int\n    last_access_time: datetime | None\n",
        "    source: str\n",
    ),
    Edit(
        f"{CLIENT}/model/entry.py",
        '        last_access_time=datetime_in(message, "last_access_time"),\n',
        "        source=message.source,\n",
    ),
    Edit(
        f"{CLIENT}/protocol/option.py",
        "    ``tags``: labels, at most 64.\n",
        "    ``source``: where the value comes from, at most 256 bytes.\n",
    ),
    Edit(f"{CLIENT}/protocol/option.py", "    tags: Iterable[str] | None\n", "    source: str | None\n"),
    Edit(
        f"{CLIENT}/protocol/option.py",
        "        message.importance = importance\n",
        '    if (source := options.get("source")) is not None:\n        message.source = source\n',
    ),
)
