"""The token counts of messages that are appended to conversations."""

from collections.abc import Sequence

import msgspec

from memoryd_server.domain.conversations.message_change import AppendMessages
from memoryd_server.domain.values.token_estimate import estimated_tokens
from memoryd_server.engine.agents.lane import REQUESTS
from memoryd_server.engine.limit import LOOP_CHARACTERS_MAX


async def counted(command: AppendMessages) -> AppendMessages:
    """Return the command that appends messages, with their token counts."""
    counts = await _estimated([draft.text for draft in command.drafts])
    drafts = zip(command.drafts, counts, strict=True)
    return msgspec.structs.replace(
        command, drafts=tuple(msgspec.structs.replace(draft, token_count=count) for draft, count in drafts)
    )


async def _estimated(texts: Sequence[str]) -> Sequence[int]:
    def estimated() -> Sequence[int]:
        return [estimated_tokens(text) for text in texts]

    if sum(map(len, texts)) <= LOOP_CHARACTERS_MAX:
        return estimated()
    return await REQUESTS.run(estimated)
