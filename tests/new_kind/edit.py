"""Edits of files that others change as well: each is found by a piece of text beside it."""

from typing import NamedTuple


class AnchorError(Exception):
    """The text that an edit follows is not in its file, or more than once."""


class Edit(NamedTuple):
    """Puts ``text`` right after ``after``, a piece of the file that is in it once."""

    path: str
    after: str
    text: str

    def apply(self, content: str) -> str:
        """The file's content with the edit. Raises AnchorError."""
        count = content.count(self.after)
        if count != 1:
            raise AnchorError(
                f"{self.path} has {self.after!r} {count} times: choose another text for the edit to follow"
            )
        before, _, rest = content.partition(self.after)
        return before + self.after + self.text + rest
