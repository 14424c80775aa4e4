"""The selection of fragments."""

import msgspec

from memoryd_server.domain.fragments.fragment import Fragment


class FragmentFilter(msgspec.Struct, frozen=True):
    """A filter of fragments. A fragment passes if it passes all fields; None passes all.

    An empty ``user_id`` passes the fragments of no user. Without a confidence, a fragment does not pass
    ``min_confidence``.
    """

    user_id: str | None = None
    type: str | None = None
    flushed: bool | None = None
    min_confidence: float | None = None

    def keeps(self, fragment: Fragment) -> bool:
        """Return True if the fragment passes."""
        least, confidence = self.min_confidence, fragment.confidence
        return (
            self.user_id in (None, fragment.user_id)
            and self.type in (None, fragment.type)
            and self.flushed in (None, fragment.flushed)
            and (least is None or (confidence is not None and confidence >= least))
        )


EVERY_FRAGMENT = FragmentFilter()
"""The filter that passes all fragments."""
