"""The state of the writer thread that the event loop must know: no room, or writes that fail."""

import asyncio
import logging
from collections.abc import Callable
from contextlib import suppress
from functools import partial

from memoryd_server.ports.room import Room

log = logging.getLogger("memoryd.sqlite")


class Writability:
    """The state of a writer: full if it accepts only removals, failing if its last write failed. Used by its thread."""

    def __init__(self, loop: asyncio.AbstractEventLoop, room: Room) -> None:
        self.is_full = False
        self.is_failing = False
        self._loop = loop
        self._room = room

    def note_room(self, has_room: bool) -> None:
        """Note whether there is room for more than removals."""
        if has_room is not self.is_full:
            return
        self.is_full = not has_room
        if has_room:
            log.info("there is room again: all changes are accepted")
        else:
            log.error("storage full: only removals are accepted, until there is room")
        self._pass_on(partial(self._room.change, is_left=has_room))

    def note_write(self, *, is_failing: bool) -> None:
        """Note that a write has failed, for another reason than a lack of room, or has succeeded."""
        if is_failing is not self.is_failing:
            self.is_failing = is_failing
            self._pass_on(partial(self._room.note_write, is_failing=is_failing))

    def _pass_on(self, note: Callable[[], None]) -> None:
        with suppress(RuntimeError):  # the loop is closed
            self._loop.call_soon_threadsafe(note)
