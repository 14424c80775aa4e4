"""Notes: titled, editable memories that are put into prompts."""

import msgspec


class Note(msgspec.Struct, frozen=True, array_like=True, gc=False, tag="note"):
    """One note. Times are nanoseconds since the Unix epoch; fields are stored in this order.

    ``storage_key`` tells apart the notes of an agent that belong to different people or tasks; empty for the agent's
    own. ``importance`` is from 0 to 1: the less important ones leave the prompt first.
    """

    note_id: str
    storage_key: str
    title: str
    content: str
    importance: float
    create_time: int
    update_time: int
    revision: int
    size_bytes: int

    @property
    def group(self) -> str:
        """Notes are not grouped: each is found by its id alone."""
        return ""

    @property
    def key(self) -> str:
        """What names it among the notes of its agent."""
        return self.note_id

    def without_content(self) -> "Note":
        """The note as those are told of it who may not read it."""
        return msgspec.structs.replace(self, title="", content="")
