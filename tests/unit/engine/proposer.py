"""A proposer that runs a test's functions while it works."""

from collections.abc import Awaitable, Callable, Sequence

from memoryd_server.domain.memories.proposals.proposal import Proposal, StatementKind


class FakeProposer:
    """A proposer of one memory per text, which reads at most ``texts_max`` of them at a time.

    It runs the next of ``meanwhile``, then raises ``failure`` if that is set. ``asked`` has the texts of each call.
    """

    metadata_json = '{"proposer":"fake","prompt_version":1}'

    def __init__(self, texts_max: int = 1_000) -> None:
        self.texts_max = texts_max
        self.failure: Exception | None = None
        self.meanwhile: list[Callable[[], Awaitable[object]]] = []
        self.asked: list[list[str]] = []
        self.closed = False

    async def propose(self, texts: Sequence[str]) -> Sequence[Sequence[Proposal]]:
        self.asked.append(list(texts))
        if self.meanwhile:
            await self.meanwhile.pop(0)()
        if self.failure is not None:
            raise self.failure
        return [[Proposal(StatementKind.FACT, text, f"{text}.")] for text in texts[: self.texts_max]]

    async def close(self) -> None:
        self.closed = True
