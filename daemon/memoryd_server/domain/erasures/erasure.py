"""Erasures: what a forgotten user or erased records leave behind while the journal still has something of them."""

import hashlib

import immutables
import msgspec

from memoryd_server.domain.agent.trace import RecordPath
from memoryd_server.domain.agent.user_removal import IsOfUser

_DIGEST_BYTES = 16


class Erasure(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """The record of an unfinished erasure: of a user, or of records. Fields are stored in this order.

    Of a user, it does not have the id, which is itself to be forgotten, but a digest of it, whose key is the random
    ``erasure_id``. Of records, the digest is empty, and ``paths`` are those that the request named; the events with the
    cause ERASED name the others. ``revision`` is the agent's of the last removal, and ``time`` when it was committed:
    what is written later belongs to a user who came back, or to other records. If ``is_complete`` is false, records are
    still to be removed. If ``ends`` is true, the agent ends with the erasure.
    """

    erasure_id: str
    digest: bytes
    time: int
    revision: int
    is_complete: bool
    blocks_reimport: bool = False
    paths: tuple[RecordPath, ...] = ()
    ends: bool = False

    @property
    def size_bytes(self) -> int:
        """Always 0: erasures do not count against the storage limit."""
        return 0


def user_digest(user_id: str, erasure_id: str) -> bytes:
    """Return the digest by which an erasure knows its user."""
    return hashlib.blake2b(user_id.encode(), key=erasure_id.encode(), digest_size=_DIGEST_BYTES).digest()


def is_of_user(erasure_id: str, digest: bytes) -> IsOfUser:
    """Return the test of user ids for an erasure. It remembers what it was asked, since records have few users."""
    known: dict[str, bool] = {"": False}

    def is_of(user_id: str) -> bool:
        found = known.get(user_id)
        if found is None:
            found = known[user_id] = user_digest(user_id, erasure_id) == digest
        return found

    return is_of


class Erasures(msgspec.Struct, frozen=True):
    """The erasures of an agent that are not finished, by their ids."""

    by_id: immutables.Map[str, Erasure] = immutables.Map()

    @property
    def next_deadline(self) -> int | None:
        """The time at which an erasure must be finished: at once, while there is one."""
        return 0 if self.by_id else None

    @property
    def record_count(self) -> int:
        """The number of records that the store holds of erasures."""
        return len(self.by_id)

    def __len__(self) -> int:
        return len(self.by_id)
