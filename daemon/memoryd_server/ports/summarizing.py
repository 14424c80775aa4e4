"""The summarizing port: it summarizes conversations."""

from typing import Protocol


class Summarizer(Protocol):
    """Summarizes texts by a model."""

    async def summarize(self, earlier: str, text: str) -> str:
        """Return a summary of the conversation up to the end of ``text``.

        ``earlier`` is the summary of the conversation before ``text``; empty if there is none. The result has at most
        SUMMARY_BYTES_MAX bytes, and is not blank. Raises SummarizerUnavailable.
        """
        ...

    async def close(self) -> None:
        """Close all connections."""
        ...
