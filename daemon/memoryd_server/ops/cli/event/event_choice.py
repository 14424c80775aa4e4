"""Options by which commands choose events."""

import click

EVENT_TYPES = (
    "entry_set",
    "entry_removed",
    "entries_cleared",
    "scope_created",
    "scope_disposed",
    "fragment_created",
    "fragment_deleted",
    "fragments_flushed",
    "fragments_cleared",
    "memory_created",
    "memory_updated",
    "memory_purged",
    "memory_reinforced",
    "memory_archived",
    "memory_forgotten",
    "memory_restored",
    "memories_cleared",
    "memories_linked",
    "memories_unlinked",
    "note_created",
    "note_updated",
    "note_deleted",
    "notes_cleared",
    "plan_created",
    "plan_updated",
    "plan_deleted",
    "plan_note_added",
    "plans_cleared",
    "plan_step_added",
    "plan_step_updated",
    "plan_step_removed",
    "plan_step_moved",
    "entity_window_created",
    "entity_window_updated",
    "entity_window_deleted",
    "entity_windows_cleared",
    "document_created",
    "document_updated",
    "document_deleted",
    "documents_cleared",
    "conversation_created",
    "conversation_updated",
    "conversation_deleted",
    "conversation_compacted",
    "conversations_cleared",
    "message_appended",
    "message_removed",
    "agent_updated",
    "agent_ended",
    "agent_restored",
    "user_forgotten",
    "memory_proposal_created",
    "memory_proposal_deleted",
    "memory_proposals_cleared",
)

EPILOG = """Event types: """ + ", ".join(EVENT_TYPES) + "."
"""The end of the help of a command with ``EVENT_TYPE``."""

EVENT_TYPE = click.option(
    "--type",
    "event_types",
    type=click.Choice(EVENT_TYPES),
    multiple=True,
    metavar="EVENT",
    help="Choose only events of this type, as listed below. Repeatable.",
)
KEY_PREFIX = click.option(
    "--prefix", "key_prefix", default="", metavar="TEXT", help="Choose only entries whose key begins with TEXT."
)
