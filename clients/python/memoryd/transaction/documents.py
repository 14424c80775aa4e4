"""The documents of an agent."""

from typing import Unpack

from memoryd.model.document import Document
from memoryd.model.erasure import ErasureReceipt
from memoryd.protocol import document as calls
from memoryd.protocol.document import DocumentChanges, DocumentOptions
from memoryd.protocol.keyword import checks_keywords
from memoryd.transaction.recorder import Recorder, Written


@checks_keywords
class Documents:
    """Source texts for prompts, whole or in chunks that a search finds.

    Changes are made together, when the transaction's block ends: see ``Transaction``. The content is one of ``text``;
    ``data``, the bytes of a file; and ``url``, from which the server fetches the document.
    """

    def __init__(self, recorder: Recorder, agent_id: str) -> None:
        self._recorder = recorder
        self._agent_id = agent_id

    def create(
        self,
        text: str | None = None,
        *,
        data: bytes | None = None,
        url: str | None = None,
        **options: Unpack[DocumentOptions],
    ) -> Written[Document]:
        """Create a document with one content."""
        calls.check_contents(text, data, None, url, most="exactly one")
        creation = calls.Creation(self._agent_id, options)
        return self._recorder.add(creation.call(calls.content_of(text, data, url)))

    def update(
        self,
        document_id: str,
        *,
        text: str | None = None,
        data: bytes | None = None,
        url: str | None = None,
        expected_revision: int | None = None,
        **changes: Unpack[DocumentChanges],
    ) -> Written[Document]:
        """Change the given fields of a document, its content, or both."""
        calls.check_contents(text, data, None, url, most="at most one")
        update = calls.Update(self._agent_id, document_id, changes, expected_revision)
        return self._recorder.add(update.call(calls.content_of(text, data, url)))

    def delete(
        self, document_id: str, *, expected_revision: int | None = None, erase: bool = False
    ) -> Written[bool | ErasureReceipt]:
        """Remove a document, and return whether there was one. ``erase`` erases it, and returns the receipt."""
        return self._recorder.add(calls.delete_document(self._agent_id, document_id, expected_revision, erase=erase))
