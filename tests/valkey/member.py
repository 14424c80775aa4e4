"""The nodes of a cluster as one of them sees them: its parsed CLUSTER NODES."""

from dataclasses import dataclass

from tests.valkey.server import ValkeyServer


@dataclass(frozen=True)
class Member:
    """A node as another one, or itself, sees it."""

    id: str
    port: int
    flags: frozenset[str]
    primary_id: str | None
    slots: frozenset[int]

    @property
    def is_new(self) -> bool:
        """If true, the two nodes have not completed their handshake."""
        return "handshake" in self.flags


def members(node: ValkeyServer) -> list[Member]:
    """Return all nodes that a node knows, itself included."""
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
        # Slots in brackets are being moved; they belong to their old owner until the move is complete.
        slots=frozenset(slot for each in slots if not each.startswith("[") for slot in _range(each)),
    )


def _range(text: str) -> range:
    first, _, last = text.partition("-")
    return range(int(first), int(last or first) + 1)
