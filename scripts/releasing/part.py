"""A part of a release."""

from collections.abc import Callable
from dataclasses import dataclass

from scripts.releasing.release import Release


@dataclass(frozen=True)
class Part:
    """The files of a release for one registry, or for one kind of user.

    ``build`` writes them to the release's ``dist``. It raises CommandError or ValueError if one is not as it must be.
    ``commands`` returns the commands that publish them. ``tools`` are the programs that it needs.
    """

    name: str
    build: Callable[[Release], None]
    commands: Callable[[Release], list[str]]
    tools: tuple[str, ...] = ()
