"""Authors: who caused the events of a command."""

import msgspec


class Author(msgspec.Struct, frozen=True, array_like=True):
    """The caller of a command, as its events report it; fields are stored in this order.

    ``origin`` is the name that the caller gave itself, ``principal`` the name of its token or certificate, and
    ``request_id`` the id that it gave the change. Each is empty if there is none; all are for the daemon's own changes.
    """

    origin: str = ""
    principal: str = ""
    request_id: str = ""


NOBODY = Author()
"""The author of the daemon's own changes, such as expiry."""
