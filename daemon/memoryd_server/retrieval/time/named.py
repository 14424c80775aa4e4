"""Named times: what a text names, and where."""

from datetime import datetime
from typing import NamedTuple


class NamedTime(NamedTuple):
    """A time that a text names by the characters from ``first`` to ``last``. An open end is None.

    ``names`` are those of the words that a text of that time may have, too, such as the name of a month. A time such as
    "recently" is vague.
    """

    start: datetime | None
    end: datetime | None
    first: int
    last: int
    names: tuple[str, ...] = ()
    is_vague: bool = False
