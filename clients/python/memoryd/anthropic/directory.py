"""The memory files of an agent or of one of its users, as documents: flows of calls for each command of the tool.

A file is a document whose title is the path, with the tag ``memory-file``. Directories are those of the files' paths.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

from anthropic.lib.tools import ToolError

from memoryd.adapter.listing import Flow, collected
from memoryd.anthropic import text as texts
from memoryd.anthropic.path import ROOT, is_below, normalized, parents
from memoryd.errors import (
    AgentNotFound,
    InvalidArgument,
    RecordExists,
    RecordNotFound,
    ResourceExhausted,
    RevisionMismatch,
)
from memoryd.model.agent import AgentInfo
from memoryd.model.document import Document
from memoryd.protocol import document as calls
from memoryd.protocol.agent import get_agent
from memoryd.protocol.document import DocumentOptions
from memoryd.protocol.option import Condition
from memoryd.protocol.update import RACES_MAX
from memoryd.transaction.transaction import Transaction

Result = TypeVar("Result")
Files = dict[str, Document]

TAG = "memory-file"
# The text of a file that is blank, which a document cannot be. Its document has the path as its text.
BLANK = "blank_text"


class Directory:
    """The memory files of one agent, of a user unless the user's id is empty.

    A command that depends on several files is committed only if the agent has not changed since they were read, and is
    otherwise decided again. It raises ToolError for whatever the model can correct.
    """

    def __init__(self, agent_id: str, user_id: str) -> None:
        self._agent_id = agent_id
        self._user_id = user_id

    def view(self, path: str, view_range: Sequence[int] | None) -> Flow[str]:
        """Return the lines of a file, or the listing of a directory."""
        path = normalized(path)
        return (yield from _answered(self._view(path, view_range)))

    def create(self, path: str, text: str) -> Flow[str]:
        """Create a file."""
        path = normalized(path)

        def write(files: Files, transaction: Transaction) -> None:
            if _exists(path, files):
                raise ToolError(f"Error: File {path} already exists")
            _check_parents(path, files)
            fields = _fields(path, text)
            fields["user_id"] = self._user_id
            fields["tags"] = [TAG]
            transaction.documents.create(_stored(path, text), **fields)

        yield from _answered(self._committed(write))
        return f"File created successfully at: {path}"

    def str_replace(self, path: str, old: str, new: str) -> Flow[str]:
        """Replace the one occurrence of a text in a file."""
        path = normalized(path)
        missing = f"Error: The path {path} does not exist. Please provide a valid path."
        return (yield from _answered(self._edited(path, missing, lambda text: texts.replaced(path, text, old, new))))

    def insert(self, path: str, after: int, new: str) -> Flow[str]:
        """Insert lines after a line of a file; 0 is the beginning."""
        path = normalized(path)
        done = f"The file {path} has been edited."
        missing = f"Error: The path {path} does not exist"
        return (
            yield from _answered(self._edited(path, missing, lambda text: (texts.inserted(text, after, new), done)))
        )

    def delete(self, path: str) -> Flow[str]:
        """Delete a file, or a directory with all that is in it."""
        path = normalized(path)
        if path == ROOT:
            raise ToolError(f"Cannot delete the {ROOT} directory itself")

        def remove(files: Files, transaction: Transaction) -> None:
            removed = _at_or_below(path, files)
            if not removed:
                raise ToolError(f"Error: The path {path} does not exist")
            for document in removed.values():
                transaction.documents.delete(document.document_id)

        yield from _answered(self._committed(remove))
        return f"Successfully deleted {path}"

    def rename(self, old: str, new: str) -> Flow[str]:
        """Rename a file or a directory, or move it. The documents keep their ids."""
        old, new = normalized(old), normalized(new)
        if old == ROOT:
            raise ToolError(f"Cannot rename the {ROOT} directory itself")

        def move(files: Files, transaction: Transaction) -> None:
            if _exists(new, files):
                raise ToolError(f"Error: The destination {new} already exists")
            moved = _at_or_below(old, files)
            if not moved:
                raise ToolError(f"Error: The path {old} does not exist")
            if is_below(new, old):
                raise ToolError(f"Error: The destination {new} is within {old}")
            _check_parents(new, files)
            for path, document in moved.items():
                transaction.documents.update(document.document_id, title=normalized(new + path.removeprefix(old)))

        yield from _answered(self._committed(move))
        return f"Successfully renamed {old} to {new}"

    def clear(self) -> Flow[str]:
        """Delete all files."""

        def remove(files: Files, transaction: Transaction) -> None:
            for document in files.values():
                transaction.documents.delete(document.document_id)

        yield from _answered(self._committed(remove))
        return "All memory cleared"

    def _view(self, path: str, view_range: Sequence[int] | None) -> Flow[str]:
        files = yield from self._files()
        if path in files:
            found = yield from self._text(files[path])
            if found is not None:
                return texts.content(path, found, view_range)
        if path not in files and (path == ROOT or _exists(path, files)):
            return texts.listing(path, {each: _bytes_of(document) for each, document in files.items()})
        raise ToolError(f"The path {path} does not exist. Please provide a valid path.")

    def _edited(self, path: str, missing: str, edit: Callable[[str], tuple[str, str]]) -> Flow[str]:
        """Change the text of a file, and return the answer. A file that changed meanwhile is read again."""
        for race in range(1, RACES_MAX + 1):
            files = yield from self._files()
            document = files.get(path)
            found = None if document is None else (yield from self._text(document))
            if document is None or found is None:
                raise ToolError(missing)
            changed, answer = edit(found)
            update = calls.Update(self._agent_id, document.document_id, _fields(path, changed), document.revision)
            try:
                yield update.call({"text": _stored(path, changed)})
            except RevisionMismatch:
                if race == RACES_MAX:
                    raise
            except RecordNotFound:
                raise ToolError(missing) from None
            else:
                return answer
        raise AssertionError("unreachable: the last race returns or raises")

    def _committed(self, change: Callable[[Files, Transaction], None]) -> Flow[None]:
        """Commit the changes that follow from the files, if the agent has not changed since they were read."""
        for race in range(1, RACES_MAX + 1):
            unchanged: Condition
            try:
                agent: AgentInfo = yield get_agent(self._agent_id)
                unchanged = {"expected_revision": agent.revision}
            except AgentNotFound:
                # Not revision 0: an agent that has ended keeps its revision for a while.
                unchanged = {"must_not_exist": True}
            files = yield from self._files()
            transaction = Transaction(self._agent_id)
            change(files, transaction)
            pending = transaction.pending("", unchanged)
            if pending is None:
                return
            try:
                yield pending
            except (RecordExists, RevisionMismatch):
                if race == RACES_MAX:
                    raise
            else:
                return

    def _files(self) -> Flow[Files]:
        # The key user_id selects the documents of no user if it is empty.
        found = yield from collected(
            lambda: calls.list_documents(self._agent_id, {"user_id": self._user_id, "all_tags": [TAG]})
        )
        return {document.title: document for document in found}

    def _text(self, document: Document) -> Flow[str | None]:
        """Return the text of a document; None if it has been deleted."""
        if BLANK in document.metadata:
            return str(document.metadata[BLANK])
        try:
            chunks = yield from collected(lambda: calls.list_chunks(self._agent_id, document.document_id))
        except RecordNotFound:
            return None
        return "".join(chunk.text for chunk in chunks)


def _answered(flow: Flow[Result]) -> Flow[Result]:
    """Perform a flow, and raise what a model can act on as ToolError."""
    try:
        return (yield from flow)
    except (InvalidArgument, ResourceExhausted) as error:
        raise ToolError(f"Error: {error.message}") from error
    except UnicodeEncodeError as error:
        raise ToolError("Error: the text has a lone surrogate") from error


def _fields(path: str, text: str) -> DocumentOptions:
    return {"title": path, "media_type": "text/plain", "metadata": {} if text.strip() else {BLANK: text}}


def _stored(path: str, text: str) -> str:
    return text if text.strip() else path


def _bytes_of(document: Document) -> int:
    return len(document.metadata[BLANK].encode()) if BLANK in document.metadata else document.text_bytes


def _exists(path: str, files: Iterable[str]) -> bool:
    return path == ROOT or any(file == path or is_below(file, path) for file in files)


def _at_or_below(path: str, files: Files) -> Files:
    return {each: document for each, document in files.items() if each == path or is_below(each, path)}


def _check_parents(path: str, files: Files) -> None:
    for parent in parents(path):
        if parent in files:
            raise ToolError(f"Error: The path {parent} is not a directory")
