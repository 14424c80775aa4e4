"""Events as lines: for a terminal, and for a pipe."""

from typing import TYPE_CHECKING, Any

from memoryd_server.ops.cli.terminal.phrase import counted, one_line, plain, preview

if TYPE_CHECKING:
    from rich.text import Text

    from memoryd import Event

NAME_WIDTH_MAX = 24
_STYLES = {
    "entry_set": "green",
    "entry_removed": "red",
    "scope_created": "cyan",
    "scope_disposed": "cyan",
    "memory_cleared": "magenta",
    "agent_ended": "bold red",
    "agent_restored": "bold magenta",
    "fragment_stored": "green",
    "fragment_deleted": "red",
    "fragments_flushed": "blue",
    "fragments_cleared": "magenta",
    "memory_created": "green",
    "memory_updated": "green",
    "memory_reinforced": "blue",
    "memory_archived": "yellow",
    "memory_forgotten": "yellow",
    "memory_restored": "green",
    "memory_purged": "red",
    "memories_linked": "cyan",
    "memories_unlinked": "cyan",
    "memories_cleared": "magenta",
    "note_created": "green",
    "note_updated": "green",
    "note_deleted": "red",
    "plan_created": "green",
    "plan_updated": "green",
    "plan_deleted": "red",
    "records_cleared": "magenta",
    "message_appended": "green",
    "message_removed": "red",
    "conversation_deleted": "red",
    "conversation_compacted": "magenta",
    "document_added": "green",
    "document_replaced": "green",
    "document_deleted": "red",
    "entities_updated": "green",
    "entities_cleared": "magenta",
}
_SIGNS = {
    "entry_removed": "-",
    "fragment_stored": "+",
    "fragment_deleted": "-",
    "memory_created": "+",
    "memory_updated": "~",
    "memory_purged": "-",
    "note_created": "+",
    "note_updated": "~",
    "note_deleted": "-",
    "plan_created": "+",
    "plan_updated": "~",
    "plan_deleted": "-",
    "document_added": "+",
    "document_replaced": "~",
    "document_deleted": "-",
    "message_appended": "+",
    "message_removed": "-",
    "conversation_deleted": "-",
}
_CREATING = {
    "entry_set",
    "fragment_stored",
    "memory_created",
    "memories_linked",
    "note_created",
    "plan_created",
    "document_added",
    "message_appended",
    "entities_updated",
}
"""The types of the events of an initial state."""
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
        style = _STYLES.get(event.type, "")
        parts: list[str | tuple[str, str]] = [
            (f"{event.time.astimezone():%H:%M:%S}.{event.time.microsecond // 1000:03} ", "dim"),
            (f"{event.revision:>{self._revision_width}} ", "dim"),
            f"{_shortened(event.agent_id):<{self._agent_width}} ",
            (_sign(event), style),
        ]
        if event.scope_name:
            parts.append((f" {_shortened(event.scope_name)}/", "cyan"))
        if event.key:
            parts.append((f"{'' if event.scope_name else ' '}{plain(event.key)}", f"bold {style}"))
        if found_id := _id_of(event):
            parts.append((f" {plain(found_id)}", f"bold {style}"))
        if event.cause not in _PLAIN_CAUSES and event.type != "agent_restored":
            parts.append((f" ({event.cause.replace('_', ' ')})", "yellow"))
        parts.append(_details(event))
        return Text.assemble(*parts)


def event_row(event: "Event") -> tuple[Any, ...]:
    """Return an event for a pipe: time, revision, agent, scope id, type, cause, name, content.

    The name is the key of an entry, or the id of another record. The content is a value, a text, the type and target of
    a link, a goal, or the names of entities.
    """
    name = event.key or _id_of(event)
    origin = (event.time, event.revision, event.agent_id, event.scope_id)
    return (*origin, event.type, event.cause, name, one_line(_content(event)))


def _id_of(event: "Event") -> str:
    if event.entity_window:
        return event.entity_window.session_id
    if event.note:
        return event.note.note_id
    if event.plan:
        return event.plan.plan_id
    if event.document:
        return event.document.document_id
    if event.message:
        return f"{plain(event.message.conversation_id)}/{event.message.number}"
    return event.conversation.conversation_id if event.conversation else event.fragment_id or event.memory_id


def _content(event: "Event") -> str:
    if event.entry:
        return event.entry.value_json
    if event.link:
        return f"{event.link.type} {event.link.to_memory_id}"
    if event.note and event.note.content:
        return f"{event.note.title}: {event.note.content}"
    if event.plan and event.plan.goal:
        return f"{event.plan.goal} ({event.plan.status.replace('_', ' ')})"
    if event.message and event.message.content:
        return f"{event.message.name or event.message.role}: {event.message.content}"
    if event.entity_window:
        return ", ".join(each.name for each in event.entity_window.entities)
    if event.conversation:
        return event.conversation.summary
    if event.document:
        return event.document.title
    record = event.fragment or event.memory
    return record.content if record else ""


def _sign(event: "Event") -> str:
    if event.cause == "initial_state" and event.type in _CREATING:
        return "·"
    if event.type == "entry_set":
        return "~" if event.is_update else "+"
    return _SIGNS.get(event.type, event.type.replace("_", " "))


def _details(event: "Event") -> str:
    match event.type:
        case "scope_disposed" | "memory_cleared" | "agent_ended":
            return f" with {counted(event.entries_cleared, 'entry', 'entries')}"
        case "fragments_flushed" | "fragments_cleared":
            return f": {event.fragment_count:,}"
        case "memories_linked" | "memories_unlinked":
            return f" {event.link.type.replace('_', ' ')} {event.link.to_memory_id}" if event.link else ""
        case "memories_cleared":
            return f": {event.memory_count:,}"
        case "records_cleared":
            return f": {event.record_count:,} of kind {event.memory_kind}"
        case "conversation_compacted" if event.conversation:
            return f": {event.conversation.message_count:,} left"
        case "agent_restored":
            return f" from {plain(event.snapshot_id)}"
        case _:
            kind = f" {event.memory.type}" if event.memory else ""
            content = preview(_content(event))
            return f"{kind} = {content}" if content else kind


def _shortened(name: str) -> str:
    text = plain(name)
    return text if len(text) <= NAME_WIDTH_MAX else f"{text[: NAME_WIDTH_MAX - 1]}…"
