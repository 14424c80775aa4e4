"""The table of docs/api.md that shows which method does what with each kind of record.

``python -m tests.contract.matrix`` prints it as Markdown. A hole without an explanation is an error.
"""

import re
import sys
from collections.abc import Iterator

from tests.contract.contract import contract

KINDS = {
    "agent": "Agents?|AgentStats",
    "entry": "Entry|Entries",
    "scope": "Scopes?",
    "fragment": "Fragments?",
    "memory": "Memory|Memories",
    "memory link": "MemoryLinks?",
    "memory proposal": "MemoryProposals?",
    "note": "Notes?",
    "document": "Documents?",
    "document chunk": "DocumentChunks?",
    "plan": "Plans?",
    "plan step": "PlanSteps?",
    "entity window": "EntityWindows?|Entities",
    "conversation": "Conversations?",
    "message": "Messages?",
    "snapshot": "Snapshots?",
    "operation": "Operations?",
}
"""The nouns of each kind in names of methods."""

COLUMNS = {
    "create": "Create|Propose|Start|Set|Add|Append|Upload|GetOrSet|Import|Extract|Link",
    "get": "Get|Wait|Watch|Export",
    "list": "List",
    "update": "Update|Accept|Move|Reinforce|Complete|Reopen|Merge|Reembed|Compact",
    "delete": "Delete|Cancel|Remove|Forget|Purge|Dispose|End|Unlink|Truncate|Acknowledge|Reject",
    "many at once": "BatchGet|BatchCreate|BatchWrite|BatchForget",
    "search": "Search|Recall|Count|Contains",
    "clear": "Clear|Flush",
    "restore": "Restore",
}
"""The verbs of each column."""

ALIASES = {
    "LinkMemories": "memory link",
    "UnlinkMemories": "memory link",
    "ProposeMemories": "memory proposal",
    "GetAgentStats": "agent",
}

HOLES = {
    ("agent", "create"): "An agent is created by its first change.",
    ("agent", "restore"): "`RestoreSnapshot`.",
    ("entry", "update"): "`SetEntry` overwrites an existing entry.",
    ("fragment", "update"): "A fragment is what was said: it does not change.",
    ("document chunk", "create"): "Chunks are cut from the text of their document.",
    ("document chunk", "update"): "Chunks are cut from the text of their document.",
    ("document chunk", "delete"): "Chunks are deleted with their document, or replaced with its text.",
    ("memory link", "update"): "`LinkMemories` changes the strength of an existing link.",
    ("memory proposal", "get"): "`ListMemoryProposals` with its id in the filter.",
    ("plan step", "get"): "Steps are returned in their plan.",
    ("plan step", "list"): "Steps are returned in their plan.",
    ("entity window", "update"): "`AddEntities` merges into the window, `SetEntities` replaces it.",
    ("entity window", "delete"): "`ClearEntities` with a conversation_id.",
    ("snapshot", "update"): "A snapshot is an image of one moment: it does not change.",
    ("operation", "update"): "Only its work changes an operation.",
    ("operation", "clear"): "Ended operations are forgotten by themselves.",
    ("operation", "restore"): "Operations are not stored: their results are.",
}
"""The cells without a method, and why."""

EVERY_HOLE = {
    "many at once": "`Commit` makes up to 1,000 changes of all kinds as one.",
    "search": "Lists are filtered instead; `ComposeContext` and `RecallMemories` search by meaning.",
    "clear": "`ClearAgent` clears the kinds that it is given.",
    "restore": "`RestoreSnapshot` restores an agent with all of its records.",
}
"""The reason of a hole that its column gives, unless ``HOLES`` gives one."""


def table() -> Iterator[str]:
    """Yield the lines of the table. Raises KeyError for a hole that has no explanation."""
    cells: dict[tuple[str, str], list[str]] = {}
    for method in contract().methods():
        for kind, column in _places(method.name):
            cells.setdefault((kind, column), []).append(f"`{method.name}`")
    yield f"| kind | {' | '.join(COLUMNS)} |"
    yield "| --- " * (len(COLUMNS) + 1) + "|"
    reasons: list[str] = []
    for kind in KINDS:
        row = []
        for column in COLUMNS:
            if (kind, column) in cells:
                row.append(", ".join(cells[kind, column]))
                continue
            reason = HOLES.get((kind, column)) or EVERY_HOLE[column]
            if reason not in reasons:
                reasons.append(reason)
            row.append(f"({reasons.index(reason) + 1})")
        yield f"| {kind} | {' | '.join(row)} |"
    yield ""
    for number, reason in enumerate(reasons, start=1):
        yield f"{number}. {reason}"


def _places(name: str) -> Iterator[tuple[str, str]]:
    kind = ALIASES.get(name)
    for column, verbs in COLUMNS.items():
        for each, nouns in KINDS.items():
            if kind in (None, each) and re.fullmatch(rf"({verbs})({nouns if kind is None else '.*'})", name):
                yield each, column


def main() -> None:
    """Print the table with its heading."""
    heading = "## Methods by kind\n\nEach kind of record, and the methods that do something with it."
    sys.stdout.write("\n".join(("", heading, "", *table(), "")))


if __name__ == "__main__":
    main()
