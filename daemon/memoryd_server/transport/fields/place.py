"""The place of a refused field in its request."""

from collections.abc import Iterator
from contextlib import contextmanager

from memoryd_server.domain.error import InvalidField


@contextmanager
def below(place: str) -> Iterator[None]:
    """Name the fields that are refused within this context as fields of ``place``."""
    try:
        yield
    except InvalidField as error:
        raise InvalidField(f"{place}.{error.field}", error.description) from None
