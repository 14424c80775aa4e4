"""The garbage collector, while very many objects are made that live on."""

import contextlib
import gc
import threading
from collections.abc import Iterator

from memoryd_server.engine.limit import LONG_LIVED_MIN

_lock = threading.Lock()
_loading = 0


@contextlib.contextmanager
def long_lived(count: int) -> Iterator[None]:
    """Return a context manager for making an agent's ``count`` records, or what is made of them. Many are old at once.

    Otherwise the collector looks through them again and again while they are made, and finds nothing: an agent's state
    and its indexes have no cycles.
    """
    if count < LONG_LIVED_MIN:
        yield
        return
    _begin()
    try:
        yield
    finally:
        _end()


def _begin() -> None:
    global _loading
    with _lock:
        _loading += 1
        gc.disable()


def _end() -> None:
    global _loading
    with _lock:
        _loading -= 1
        if not _loading:
            # Together they put all objects into the oldest generation, without a look at any.
            gc.freeze()
            gc.unfreeze()
            gc.enable()
