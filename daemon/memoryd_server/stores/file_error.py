"""The translation of file system errors to the errors of the ports."""

import contextlib
import errno
import logging
from collections.abc import Iterator

from memoryd_server.domain.error import StorageFull, StoreUnavailable

_NO_ROOM = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})


@contextlib.contextmanager
def storage_errors(log: logging.Logger, what: str) -> Iterator[None]:
    """Raise StorageFull for an OSError due to lack of space; StoreUnavailable, with a logged warning, for any other.

    ``what`` names the directory in the log.
    """
    try:
        yield
    except OSError as error:
        if error.errno in _NO_ROOM:
            raise StorageFull from error
        log.warning("file system call failed", extra={"place": what, "error": str(error)})
        raise StoreUnavailable from error
