"""What the file system says, as the ports say it."""

import contextlib
import errno
import logging
from collections.abc import Iterator

from memoryd_server.domain.error import StorageFull, StoreUnavailable

_NO_ROOM = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})


@contextlib.contextmanager
def storage_errors(log: logging.Logger, what: str) -> Iterator[None]:
    """Turn an OSError into StorageFull, or into StoreUnavailable with a warning that names what failed."""
    try:
        yield
    except OSError as error:
        if error.errno in _NO_ROOM:
            raise StorageFull from error
        log.warning("%s failed: %s", what, error)
        raise StoreUnavailable from error
