"""The manifest of one file of a backup: what it is and where it belongs. It has no data of agents."""

from typing import Literal

import msgspec

Kind = Literal["base", "segment"]

SUFFIXES: dict[Kind, str] = {"base": ".snapshot", "segment": ".journal"}


class Manifest(msgspec.Struct, frozen=True, kw_only=True):
    """One file of a backup. Files are numbered as they were made, and a base begins a chain.

    A base is a snapshot of all agents, taken after ``start_token`` and before ``end_token``; ``create_time`` is that of
    the image. A segment has the commits between the two tokens; without any, it has no file. ``end_time`` is when the
    end was read: a ``complete`` segment has everything that was acknowledged by then. Times are in ns since the Unix
    epoch. ``store_id`` is that of the store, to which the tokens belong.
    """

    number: int
    kind: Kind
    store_id: str
    start_token: str
    end_token: str
    create_time: int
    end_time: int
    complete: bool = True
    commit_count: int = 0
    agent_count: int = 0
    size_bytes: int = 0
    sha256: str = ""
    encrypted: bool = False
    format_version: int = 1
    made_by: str = ""

    @property
    def stem(self) -> str:
        """The beginning of the names of the file and of the manifest."""
        return f"{self.number:08}"

    @property
    def manifest_name(self) -> str:
        """The name of the manifest."""
        return f"{self.stem}.json"

    @property
    def file_name(self) -> str:
        """The name of the file; empty if there is none."""
        if not self.size_bytes:
            return ""
        return f"{self.stem}{SUFFIXES[self.kind]}{'.age' if self.encrypted else ''}"


class Chain(msgspec.Struct, frozen=True):
    """A base, and the segments that follow it without a gap."""

    base: Manifest
    segments: tuple[Manifest, ...] = ()

    @property
    def files(self) -> tuple[Manifest, ...]:
        """The base and the segments, in order."""
        return (self.base, *self.segments)

    @property
    def end_token(self) -> str:
        """The point up to which the chain has everything, after which the next segment begins."""
        return self.segments[-1].end_token if self.segments else self.base.start_token

    @property
    def begin_time(self) -> int:
        """The first moment that can be restored. A base alone has one moment, that of its image."""
        return self.base.end_time if self.segments else self.base.create_time

    @property
    def end_time(self) -> int:
        """The last moment that can be restored."""
        ends = [each.end_time for each in self.segments if each.complete]
        return max(ends, default=self.base.create_time)
