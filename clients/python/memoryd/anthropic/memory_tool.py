"""Claude's memory tool, for threads and for asyncio."""

from anthropic.lib.tools import BetaAbstractMemoryTool, BetaAsyncAbstractMemoryTool
from anthropic.types.beta import (
    BetaCacheControlEphemeralParam,
    BetaMemoryTool20250818CreateCommand,
    BetaMemoryTool20250818DeleteCommand,
    BetaMemoryTool20250818InsertCommand,
    BetaMemoryTool20250818RenameCommand,
    BetaMemoryTool20250818StrReplaceCommand,
    BetaMemoryTool20250818ViewCommand,
)

from memoryd.adapter.connected import Connected
from memoryd.adapter.connection import Connection
from memoryd.aio.client import Client as AioClient
from memoryd.anthropic.directory import Directory
from memoryd.sync.client import Client


class MemorydMemoryTool(Connected, BetaAbstractMemoryTool):
    """Claude's memory tool, whose files are documents of an agent.

    ``client`` is a ``memoryd.Client``, or an address as for ``memoryd.connect``. ``agent_id`` is the agent that owns
    the files, ``user_id`` the user whose files they are; those of different users, and those of no user, are apart.

    A file has at most 4 MiB of text, and an agent 1,000 documents, unless the daemon's limits are others. What the
    model can correct is raised as ToolError, with the text that Anthropic documents where it documents one. Every
    method raises CallFailed when the daemon cannot be reached. Close the tool, or use it as a context manager; a given
    client stays open.
    """

    def __init__(
        self,
        client: Client | str | None = None,
        *,
        agent_id: str = "claude",
        user_id: str = "",
        cache_control: BetaCacheControlEphemeralParam | None = None,
    ) -> None:
        super().__init__(cache_control=cache_control)
        self._connection = Connection(client)
        self._directory = Directory(agent_id, user_id)

    def view(self, command: BetaMemoryTool20250818ViewCommand) -> str:
        """Return the lines of a file, or the listing of a directory."""
        return self._connection.run(self._directory.view(command.path, command.view_range))

    def create(self, command: BetaMemoryTool20250818CreateCommand) -> str:
        """Create a file. Raises ToolError if there is one."""
        return self._connection.run(self._directory.create(command.path, command.file_text))

    def str_replace(self, command: BetaMemoryTool20250818StrReplaceCommand) -> str:
        """Replace the one occurrence of a text in a file. Raises ToolError unless there is exactly one."""
        return self._connection.run(self._directory.str_replace(command.path, command.old_str, command.new_str))

    def insert(self, command: BetaMemoryTool20250818InsertCommand) -> str:
        """Insert lines after a line of a file; 0 is the beginning. Raises ToolError for a line that is not there."""
        return self._connection.run(self._directory.insert(command.path, command.insert_line, command.insert_text))

    def delete(self, command: BetaMemoryTool20250818DeleteCommand) -> str:
        """Delete a file, or a directory with all that is in it, as one change."""
        return self._connection.run(self._directory.delete(command.path))

    def rename(self, command: BetaMemoryTool20250818RenameCommand) -> str:
        """Rename or move a file or a directory, as one change. Raises ToolError if the destination exists."""
        return self._connection.run(self._directory.rename(command.old_path, command.new_path))

    def clear_all_memory(self) -> str:
        """Delete all files."""
        return self._connection.run(self._directory.clear())


class MemorydAsyncMemoryTool(Connected, BetaAsyncAbstractMemoryTool):
    """Claude's memory tool for asyncio: see MemorydMemoryTool.

    ``client`` is a ``memoryd.aio.Client`` of the running event loop, a ``memoryd.Client`` whose settings are used, or
    an address.
    """

    def __init__(
        self,
        client: AioClient | Client | str | None = None,
        *,
        agent_id: str = "claude",
        user_id: str = "",
        cache_control: BetaCacheControlEphemeralParam | None = None,
    ) -> None:
        super().__init__(cache_control=cache_control)
        self._connection = Connection(client)
        self._directory = Directory(agent_id, user_id)

    async def view(self, command: BetaMemoryTool20250818ViewCommand) -> str:
        """Return the lines of a file, or the listing of a directory."""
        return await self._connection.run_in_task(self._directory.view(command.path, command.view_range))

    async def create(self, command: BetaMemoryTool20250818CreateCommand) -> str:
        """Create a file. Raises ToolError if there is one."""
        return await self._connection.run_in_task(self._directory.create(command.path, command.file_text))

    async def str_replace(self, command: BetaMemoryTool20250818StrReplaceCommand) -> str:
        """Replace the one occurrence of a text in a file. Raises ToolError unless there is exactly one."""
        replace = self._directory.str_replace(command.path, command.old_str, command.new_str)
        return await self._connection.run_in_task(replace)

    async def insert(self, command: BetaMemoryTool20250818InsertCommand) -> str:
        """Insert lines after a line of a file; 0 is the beginning. Raises ToolError for a line that is not there."""
        insert = self._directory.insert(command.path, command.insert_line, command.insert_text)
        return await self._connection.run_in_task(insert)

    async def delete(self, command: BetaMemoryTool20250818DeleteCommand) -> str:
        """Delete a file, or a directory with all that is in it, as one change."""
        return await self._connection.run_in_task(self._directory.delete(command.path))

    async def rename(self, command: BetaMemoryTool20250818RenameCommand) -> str:
        """Rename or move a file or a directory, as one change. Raises ToolError if the destination exists."""
        return await self._connection.run_in_task(self._directory.rename(command.old_path, command.new_path))

    async def clear_all_memory(self) -> str:
        """Delete all files."""
        return await self._connection.run_in_task(self._directory.clear())
