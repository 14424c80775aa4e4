"""The classification of Redis errors, and their translation to refusals."""

import logging

from redis.exceptions import (
    AskError,
    AuthenticationError,
    AuthorizationError,
    BusyLoadingError,
    ClusterDownError,
    MovedError,
    NoPermissionError,
    NoScriptError,
    OutOfMemoryError,
    ReadOnlyError,
    ResponseError,
    TryAgainError,
)

from memoryd_server.domain.error import Refusal, StorageFull, StoreUnavailable
from memoryd_server.stores.redis.servers.link import DISCONNECTIONS
from memoryd_server.stores.redis.servers.trouble import log_trouble, text_of

_TRANSIENT_CODES = ("NOREPLICAS", "BUSY", "UNBLOCKED")
"""Error codes without a class in redis-py."""


def is_transient(error: Exception) -> bool:
    """Return True if the same request may succeed shortly after, at this or another server."""
    if isinstance(error, AuthenticationError | AuthorizationError):
        return False
    transient = (AskError, ClusterDownError, TryAgainError, ReadOnlyError, BusyLoadingError, NoScriptError)
    if isinstance(error, (*transient, *DISCONNECTIONS)):
        return True
    return isinstance(error, ResponseError) and str(error).startswith(_TRANSIENT_CODES)


def is_redirection(error: Exception) -> bool:
    """Return True if another server has the requested keys, or may have them."""
    return isinstance(error, (MovedError, ReadOnlyError, ClusterDownError, *DISCONNECTIONS))


def refusal_of(error: Exception, *, is_uncertain: bool = False) -> Refusal:
    """Return the refusal for a client, and log the cause.

    If ``is_uncertain`` is true, an earlier attempt may have been carried out.
    """
    if isinstance(error, Refusal):
        return error
    # StorageFull promises that nothing was written. An earlier attempt may have written.
    if isinstance(error, OutOfMemoryError) and not is_uncertain:
        return StorageFull()
    if isinstance(error, AuthenticationError | AuthorizationError | NoPermissionError):
        log_trouble(logging.ERROR, "store refused memoryd's user", error=text_of(error))
    elif is_transient(error):
        log_trouble(logging.WARNING, "store request abandoned", error=text_of(error))
    else:
        log_trouble(logging.ERROR, "store refused a request", error=text_of(error))
    return StoreUnavailable()
