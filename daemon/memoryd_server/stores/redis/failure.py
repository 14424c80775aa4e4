"""What Redis' errors mean."""

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
from memoryd_server.stores.redis.link import DISCONNECTIONS
from memoryd_server.stores.redis.trouble import log_trouble, words_of

_PASSING_WORDS = ("NOREPLICAS", "BUSY", "UNBLOCKED")
"""Codes that redis-py has no classes for."""


def is_passing(error: Exception) -> bool:
    """Whether the same request may succeed a moment later, here or at another server."""
    if isinstance(error, AuthenticationError | AuthorizationError):
        return False
    passing = (AskError, ClusterDownError, TryAgainError, ReadOnlyError, BusyLoadingError, NoScriptError)
    if isinstance(error, (*passing, *DISCONNECTIONS)):
        return True
    return isinstance(error, ResponseError) and str(error).startswith(_PASSING_WORDS)


def is_redirection(error: Exception) -> bool:
    """Whether another server has what was asked for, or may have it."""
    return isinstance(error, (MovedError, ReadOnlyError, ClusterDownError, *DISCONNECTIONS))


def refusal_of(error: Exception, *, is_uncertain: bool = False) -> Refusal:
    """What a client is told; the log says why. ``is_uncertain``: an earlier attempt may have been carried out."""
    if isinstance(error, Refusal):
        return error
    # That there is no room says that nothing was written, unless it was written before.
    if isinstance(error, OutOfMemoryError) and not is_uncertain:
        return StorageFull()
    if isinstance(error, AuthenticationError | AuthorizationError | NoPermissionError):
        log_trouble(logging.ERROR, "the server refuses memoryd's user: %s", words_of(error))
    elif is_passing(error):
        log_trouble(logging.WARNING, "a request was given up: %s", words_of(error))
    else:
        log_trouble(logging.ERROR, "the server refused a request: %s", words_of(error))
    return StoreUnavailable()
