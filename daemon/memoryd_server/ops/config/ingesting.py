"""The settings of ingestion."""

from typing import Annotated, Literal

import msgspec

from memoryd_server.ops.config.flag import Flag
from memoryd_server.ops.config.setting_type import DURATION, Choice, Switch

IngestModeName = Literal["store", "propose"]


class Ingesting(msgspec.Struct, frozen=True, kw_only=True):
    """The ingestion of conversations."""

    ingest: Annotated[
        bool,
        Flag(
            Switch(),
            "Ingest conversations when no message was appended for some time. Otherwise, clients call "
            "IngestConversation. Daemons that share a store must agree.",
        ),
    ] = False
    ingest_after: Annotated[
        float,
        Flag(DURATION, "Time after the last message at which a conversation is ingested, with --ingest."),
    ] = 30.0
    ingest_mode: Annotated[
        IngestModeName,
        Flag(
            Choice("store", "propose"),
            "Outcome of a statement in an ingested conversation: store, a memory; propose, a proposal, which waits "
            "until a person or an agent accepts it.",
        ),
    ] = "store"
