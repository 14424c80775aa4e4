"""The result of a check that counts what it tried, and what it found."""

import msgspec


class Checked(msgspec.Struct, frozen=True):
    """The result. ``count`` is how much was tried, in ``unit``. ``broken`` says what was found; empty if nothing."""

    name: str
    what: str
    count: int
    unit: str
    broken: str
