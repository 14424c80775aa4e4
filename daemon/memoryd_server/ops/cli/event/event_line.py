"""Events as lines: for a terminal, and for a pipe."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from memoryd_server.ops.cli.terminal.phrase import counted, one_line, plain, preview

if TYPE_CHECKING:
    from rich.text import Text

    from memoryd import Event

NAME_WIDTH_MAX = 24
_STYLES = {
    "created": "green",
    "set": "green",
    "appended": "green",
    "restored": "green",
    "updated": "green",
    "removed": "red",
    "deleted": "red",
    "purged": "red",
    "ended": "bold red",
    "disposed": "cyan",
    "linked": "cyan",
    "unlinked": "cyan",
    "added": "green",
    "moved": "green",
    "archived": "yellow",
    "forgotten": "yellow",
    "flushed": "blue",
    "reinforced": "blue",
    "cleared": "magenta",
    "compacted": "magenta",
}
"""The styles of events by the last word of their types."""
_SIGNS = {"created": "+", "appended": "+", "added": "+", "updated": "~", "removed": "-", "deleted": "-", "purged": "-"}
"""The signs of events about one record, by the last word of their types."""
_WITHOUT_SIGN = {"agent", "scope"}
"""The kinds whose events are named by their types, since most of them say more than a sign."""
_PLAIN_CAUSES = {"request", "initial_state"}
"""The causes that a line does not name: the usual one, and the one with a sign of its own."""


class EventLines:
    """Formats events as lines whose columns are aligned with those of the lines before."""

    def __init__(self) -> None:
        self._agent_width = 0
        self._revision_width = 3

    def line(self, event: "Event") -> "Text":
        """Return an event for a terminal: time, revision, agent, sign or type, scope and key, cause, value."""
        from rich.text import Text

        self._agent_width = max(self._agent_width, min(len(event.agent_id), NAME_WIDTH_MAX))
        self._revision_width = max(self._revision_width, len(str(event.revision)))
        style = _STYLES.get(_verb(event), "")
        scope_name, name = _scope_name_of(event), _name_of(event)
        parts: list[str | tuple[str, str]] = [
            (f"{event.event_time.astimezone():%H:%M:%S}.{event.event_time.microsecond // 1000:03} ", "dim"),
            (f"{event.revision:>{self._revision_width}} ", "dim"),
            f"{_shortened(event.agent_id):<{self._agent_width}} ",
            (_sign(event), style),
        ]
        if scope_name:
            parts.append((f" {_shortened(scope_name)}/", "cyan"))
        if name:
            parts.append((f"{'' if scope_name else ' '}{plain(name)}", f"bold {style}"))
        if event.cause not in _PLAIN_CAUSES and event.type != "agent_restored":
            parts.append((f" ({event.cause.replace('_', ' ')})", "yellow"))
        parts.append(_details(event))
        return Text.assemble(*parts)


def event_row(event: "Event") -> tuple[Any, ...]:
    """Return an event for a pipe: time, revision, agent, scope id, type, cause, name, content.

    The name is the key of an entry, or the id of another record. The content is a value, a text, the type and target of
    a link, a goal, a step, or the names of entities.
    """
    scope_id = getattr(event.subject, "scope_id", "")
    origin = (event.event_time, event.revision, event.agent_id, scope_id)
    return (*origin, event.type, event.cause, _name_of(event), one_line(_content(event)))


def _scope_name_of(event: "Event") -> str:
    name: str = getattr(event.subject, "name" if event.kind == "scope" else "scope_name", "")
    return name


def _name_of(event: "Event") -> str:
    """Return the ids of the record that an event is about; empty for scopes, whose names stand before it."""
    ids = [getattr(event.subject, field, None) for field in _IDS.get(event.kind, ())]
    return "/".join(str(each) for each in ids if each is not None)


_IDS = {
    "entry": ("key",),
    "fragment": ("fragment_id",),
    "memory": ("memory_id",),
    "memory_link": ("from_memory_id",),
    "memory_proposal": ("memory_proposal_id",),
    "note": ("note_id",),
    "plan": ("plan_id",),
    "plan_step": ("plan_id", "step_id"),
    "entity_window": ("conversation_id",),
    "document": ("document_id",),
    "conversation": ("conversation_id",),
    "message": ("conversation_id", "number"),
}
"""The fields of a subject that name its record, by kind."""


def _record_of(event: "Event") -> Any:
    """Return the record after the change, None if there is none. Subjects have it in a field with the kind's name."""
    return getattr(event.subject, event.kind, None)


def _content(event: "Event") -> str:
    if event.kind == "memory_link":
        return _link_of(event)
    if event.type.startswith("plan_"):
        return _plan_content(event)
    record, content = _record_of(event), _CONTENTS.get(event.kind)
    return "" if record is None or content is None else content(record)


def _plan_content(event: "Event") -> str:
    """Return what changed of a plan, or of a step of it; the text of a note that was added to it."""
    if event.type == "plan_note_added":
        return event.subject.plan_note.text  # type: ignore[union-attr]
    record = _record_of(event)
    if record is None or event.type == "plan_step_moved":
        return ""
    texts = (record.goal,) if event.kind == "plan" else (record.description, record.notes)
    is_new = event.type in ("plan_created", "plan_step_added")
    text = ": ".join(filter(None, texts))
    if is_new or event.kind == "plan" or "status" in event.changed_fields:
        return f"{text} ({record.status.replace('_', ' ')})".strip()
    return text


def _link_of(event: "Event") -> str:
    subject: Any = event.subject
    return f"{subject.type} {subject.to_memory_id}"


_CONTENTS: dict[str, Callable[[Any], str]] = {
    "agent": lambda agent: str(agent.display_name),
    "entry": lambda entry: str(entry.value_json),
    "fragment": lambda fragment: str(fragment.content),
    "memory": lambda memory: str(memory.content),
    "memory_proposal": lambda proposal: str(proposal.content),
    "note": lambda note: f"{note.title}: {note.content}" if note.content else "",
    "entity_window": lambda window: ", ".join(each.name for each in window.entities),
    "document": lambda document: str(document.title),
    "conversation": lambda conversation: str(conversation.title or conversation.summary),
    "message": lambda message: f"{message.name or message.role}: {message.text}" if message.text else "",
}
"""The content of a record that a line shows, by kind."""


def _verb(event: "Event") -> str:
    return event.type.rpartition("_")[2]


def _sign(event: "Event") -> str:
    if event.kind in _WITHOUT_SIGN or event.type == "plan_note_added":
        return event.type.replace("_", " ")
    if event.cause == "initial_state":
        return "·"
    if event.type == "entry_set":
        return "~" if event.previous_revision else "+"
    return _SIGNS.get(_verb(event), event.type.replace("_", " "))


def _details(event: "Event") -> str:
    subject: Any = event.subject
    match event.type:
        case "scope_disposed":
            return f" with {counted(subject.cleared_entry_count, 'entry', 'entries')}"
        case "agent_ended" | "user_forgotten":
            return f" with {counted(sum(subject.cleared.values()), 'record')}"
        case "agent_restored":
            return f" from {plain(subject.snapshot_id)}"
        case "fragments_flushed":
            return f": {subject.fragment_count:,}"
        case "memories_linked" | "memories_unlinked":
            return f" {_link_of(event).replace('_', ' ', 1)}"
        case "plan_step_moved":
            return f" before {subject.before_step_id}" if subject.before_step_id else " to the end"
        case "conversation_compacted":
            return f": {subject.conversation.message_count:,} left"
        case _ if _verb(event) == "cleared":
            return f": {sum(subject.cleared.values()):,}"
    kind = f" {subject.memory.type}" if event.kind == "memory" and subject.memory else ""
    content = preview(_content(event))
    return f"{kind} = {content}" if content else kind


def _shortened(name: str) -> str:
    text = plain(name)
    return text if len(text) <= NAME_WIDTH_MAX else f"{text[: NAME_WIDTH_MAX - 1]}…"
