"""The client of memoryd, the memory daemon for AI agents.

``memoryd.connect`` returns a synchronous client, ``memoryd.aio.connect`` one for asyncio with the same methods.
``memoryd.errors`` has the tree of errors, ``memoryd.v1`` the generated stubs. ``memoryd.__version__`` is the installed
version of this package.
"""

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from memoryd.api import *  # noqa: F403

    __version__: str
else:
    # Imported lazily: the daemon needs the stubs alone, and must not wait for the import of the client.
    def __getattr__(name: str) -> object:
        if name == "__version__":
            return importlib.import_module("importlib.metadata").version("memoryd")
        api = importlib.import_module("memoryd.api")
        if not hasattr(api, name):
            raise AttributeError(f"module 'memoryd' has no attribute {name!r}")
        return getattr(api, name)

    def __dir__() -> list[str]:
        return list(importlib.import_module("memoryd.api").__all__)
