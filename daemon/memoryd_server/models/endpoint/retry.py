"""Which answers of an endpoint may be better the next time, and how long to wait until then."""

from collections.abc import Mapping
from datetime import datetime
from email.utils import parsedate_to_datetime

from memoryd_server.models.limit import RETRY_DELAY_S_MAX, RETRY_DELAY_S_MIN

_BAD_REQUEST = 400
_REQUEST_TIMEOUT = 408
_CONTENT_TOO_LARGE = 413
_UNPROCESSABLE_CONTENT = 422
_TOO_MANY_REQUESTS = 429


def is_passing(status: int) -> bool:
    """Whether the same request may succeed a moment after this HTTP status."""
    return status in (_REQUEST_TIMEOUT, _TOO_MANY_REQUESTS) or 500 <= status <= 599


def is_of_the_request(status: int) -> bool:
    """Whether this HTTP status may be about what was sent, and another request be taken."""
    return status in (_BAD_REQUEST, _CONTENT_TOO_LARGE, _UNPROCESSABLE_CONTENT)


def delay_s(retry: int, chance: float) -> float:
    """How long to wait before a retry, the first of which is 0: twice as long each time, up to 10 s.

    ``chance`` is from 0 to 1 and takes up to half of it away, so that clients that failed together come back apart.
    """
    return min(RETRY_DELAY_S_MIN * 2.0**retry, RETRY_DELAY_S_MAX) * (1 - chance / 2)


def wished_delay_s(headers: Mapping[str, str]) -> float | None:
    """How long the endpoint asks to wait (Retry-After), in seconds from 0 on; None when it does not say.

    ``headers`` finds names in any case. A date is compared with the endpoint's own, so that the clocks need not agree.
    """
    wish = headers.get("Retry-After", "").strip()
    if wish.isascii() and wish.isdecimal():
        return float(wish)
    until, now = _time(wish), _time(headers.get("Date", ""))
    if until is None or now is None:
        return None
    return max((until - now).total_seconds(), 0.0)


def _time(text: str) -> datetime | None:
    try:
        time = parsedate_to_datetime(text)
    except ValueError:
        return None
    # HTTP's dates are always in GMT, and one without a zone cannot be compared.
    return None if time.tzinfo is None else time
