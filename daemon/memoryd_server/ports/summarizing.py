"""What the engine needs to have conversations summed up."""

from typing import Protocol


class Summarizer(Protocol):
    """Has a model sum texts up."""

    async def summarize(self, earlier: str, text: str) -> str:
        """What was said up to the end of ``text``; ``earlier`` sums up what was said before it, empty for nothing.

        At most SUMMARY_BYTES_MAX bytes, and not blank. Raises SummarizerUnavailable.
        """
        ...

    async def close(self) -> None:
        """Let go of connections."""
        ...
