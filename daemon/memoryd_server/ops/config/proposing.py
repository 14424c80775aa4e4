"""The settings of the model that proposes memories."""

from pathlib import Path
from typing import Annotated

import msgspec

from memoryd_server.ops.config.flag import Flag
from memoryd_server.ops.config.setting_type import DURATION, ENDPOINT_URL, NAME, PATH, Count


class Proposing(msgspec.Struct, frozen=True, kw_only=True):
    """The model that proposes memories of conversations. Without a URL, rules propose them."""

    url: Annotated[
        str | None,
        Flag(
            ENDPOINT_URL,
            "Base URL of an OpenAI-compatible API used to make memories of conversations (without /chat/completions).  "
            "[default: none, rules make them]",
        ),
    ] = None
    model: Annotated[str | None, Flag(NAME, "Name of the model that makes memories of conversations.")] = None
    key_file: Annotated[
        Path | None,
        Flag(
            PATH,
            "File with the key of the API for memories.  [default: the variable MEMORYD_INGEST_API_KEY]",
        ),
    ] = None
    timeout: Annotated[float, Flag(DURATION, "Maximum duration of one request for memories of a conversation.")] = 60.0
    tokens_per_day: Annotated[
        int,
        Flag(
            Count(1),
            "Maximum number of tokens, of requests and answers, that the model may use in a day in UTC. Beyond it, "
            "conversations are refused until the next day.",
        ),
    ] = 1_000_000
