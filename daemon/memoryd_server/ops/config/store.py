"""The installed stores, found by the scheme of a store's URL."""

import contextlib
from collections.abc import Iterator
from typing import TYPE_CHECKING

from memoryd_server.ops.error import OperatorError, SettingError

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

    from memoryd_server.ports.store_factory import StoreFactory


def factory_of(url: str) -> "StoreFactory":
    """Return the factory that is registered for the scheme of a URL, or for the scheme alone.

    Raises ValueError if there is none, and OperatorError if there are several, or if it cannot be loaded.
    """
    # Imported late: help and usage errors need no store.
    from importlib.metadata import entry_points

    from memoryd_server.ports.store_factory import ENTRY_POINT_GROUP

    scheme = url.partition(":")[0].lower()
    installed = entry_points(group=ENTRY_POINT_GROUP)
    found = tuple(installed.select(name=scheme))
    if not found:
        # The URL itself is not printed: it may have a password.
        schemes = ", ".join(sorted(installed.names))
        raise ValueError(f"must begin with the scheme of an installed store: {schemes}")
    if len(found) > 1:
        owners = " and ".join(sorted(map(_owner, found)))
        raise OperatorError(f"store: {scheme} is registered by {owners}: uninstall all but one")
    return _loaded(found[0])


@contextlib.contextmanager
def refused_as(setting: str) -> Iterator[None]:
    """Turn the ValueError of a factory that cannot use a URL into the SettingError of a setting."""
    try:
        yield
    except ValueError as error:
        raise SettingError(setting, str(error)) from None


def _loaded(found: "EntryPoint") -> "StoreFactory":
    try:
        factory: StoreFactory = found.load()()
    except Exception as error:
        message = f"store: {found.name} of {_owner(found)} cannot be loaded: {type(error).__name__}: {error}"
        raise OperatorError(message) from error
    return factory


def _owner(found: "EntryPoint") -> str:
    """Return the name of the distribution that registered an entry point."""
    return found.dist.name if found.dist is not None else found.value
