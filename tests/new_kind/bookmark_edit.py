"""The edits of existing files that the toy kind needs: mostly a row after that of the notes.

Its numbers are far from those of the contract, which are still growing. A real kind takes the next free ones.
"""

from tests.new_kind.edit import Edit

PROTOS = "protos/memoryd/v1"
DOMAIN = "daemon/memoryd_server/domain"
TRANSPORT = "daemon/memoryd_server/transport"
CONFIG = "daemon/memoryd_server/ops/config"

EDITS = (
    Edit(
        f"{PROTOS}/record.proto",
        "  RECORD_KIND_NOTE = 6;\n",
        "  // RECORD_KIND_BOOKMARK is a bookmark.\n  RECORD_KIND_BOOKMARK = 90;\n",
    ),
    Edit(
        f"{PROTOS}/event.proto", 'import "memoryd/v1/agent.proto";\n', 'import "memoryd/v1/bookmark_service.proto";\n'
    ),
    Edit(
        f"{PROTOS}/event.proto",
        "  EVENT_TYPE_NOTES_CLEARED = 69;\n",
        "  // EVENT_TYPE_BOOKMARK_CREATED means that a bookmark was created or restored.\n"
        "  EVENT_TYPE_BOOKMARK_CREATED = 900;\n"
        "  // EVENT_TYPE_BOOKMARK_DELETED means that a bookmark was deleted or has expired.\n"
        "  EVENT_TYPE_BOOKMARK_DELETED = 902;\n"
        "  // EVENT_TYPE_BOOKMARKS_CLEARED means that all bookmarks were removed. The subject is ClearedEvent.\n"
        "  EVENT_TYPE_BOOKMARKS_CLEARED = 909;\n",
    ),
    Edit(
        f"{PROTOS}/event.proto",
        "    NoteEvent note = 26;\n",
        "    // A bookmark.\n    BookmarkEvent bookmark = 90;\n",
    ),
    Edit(
        f"{PROTOS}/transaction_service.proto",
        'import "memoryd/v1/agent_service.proto";\n',
        'import "memoryd/v1/bookmark_service.proto";\n',
    ),
    Edit(
        f"{PROTOS}/transaction_service.proto",
        "    DeleteNoteRequest delete_note = 112;\n",
        "    // A call of CreateBookmark.\n    CreateBookmarkRequest create_bookmark = 900;\n"
        "    // A call of DeleteBookmark.\n    DeleteBookmarkRequest delete_bookmark = 901;\n",
    ),
    Edit(
        f"{PROTOS}/transaction_service.proto",
        "    DeleteNoteResponse delete_note = 112;\n",
        "    // The response of CreateBookmark.\n    CreateBookmarkResponse create_bookmark = 900;\n"
        "    // The response of DeleteBookmark.\n    DeleteBookmarkResponse delete_bookmark = 901;\n",
    ),
    Edit(
        f"{DOMAIN}/limit.py",
        '"""Maximum size of the title of a note or a document."""\n',
        'BOOKMARK_URL_BYTES_MAX = 2_048\n"""Maximum size of a bookmark\'s URL."""\n',
    ),
    Edit(f"{DOMAIN}/limit.py", "    note_bytes: int = 64 * 1024\n", "    bookmarks_per_agent: int = 1_000\n"),
    Edit(
        f"{CONFIG}/settings.py",
        '    "note_bytes": "Maximum size of a note\'s content.",\n',
        '    "bookmarks_per_agent": "Maximum number of bookmarks per agent.",\n',
    ),
    Edit(
        f"{DOMAIN}/event_type.py",
        "    NOTES_CLEARED = 69\n",
        "    BOOKMARK_CREATED = 900\n    BOOKMARK_DELETED = 902\n    BOOKMARKS_CLEARED = 909\n",
    ),
    Edit(f"{DOMAIN}/record_kind.py", "    NOTE = 6\n", "    BOOKMARK = 90\n"),
    Edit(
        f"{DOMAIN}/kinds.py",
        "from memoryd_server.domain.notes.note import NOTE, NOTE_SHAPE, Note\n",
        "from memoryd_server.domain.bookmarks.bookmark import Bookmark\n"
        "from memoryd_server.domain.bookmarks.bookmark_part import BOOKMARKS\n",
    ),
    Edit(f"{DOMAIN}/kinds.py", "    NOTE,\n    PLAN,\n", "    BOOKMARKS,\n"),
    Edit(f"{DOMAIN}/kinds.py", "\nCollectedRecord = (\n    ", "Bookmark | "),
    Edit(
        f"{TRANSPORT}/events/subject_message.py",
        "from memoryd_server.domain.notes.note import Note\n",
        "from memoryd_server.domain.bookmarks.bookmark import Bookmark\n",
    ),
    Edit(
        f"{TRANSPORT}/events/subject_message.py",
        "from memoryd_server.transport.notes.note_message import note_message\n",
        "from memoryd_server.transport.bookmarks.bookmark_service import bookmark_message\n",
    ),
    Edit(
        f"{TRANSPORT}/events/subject_message.py",
        '    Note: _record("note", _id("note_id"), note_message),\n',
        '    Bookmark: _record("bookmark", _id("bookmark_id"), bookmark_message),\n',
    ),
    Edit(f"{TRANSPORT}/routes.py", "    note_service_pb2,\n", "    bookmark_service_pb2,\n"),
    Edit(
        f"{TRANSPORT}/routes.py",
        "from memoryd_server.transport.notes.note_service import NoteService\n",
        "from memoryd_server.transport.bookmarks.bookmark_service import BookmarkService\n",
    ),
    Edit(
        f"{TRANSPORT}/routes.py",
        "        note_service_pb2: NoteService(engine.collections, limits),\n",
        "        bookmark_service_pb2: BookmarkService(engine.collections, engine.clock),\n",
    ),
)
