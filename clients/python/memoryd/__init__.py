"""The client of memoryd, the memory daemon for AI agents.

``memoryd.connect`` returns a synchronous client, ``memoryd.aio.connect`` one for asyncio with the same methods.
``memoryd.errors`` has the tree of errors, ``memoryd.v1`` the generated stubs. ``memoryd.__version__`` is the version of
this package.
"""

import importlib
from typing import TYPE_CHECKING

from memoryd.place import PLACES

if TYPE_CHECKING:
    from memoryd.api import *  # noqa: F403

    __version__: str
else:
    # Each name is imported when it is used: the daemon needs the stubs alone, and most programs a part of the client.
    def __getattr__(name: str) -> object:
        if name == "__version__":
            return importlib.import_module("memoryd.protocol.version").VERSION
        if name not in PLACES:
            raise AttributeError(f"module 'memoryd' has no attribute {name!r}")
        module = importlib.import_module(PLACES[name])
        return module if PLACES[name] == f"memoryd.{name}" else getattr(module, name)

    def __dir__() -> list[str]:
        return list(PLACES)

    __all__ = list(PLACES)
