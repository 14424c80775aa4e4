"""What a node of a cluster knows of the nodes: its CLUSTER NODES, read."""

from dataclasses import dataclass

from tests.valkey.server import ValkeyServer


@dataclass(frozen=True)
class Member:
    """A node as another one, or itself, knows it."""

    id: str
    port: int
    flags: frozenset[str]
    primary_id: str | None
    slots: frozenset[int]

    @property
    def is_new(self) -> bool:
        """Whether the two have not shaken hands."""
        return "handshake" in self.flags


def members(node: ValkeyServer) -> list[Member]:
    """All the nodes that a node knows, itself included."""
    reply = node.command("CLUSTER", "NODES")
    assert isinstance(reply, bytes)
    return [_member(line) for line in reply.decode().splitlines()]


def _member(line: str) -> Member:
    identity, address, flags, primary_id, _, _, _, _, *slots = line.split()
    return Member(
        id=identity,
        port=int(address.split("@")[0].rsplit(":", 1)[1]),
        flags=frozenset(flags.split(",")),
        primary_id=None if primary_id == "-" else primary_id,
        # In brackets are those on the move; they are their owner's until they have moved.
        slots=frozenset(slot for each in slots if not each.startswith("[") for slot in _range(each)),
    )


def _range(text: str) -> range:
    first, _, last = text.partition("-")
    return range(int(first), int(last or first) + 1)
