"""A summarizer that runs a test's functions while it works."""

from collections.abc import Awaitable, Callable


class FakeSummarizer:
    """A summarizer that runs the next of ``meanwhile``, then raises ``failure`` or returns "sum of" the lines.

    ``asked`` has the summary and the text of each call.
    """

    def __init__(self) -> None:
        self.failure: Exception | None = None
        self.meanwhile: list[Callable[[], Awaitable[object]]] = []
        self.asked: list[tuple[str, str]] = []
        self.closed = False

    async def summarize(self, earlier: str, text: str) -> str:
        self.asked.append((earlier, text))
        if self.meanwhile:
            await self.meanwhile.pop(0)()
        if self.failure is not None:
            raise self.failure
        lines = text.split("\n")
        return f"sum of {lines[0]} to {lines[-1]}"

    async def close(self) -> None:
        self.closed = True
