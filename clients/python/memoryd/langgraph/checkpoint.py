"""Checkpoints as they are stored: large values of channels are blobs of their own, stored once for each version."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Self

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import (
    ChannelVersions,
    Checkpoint,
    CheckpointMetadata,
    CheckpointTuple,
    PendingWrite,
    get_checkpoint_metadata,
)
from langgraph.checkpoint.serde.base import SerializerProtocol

from memoryd.langgraph.document import Typed, typed, untyped
from memoryd.langgraph.thread import Version, blob_key, checkpoint_key

INLINED_CHARACTERS_MAX = 1_024


@dataclass(frozen=True, slots=True)
class StoredCheckpoint:
    """A checkpoint without the values that are blobs.

    ``blobs`` maps the channels of those values to their versions. ``inlined`` has the channels whose values are in the
    checkpoint itself.
    """

    checkpoint_ns: str
    checkpoint_id: str
    parent_id: str | None
    checkpoint: Typed
    metadata: Typed
    blobs: Mapping[str, Version]
    inlined: tuple[str, ...]

    @classmethod
    def of(
        cls,
        serde: SerializerProtocol,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
    ) -> Self:
        """Return the part of a checkpoint that is stored in its own entry."""
        values, versions = checkpoint["channel_values"], checkpoint["channel_versions"]
        inlined = {channel: value for channel, value in values.items() if _is_small(value)}
        return cls(
            checkpoint_ns=namespace_in(config),
            checkpoint_id=checkpoint["id"],
            parent_id=config["configurable"].get("checkpoint_id"),
            checkpoint=typed(serde, {**checkpoint, "channel_values": inlined}),
            metadata=typed(serde, get_checkpoint_metadata(config, metadata)),
            blobs={channel: versions[channel] for channel in values if channel in versions and channel not in inlined},
            inlined=tuple(inlined),
        )

    @classmethod
    def from_document(cls, document: Mapping[str, Any]) -> Self:
        """Return the checkpoint of a document."""
        return cls(
            checkpoint_ns=document["ns"],
            checkpoint_id=document["id"],
            parent_id=document["parent"],
            checkpoint=document["checkpoint"],
            metadata=document["metadata"],
            blobs=document["blobs"],
            inlined=tuple(document["inlined"]),
        )

    @property
    def key(self) -> str:
        """The key of its entry."""
        return checkpoint_key(self.checkpoint_ns, self.checkpoint_id)

    @property
    def blob_keys(self) -> dict[str, str]:
        """The keys of the values that are blobs, by channel."""
        return {channel: blob_key(self.checkpoint_ns, channel, version) for channel, version in self.blobs.items()}

    def document(self) -> dict[str, Any]:
        """Return the checkpoint as a JSON object."""
        return {
            "ns": self.checkpoint_ns,
            "id": self.checkpoint_id,
            "parent": self.parent_id,
            "checkpoint": self.checkpoint,
            "metadata": self.metadata,
            "blobs": dict(self.blobs),
            "inlined": self.inlined,
        }

    def metadata_by(self, serde: SerializerProtocol) -> CheckpointMetadata:
        """Return the decoded metadata."""
        metadata: CheckpointMetadata = untyped(serde, self.metadata)
        return metadata

    def tuple_of(
        self, serde: SerializerProtocol, thread_id: str, values: Mapping[str, Any], writes: list[PendingWrite]
    ) -> CheckpointTuple:
        """Return the checkpoint as a CheckpointTuple. ``values`` are those that are blobs, by channel."""
        checkpoint: Checkpoint = untyped(serde, self.checkpoint)
        checkpoint["channel_values"] |= values
        return CheckpointTuple(
            config=config_of(thread_id, self.checkpoint_ns, self.checkpoint_id),
            checkpoint=checkpoint,
            metadata=self.metadata_by(serde),
            parent_config=config_of(thread_id, self.checkpoint_ns, self.parent_id) if self.parent_id else None,
            pending_writes=writes,
        )


def new_blobs(
    serde: SerializerProtocol, stored: StoredCheckpoint, checkpoint: Checkpoint, new_versions: ChannelVersions
) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the keys and documents of the values that have changed with the checkpoint."""
    for channel, key in stored.blob_keys.items():
        if channel in new_versions:
            yield key, {"value": typed(serde, checkpoint["channel_values"][channel])}


def config_of(thread_id: str, checkpoint_ns: str, checkpoint_id: str) -> RunnableConfig:
    """Return the configuration that names a checkpoint."""
    return {"configurable": {"thread_id": thread_id, "checkpoint_ns": checkpoint_ns, "checkpoint_id": checkpoint_id}}


def thread_in(config: RunnableConfig) -> str:
    """Return the thread that a configuration names."""
    return str(config["configurable"]["thread_id"])


def namespace_in(config: RunnableConfig) -> str:
    """Return the namespace that a configuration names; the root's without one."""
    return str(config["configurable"].get("checkpoint_ns", ""))


def _is_small(value: Any) -> bool:
    if isinstance(value, str):
        return len(value) <= INLINED_CHARACTERS_MAX
    return value is None or type(value) in {bool, int, float}
