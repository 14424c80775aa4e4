"""The selection of documents."""

import msgspec

from memoryd_server.domain.documents.document import Document


class DocumentFilter(msgspec.Struct, frozen=True):
    """A filter of documents. A document passes if it passes all fields; an empty field passes all.

    A ``user_id`` of None passes all; an empty one passes the documents of no user. The document must have all
    ``all_tags``, and one of ``any_tags``.
    """

    document_ids: frozenset[str] = frozenset()
    user_id: str | None = None
    all_tags: frozenset[str] = frozenset()
    any_tags: frozenset[str] = frozenset()

    def keeps(self, document: Document) -> bool:
        """Return True if the document passes."""
        return (
            (not self.document_ids or document.document_id in self.document_ids)
            and self.user_id in (None, document.user_id)
            and self.all_tags.issubset(document.tags)
            and (not self.any_tags or not self.any_tags.isdisjoint(document.tags))
        )


EVERY_DOCUMENT = DocumentFilter()
"""The filter that passes all documents."""
