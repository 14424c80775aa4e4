"""The time that the disk itself takes to make a page durable."""

import contextlib
import os
from collections.abc import Callable, Iterator
from itertools import cycle
from pathlib import Path

_PAGE = b"\1" * 4096
_PAGES = 1024


@contextlib.contextmanager
def synced_page(path: Path) -> Iterator[Callable[[], None]]:
    """Yield a function that overwrites 4 KiB of an existing file and waits for fdatasync."""
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT)
    try:
        os.write(descriptor, _PAGE * _PAGES)
        os.fsync(descriptor)
        pages = cycle(range(_PAGES))

        def sync() -> None:
            os.pwrite(descriptor, _PAGE, next(pages) * len(_PAGE))
            os.fdatasync(descriptor)

        yield sync
    finally:
        os.close(descriptor)
